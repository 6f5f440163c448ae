//! Which errors are about the promise, and which about the request.

use shoal_algorithms::sequences::SequencesError;
use shoal_algorithms::table::TableError;
use shoal_algorithms::transactions::TransactionsError;
use shoal_privacy::Refusal;

use super::PipelineError;

impl PipelineError {
    /// Whether the request was right and the promise cannot be kept: exit code 1 instead of 2.
    pub fn is_broken_promise(&self) -> bool {
        match self {
            PipelineError::Refused(refusal) => !matches!(**refusal, Refusal::Unverifiable(_)),
            // What was asked for can be kept, but not so that anything is left.
            PipelineError::NothingLeft { .. }
            | PipelineError::SafeHarbor { .. }
            | PipelineError::Beaten { .. } => true,
            PipelineError::Infeasible(error) => matches!(
                error,
                TableError::TooFewRecords { .. }
                    | TableError::TooFewPeople { .. }
                    | TableError::PersonalKTooLarge { .. }
                    | TableError::PersonalKAbovePeople { .. }
                    | TableError::TooManyPeople { .. }
                    | TableError::TooFewValues { .. }
                    | TableError::TooFrequent { .. }
                    | TableError::TooManySuppressed { .. }
            ),
            PipelineError::Transactions(error) => {
                matches!(
                    **error,
                    TransactionsError::TooFewTransactions { .. } | TransactionsError::TooFewPeople { .. }
                )
            }
            PipelineError::Sequences(error) => {
                matches!(**error, SequencesError::TooFewPersons { .. } | SequencesError::Infeasible { .. })
            }
            PipelineError::Unreachable { .. }
            | PipelineError::Untrue { .. }
            | PipelineError::Releases { .. }
            | PipelineError::Attacked { .. }
            | PipelineError::Cohort { .. }
            | PipelineError::NothingKept { .. }
            | PipelineError::Unjudged { .. } => true,
            _ => false,
        }
    }
}
