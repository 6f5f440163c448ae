//! Transactions: a set of items a person.

mod algorithm;
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
mod previous;
mod run;
mod sets;
mod staying;
mod tables;
mod verbs;

pub(crate) use algorithm::hierarchy;
pub(crate) use attack::attack;
pub use check::TransactionsPlan;
pub(crate) use check::check;
pub(crate) use explain::explain;
pub use explain::{ItemExplanation, TransactionsExplanation};
pub(crate) use layout::Layout;
pub(crate) use load::{read_published, read_published_data};
pub(crate) use models::models;
pub(crate) use run::{distinct, run};
pub use verbs::{TransactionsMeasured, TransactionsVerified};
pub(crate) use verbs::{measure, verify};
