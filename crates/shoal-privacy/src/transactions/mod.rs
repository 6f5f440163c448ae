//! Transactions: a record is a set of items, and people hide among those who hold the same ones.
//!
//! A published text stands for one item or for a group of them ([`Meaning`]), and is in a published
//! transaction when the person held any of them. Every [`TransactionsModel`] that was asked for is checked on the
//! published texts alone, by counting. Beside it, [`conservation`] compares the file with the input: every
//! published transaction is what one and the same recoding makes of its original.

mod columns;
mod complete;
pub mod conservation;
mod constraints;
mod file;
mod groups;
mod itemsets;
mod meaning;
mod model;
mod release;
mod tally;
mod utility;
mod view;

pub use columns::ItemTable;
pub use complete::CompleteAnonymity;
pub use conservation::TransactionsConservationError;
pub use constraints::ItemConstraints;
pub use file::{TransactionsVerdict, verify_transactions_file};
pub use groups::{GroupsError, written_out};
pub use itemsets::{ItemsetAnonymity, ItemsetParamError, KnownShare};
pub use meaning::{Meaning, TwoImages};
pub use model::{TransactionsModel, TransactionsViolation};
pub use release::{
    PublishedTransactions, TransactionsClaim, TransactionsFindings, VerifiedTransactions, judge_transactions,
    verify_transactions,
};
pub use utility::Utility;
pub use view::TransactionsView;
