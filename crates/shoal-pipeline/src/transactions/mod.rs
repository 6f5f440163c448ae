//! Transactions: a set of items a person.

mod algorithm;
mod applied;
mod atoms;
mod attack;
mod check;
mod compose;
mod explain;
mod form;
mod layout;
mod load;
mod measures;
mod models;
pub(crate) mod one_hot;
mod person;
mod releases;
mod run;
mod sets;
mod tables;
mod verbs;

pub(crate) use attack::attack;
pub use check::TransactionsPlan;
pub(crate) use check::check;
pub(crate) use explain::explain;
pub use explain::{ItemExplanation, TransactionsExplanation};
pub(crate) use layout::Layout;
pub(crate) use load::read_published_data;
pub(crate) use run::run;
pub use verbs::{TransactionsMeasured, TransactionsVerified};
pub(crate) use verbs::{measure, verify};
