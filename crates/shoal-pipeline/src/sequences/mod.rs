//! Sequences: an ordered list of events a person.

mod algorithm;
mod applied;
mod attack;
mod check;
mod compose;
mod explain;
mod load;
mod models;
mod people;
mod promise;
mod releases;
mod run;
mod ties;
mod verbs;

pub(crate) use attack::attack;
pub use check::SequencesPlan;
pub(crate) use check::check;
pub(crate) use explain::explain;
pub use explain::{PersonExplanation, SequencesExplanation};
pub(crate) use run::run;
pub use ties::Ties;
pub use verbs::{SequencesMeasured, SequencesVerified};
pub(crate) use verbs::{measure, verify};
