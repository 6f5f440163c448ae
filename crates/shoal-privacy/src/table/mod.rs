//! Tables: a record is a row of cells, and people hide in classes of equal quasi-identifiers.
//!
//! Two records are alike when their published quasi-identifiers are the same text ([`Classes`]), and every
//! [`TableModel`] that was asked for is checked on these classes: their size, and what they give away about
//! sensitive columns ([`model()`]). Beside it, [`conservation`] compares the file
//! with the input: all records are there, once, and everything that is said about them is true.

mod classes;
mod condition;
pub mod conservation;
mod file;
mod k_anonymity;
mod model;
mod people;
mod personal_k;
mod release;
mod suppression;
mod view;

pub use classes::Classes;
pub(crate) use classes::Gathered;
pub use condition::{ConditionError, SensitiveColumn, model, model_against};
pub use conservation::TableConservationError;
pub use file::{TableVerdict, findings_of_table_file, verify_table_file};
pub use k_anonymity::KAnonymity;
pub use model::{PublishedCell, TableModel, TableViolation};
pub(crate) use model::{ask, write_cells};
pub use people::{Crowds, OfPeople};
pub use personal_k::PersonalK;
pub(crate) use release::check_original;
pub use release::{TableClaim, TableFindings, VerifiedTable, judge_table, verify_table};
pub use suppression::SuppressionLimit;
pub use view::TableView;
