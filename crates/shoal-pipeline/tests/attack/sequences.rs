use arrow_array::RecordBatch;
use proptest::prelude::*;
use shoal_core::hierarchy::from_text;
use shoal_core::policy::SequencesAlgorithmName;
use shoal_pipeline::Assets;

use crate::support::{attacked, batch, cases, publish, request};

const TOWNS: &str = "t0;north;*\nt1;north;*\nt2;north;*\nt3;south;*\nt4;south;*\n";
const YEARS: &str = "2010;early;*\n2011;early;*\n2012;late;*\n2013;late;*\n";

pub(crate) fn assets() -> Assets {
    let tree = |text| from_text(text).unwrap();
    Assets::default().with_hierarchy("towns", tree(TOWNS)).with_hierarchy("years", tree(YEARS))
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub algorithm: SequencesAlgorithmName,
    pub k: usize,
    pub length: usize,
    pub limit: &'static str,
}

pub(crate) fn asked() -> impl Strategy<Value = Asked> {
    let limits = vec![
        "c = 0.6\nsensitive-values = [\"i0\"]",
        "c = 0.8\nsensitive-values = [\"i0\", \"i1\"]",
        "beta = 1.5",
        "",
    ];
    (prop::sample::select(SequencesAlgorithmName::ALL), 2..4_usize, 1..4_usize, prop::sample::select(limits))
        .prop_map(|(algorithm, k, length, limit)| Asked { algorithm, k, length, limit })
}

pub(crate) fn policy(asked: &Asked) -> String {
    let Asked { algorithm, k, length, limit } = asked;
    let privacy = match algorithm {
        SequencesAlgorithmName::Cbmsa | SequencesAlgorithmName::CbmsaBaseline => match *limit {
            "beta = 1.5" => String::new(),
            limit => limit.to_owned(),
        },
        SequencesAlgorithmName::Fcla | SequencesAlgorithmName::FclaBase1 | SequencesAlgorithmName::Halt => {
            format!("length = {length}\n{}", if limit.is_empty() { "beta = 2.0" } else { limit })
        }
    };
    format!(
        "version = 1\n[data]\nshape = \"sequences\"\nid = \"who\"\norder = [\"day\"]\n[columns.who]\nrole = \"identifier\"\n\
         [columns.day]\nrole = \"identifier\"\nkind = \"integer\"\n\
         [columns.year]\nrole = \"quasi-identifier\"\nkind = \"integer\"\nhierarchy = \"years\"\n\
         [columns.town]\nrole = \"quasi-identifier\"\nhierarchy = \"towns\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\nk = {k}\n{privacy}\n[algorithm]\nname = \"{}\"\n",
        algorithm.name()
    )
}

/// Somebody's visits: year, town, illness.
pub(crate) type Visits = Vec<(u32, u32, u32)>;

pub(crate) fn people() -> impl Strategy<Value = Vec<Visits>> {
    let visit = (0..4_u32, 0..5_u32, 0..5_u32);
    prop::collection::vec(prop::collection::vec(visit, 1..4), 6..30)
}

pub(crate) fn data(people: &[Visits]) -> RecordBatch {
    let mut rows = Vec::new();
    // Two people with the values that policies name, so that they are known.
    for (person, visits) in [vec![(0, 0, 0)], vec![(0, 0, 1)]].iter().chain(people).enumerate() {
        for (day, (year, town, illness)) in visits.iter().enumerate() {
            rows.push(vec![
                format!("p{person}"),
                day.to_string(),
                (2010 + year).to_string(),
                format!("t{town}"),
                format!("i{illness}"),
            ]);
        }
    }
    batch(&["who", "day", "year", "town", "illness"], &rows)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_bound_is_beaten(people in people(), asked in asked()) {
        let (request, data) = (request(&policy(&asked), assets()), data(&people));
        let Some(published) = publish(&request, &data) else { return Ok(()) };
        let found = attacked(&request, &data, &published, &[]).unwrap();
        prop_assert!(found.holds(), "{:#?}", found.attacks);
        prop_assert_eq!(found.attacks.attacks[0].bound, Some(1.0 / asked.k as f64));
    }

    /// Raw data in which somebody's first visit is nobody else's.
    #[test]
    fn raw_data_are_beaten(people in people(), asked in asked()) {
        let mut people = people;
        people.push(vec![(3, 4, 2), (3, 4, 2), (3, 4, 2), (3, 4, 2)]);
        let (request, data) = (request(&policy(&asked), assets()), data(&people));
        let found = attacked(&request, &data, std::slice::from_ref(&data), &[]).unwrap();
        let linkage = &found.attacks.attacks[0];
        match asked.algorithm {
            // Nobody else has four visits, so nobody else's events hide that one; but those of others may fit her.
            SequencesAlgorithmName::Cbmsa | SequencesAlgorithmName::CbmsaBaseline => {
                prop_assert!(linkage.success >= 1.0 / people.len() as f64);
            }
            _ => {
                // Whoever knows one value of the rarest town finds as many as have been there.
                let been = |town: u32| people.iter().filter(|visits| visits.iter().any(|v| v.1 == town)).count();
                let rarest = (1..5).map(been).filter(|been| *been > 0).min().unwrap();
                prop_assert!(linkage.success >= 1.0 / rarest as f64, "{:#?}", linkage);
            }
        }
    }
}

/// With everything known, whoever has an event that nobody else has is alone.
#[test]
fn a_split_crowd_is_beaten() {
    let asked = Asked {
        algorithm: SequencesAlgorithmName::Cbmsa,
        k: 3,
        length: 0,
        limit: "c = 0.6\nsensitive-values = [\"i0\"]",
    };
    let row = |who: usize, year: &str, town: &str, ill: usize| {
        vec![format!("p{who}"), "0".to_owned(), year.to_owned(), town.to_owned(), format!("i{ill}")]
    };
    let header = ["who", "day", "year", "town", "illness"];
    let towns = ["t0", "t1", "t2", "t0", "t1", "t2"];
    let original: Vec<Vec<String>> =
        (0..6).map(|at| row(at, if at < 3 { "2010" } else { "2012" }, towns[at], at % 3)).collect();
    let published = |split: bool, same: bool| {
        let year = |at: usize| if at < 3 { "early" } else { "late" };
        let town = |at: usize| if split && at == 0 { "t0" } else { "north" };
        let rows: Vec<Vec<String>> =
            (0..6).map(|at| row(at, year(at), town(at), if same && at < 3 { 0 } else { at % 3 })).collect();
        batch(&header, &rows)
    };
    let request = request(&policy(&asked), assets());
    let original = batch(&header, &original);
    let holds = |published| attacked(&request, &original, &[published], &[]).unwrap().holds();
    assert!(holds(published(false, false)));
    // The two that are left behind have a crowd of two.
    assert!(!holds(published(true, false)));
    // All of a crowd have the highly sensitive value.
    assert!(!holds(published(false, true)));
}
