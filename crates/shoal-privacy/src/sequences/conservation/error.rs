use crate::refusal::DEFECT;
use crate::{OriginError, TableConservationError};

/// How published sequences differ from what their input allows. Rows count from 1; those of the input are
/// counted person by person, in the order of their events. A published person is named by the pseudonym that
/// is due to them.
///
/// Errors show published texts and places only, and no id that is in the file: it might be an original one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SequencesConservationError {
    /// An event, taken for itself, is not true of the input.
    #[error(transparent)]
    Event(#[from] TableConservationError),
    /// An id is not the number that is due.
    #[error("published row {row} should have the pseudonym {due}, but has another id")]
    Pseudonym {
        /// The first row of the person.
        row: u64,
        /// The pseudonym that is due.
        due: u64,
    },
    /// The events of a person do not stand together.
    #[error("published row {row} goes on with person {person}, whose events ended with row {ended}")]
    Scattered {
        /// The first event that stands apart.
        row: u64,
        /// The person.
        person: u64,
        /// The last of the events that stand together.
        ended: u64,
    },
    /// Two people are published as one.
    #[error(
        "person {person}: published rows {first} and {second} come from input rows {first_original} and \
         {second_original}, which are two people's"
    )]
    TwoPeople {
        /// The published person.
        person: u64,
        /// One published event.
        first: u64,
        /// The event after it, which is somebody else's.
        second: u64,
        /// Where the first comes from.
        first_original: u64,
        /// Where the second comes from.
        second_original: u64,
    },
    /// The events of a person are in another order than they happened.
    #[error(
        "person {person}: published row {first} stands before row {second}, but they come from input rows \
         {first_original} and {second_original}"
    )]
    OutOfOrder {
        /// The published person.
        person: u64,
        /// One published event.
        first: u64,
        /// The event after it, which happened before.
        second: u64,
        /// Where the first comes from.
        first_original: u64,
        /// Where the second comes from.
        second_original: u64,
    },
    /// One person is published as two.
    #[error(
        "persons {first} and {second} of the file are the same person of the input (input row {original_row})"
    )]
    PublishedTwice {
        /// The first published person.
        first: u64,
        /// The second.
        second: u64,
        /// Where the first event of the second comes from.
        original_row: u64,
    },
}

impl From<OriginError> for SequencesConservationError {
    fn from(error: OriginError) -> SequencesConservationError {
        TableConservationError::from(error).into()
    }
}

impl SequencesConservationError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            SequencesConservationError::Event(error) => error.hint(),
            _ => DEFECT,
        }
    }
}
