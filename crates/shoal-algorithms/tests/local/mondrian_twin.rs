//! Mondrian once more, literally: no folding, every boundary of every axis tried on the records themselves.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_core::{
    Class, Column, Condition, Distance, Role, Rule, Silent, Table, TablePromise, TableRecoding,
};

use crate::slow_cover::{above_all, cover};
use crate::tables::any_table;

/// Whether some records may be a class.
type Holds<'a> = &'a dyn Fn(&[usize]) -> bool;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn agrees_with_its_twin(table in any_table(true), k in 2_usize..9) {
        prop_assume!(table.rows >= k);
        let fast = MondrianParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        prop_assert_eq!(fast, twin(&table, &|rows| rows.len() >= k));
    }

    /// The last column is sensitive. Its shares are never right at the bound, where Mondrian stops a little
    /// earlier: no denominator here is as large as that of t.
    #[test]
    fn agrees_with_its_twin_where_more_is_promised(
        mut table in any_table(true), k in 2_usize..5, l in 1_usize..4, t in prop::sample::select(vec![0.2013579, 0.5013579])
    ) {
        prop_assume!(table.rows >= k && table.columns.len() > 1);
        let sensitive = table.columns.len() - 1;
        table.columns[sensitive].role = Role::Sensitive;
        let codes = table.columns[sensitive].codes.clone();
        let missing = table.columns[sensitive].domain.missing();
        // An empty cell is nobody's secret: only records with a value count.
        let valued = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| missing != Some(codes[row])).collect()
        };
        let all: Vec<usize> = valued(&(0..table.rows).collect::<Vec<_>>());
        let share = |rows: &[usize], value: u32| {
            rows.iter().filter(|&&row| codes[row] == value).count() as f64 / rows.len() as f64
        };
        let values = values(&table.columns[sensitive], &all);
        prop_assume!(values.len() >= l);
        let holds = |class: &[usize]| {
            let rows = &valued(class)[..];
            let apart: f64 = values.iter().map(|&value| (share(rows, value) - share(&all, value)).abs()).sum();
            let found = values.iter().filter(|&&value| share(rows, value) > 0.0).count();
            class.len() >= k && (rows.is_empty() || found >= l && apart / 2.0 <= t)
        };
        let distance = Distance::Equal;
        let condition = |rule: Rule| Condition { column: table.columns[sensitive].name.clone(), rule };
        let conditions = vec![condition(Rule::Distinct { l }), condition(Rule::Close { t, distance })];
        let params = MondrianParams { promise: TablePromise { conditions, ..TablePromise::crowds(k) } };
        let fast = params.check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        prop_assert_eq!(fast, twin(&table, &holds));
    }
}

fn twin(table: &Table, holds: Holds<'_>) -> TableRecoding {
    let quasi = table.quasi_identifiers();
    let mut classes = Vec::new();
    split(&quasi, (0..table.rows).collect(), holds, &mut classes);
    let mut class_of = vec![0; table.rows];
    for (number, class) in classes.iter().enumerate() {
        class.iter().for_each(|&row| class_of[row] = number as u32);
    }
    let cells = |class: &Vec<usize>| quasi.iter().map(|c| cover(c, &values(c, class)).0).collect();
    TableRecoding { class_of, classes: classes.iter().map(|class| Class { cells: cells(class) }).collect() }
}

fn split(quasi: &[&Column], rows: Vec<usize>, holds: Holds<'_>, classes: &mut Vec<Vec<usize>>) {
    let mut axes: Vec<(usize, f64)> =
        quasi.iter().map(|c| cover(c, &values(c, &rows)).1 * c.weight).enumerate().collect();
    axes.sort_by(|a, b| {
        let fewer = quasi[a.0].domain.len().cmp(&quasi[b.0].domain.len());
        b.1.total_cmp(&a.1).then(fewer).then(a.0.cmp(&b.0))
    });
    for (axis, _) in axes {
        let column = quasi[axis];
        let cuts = sides(column, &rows).into_iter().map(|low| {
            let (low, high): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|&&row| low.contains(&column.codes[row]));
            (low, high)
        });
        let allowable = cuts.filter(|(low, high)| holds(low) && holds(high));
        // Of equals the first: `min_by_key` keeps it.
        if let Some((low, high)) = allowable.min_by_key(|(low, high)| low.len().abs_diff(high.len())) {
            split(quasi, low, holds, classes);
            split(quasi, high, holds, classes);
            return;
        }
    }
    classes.push(rows);
}

/// The low sides of all cuts of one axis, from the lowest up.
fn sides(column: &Column, rows: &[usize]) -> Vec<BTreeSet<u32>> {
    let taken = values(column, rows);
    let groups: Vec<Vec<u32>> = match &column.hierarchy {
        Some(bound) => {
            // The branches of the lowest node above all, in the order of their leaves.
            let (tree, top) = (bound.tree(), above_all(bound, &taken));
            let mut codes: Vec<u32> = taken.into_iter().collect();
            codes.sort_by_key(|&code| bound.leaf_of(code));
            let branch = |code: u32| {
                let mut node = tree.leaf_node(bound.leaf_of(code));
                while node != top && tree.parent(node) != Some(top) {
                    node = tree.parent(node).unwrap();
                }
                node
            };
            codes.chunk_by(|&a, &b| branch(a) == branch(b)).map(<[u32]>::to_vec).collect()
        }
        None if column.domain.is_ordered() => taken.into_iter().map(|code| vec![code]).collect(),
        None => {
            let frequency = |code: u32| column.codes.iter().filter(|&&c| c == code).count();
            let mut codes: Vec<u32> = taken.into_iter().collect();
            codes.sort_by_key(|&code| (Reverse(frequency(code)), code));
            codes.into_iter().map(|code| vec![code]).collect()
        }
    };
    (1..groups.len()).map(|low| groups[..low].iter().flatten().copied().collect()).collect()
}

fn values(column: &Column, rows: &[usize]) -> BTreeSet<u32> {
    rows.iter().map(|&row| column.codes[row]).collect()
}
