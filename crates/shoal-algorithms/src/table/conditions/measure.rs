//! How far some records are from being a class.

use shoal_core::{Column, Likeness, Rule};

use super::distance::Spread;
use super::tally::Present;
use crate::table::TableError;

/// Sums of real numbers are kept away from their bounds by this, so that whoever computes them in another order comes to
/// the same verdict.
const SPARE: f64 = 1e-9;

/// Quotients of whole numbers are right to the last bit or two, and may meet their bounds: half of a class where half
/// is allowed. The verifier grants ten times as much.
const ROUNDING: f64 = 1e-13;

/// A rule with what it has to know of everybody.
pub(super) enum Measure {
    Distinct { l: usize },
    Frequency { l: u64 },
    Entropy { l: f64 },
    Recursive { l: usize, c: f64 },
    Close { t: f64, spread: Spread, everybody: u64 },
    Alike { everybody: u64, values: Vec<Limit> },
}

/// How often everybody has a value, and the greatest share that a class may have of it.
pub(super) struct Limit {
    count: u32,
    allowed: f64,
}

/// What is known of some records about one column.
#[derive(Clone)]
pub(super) struct Values<'a> {
    /// Records, or people where they are counted.
    pub(super) members: u64,
    /// Whether one member can have several values.
    pub(super) several: bool,
    /// The values that occur, and how many members have each.
    pub(super) present: Present<'a>,
}

impl Values<'_> {
    /// How many members have each value, the most frequent first, where every member is looked at with one of their
    /// values only, chosen so that they are as little mixed as can be: the first values take all who have them.
    fn concentrated(&self) -> Vec<u32> {
        let mut counts: Vec<u32> = self.present.clone().map(|(_, count)| count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let mut left = self.members;
        for count in &mut counts {
            *count = u64::from(*count).min(left) as u32;
            left -= u64::from(*count);
        }
        counts.retain(|&count| count > 0);
        counts
    }

    /// How many pairs of a member and one of their values there are.
    fn pairs(&self) -> u64 {
        match self.several {
            true => self.present.clone().map(|(_, count)| u64::from(count)).sum(),
            false => self.members,
        }
    }
}

impl Measure {
    /// A rule about a column, given how often its values occur among everybody, how many members that is, and how many
    /// of them have a value that the table does not have.
    pub(super) fn new(
        rule: Rule,
        column: &Column,
        counts: &[u32],
        everybody: u64,
        beyond: u64,
    ) -> Result<Measure, TableError> {
        Ok(match rule {
            Rule::Distinct { l } => Measure::Distinct { l },
            Rule::Frequency { l } => Measure::Frequency { l: l as u64 },
            Rule::Entropy { l } => Measure::Entropy { l },
            Rule::Recursive { l, c } => Measure::Recursive { l, c },
            Rule::Close { t, distance } => {
                Measure::Close { t, spread: Spread::new(column, distance, counts, beyond)?, everybody }
            }
            Rule::Alike(likeness) => alike(likeness, counts, everybody),
        })
    }

    /// 0 where the records keep the rule; otherwise more, the further they are from it.
    pub(super) fn lack(&self, values: &Values<'_>) -> f64 {
        let present = values.present.clone();
        match self {
            Measure::Distinct { l } if values.several => distinct_lack(*l, values),
            Measure::Distinct { l } => missing(*l, present.count()),
            Measure::Frequency { l } => {
                // Whole numbers, so that a share of exactly 1/l is allowed. Every value that is too frequent counts,
                // by the records that would have to go.
                let lack =
                    |(_, count): (u32, u32)| (u64::from(count) * l).saturating_sub(values.members) as f64;
                present.map(lack).sum::<f64>() / (values.members * l).max(1) as f64
            }
            Measure::Entropy { l } if values.several => {
                entropy_lack(*l, values.members, values.concentrated().iter().copied())
            }
            Measure::Entropy { l } => entropy_lack(*l, values.members, present.map(|(_, count)| count)),
            Measure::Recursive { l, c } => recursive_lack(*l, *c, values.members, present),
            Measure::Close { t, spread, everybody } => match distance(values, spread, *everybody) {
                0.0 => 0.0,
                distance => above(distance, *t),
            },
            Measure::Alike { everybody, values: limits } => {
                let lack = |(code, count): (u32, u32)| {
                    let limit = &limits[code as usize];
                    // No more frequent than among everybody is always good.
                    if u64::from(count) * everybody <= u64::from(limit.count) * values.members {
                        return 0.0;
                    }
                    above(f64::from(count) / values.members as f64, limit.allowed)
                };
                present.map(lack).sum()
            }
        }
    }
}

/// What trimming a crowd has to know.
impl Measure {
    /// Whether classes are compared with everybody.
    pub(super) fn compares(&self) -> bool {
        matches!(self, Measure::Close { .. } | Measure::Alike { .. })
    }

    /// Whether all it says is how frequent each value may be.
    pub(super) fn bounds_shares(&self) -> bool {
        matches!(self, Measure::Alike { .. })
    }

    /// The greatest share of records that may have other values than those of everybody, where that is what the distance says.
    pub(super) fn distance(&self) -> Option<f64> {
        match self {
            Measure::Close { t, spread, .. } if spread.is_equal() => Some(*t),
            _ => None,
        }
    }

    /// The share of n records with these values that the bounds of [`share_admitted`](Self::share_admitted) must leave at least.
    pub(super) fn share_needed(&self) -> f64 {
        match self {
            Measure::Alike { .. } => 1.0,
            _ => self.distance().map_or(0.0, |t| 1.0 - t),
        }
    }

    /// The share of a class that may have a value (β-likeness), or that does not count as too much (distances).
    pub(super) fn share_admitted(&self, value: usize, everybodys: f64) -> f64 {
        match self {
            Measure::Alike { values, .. } => values[value].allowed.max(everybodys),
            _ => everybodys,
        }
    }

    /// The most of so many records, and of `count`, that may have a value.
    pub(super) fn most_of(&self, count: u32, value: usize, members: u32) -> u32 {
        match self {
            // Clearly allowed: the exact bound takes a division.
            Measure::Alike { values, .. }
                if f64::from(count) <= values[value].allowed * f64::from(members) * (1.0 - SPARE) =>
            {
                count
            }
            _ => count.min(self.most(value, members)),
        }
    }

    /// The most of so many records that may have a value.
    fn most(&self, value: usize, members: u32) -> u32 {
        let Measure::Alike { everybody, values } = self else { return members };
        let Limit { count, allowed } = values[value];
        let fair = u128::from(count) * u128::from(members) / u128::from((*everybody).max(1));
        let mut most = (allowed * (1.0 + ROUNDING) * f64::from(members)) as u32;
        // Asked as it is asked of a class, which may differ in the last bit.
        while most > 0 && above(f64::from(most) / f64::from(members), allowed) > 0.0 {
            most -= 1;
        }
        most.max(fair as u32).min(members)
    }
}

fn alike(likeness: Likeness, counts: &[u32], everybody: u64) -> Measure {
    let limit = |&count: &u32| Limit {
        count,
        allowed: match count {
            0 => 0.0,
            _ => likeness.allowed(f64::from(count) / everybody as f64),
        },
    };
    Measure::Alike { everybody, values: counts.iter().map(limit).collect() }
}

/// How far the values are distributed from everybody's. Where members have several, everybody's number of values for
/// each member makes it larger, and so does every value that members have more of than everybody.
fn distance(values: &Values<'_>, spread: &Spread, everybody: u64) -> f64 {
    let pairs = values.pairs();
    let moved = spread.of(pairs, values.present.clone());
    let everybodys = spread.everybody();
    if !values.several && everybodys == everybody {
        return moved;
    }
    let more = (u128::from(pairs) * u128::from(everybody))
        .saturating_sub(u128::from(everybodys) * u128::from(values.members));
    let both = u128::from(values.members) * u128::from(everybody);
    moved * (everybodys as f64 / everybody as f64) + more as f64 / both as f64
}

/// By how much a figure is above what is allowed.
fn above(figure: f64, allowed: f64) -> f64 {
    if figure <= allowed * (1.0 + ROUNDING) { 0.0 } else { figure - allowed }
}

fn missing(l: usize, distinct: usize) -> f64 {
    l.saturating_sub(distinct) as f64 / l.max(1) as f64
}

/// Members with several values: as long as some l − 1 values are enough for all of them, every further member who has
/// none of these brings the class nearer.
fn distinct_lack(l: usize, values: &Values<'_>) -> f64 {
    let mut counts: Vec<u64> = values.present.clone().map(|(_, count)| u64::from(count)).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let covered: u64 = counts.iter().take(l.saturating_sub(1)).sum();
    match covered < values.members {
        true => 0.0,
        false => missing(l, counts.len()) + (covered + 1 - values.members) as f64,
    }
}

fn entropy_lack(l: f64, members: u64, counts: impl Iterator<Item = u32> + Clone) -> f64 {
    let distinct = counts.clone().count();
    let mut others = counts.clone();
    let first = others.next();
    if others.all(|count| Some(count) == first) {
        // Equally frequent values are as many as they are; no rounding comes between.
        return if distinct as f64 >= l { 0.0 } else { (l / distinct as f64).ln().max(SPARE) };
    }
    let all = members as f64;
    let entropy: f64 = counts.map(|count| f64::from(count) / all).map(|share| -share * share.ln()).sum();
    (l.ln() + SPARE - entropy).max(0.0)
}

/// The share of the most frequent value that the rarer ones do not outweigh. As long as there are fewer than
/// l values, each new one brings the records nearer, although it outweighs nothing yet. Members with several values
/// count among the most frequent ones only.
fn recursive_lack(l: usize, c: f64, members: u64, present: Present<'_>) -> f64 {
    let mut counts: Vec<u32> = present.map(|(_, count)| count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let before: u64 = counts.iter().take(l.saturating_sub(1)).map(|&count| u64::from(count)).sum();
    let most = f64::from(counts.first().copied().unwrap_or(0));
    let outweighed = c * members.saturating_sub(before) as f64;
    if most < outweighed - SPARE {
        return 0.0;
    }
    let overlap = before.saturating_sub(members) as f64;
    missing(l, counts.len()) + overlap + (1.0 - outweighed / most).max(0.0) + SPARE
}
