//! The risk of being recognized by the whole sequence: the adversary knows every quasi-identifier of every
//! event of a person, and their order.
//!
//! The records of [`crate::table::risk`] are people here, and a class is everybody with the same number of events,
//! equal in every quasi-identifier. Before, all events of the original are known; after, what the file says of
//! those that are left.

use serde::Serialize;
use shoal_privacy::Classes;

use crate::table::risk::{self, Risks};

/// Risk before and after, as `report.json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesRisk {
    /// Were the original sequences published.
    pub before: Risks,
    /// As published.
    pub after: Risks,
    /// The share of people of whom nothing is published. They carry no risk, and are in no figure of `after`.
    pub share_not_published: f64,
}

/// The risks in the classes of people before and after, of whom no more are left than there were.
pub(super) fn of(before: &Classes, after: &Classes, k: Option<usize>) -> SequencesRisk {
    let (all, left) = (before.class_of.len(), after.class_of.len());
    SequencesRisk {
        before: risk::of(before, k),
        after: risk::of(after, k),
        share_not_published: if all == 0 { 0.0 } else { (all - left) as f64 / all as f64 },
    }
}
