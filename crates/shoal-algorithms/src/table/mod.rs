//! Algorithms for tables: one record a person.

pub mod datafly;
mod error;
mod full_domain;
pub mod incognito;
pub mod mondrian;
mod points;
mod recode;
pub mod sbc;
mod suppress;

pub use error::{ParamsError, TableError};
pub use suppress::star_suppression;

use shoal_core::{Column, Progress, Recoding, Table};

/// An algorithm with its checked parameters, ready to run on a table.
pub trait TableAlgorithm: Sync {
    /// The name in a policy.
    fn name(&self) -> &'static str;

    /// Whether every quasi-identifier must have a hierarchy (domain generalization). The caller builds the
    /// ones that the policy does not give, and says so.
    fn needs_hierarchies(&self) -> bool;

    /// Decides on a class for every record and on what each class publishes.
    fn anonymize(&self, table: &Table, progress: &dyn Progress) -> Result<Recoding, TableError>;
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
