//! Sequences: an ordered list of events a person.

mod algorithm;
mod attack;
mod check;
mod compose;
mod explain;
mod load;
mod models;
mod people;
mod previous;
mod promise;
mod run;
mod ties;
mod verbs;

pub(crate) use attack::attack;
pub use check::SequencesPlan;
pub(crate) use check::check;
pub(crate) use explain::explain;
pub use explain::{PersonExplanation, SequencesExplanation};
pub(crate) use models::models;
pub(crate) use promise::{leaks as leaks_of_promise, notes as notes_of_promise, promise_of};
pub(crate) use run::{id, run};
pub use ties::Ties;
pub use verbs::{SequencesMeasured, SequencesVerified};
pub(crate) use verbs::{measure, verify};
