//! One column in whole numbers.

use shoal_core::Column;

use super::tuning::Tuning;
use crate::table::names::ranks_by_frequency;
use crate::table::recode::Scale;

/// How the values of one column are covered, and what that costs.
///
/// Lines and trees are covered by a span (two 32-bit halves of one word: the least and the greatest code or leaf),
/// names by a bit for each value.
pub(super) enum Axis {
    /// A tree with few leaves: the cost of each pair of them.
    Pairs { leaves: usize, cost: Vec<u32> },
    /// A tree with many: `meet[j][i]` is the cost of the leaves i ..= i + 2^j.
    Tree { meet: Vec<Vec<u32>> },
    /// Numbers and dates.
    Line { position: Vec<u32>, missing: u32, whole: u32 },
    /// Names: the cost by how many they are, and each one's rank by frequency.
    Names { words: usize, cost: Vec<u32>, rank: Vec<u32> },
}

impl Axis {
    /// The axis of a column that costs `whole` when nothing is said about it.
    pub(super) fn of(column: &Column, scale: &Scale<'_>, whole: f64) -> Axis {
        let round = |share: f64| (share * whole).round() as u32;
        match scale {
            Scale::Tree(tree) => match tree.bound.tree().leaf_count() as usize {
                leaves @ 0..=Tuning::PAIR_TABLE_LEAVES => {
                    let pair = |at: usize| {
                        let (lo, hi) = ((at / leaves) as u32, (at % leaves) as u32);
                        // `ends` gives the lesser leaf first, so that the other half is never read.
                        if lo <= hi { round(scale.span_cost(lo, hi)) } else { 0 }
                    };
                    Axis::Pairs { leaves, cost: (0..leaves * leaves).map(pair).collect() }
                }
                leaves => {
                    let neighbours = (1..leaves as u32).map(|leaf| round(scale.span_cost(leaf - 1, leaf)));
                    Axis::Tree { meet: doubled(neighbours.collect(), leaves) }
                }
            },
            Scale::Line(line) => Axis::Line {
                position: (0..column.domain.positions().len() as u32)
                    .map(|code| round(line.cost(0, code)))
                    .collect(),
                missing: column.domain.missing().unwrap_or(u32::MAX),
                whole: round(1.0),
            },
            Scale::Names { values } => Axis::Names {
                words: values.div_ceil(64).max(1) as usize,
                cost: (0..=*values).map(|count| round(scale.set_cost(count))).collect(),
                rank: ranks_by_frequency(column),
            },
        }
    }

    /// How many words a cover takes.
    pub(super) fn words(&self) -> usize {
        match self {
            Axis::Names { words, .. } => *words,
            _ => 1,
        }
    }

    /// Covers one value; `at` is its code or leaf.
    pub(super) fn point(&self, cover: &mut [u64], at: u32) {
        match self {
            Axis::Names { .. } => cover[at as usize / 64] |= 1 << (at % 64),
            _ => cover[0] = u64::from(at) << 32 | u64::from(at),
        }
    }

    /// The cost of what covers both.
    #[inline]
    pub(super) fn union_cost(&self, a: &[u64], b: &[u64]) -> u32 {
        match self {
            Axis::Names { words, cost, .. } => {
                let count: u32 = a.iter().zip(b).take(*words).map(|(a, b)| (a | b).count_ones()).sum();
                cost[count as usize]
            }
            _ => self.word_cost(a[0], b[0]),
        }
    }

    /// The same where a cover has one word.
    #[inline]
    pub(super) fn word_cost(&self, a: u64, b: u64) -> u32 {
        match self {
            Axis::Pairs { leaves, cost } => {
                let (lo, hi) = ends(a, b);
                cost[lo * leaves + hi]
            }
            Axis::Line { position, missing, whole } => match ends(a, b) {
                (lo, hi) if lo == hi => 0,
                // The missing value has the last code and lies in no range: with anything else it costs the column.
                (_, hi) if hi == *missing as usize => *whole,
                (lo, hi) => position[hi] - position[lo],
            },
            Axis::Names { cost, .. } => cost[(a | b).count_ones() as usize],
            Axis::Tree { meet } => {
                let (lo, hi) = ends(a, b);
                if lo == hi {
                    return 0;
                }
                // The greatest of all costs between neighbours is that of the span, since it is the lowest common
                // ancestor of some two neighbours. Two overlapping runs of a power of two cover them all.
                let power = (hi - lo).ilog2() as usize;
                meet[power][lo].max(meet[power][hi - (1 << power)])
            }
        }
    }

    /// Lets the first cover grow by the second.
    #[inline]
    pub(super) fn join(&self, into: &mut [u64], other: &[u64]) {
        match self {
            Axis::Names { words, .. } => into.iter_mut().zip(other).take(*words).for_each(|(a, b)| *a |= b),
            _ => into[0] = self.word_join(into[0], other[0]),
        }
    }

    /// Lets the first cover grow by the second, and says whether it is another one then.
    #[inline]
    pub(super) fn join_changes(&self, into: &mut [u64], other: &[u64]) -> bool {
        match self {
            Axis::Names { words, .. } => {
                let mut fresh = 0;
                for (a, b) in into.iter_mut().zip(other).take(*words) {
                    fresh |= b & !*a;
                    *a |= b;
                }
                fresh != 0
            }
            _ => {
                let joined = self.word_join(into[0], other[0]);
                std::mem::replace(&mut into[0], joined) != joined
            }
        }
    }

    /// The same where a cover has one word.
    #[inline]
    pub(super) fn word_join(&self, a: u64, b: u64) -> u64 {
        match self {
            Axis::Names { .. } => a | b,
            _ => {
                let (lo, hi) = ends(a, b);
                (lo as u64) << 32 | hi as u64
            }
        }
    }

    /// Whether a cover stays as it is without one of its values, given the others.
    pub(super) fn is_same_without<'p>(
        &self,
        cover: &[u64],
        value: &[u64],
        mut others: impl Iterator<Item = &'p [u64]> + Clone,
    ) -> bool {
        match self {
            Axis::Names { words, .. } => others
                .any(|other| value.iter().zip(other).take(*words).all(|(value, other)| value & !other == 0)),
            _ => {
                let (low, high) = (|word: u64| word >> 32, |word: u64| word as u32);
                let inside_low = low(value[0]) > low(cover[0]);
                let inside_high = high(value[0]) < high(cover[0]);
                (inside_low || others.clone().any(|other| low(other[0]) == low(cover[0])))
                    && (inside_high || others.any(|other| high(other[0]) == high(cover[0])))
            }
        }
    }

    /// The names in a cover; nothing where the column has no names.
    pub(super) fn names<'c>(&self, cover: &'c [u64]) -> Option<impl Iterator<Item = usize> + 'c> {
        let Axis::Names { words, .. } = self else { return None };
        Some(cover[..*words].iter().enumerate().flat_map(|(word, &bits)| ones(word, bits)))
    }

    /// Where a cover stands when covers are sorted: the middle of a span, the commonest of some names.
    pub(super) fn place(&self, cover: &[u64]) -> u32 {
        match self {
            Axis::Names { rank, .. } => {
                self.names(cover).and_then(|names| names.map(|name| rank[name]).min()).unwrap_or(0)
            }
            _ => ((cover[0] >> 32) + (cover[0] & 0xffff_ffff)).min(u64::from(u32::MAX)) as u32,
        }
    }
}

/// The codes that a word of a set stands for.
fn ones(word: usize, bits: u64) -> impl Iterator<Item = usize> {
    let mut rest = bits;
    std::iter::from_fn(move || {
        let code = (rest != 0).then(|| word * 64 + rest.trailing_zeros() as usize);
        // Clears the lowest bit that is set.
        rest &= rest.wrapping_sub(1);
        code
    })
}

/// The least and the greatest place of two spans.
#[inline]
fn ends(a: u64, b: u64) -> (usize, usize) {
    ((a >> 32).min(b >> 32) as usize, (a as u32).max(b as u32) as usize)
}

/// The greatest of 1, 2, 4, … neighbours, from each place on.
fn doubled(neighbours: Vec<u32>, leaves: usize) -> Vec<Vec<u32>> {
    let mut meet = vec![neighbours];
    let mut reach = 2;
    while reach < leaves {
        let below = &meet[meet.len() - 1];
        let next = (0..leaves - reach).map(|i| below[i].max(below[i + reach / 2])).collect();
        meet.push(next);
        reach *= 2;
    }
    meet
}
