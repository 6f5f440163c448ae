//! What is promised about tables, sets of items and sequences of events: the words that a policy, an algorithm
//! and the verifier share. How a promise is kept and how it is checked is not here: algorithms and verifier share no code.

mod stated;
mod table;
mod words;

pub use stated::{ColumnBound, Figure, Promise};
pub use table::{Condition, Distance, Distribution, Likeness, Rule, TablePromise};

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mix;

/// What is promised about transactions. Where these say [whose](crate::Transactions::persons) they are, a crowd of k
/// transactions is one of k people who have one.
#[derive(Clone, Debug, PartialEq)]
pub enum TransactionsPromise {
    /// k^m: whoever knows up to m items of a person finds at least k transactions with them, or none.
    Itemsets {
        /// The size of the crowd.
        k: usize,
        /// How many items somebody may know.
        m: usize,
        /// Whether each item is one that somebody may know; all are where nothing is given.
        linkable: Option<Vec<bool>>,
    },
    /// Complete k-anonymity: whoever knows all items of a person finds at least k transactions with them.
    Complete {
        /// The size of the crowd.
        k: usize,
    },
    /// Whoever knows one of these sets of items about a person finds at least k transactions with them, or
    /// none.
    Constraints {
        /// The size of the crowd.
        k: usize,
        /// The sets, items ascending.
        sets: Vec<Vec<u32>>,
    },
}

impl TransactionsPromise {
    /// The size of the crowd.
    pub fn k(&self) -> usize {
        match *self {
            TransactionsPromise::Itemsets { k, .. }
            | TransactionsPromise::Complete { k }
            | TransactionsPromise::Constraints { k, .. } => k,
        }
    }
}

/// What is promised about sequences of events.
#[derive(Clone, Debug, PartialEq)]
pub struct SequencesPromise {
    /// The size of the crowd.
    pub k: usize,
    /// How many values somebody may know about a person's events; everything where nothing is given.
    pub length: Option<usize>,
    /// Who counts as sharing what somebody knows; it matters only where `length` is given.
    pub support: Support,
    /// What the crowd may give away about sensitive columns.
    pub limits: Vec<Limit>,
    /// Who everybody is, by column, where the people are a part of something larger: how many of everybody who is
    /// published have each value. Gains then compare with them and not with the people of the file; parts of
    /// different people that all keep such a promise keep it together.
    pub distributions: BTreeMap<String, Distribution>,
}

/// Who is in the crowd of something that is known about a person's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Support {
    /// Everybody who may be the one: whose published cells lie at, below or above what is known. `*` fits everything.
    #[default]
    Compatible,
    /// The papers' weaker count: only those whose published cells lie at or below what is known. Whoever publishes less
    /// than is known about them is counted nowhere.
    Paper,
}

/// What a crowd may give away about one sensitive column.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The column.
    pub column: String,
    /// The highly sensitive values; all of them where nothing is given.
    pub values: Option<Vec<String>>,
    /// How much.
    pub bound: Bound,
}

/// How much a crowd may give away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum Bound {
    /// The share of the crowd that may have such a value in an event.
    #[serde(rename = "c")]
    Share(f64),
    /// β: how much more frequent a value may be in the crowd than among everybody.
    #[serde(rename = "beta")]
    Gain(f64),
}

impl Bound {
    /// The greatest share that a crowd may have of a value whose share among everybody is `p`. One place for
    /// the figure, so that the code that keeps a promise and the code that checks it agree to the last bit.
    pub fn allowed(self, p: f64) -> f64 {
        match self {
            Bound::Share(c) => c,
            Bound::Gain(beta) => (1.0 + beta.min(-p.ln())) * p,
        }
    }
}

/// Whether an item is in a random share of all items. It depends on the seed and the item's own text, so that
/// anybody who knows the policy can repeat the draw from the published file alone.
pub fn is_drawn(item: &str, share: f64, seed: u64) -> bool {
    // FNV-1a.
    let start = 0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = item.bytes().fold(start, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    ((mix(hash) >> 11) as f64 / (1_u64 << 53) as f64) < share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_value_may_gain_more_than_a_frequent_one() {
        let beta = Bound::Gain(1.0);
        assert_eq!(beta.allowed(0.2), 0.4);
        // e^-1 and above: the gain is -ln p, and a value that everybody has may stay one.
        assert!((beta.allowed(0.5) - 0.5 * (1.0 + std::f64::consts::LN_2)).abs() < 1e-15);
        assert_eq!(beta.allowed(1.0), 1.0);
        assert_eq!(Bound::Share(0.7).allowed(0.1), 0.7);
    }

    #[test]
    fn a_share_is_about_as_large_as_asked() {
        for share in [0.0, 0.25, 0.75, 1.0] {
            let drawn =
                (0..4000).filter(|n: &i32| is_drawn(&n.to_string(), share, 7)).count() as f64 / 4000.0;
            assert!((drawn - share).abs() < 0.03, "{share}: {drawn}");
        }
        assert_ne!(
            (0..64).map(|n: i32| is_drawn(&n.to_string(), 0.5, 1)).collect::<Vec<_>>(),
            (0..64).map(|n: i32| is_drawn(&n.to_string(), 0.5, 2)).collect::<Vec<_>>()
        );
    }
}
