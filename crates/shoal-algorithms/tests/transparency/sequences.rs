//! cbmsa keeps (k,c) by looking at who has a highly sensitive value, so that whoever knows it may be certain of one.

use std::collections::BTreeMap;

use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_core::{Bound, Hierarchy, Limit, SUPPRESSED, Sequences, SequencesPromise, Silent, Support};

use crate::support::{Shape, sequences};
use crate::worlds::{File, Known, Seen};

/// One event a person: a ward, and whether it was HIV.
fn people(wards: &[&str], world: &[u32]) -> Sequences {
    let ills = world.iter().map(|&value| if value == 0 { "HIV" } else { "flu" });
    let people: Vec<Vec<Vec<&str>>> =
        wards.iter().zip(ills).map(|(ward, ill)| vec![vec![*ward, ill]]).collect();
    let lines = ["a1", "a2", "b1", "b2", "b3", "b4"].map(|ward| vec![ward, &ward[..1], "*"]);
    let tree = Hierarchy::from_rows(&lines).unwrap();
    sequences(&[Shape::new("ward", Some(tree)), Shape::new("ill", None)], &people)
}

/// What is published: for each person the ward and the illness of the event, if it is there.
fn publish(data: &Sequences, promise: &SequencesPromise) -> Option<File> {
    let algorithm = CbmsaParams::default().check();
    let recoding = algorithm.anonymize(data, promise, &Silent).ok()?.recoding;
    let [ward, ill] = &data.events().columns[..] else { panic!("two columns") };
    let mut file: File = Vec::new();
    for (event, &class) in recoding.events.class_of.iter().enumerate() {
        if class != SUPPRESSED {
            let cell = ward.render(&recoding.events.classes[class as usize].cells[0]);
            file.push((vec![cell], ill.domain.label(ill.codes[event]).to_owned()));
        }
    }
    file.sort();
    Some(file)
}

#[test]
fn some_carriers_are_certain() {
    let wards = ["a1", "a2", "b1", "b2", "b3", "b4"];
    let limit = Limit { column: "ill".into(), values: Some(vec!["HIV".into()]), bound: Bound::Share(0.5) };
    let promise = SequencesPromise {
        k: 2,
        length: None,
        limits: vec![limit],
        support: Support::default(),
        distributions: Default::default(),
    };
    let known = Known { quasi: vec![Vec::new(); 6], counts: vec![2, 4] };
    let mut seen = Seen::default();
    let mut outcomes: BTreeMap<bool, usize> = BTreeMap::new();
    for world in known.worlds() {
        let file = publish(&people(&wards, &world), &promise);
        *outcomes.entry(file.is_some()).or_default() += 1;
        seen.add(file.unwrap_or_default(), &world, 1);
    }
    println!("cbmsa: {:.1} % of carriers are certain", 100.0 * seen.certain(0));
    assert_eq!(outcomes.get(&false), None, "every world can be published");
    assert!(seen.certain(0) > 0.05, "{}", seen.certain(0));
}
