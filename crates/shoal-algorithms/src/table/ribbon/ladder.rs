//! Levels for every column, whether it has a hierarchy or not.

use shoal_core::{Column, mix};

use super::space::WHOLE;
use super::tuning::Tuning;
use crate::table::names::ranks_by_frequency;
use crate::table::points::Points;
use crate::table::recode::Scale;

/// The levels of one column, from exact values to nothing at all.
pub(super) struct Ladder {
    rungs: Vec<Rung>,
}

/// One level.
struct Rung {
    /// For every code.
    image: Vec<u64>,
    /// The mean loss of the records on it.
    cost: f64,
    /// The loss in the group of values that loses least.
    least: f64,
    /// What a record of each code loses when its whole group is published as one, in the unit of all costs.
    each: Vec<u32>,
}

/// One level for each column.
pub(super) struct Combination {
    pub(super) levels: Vec<u8>,
    /// What the records lose on average, and in the crowd that could lose least: shares of the weights of all columns.
    mean: f64,
    pub(super) least: f64,
}

impl Ladder {
    /// The ladders of the columns, with few enough rungs that all combinations can be tried.
    pub(super) fn of_all(quasi: &[&Column], points: &Points) -> Vec<Ladder> {
        let total: f64 = quasi.iter().map(|c| c.weight).sum();
        let mut ladders: Vec<Ladder> =
            quasi.iter().enumerate().map(|(at, column)| Ladder::of(column, at, points, total)).collect();
        while ladders.iter().map(|l| l.rungs.len()).fold(1_usize, usize::saturating_mul)
            > Tuning::MAX_COMBINATIONS
        {
            // The longest gives up the rung nearest to its neighbours. Where all are as short as possible, the last
            // columns lose their exact values as well and no longer matter for peeling; a class covers whatever its
            // members have there all the same.
            let longest = (0..ladders.len()).max_by_key(|&l| (ladders[l].rungs.len(), l)).unwrap_or(0);
            let rungs = &mut ladders[longest].rungs;
            let middle = 1..rungs.len().saturating_sub(1);
            let gap = |&at: &usize| rungs[at + 1].cost - rungs[at - 1].cost;
            match middle.min_by(|a, b| gap(a).total_cmp(&gap(b))) {
                Some(at) => rungs.remove(at),
                None => rungs.remove(0),
            };
        }
        ladders
    }

    /// How many levels there are.
    pub(super) fn len(&self) -> usize {
        self.rungs.len()
    }

    /// How many values the column has.
    pub(super) fn values(&self) -> usize {
        self.rungs[0].image.len()
    }

    /// The image of each code on a level: the same number for values that look the same.
    pub(super) fn images(&self, level: u8) -> &[u64] {
        &self.rungs[level as usize].image
    }

    /// What a record with this code loses at most on a level.
    pub(super) fn cost(&self, level: u8, code: u32) -> u32 {
        self.rungs[level as usize].each[code as usize]
    }

    fn of(column: &Column, dim: usize, points: &Points, total: f64) -> Ladder {
        let codes = column.domain.len() as u32;
        let scale = Scale::of(column);
        let mut groups: Vec<Vec<u32>> = vec![(0..codes).collect()];
        match &scale {
            Scale::Tree(tree) => {
                let hierarchy = tree.bound.tree();
                let node = |code, level| hierarchy.ancestor(tree.bound.leaf_of(code), level).0;
                let levels = 1..hierarchy.level_count();
                groups.extend(levels.map(|level| (0..codes).map(|code| node(code, level)).collect()));
            }
            Scale::Line(_) => {
                // Bins of fewer than two values on average would hardly differ from the values themselves.
                let fewer = Tuning::BINS.iter().filter(|&&bins| bins < u64::from(codes) / 2);
                groups.extend(fewer.map(|&bins| quantiles(column, bins)));
            }
            Scale::Names { .. } => {
                let rank = ranks_by_frequency(column);
                // At least three names must fall together, or the level is next to that of all names.
                let fewer = Tuning::FREQUENT_NAMES.iter().filter(|&&frequent| frequent + 2 < codes);
                groups.extend(fewer.map(|&frequent| rank.iter().map(|&rank| rank.min(frequent)).collect()));
            }
        }
        groups.push(vec![0; codes as usize]);
        groups.dedup_by(|next, kept| same_groups(next, kept));
        let mut times = vec![0_u64; codes as usize];
        (0..points.len()).for_each(|i| times[points.point(i)[dim] as usize] += u64::from(points.weight(i)));
        let rung = |group: &Vec<u32>| {
            let (mean, least, each) = costs(&scale, group, &times);
            Rung {
                image: group.iter().map(|&g| mix(mix(dim as u64 + 1) ^ u64::from(g))).collect(),
                cost: mean * column.weight,
                least: least * column.weight,
                each: each
                    .iter()
                    .map(|e| (e * column.weight / total * f64::from(WHOLE)).round() as u32)
                    .collect(),
            }
        };
        Ladder { rungs: groups.iter().map(rung).collect() }
    }
}

/// All combinations of levels, the cheapest on average first.
pub(super) fn combinations(ladders: &[Ladder]) -> Vec<Combination> {
    let mut all = vec![Combination { levels: Vec::new(), mean: 0.0, least: 0.0 }];
    for ladder in ladders {
        let longer = |shorter: &Combination| -> Vec<Combination> {
            let rung = |(level, rung): (usize, &Rung)| Combination {
                levels: shorter.levels.iter().copied().chain([level as u8]).collect(),
                mean: shorter.mean + rung.cost,
                least: shorter.least + rung.least,
            };
            ladder.rungs.iter().enumerate().map(rung).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.sort_by(|a, b| a.mean.total_cmp(&b.mean).then_with(|| a.levels.cmp(&b.levels)));
    all
}

/// The bin of each number; the missing one has its own.
fn quantiles(column: &Column, bins: u64) -> Vec<u32> {
    let mut times = vec![0_u64; column.domain.len()];
    column.codes.iter().for_each(|&code| times[code as usize] += 1);
    let total = column.codes.len() as u64;
    let mut before = 0;
    let bin = |(code, times): (usize, &u64)| {
        let bin = before * bins / total.max(1);
        before += times;
        if column.domain.missing() == Some(code as u32) { u32::MAX } else { bin as u32 }
    };
    times.iter().enumerate().map(bin).collect()
}

fn same_groups(a: &[u32], b: &[u32]) -> bool {
    let firsts = |groups: &[u32]| -> Vec<usize> {
        let mut first = std::collections::BTreeMap::new();
        groups.iter().enumerate().map(|(at, g)| *first.entry(*g).or_insert(at)).collect()
    };
    firsts(a) == firsts(b)
}

/// What a record loses when all values of a group are published as one: on average, and in the group that loses least.
fn costs(scale: &Scale<'_>, group: &[u32], times: &[u64]) -> (f64, f64, Vec<f64>) {
    let mut of_group: std::collections::BTreeMap<u32, (u32, u32, u32, u64)> =
        std::collections::BTreeMap::new();
    for (code, &g) in group.iter().enumerate() {
        let at = scale.at(code as u32);
        let known = of_group.entry(g).or_insert((at, at, 0, 0));
        *known = (known.0.min(at), known.1.max(at), known.2 + 1, known.3 + times[code]);
    }
    let each = |&(lo, hi, count, times): &(u32, u32, u32, u64)| {
        let each =
            if let Scale::Names { .. } = scale { scale.set_cost(count) } else { scale.span_cost(lo, hi) };
        (each, times)
    };
    let of_code = group.iter().map(|g| of_group.get(g).map_or(1.0, |known| each(known).0)).collect();
    let all: Vec<(f64, u64)> = of_group.values().map(each).filter(|(_, times)| *times > 0).collect();
    let sum: f64 = all.iter().map(|(each, times)| each * *times as f64).sum();
    let least = all.iter().map(|(each, _)| *each).fold(f64::INFINITY, f64::min);
    (sum / times.iter().sum::<u64>().max(1) as f64, if all.is_empty() { 0.0 } else { least }, of_code)
}
