//! Sequences: a person has an ordered list of events, and hides among those who have the same list.
//!
//! The file has a row an event, and an id that says whose it is. Two people are alike when they have the same
//! number of events and these agree, one by one and in order, in the text of every quasi-identifier
//! ([`SequencesView`]). Every [`SequencesModel`] that was asked for is checked on these classes of people, or on the crowds
//! of those who share what somebody may know ([`BoundedKnowledge`]). Beside it, [`conservation`] compares the file with the input: a pseudonym stands for one person and says nothing,
//! the events are that person's own and in their order, and everything that is said about them is true.

mod anonymity;
mod confidence;
pub mod conservation;
mod file;
mod knowledge;
mod model;
mod release;
mod view;

pub use anonymity::SequenceAnonymity;
pub use confidence::{Confidence, ConfidenceError};
pub use conservation::SequencesConservationError;
pub use file::{SequencesVerdict, verify_sequences_file};
pub use knowledge::{BoundedKnowledge, KnowledgeError};
pub use model::{SequencesModel, SequencesViolation};
pub(crate) use model::{verify_all, verify_all_apart};
pub use release::{SequencesClaim, SequencesFindings, VerifiedSequences, judge_sequences, verify_sequences};
pub use view::SequencesView;
