//! The privacy models and their verifiers.
//!
//! Nothing is published on an algorithm's word. What stands in the written file is read back and looked at
//! as a stranger would: every promise that was asked for is checked on it, and it is compared with the input.
//! What passes both becomes [`Verified`], which nothing else can make and which owns the data that it is about. That is the same for all shapes of
//! data and lies here; what people hide in, and what it means that a file is true, is each shape's own:
//! [`table`], [`transactions`] and [`sequences`]. A [`stream`] is never whole: there a gate looks at what leaves.
//!
//! The crate knows no algorithm and shares no code with one.

pub mod matching;
mod order;
mod origin;
mod promise;
mod pseudonyms;
mod recognized;
pub mod refinement;
mod refusal;
pub mod safe_harbor;
pub mod sequences;
mod staged;
pub mod stream;
pub mod table;
pub mod total_loss;
pub mod transactions;
mod unverifiable;

pub use order::{
    ContentOrder, OutOfOrder, RecordOrder, people_as_published, people_out_of_order, rows_as_published,
    rows_out_of_order, transactions_as_published, transactions_out_of_order,
};
pub use origin::OriginError;
pub use promise::{BrokenPromise, Finding, KTooSmall, Outcome, Seen, Violating, Violations};
pub use pseudonyms::PseudonymError;
pub use recognized::{KnownAs, PeopleKey, PersonHash, Recognized, Remembered, Remembers, people};
pub use refusal::Refusal;
pub use sequences::{
    BoundedKnowledge, Confidence, ConfidenceError, KnowledgeError, SequenceAnonymity, SequencesClaim,
    SequencesConservationError, SequencesFindings, SequencesModel, SequencesVerdict, SequencesView,
    SequencesViolation, VerifiedSequences, judge_sequences, verify_sequences, verify_sequences_file,
};
pub use shoal_core::{Figure, Promise};
pub use staged::{Certificate, Digests, Findings, NotACopy, ReadBack, Staged, Verified, verify_copy};
pub use table::{
    Classes, ConditionError, Crowds, KAnonymity, OfPeople, PersonalK, PublishedCell, SensitiveColumn,
    SuppressionLimit, TableClaim, TableConservationError, TableFindings, TableModel, TableVerdict, TableView,
    TableViolation, VerifiedTable, findings_of_table_file, judge_table, verify_table, verify_table_file,
};
pub use transactions::{
    CompleteAnonymity, GroupsError, ItemConstraints, ItemTable, ItemsetAnonymity, ItemsetParamError,
    KnownShare, PublishedTransactions, TransactionsClaim, TransactionsConservationError,
    TransactionsFindings, TransactionsModel, TransactionsVerdict, TransactionsViolation, Utility,
    VerifiedTransactions, judge_transactions, verify_transactions, verify_transactions_file, written_out,
};
pub use unverifiable::Unverifiable;
