//! Algorithms for tables: one record a person, or several where the promise names the person.

mod alike;
mod conditions;
pub mod datafly;
mod error;
mod full_domain;
mod groups;
pub mod incognito;
mod loss;
pub mod mondrian;
mod names;
mod points;
mod recode;
pub mod ribbon;
pub mod sbc;
mod suppress;
pub mod transparent;

pub use error::{ParamsError, TableError};
pub use groups::recode_groups;
pub use loss::recoding_loss;
pub use suppress::{check_suppressed, star_suppression};

use conditions::Conditions;
use shoal_core::{Column, Progress, Table, TablePromise, TableRecoding};

use crate::Anonymized;

/// An algorithm with its checked parameters, ready to run on a table.
///
/// The promise is one of the parameters, unlike that of the other shapes, which is an argument of `anonymize`. Which
/// promises a table algorithm can keep depends on the algorithm ([`transparent`] refuses most conditions), so one
/// `check` must see both; and whoever could hand over another promise later would run parameters that nobody checked.
pub trait TableAlgorithm: Sync {
    /// The name in a policy.
    fn name(&self) -> &'static str;

    /// Whether every quasi-identifier must have a hierarchy (domain generalization). The caller builds the
    /// ones that the policy does not give, and says so.
    fn needs_hierarchies(&self) -> bool;

    /// Decides on a class for every record and on what each class publishes, so that the promise is kept.
    fn anonymize(
        &self,
        table: &Table,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TableRecoding>, TableError>;
}

/// Why no algorithm can keep a promise about a table without leaving records out, if none can.
pub fn obstacle(table: &Table, promise: &TablePromise) -> Option<TableError> {
    Conditions::of(table, promise).err()
}

/// The quasi-identifiers of a table that has any, and enough records for one crowd of `k`.
fn crowdable(table: &Table, k: usize) -> Result<Vec<&Column>, TableError> {
    let quasi = table.quasi_identifiers();
    if quasi.is_empty() {
        return Err(TableError::NoQuasiIdentifiers);
    }
    if table.rows < k {
        return Err(TableError::TooFewRecords { k, records: table.rows });
    }
    Ok(quasi)
}
