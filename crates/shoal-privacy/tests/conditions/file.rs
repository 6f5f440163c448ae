//! Random files of three columns: a quasi-identifier, an illness with a tree, a number of visits.

use std::cmp::Ordering;
use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::{
    Condition, DateFormat, Distance, Distribution, Hierarchy, Kind, Likeness, MissingTexts, RawColumn,
    RawTable, Role, Rule, ValueParser,
};
use shoal_privacy::table::model_against;
use shoal_privacy::{SensitiveColumn, TableModel, TableVerdict, verify_table_file};

pub(crate) const NAMES: [&str; 3] = ["zip", "illness", "visits"];

/// Not as deep everywhere, and one inner node has a single leaf. Two leaves look alike.
pub(crate) const TREE: [[&str; 4]; 8] = [
    ["flu", "virus", "lung", "*"],
    ["FLU ", "virus", "lung", "*"],
    ["cold", "virus", "lung", "*"],
    ["asthma", "asthma", "lung", "*"],
    ["ulcer", "belly", "belly", "*"],
    ["polyp", "growth", "belly", "*"],
    ["gout", "gout", "gout", "*"],
    ["?", "?", "?", "*"],
];

/// Every place of a broken cell finds something here. Some values are written in two ways.
pub(crate) const ZIPS: [&str; 4] = ["53", "54", "55", "*"];
pub(crate) const ILLNESSES: [&str; 9] = ["flu", "FLU ", "cold", "asthma", "ulcer", "polyp", "gout", "?", ""];
pub(crate) const VISITS: [&str; 10] = ["2", "+2", "10", "-3", "9", "007", "7", "100", "?", ""];

/// An original of these texts, encoded; `?` and the empty text are missing.
pub(crate) fn original<const N: usize>(
    columns: [(&str, Role, Kind); N],
    rows: &[[String; N]],
) -> shoal_core::Table {
    let raw = RawTable::from_rows(
        &columns.map(|(name, ..)| name),
        &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>(),
    );
    let encode = |(raw, (_, role, kind)): (&RawColumn, (&str, Role, Kind))| {
        shoal_core::Column::encode(raw, role, kind, &["?".to_owned(), String::new()]).unwrap()
    };
    shoal_core::Table { columns: raw.columns.iter().zip(columns).map(encode).collect(), rows: rows.len() }
}

/// A row is a text per name.
pub(crate) type Table = Vec<[String; 3]>;

/// The sensitive columns, by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Illness = 1,
    Visits = 2,
}

impl Column {
    /// What looks alike is one value, and what is missing is none.
    pub(crate) fn meaning(self, text: &str) -> Option<String> {
        match text.parse::<i64>() {
            _ if text.is_empty() || text == "?" => None,
            Ok(number) => Some(number.to_string()),
            Err(_) => Some(text.trim().to_lowercase()),
        }
    }

    pub(crate) fn compare(self, one: &str, two: &str) -> Ordering {
        let place = |text: &str| text.parse::<i64>().unwrap_or(i64::MAX);
        if self == Column::Visits { place(one).cmp(&place(two)) } else { one.cmp(two) }
    }

    fn ground(self) -> SensitiveColumn {
        let kind = if self == Column::Visits { Kind::Integer } else { Kind::Text };
        let tree = Hierarchy::from_rows(&TREE.map(|line| line.to_vec())).unwrap();
        SensitiveColumn {
            parser: ValueParser::new(kind, DateFormat::default()),
            missing: MissingTexts::new(&["?", ""]),
            hierarchy: (self == Column::Illness).then(|| Arc::new(tree)),
        }
    }
}

/// Files of up to sixteen records; some columns have few values so that classes are often alike.
pub(crate) fn tables() -> impl Strategy<Value = Table> {
    (1..=ILLNESSES.len(), 1..=VISITS.len()).prop_flat_map(|(illnesses, visits)| {
        let row = (0..4_usize, 0..illnesses, 0..visits);
        let row = row.prop_map(|(z, i, v)| [ZIPS[z], ILLNESSES[i], VISITS[v]].map(str::to_owned));
        prop::collection::vec(row, 0..=16)
    })
}

/// Every rule about every column that it can be about.
pub(crate) fn rules() -> impl Strategy<Value = (Column, Rule)> {
    let column = prop_oneof![Just(Column::Illness), Just(Column::Visits)];
    let beta = prop_oneof![Just(0.5), Just(1.0), 0.1..6.0];
    let t = prop_oneof![Just(0.0), Just(0.25), Just(0.5), 0.0..1.0];
    let general = prop_oneof![
        (2..5_usize).prop_map(|l| Rule::Distinct { l }),
        (2..5_usize).prop_map(|l| Rule::Frequency { l }),
        prop_oneof![Just(2.0), Just(3.0), 1.01..5.0].prop_map(|l| Rule::Entropy { l }),
        (2..5_usize, prop_oneof![Just(1.0), Just(2.0), Just(0.5), 0.1..5.0])
            .prop_map(|(l, c)| Rule::Recursive { l, c }),
        t.clone().prop_map(|t| Rule::Close { t, distance: Distance::Equal }),
        beta.clone().prop_map(|beta| Rule::Alike(Likeness::Basic(beta))),
        beta.prop_map(|beta| Rule::Alike(Likeness::Enhanced(beta))),
    ];
    prop_oneof![
        4 => (column, general),
        1 => t.clone().prop_map(|t| (Column::Visits, Rule::Close { t, distance: Distance::Ordered })),
        1 => t.prop_map(|t| (Column::Illness, Rule::Close { t, distance: Distance::Hierarchical })),
    ]
}

/// What the crate under test says of all rules at once.
pub(crate) fn verdict(table: &Table, rules: &[(Column, Rule)]) -> TableVerdict {
    let rows: Vec<Vec<&str>> = table.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let file = RawTable::from_rows(&NAMES, &rows);
    let roles = [Role::QuasiIdentifier, Role::Sensitive, Role::Sensitive];
    let roles: Vec<(&str, Role)> = NAMES.into_iter().zip(roles).collect();
    verify_table_file(&file, &roles, &models(rules), &shoal_core::Silent).unwrap()
}

pub(crate) fn models(rules: &[(Column, Rule)]) -> Vec<Box<dyn TableModel>> {
    models_against(rules, &|_| None)
}

/// The same where somebody else than the file is everybody.
pub(crate) fn models_against(
    rules: &[(Column, Rule)],
    everybody: &dyn Fn(Column) -> Option<Distribution>,
) -> Vec<Box<dyn TableModel>> {
    let condition = |(column, rule): &(Column, Rule)| {
        let condition = Condition { column: NAMES[*column as usize].to_owned(), rule: *rule };
        model_against(&condition, column.ground(), everybody(*column)).unwrap()
    };
    rules.iter().map(condition).collect()
}
