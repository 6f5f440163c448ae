use arrow_array::RecordBatch;
use proptest::prelude::*;
use shoal_core::hierarchy::from_text;
use shoal_core::policy::TableAlgorithmName;
use shoal_pipeline::Assets;

use crate::support::{attacked, batch, cases, publish, request};

const HEADER: [&str; 6] = ["name", "age", "town", "sex", "note", "illness"];
const TOWNS: &str = "t0;north;*\nt1;north;*\nt2;north;*\nt3;south;*\nt4;south;*\n";

pub(crate) fn assets() -> Assets {
    Assets::default().with_hierarchy("towns", from_text(TOWNS).unwrap())
}

/// A row: name, age, town, sex, note, illness.
pub(crate) fn row(people: u32) -> impl Strategy<Value = Vec<String>> {
    (0..people, 20..32_u32, 0..5_u32, 0..2_u32, 0..2_u32, 0..6_u32).prop_map(
        |(name, age, town, sex, note, ill)| {
            let illness = ["flu", "Flu ", "cold", "gout", "asthma", "ulcer"][ill as usize];
            let sex = ["F", "M"][sex as usize];
            vec![
                format!("p{name}"),
                age.to_string(),
                format!("t{town}"),
                sex.to_owned(),
                note.to_string(),
                illness.to_owned(),
            ]
        },
    )
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub algorithm: TableAlgorithmName,
    pub k: usize,
    pub condition: &'static str,
    pub person: bool,
    pub tree: bool,
    pub more: &'static str,
}

pub(crate) fn asked() -> impl Strategy<Value = Asked> {
    let conditions = vec![
        "",
        "l-diversity = { kind = \"distinct\", l = 2 }",
        "l-diversity = { kind = \"distinct\", l = 3 }",
        "l-diversity = { kind = \"entropy\", l = 2 }",
        "l-diversity = { kind = \"recursive\", l = 2, c = 2.0 }",
        "t-closeness = 0.4",
        "beta-likeness = 2.0",
    ];
    let more = vec!["", "remainder = \"suppress\"", "max-suppressed = 0.2"];
    (
        prop::sample::select(TableAlgorithmName::ALL),
        2..6_usize,
        prop::sample::select(conditions),
        any::<bool>(),
        any::<bool>(),
        prop::sample::select(more),
    )
        .prop_map(|(algorithm, k, condition, person, tree, more)| Asked {
            algorithm,
            k,
            condition,
            person,
            tree,
            more,
        })
}

pub(crate) fn policy(asked: &Asked) -> String {
    let Asked { algorithm, k, condition, person, tree, more } = asked;
    let transparent = *algorithm == TableAlgorithmName::Transparent;
    let (condition, person) = match transparent {
        // Frequency l-diversity is what it promises, of records.
        true => ("transparent = true\nl-diversity = { kind = \"distinct\", l = 2 }", ""),
        false => (*condition, if *person { "person = \"name\"" } else { "" }),
    };
    let more = match (algorithm, *more) {
        (TableAlgorithmName::Sbc, "remainder = \"suppress\"") => *more,
        (TableAlgorithmName::Incognito, "max-suppressed = 0.2") => *more,
        _ => "",
    };
    let town = if *tree { "hierarchy = \"towns\"" } else { "" };
    format!(
        "version = 1\n[data]\nshape = \"table\"\n{person}\n[columns.name]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n\
         [columns.town]\nrole = \"quasi-identifier\"\n{town}\n[columns.sex]\nrole = \"quasi-identifier\"\n\
         [columns.note]\nrole = \"insensitive\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\nk = {k}\n{condition}\n[algorithm]\nname = \"{}\"\n{more}\n",
        algorithm.name()
    )
}

pub(crate) fn data(rows: &[Vec<String>]) -> RecordBatch {
    batch(&HEADER, rows)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_bound_is_beaten(rows in prop::collection::vec(row(30), 8..90), asked in asked()) {
        let (request, data) = (request(&policy(&asked), assets()), data(&rows));
        let Some(published) = publish(&request, &data) else { return Ok(()) };
        let found = attacked(&request, &data, &published, &[]).unwrap();
        prop_assert!(found.holds(), "{:#?}", found.attacks);
        let linkage = &found.attacks.attacks[0];
        prop_assert!(linkage.name == "linkage" && linkage.bound == Some(1.0 / asked.k as f64));
        // The same release again gives nothing away.
        let again = attacked(&request, &data, &published, std::slice::from_ref(&published)).unwrap();
        prop_assert!(again.holds(), "{:#?}", again.attacks);
    }

    /// Raw data, as far as somebody is alone in them.
    #[test]
    fn raw_data_are_beaten(rows in prop::collection::vec(row(30), 8..60), asked in asked()) {
        let (request, data) = (request(&policy(&asked), assets()), data(&rows));
        let mut quasi: Vec<&[String]> = rows.iter().map(|row| &row[1..4]).collect();
        quasi.sort();
        let alone = quasi.chunk_by(|a, b| a == b).any(|same| same.len() < asked.k);
        let found = attacked(&request, &data, std::slice::from_ref(&data), &[]).unwrap();
        prop_assert!(found.attacks.attacks[0].beaten || !alone, "{:#?}", found.attacks);
    }
}

/// Rows are moved to another class one at a time: the one that is left behind is too small.
#[test]
fn a_split_class_is_beaten() {
    let rows: Vec<Vec<String>> = (0..12)
        .map(|at: usize| {
            let cells =
                ["p", &(20 + at / 4 * 10 + at % 4).to_string(), "t0", "F", "0", ["flu", "cold"][at % 2]];
            cells.map(str::to_owned).to_vec()
        })
        .collect();
    let asked = Asked {
        algorithm: TableAlgorithmName::Mondrian,
        k: 4,
        condition: "l-diversity = { kind = \"distinct\", l = 2 }",
        person: false,
        tree: false,
        more: "",
    };
    let (request, original) = (request(&policy(&asked), assets()), data(&rows));
    let published = |changed: Option<usize>| {
        let row = |(at, row): (usize, &Vec<String>)| {
            let low = 20 + at / 4 * 10;
            let age = match changed {
                Some(row) if row == at => row.to_string() + "0",
                _ => format!("[{low}, {}]", low + 3),
            };
            let mut row = row.clone();
            row[1] = age;
            row
        };
        data(&rows.iter().enumerate().map(row).collect::<Vec<_>>())
    };
    assert!(attacked(&request, &original, &[published(None)], &[]).unwrap().holds());
    for changed in 0..12 {
        let found = attacked(&request, &original, &[published(Some(changed))], &[]).unwrap();
        assert!(!found.holds(), "{changed}: {:#?}", found.attacks);
    }
}
