//! A second verifier of the conditions, which knows nothing but texts: it compares every record with every other,
//! takes shares as fractions, and solves the transport problem of t-closeness instead of using a formula.

use shoal_core::{Distance, Likeness, Rule};

use crate::file::{Column, TREE, Table};

/// What is found in the worst class, and whether every class is as it should be. What differs from its bound by a
/// billionth counts as equal, which is far less than two different answers of so small files can differ by.
pub(crate) struct Answer {
    pub(crate) found: f64,
    pub(crate) holds: bool,
}

const NEAR: f64 = 1e-9;

pub(crate) fn answer(table: &Table, column: Column, rule: Rule) -> Option<Answer> {
    let values: Vec<Option<String>> = table.iter().map(|row| column.meaning(&row[column as usize])).collect();
    let crowds: Vec<Vec<&str>> = table.iter().map(|row| crowd(table, &values, &row[0])).collect();
    let all: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    let answers = crowds.iter().filter(|crowd| !crowd.is_empty()).map(|crowd| one(crowd, &all, column, rule));
    answers.reduce(|one, two| {
        let is_worse = match rule {
            Rule::Distinct { .. } | Rule::Entropy { .. } => two.found < one.found,
            _ => two.found > one.found,
        };
        Answer { found: if is_worse { two.found } else { one.found }, holds: one.holds && two.holds }
    })
}

/// The values of all records that publish the same and have one.
fn crowd<'a>(table: &Table, values: &'a [Option<String>], quasi: &str) -> Vec<&'a str> {
    let alike = table.iter().zip(values).filter(|(row, _)| row[0] == quasi);
    alike.filter_map(|(_, value)| value.as_deref()).collect()
}

fn one(class: &[&str], all: &[&str], column: Column, rule: Rule) -> Answer {
    let mut different = class.to_vec();
    different.sort_unstable();
    different.dedup();
    match rule {
        Rule::Distinct { l } => Answer { found: different.len() as f64, holds: different.len() >= l },
        Rule::Frequency { l } => {
            let most = different.iter().map(|value| count(class, value)).max().expect("a record");
            Answer { found: most as f64 / class.len() as f64, holds: most * l <= class.len() }
        }
        Rule::Entropy { l } => {
            let entropy: f64 = different.iter().map(|value| share(class, value)).map(|q| -q * q.log2()).sum();
            Answer { found: entropy.exp2(), holds: entropy > l.log2() - NEAR }
        }
        Rule::Recursive { l, c } => {
            let mut counts: Vec<usize> = different.iter().map(|value| count(class, value)).collect();
            counts.sort_unstable();
            counts.reverse();
            let tail: usize = counts.iter().skip(l - 1).sum();
            let found = counts[0] as f64 / tail as f64;
            Answer { found, holds: (counts[0] as f64) < c * tail as f64 - NEAR }
        }
        Rule::Close { t, distance } => {
            let found = transport(class, all, column, distance);
            Answer { found, holds: found < t + NEAR }
        }
        Rule::Alike(likeness) => {
            let gains = different.iter().map(|value| gain(share(class, value), share(all, value), likeness));
            gains.reduce(|one, two| if two.found > one.found { two } else { one }).expect("a record")
        }
    }
}

fn count(values: &[&str], value: &str) -> usize {
    values.iter().filter(|other| **other == value).count()
}

fn share(values: &[&str], value: &str) -> f64 {
    count(values, value) as f64 / values.len() as f64
}

/// How much of what a value may gain it gains, in units of β.
fn gain(q: f64, p: f64, likeness: Likeness) -> Answer {
    let (beta, most) = match likeness {
        Likeness::Basic(beta) => (beta, beta),
        Likeness::Enhanced(beta) => (beta, beta.min((1.0 / p).ln())),
    };
    let gain = (q - p) / p;
    let found = if gain > NEAR { gain * beta / most } else { 0.0 };
    Answer { found, holds: gain < most + NEAR }
}

/// The earth mover's distance: what the class has too much of is carried to wherever it costs least.
fn transport(class: &[&str], all: &[&str], column: Column, distance: Distance) -> f64 {
    let mut places = all.to_vec();
    places.sort_by(|one, two| column.compare(one, two));
    places.dedup();
    // A record of the class is cut into as many pieces as the file has records, and the other way round.
    let pieces =
        |value: &&str| (count(class, value) * all.len()) as i64 - (count(all, value) * class.len()) as i64;
    let surplus: Vec<i64> = places.iter().map(pieces).collect();
    let cost = |from: usize, to: usize| match distance {
        Distance::Ordered => (from.abs_diff(to)) as i64,
        Distance::Equal => i64::from(from != to),
        Distance::Hierarchical => height_above(places[from], places[to]),
    };
    let farthest = match distance {
        Distance::Ordered => places.len() as i64 - 1,
        Distance::Equal => 1,
        Distance::Hierarchical => height("*"),
    };
    let costs: Vec<Vec<i64>> =
        (0..places.len()).map(|from| (0..places.len()).map(|to| cost(from, to)).collect()).collect();
    let carried = cheapest(&surplus, &costs);
    carried as f64 / (class.len() * all.len()) as f64 / farthest.max(1) as f64
}

/// Successive cheapest paths from any place with too much to any with too little; what was carried before may be
/// carried back.
fn cheapest(surplus: &[i64], costs: &[Vec<i64>]) -> i64 {
    let places = surplus.len();
    let mut left = surplus.to_vec();
    let mut carried = vec![vec![0_i64; places]; places];
    let mut total = 0;
    while left.iter().any(|left| *left > 0) {
        // Bellman and Ford, from all places with too much at once.
        let mut reach: Vec<Option<(i64, usize)>> =
            left.iter().enumerate().map(|(at, left)| (*left > 0).then_some((0, at))).collect();
        for _ in 0..places {
            for from in 0..places {
                let Some((so_far, _)) = reach[from] else { continue };
                for to in (0..places).filter(|&to| to != from) {
                    let step = if carried[to][from] > 0 { -costs[to][from] } else { costs[from][to] };
                    if reach[to].is_none_or(|(known, _)| so_far + step < known) {
                        reach[to] = Some((so_far + step, from));
                    }
                }
            }
        }
        let open = (0..places).filter(|&at| left[at] < 0);
        let end =
            open.min_by_key(|&at| reach[at].map(|(cost, _)| cost)).expect("surpluses sum up to nothing");
        let mut path = Vec::new();
        let mut start = end;
        while let Some((_, from)) = reach[start].filter(|(_, from)| *from != start) {
            path.push((from, start));
            start = from;
        }
        let back = path.iter().map(|&(from, to)| carried[to][from]).filter(|&pieces| pieces > 0);
        let pieces = back.min().unwrap_or(i64::MAX).min(left[start]).min(-left[end]);
        for (from, to) in path {
            if carried[to][from] > 0 {
                carried[to][from] -= pieces;
                total -= pieces * costs[to][from];
            } else {
                carried[from][to] += pieces;
                total += pieces * costs[from][to];
            }
        }
        left[start] -= pieces;
        left[end] += pieces;
    }
    total
}

/// The height of the lowest node above two leaves.
fn height_above(one: &str, two: &str) -> i64 {
    if one == two {
        return 0;
    }
    let is_above = |node: &str| {
        let has = |leaf: &str| TREE.iter().any(|line| line[0] == leaf && line.contains(&node));
        has(one) && has(two)
    };
    let nodes = TREE.iter().flatten().filter(|node| is_above(node));
    nodes.map(|node| height(node)).min().expect("the root is above all")
}

/// The longest way down from a node.
fn height(node: &str) -> i64 {
    let steps = TREE.iter().filter_map(|line| {
        let mut line = line.to_vec();
        line.dedup();
        line.iter().position(|other| *other == node)
    });
    steps.max().expect("a node of the tree") as i64
}
