//! Whether a recoding keeps a promise, read off the records and computed again, class by class.

use std::collections::{BTreeMap, BTreeSet};

use shoal_core::{Column, Distance, Likeness, Role, Rule, SUPPRESSED, Table, TablePromise, TableRecoding};

/// Whether the records of the table that are published keep the promise. With `stars`, those that are left out
/// are published as one more class.
pub(crate) fn keeps(table: &Table, recoding: &TableRecoding, promise: &TablePromise, stars: bool) -> bool {
    let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (row, &class) in recoding.class_of.iter().enumerate() {
        classes.entry(class).or_default().push(row);
    }
    if !stars {
        classes.remove(&SUPPRESSED);
    }
    let published: Vec<usize> = classes.values().flatten().copied().collect();
    classes.values().all(|class| may_be_class(table, class, &published, promise))
}

/// Whether some of the published records may be a class.
pub(crate) fn may_be_class(
    table: &Table,
    class: &[usize],
    published: &[usize],
    promise: &TablePromise,
) -> bool {
    let asked = class.iter().map(|&row| asked_by(table, row)).max().unwrap_or(0);
    let kept = promise.conditions.iter().all(|condition| {
        let column = table.columns.iter().find(|column| column.name == condition.column).unwrap();
        follows(condition.rule, column, class, published)
    });
    class.len() >= promise.k.max(asked) && kept
}

pub(crate) fn asked_by(table: &Table, row: usize) -> usize {
    let of = |column: &Column| column.domain.label(column.codes[row]).parse().unwrap_or(1);
    table.of_role(Role::PersonalK).map(of).max().unwrap_or(1)
}

fn follows(rule: Rule, column: &Column, class: &[usize], published: &[usize]) -> bool {
    // An empty cell is nobody's secret: only people with a value count.
    let with_value = |rows: &[usize]| -> Vec<usize> {
        rows.iter().copied().filter(|&row| column.domain.missing() != Some(column.codes[row])).collect()
    };
    let (class, published) = (&with_value(class)[..], &with_value(published)[..]);
    if class.is_empty() {
        return true;
    }
    let values: BTreeSet<u32> = published.iter().map(|&row| column.codes[row]).collect();
    let count = |rows: &[usize], value: u32| rows.iter().filter(|&&row| column.codes[row] == value).count();
    let share = |rows: &[usize], value: u32| count(rows, value) as f64 / rows.len() as f64;
    let mut counts: Vec<usize> = values.iter().map(|&value| count(class, value)).filter(|&n| n > 0).collect();
    counts.sort_by(|a, b| b.cmp(a));
    match rule {
        Rule::Distinct { l } => counts.len() >= l,
        Rule::Frequency { l } => counts[0] * l <= class.len(),
        Rule::Entropy { l } => {
            let shares = values.iter().map(|&value| share(class, value)).filter(|&share| share > 0.0);
            -shares.map(|share| share * share.ln()).sum::<f64>() >= l.ln() - 1e-12
        }
        Rule::Recursive { l, c } => (counts[0] as f64) < c * counts.iter().skip(l - 1).sum::<usize>() as f64,
        Rule::Alike(likeness) => values.iter().all(|&value| {
            let p = share(published, value);
            let gain = match likeness {
                Likeness::Basic(beta) => beta,
                Likeness::Enhanced(beta) => beta.min(-p.ln()),
            };
            share(class, value) <= p * (1.0 + gain) + 1e-12
        }),
        Rule::Close { t, distance } => {
            let extra: BTreeMap<u32, f64> =
                values.iter().map(|&value| (value, share(class, value) - share(published, value))).collect();
            far(column, distance, &extra) <= t + 1e-12
        }
    }
}

/// What it costs to move the differences of the shares together.
pub(crate) fn far(column: &Column, distance: Distance, extra: &BTreeMap<u32, f64>) -> f64 {
    match distance {
        Distance::Equal => extra.values().map(|extra| extra.abs()).sum::<f64>() / 2.0,
        Distance::Ordered => {
            let mut moved = 0.0;
            let passing = extra.values().map(|extra| {
                moved += extra;
                f64::abs(moved)
            });
            passing.sum::<f64>() / (extra.len() - 1).max(1) as f64
        }
        Distance::Hierarchical => {
            let tree = column.hierarchy.as_ref().unwrap().tree();
            let lines = tree.rows();
            let line = |code: u32| lines.iter().find(|line| line[0] == column.domain.label(code)).unwrap();
            // How many nodes a line has up to a label; repeated labels are one node.
            let rank = |line: &[String], label: &str| {
                let mut nodes = line.to_vec();
                nodes.dedup();
                nodes.iter().position(|node| node == label)
            };
            let inner: BTreeSet<&String> =
                lines.iter().flat_map(|line| line.iter().filter(|label| **label != line[0])).collect();
            let height = |node: &str| lines.iter().filter_map(|line| rank(line, node)).max().unwrap();
            let top = height(lines[0].last().unwrap()) as f64;
            let cost = |node: &&String| {
                let mut of_child: BTreeMap<String, f64> = BTreeMap::new();
                for (&code, &extra) in extra {
                    let mut path = line(code).clone();
                    path.dedup();
                    if let Some(at) = path.iter().position(|label| label == *node) {
                        *of_child.entry(path[at - 1].clone()).or_default() += extra;
                    }
                }
                let over: f64 = of_child.values().filter(|extra| **extra > 0.0).sum();
                let under: f64 = of_child.values().filter(|extra| **extra < 0.0).map(|extra| -extra).sum();
                height(node) as f64 / top * over.min(under)
            };
            inner.iter().map(cost).sum()
        }
    }
}
