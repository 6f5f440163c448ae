use crate::pseudonyms::PseudonymError;
use crate::{
    BrokenPromise, Finding, GroupsError, OutOfOrder, Promise, SequencesConservationError, SequencesViolation,
    TableConservationError, TableViolation, TransactionsConservationError, TransactionsViolation,
    Unverifiable,
};

/// What to do about an error that can come neither from a policy nor from data: something in the program, or
/// someone who has touched the file, is wrong.
pub(crate) const DEFECT: &str =
    "nothing was released; please report this as a defect, with the policy and the seed";

/// Why a file is not released.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The promise cannot even be checked.
    #[error(transparent)]
    Unverifiable(#[from] Unverifiable),
    /// A promise about a table is not kept.
    #[error("{}", in_words(broken))]
    BrokenTable {
        /// The promises that are not kept, at least one.
        broken: Vec<BrokenPromise>,
        /// All that were asked, those that are kept included.
        promises: Vec<Finding>,
    },
    /// A promise about transactions is not kept.
    #[error("{}", in_words(broken))]
    BrokenTransactions {
        /// The promises that are not kept, at least one.
        broken: Vec<BrokenPromise<TransactionsViolation>>,
    },
    /// A promise about sequences is not kept.
    #[error("{}", in_words(broken))]
    BrokenSequences {
        /// The promises that are not kept, at least one.
        broken: Vec<BrokenPromise<SequencesViolation>>,
    },
    /// The order of the records may show who is who.
    #[error(transparent)]
    Order(#[from] OutOfOrder),
    /// An id is published that may name a person.
    #[error(transparent)]
    Pseudonym(#[from] PseudonymError),
    /// A dictionary of groups and the transactions beside it contradict each other.
    #[error(transparent)]
    Groups(#[from] GroupsError),
    /// A table is not true of its input.
    #[error(transparent)]
    TableConservation(#[from] TableConservationError),
    /// Transactions are not true of their input.
    #[error(transparent)]
    TransactionsConservation(#[from] TransactionsConservationError),
    /// Sequences are not true of their input.
    #[error(transparent)]
    SequencesConservation(#[from] SequencesConservationError),
}

impl Refusal {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        let names_stars =
            |broken: &BrokenPromise| broken.violations.worst.iter().any(TableViolation::says_nothing);
        let is_limit =
            |broken: &BrokenPromise| matches!(broken.finding.promise, Promise::MaxSuppressed { .. });
        match self {
            Refusal::Unverifiable(error) => error.hint(),
            Refusal::Pseudonym(error) => error.hint(),
            Refusal::Groups(error) => error.hint(),
            Refusal::TableConservation(error) => error.hint(),
            Refusal::TransactionsConservation(error) => error.hint(),
            Refusal::SequencesConservation(error) => error.hint(),
            Refusal::BrokenTable { broken, .. } if broken.iter().any(names_stars) => {
                "records of nothing but `*` do not keep the promise among each other; leave them out with \
                 `output.suppressed = \"drop\"`"
            }
            Refusal::BrokenTable { broken, .. } if broken.iter().any(is_limit) => {
                "allow more records to be left out with `algorithm.max-suppressed`, or ask for less privacy"
            }
            Refusal::BrokenTable { .. }
            | Refusal::BrokenTransactions { .. }
            | Refusal::BrokenSequences { .. }
            | Refusal::Order(_) => DEFECT,
        }
    }
}

fn in_words(broken: &[impl ToString]) -> String {
    broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
