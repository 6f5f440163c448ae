//! How far some records are from being a class.

use shoal_core::{Column, Likeness, Rule};

use super::distance::Spread;
use super::tally::Present;
use crate::table::TableError;

/// Sums of real numbers are kept off their bounds by so much, so that whoever computes them in another order comes to
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
    Close { t: f64, spread: Spread },
    Alike { everybody: u64, values: Vec<Limit> },
}

/// How often everybody has a value, and the greatest share that a class may have of it.
pub(super) struct Limit {
    count: u32,
    allowed: f64,
}

impl Measure {
    /// A rule about a column whose values everybody together has so often.
    pub(super) fn new(rule: Rule, column: &Column, counts: &[u32]) -> Result<Measure, TableError> {
        Ok(match rule {
            Rule::Distinct { l } => Measure::Distinct { l },
            Rule::Frequency { l } => Measure::Frequency { l: l as u64 },
            Rule::Entropy { l } => Measure::Entropy { l },
            Rule::Recursive { l, c } => Measure::Recursive { l, c },
            Rule::Close { t, distance } => {
                Measure::Close { t, spread: Spread::new(column, distance, counts)? }
            }
            Rule::Alike(likeness) => alike(likeness, counts),
        })
    }

    /// 0 where the records keep the rule; otherwise more, the further they are from it.
    pub(super) fn lack(&self, records: u64, present: Present<'_>) -> f64 {
        match self {
            Measure::Distinct { l } => missing(*l, present.count()),
            Measure::Frequency { l } => {
                // Whole numbers, so that a share of exactly 1/l is allowed. Every value that is too frequent counts,
                // by the records that would have to go.
                let lack = |(_, count): (u32, u32)| (u64::from(count) * l).saturating_sub(records) as f64;
                present.map(lack).sum::<f64>() / (records * l).max(1) as f64
            }
            Measure::Entropy { l } => entropy_lack(*l, records, present),
            Measure::Recursive { l, c } => recursive_lack(*l, *c, records, present),
            Measure::Close { t, spread } => match spread.of(records, present) {
                0.0 => 0.0,
                distance => above(distance, *t),
            },
            Measure::Alike { everybody, values } => {
                let lack = |(code, count): (u32, u32)| {
                    let limit = &values[code as usize];
                    // No more frequent than among everybody is always good.
                    if u64::from(count) * everybody <= u64::from(limit.count) * records {
                        return 0.0;
                    }
                    above(f64::from(count) / records as f64, limit.allowed)
                };
                present.map(lack).sum()
            }
        }
    }
}

fn alike(likeness: Likeness, counts: &[u32]) -> Measure {
    let everybody = counts.iter().map(|&count| u64::from(count)).sum();
    let limit = |&count: &u32| Limit {
        count,
        allowed: match count {
            0 => 0.0,
            _ => likeness.allowed(f64::from(count) / everybody as f64),
        },
    };
    Measure::Alike { everybody, values: counts.iter().map(limit).collect() }
}

/// By how much a figure is above what is allowed.
fn above(figure: f64, allowed: f64) -> f64 {
    if figure <= allowed * (1.0 + ROUNDING) { 0.0 } else { figure - allowed }
}

fn missing(l: usize, distinct: usize) -> f64 {
    l.saturating_sub(distinct) as f64 / l.max(1) as f64
}

fn entropy_lack(l: f64, records: u64, present: Present<'_>) -> f64 {
    let distinct = present.clone().count();
    let mut counts = present.clone().map(|(_, count)| count);
    let first = counts.next();
    if counts.all(|count| Some(count) == first) {
        // Equally frequent values are as many as they are; no rounding comes between.
        return if distinct as f64 >= l { 0.0 } else { (l / distinct as f64).ln().max(SPARE) };
    }
    let all = records as f64;
    let entropy: f64 =
        present.map(|(_, count)| f64::from(count) / all).map(|share| -share * share.ln()).sum();
    (l.ln() + SPARE - entropy).max(0.0)
}

/// The share of the most frequent value that the rarer ones do not outweigh. As long as there are fewer than
/// l values, each new one brings the records nearer, although it outweighs nothing yet.
fn recursive_lack(l: usize, c: f64, records: u64, present: Present<'_>) -> f64 {
    let mut counts: Vec<u32> = present.map(|(_, count)| count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let before: u64 = counts.iter().take(l.saturating_sub(1)).map(|&count| u64::from(count)).sum();
    let most = f64::from(counts.first().copied().unwrap_or(0));
    let outweighed = c * (records - before) as f64;
    if most < outweighed - SPARE {
        return 0.0;
    }
    missing(l, counts.len()) + (1.0 - outweighed / most).max(0.0) + SPARE
}
