//! The same enumeration on algorithms that look at values to keep l-diversity: whoever knows them is sometimes certain.

use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::RibbonParams;
use shoal_algorithms::table::sbc::{Remainder, SbcParams};
use shoal_core::{Silent, TablePromise};

use crate::worlds::{Known, Seen, distinct, file};

const NAMES: [&str; 3] = ["ribbon", "sbc", "mondrian"];

fn algorithms(promise: &TablePromise) -> [Box<dyn TableAlgorithm>; 3] {
    let (separate_normalization, max_suppressed) = (false, None);
    let sbc = SbcParams {
        promise: promise.clone(),
        remainder: Remainder::Nearest,
        separate_normalization,
        max_suppressed,
    };
    [
        Box::new(RibbonParams { promise: promise.clone(), ..RibbonParams::new(2) }.check().unwrap()),
        Box::new(sbc.check().unwrap()),
        Box::new(MondrianParams { promise: promise.clone() }.check().unwrap()),
    ]
}

fn seen(known: &Known, algorithm: &dyn TableAlgorithm) -> Seen {
    let mut seen = Seen::default();
    for world in known.worlds() {
        let table = known.table(&world);
        let recoding = algorithm.anonymize(&table, &Silent).unwrap().recoding;
        seen.add(file(&table, &recoding), &world, 1);
    }
    seen
}

/// Ages 20, 21 and 40 to 43, two people with HIV: some of them are certain to whoever knows the algorithm, although every
/// published crowd has two different values. The figures stand in docs/transparency.md.
#[test]
fn some_carriers_are_certain() {
    let known = Known::of_ages(&[20, 21, 40, 41, 42, 43], &[2, 4]);
    let certain = algorithms(&distinct(2, 2)).map(|algorithm| {
        let seen = seen(&known, algorithm.as_ref());
        assert!(seen.largest_posterior().0 * 2 > seen.largest_posterior().1, "{}", algorithm.name());
        seen.certain(0)
    });
    for (name, certain) in NAMES.iter().zip(certain) {
        println!("{name}: {:.1} % of carriers are certain", 100.0 * certain);
        assert!(certain > 0.05, "{name}: {certain}");
    }
}

/// All ages from 20 to 25 or with gaps, all numbers of carriers that allow it.
#[test]
fn through_all_small_worlds() {
    let ages: [&[u32]; 4] = [
        &[20, 21, 40, 41, 42, 43],
        &[20, 21, 22, 23, 24, 25],
        &[20, 21, 22, 40, 41, 42],
        &[20, 20, 21, 21, 40, 41],
    ];
    for (at, name) in NAMES.iter().enumerate() {
        let (mut certain, mut settings) = (0.0, 0.0);
        for ages in ages {
            for carriers in 2..=3 {
                let known = Known::of_ages(ages, &[carriers, 6 - carriers]);
                certain += seen(&known, algorithms(&distinct(2, 2))[at].as_ref()).certain(0);
                settings += 1.0;
            }
        }
        println!("{name}: {:.1} % of carriers are certain in all settings", 100.0 * certain / settings);
        assert!(certain > 0.0, "{name}");
    }
}

/// What does not look at values gives nothing away but the shares in its crowds, which l-diversity does not bound then.
#[test]
fn crowds_that_do_not_depend_on_values_tell_their_shares_only() {
    let known = Known::of_ages(&[20, 21, 40, 41], &[2, 2]);
    let k_only = MondrianParams { promise: TablePromise::crowds(4) }.check().unwrap();
    assert_eq!(seen(&known, &k_only).largest_posterior(), (1, 2));
}
