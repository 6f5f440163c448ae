//! Small random tables with sensitive columns, and promises about them.

use proptest::prelude::*;
use shoal_core::{Column, Condition, Distance, Hierarchy, Kind, Likeness, Role, Rule, Table, TablePromise};

use crate::support;

/// A column of these texts; `?` is missing. With a tree, neighbouring numbers share a node.
pub(crate) fn column(name: &str, role: Role, kind: Kind, texts: &[String], tree: bool) -> Column {
    // The last value goes straight to the top.
    let line = |value: u32| match value {
        7 => vec!["7".to_owned(), "*".to_owned()],
        _ => vec![
            value.to_string(),
            format!("pair {}", value / 2),
            format!("four {}", value / 4),
            "*".to_owned(),
        ],
    };
    let tree = tree.then(|| Hierarchy::from_rows(&(0..8).map(line).collect::<Vec<_>>()).unwrap());
    support::column(name, role, kind, texts, tree)
}

/// One to three quasi-identifiers with hierarchies, the sensitive columns `s` (names, with a hierarchy) and `n`
/// (numbers, some missing), and mostly no personal k.
pub(crate) fn any_table(rows: std::ops::Range<usize>) -> impl Strategy<Value = Table> {
    let quasi = prop::collection::vec(1_u32..8, 1..=3);
    let row = (prop::array::uniform3(0_u32..8), 0_u32..100, 0_u32..4, 0_u32..100);
    (quasi, 1_u32..7, prop::bool::weighted(0.3), prop::collection::vec(row, rows)).prop_map(
        |(quasi, values, personal, rows)| {
            let texts =
                |of: &dyn Fn(&Row) -> u32| rows.iter().map(|row| of(row).to_string()).collect::<Vec<_>>();
            let mut columns: Vec<Column> = quasi
                .iter()
                .enumerate()
                .map(|(c, &values)| {
                    let role = Role::QuasiIdentifier;
                    column(&format!("q{c}"), role, Kind::Integer, &texts(&|row| row.0[c] % values), true)
                })
                .collect();
            // Low values are more frequent.
            let skewed = |row: &Row| row.1 * row.1 * values / 10_000;
            columns.push(column("s", Role::Sensitive, Kind::Text, &texts(&skewed), true));
            let number = |row: &Row| if row.2 == 3 { "?".to_owned() } else { row.2.to_string() };
            let numbers: Vec<String> = rows.iter().map(number).collect();
            columns.push(column("n", Role::Sensitive, Kind::Integer, &numbers, false));
            if personal {
                let asked = texts(&|row: &Row| if row.3 < 10 { row.3 } else { 1 });
                columns.push(column("own", Role::PersonalK, Kind::Integer, &asked, false));
            }
            Table { columns, rows: rows.len() }
        },
    )
}

type Row = ([u32; 3], u32, u32, u32);

/// Up to two rules about `s` or `n`, of every kind. No class of a few records can be right at one of their real
/// bounds, where the algorithms stop a little earlier than the slow reading.
pub(crate) fn any_promise() -> impl Strategy<Value = TablePromise> {
    let l = || prop::sample::select(vec![1_usize, 2, 3]);
    let c = prop::sample::select(vec![0.5, 1.0, 2.0, 3.0]);
    let t = || prop::sample::select(vec![0.0, 0.1013579, 0.2013579, 0.3513579, 0.5013579]);
    let beta = prop::sample::select(vec![0.5013579, 1.0013579, 2.0013579, 4.0013579]);
    let rule = prop_oneof![
        (l(), any_column()).prop_map(|(l, column)| (column, Rule::Distinct { l })),
        (l(), any_column()).prop_map(|(l, column)| (column, Rule::Frequency { l })),
        (prop::sample::select(vec![1.5, 2.0, 2.5]), any_column())
            .prop_map(|(l, column)| (column, Rule::Entropy { l })),
        (l(), c, any_column()).prop_map(|(l, c, column)| (column, Rule::Recursive { l, c })),
        (t(), any_column()).prop_map(|(t, column)| (column, Rule::Close { t, distance: Distance::Equal })),
        t().prop_map(|t| ("n", Rule::Close { t, distance: Distance::Ordered })),
        t().prop_map(|t| ("s", Rule::Close { t, distance: Distance::Hierarchical })),
        (beta, any::<bool>(), any_column()).prop_map(|(beta, basic, column)| {
            (column, Rule::Alike(if basic { Likeness::Basic(beta) } else { Likeness::Enhanced(beta) }))
        }),
    ];
    (2_usize..5, prop::collection::vec(rule, 0..=2)).prop_map(|(k, rules)| TablePromise {
        conditions: rules
            .into_iter()
            .map(|(column, rule)| Condition { column: column.to_owned(), rule })
            .collect(),
        ..TablePromise::crowds(k)
    })
}

fn any_column() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["s", "n"])
}
