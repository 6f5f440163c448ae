//! What there is of PostgreSQL in a program that was built without it: errors that say so.

use std::convert::Infallible;
use std::path::PathBuf;

use shoal_core::{Progress, RawTable};
use shoal_privacy::{Certificate, Staged};

use super::address::Address;
use crate::collect::Collector;
use crate::error::{PostgresError, ReadError, WriteError};
use crate::read::ReadTable;
use crate::source::Source;
use crate::write::ColumnForm;

pub(crate) fn read(
    source: &Source,
    _into: &mut Collector<'_>,
    _progress: &dyn Progress,
) -> Result<(String, u64), ReadError> {
    Err(absent(&source.location).into())
}

/// The table that a release will be. There is none in a program without PostgreSQL.
#[derive(Debug)]
pub struct TableTarget(Infallible);

#[expect(missing_docs, reason = "the documented ones are those of a program with PostgreSQL")]
impl TableTarget {
    pub fn open(location: &str, _progress: &dyn Progress) -> Result<TableTarget, WriteError> {
        Err(absent(location).into())
    }

    pub fn shown(&self) -> &str {
        match self.0 {}
    }

    pub fn exists(&self) -> bool {
        match self.0 {}
    }

    pub fn check_replaceable(&self) -> Result<(), WriteError> {
        match self.0 {}
    }

    pub fn is_read_by(&self, _source: &Source, _progress: &dyn Progress) -> Result<bool, ReadError> {
        match self.0 {}
    }

    pub fn stage(
        &self,
        _table: &RawTable,
        _columns: &[ColumnForm],
        _replace: bool,
        _progress: &dyn Progress,
    ) -> Result<PendingTable, WriteError> {
        match self.0 {}
    }
}

/// A table that is not committed. There is none in a program without PostgreSQL.
#[derive(Debug)]
pub struct PendingTable(Infallible);

#[expect(missing_docs, reason = "the documented ones are those of a program with PostgreSQL")]
impl PendingTable {
    pub fn shown(&self) -> &str {
        match self.0 {}
    }

    pub fn read_back(
        &self,
        _keep: &dyn Fn(&str) -> bool,
        _list: Option<&str>,
        _progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError> {
        match self.0 {}
    }
}

impl Staged for PendingTable {
    type Receipt = PathBuf;
    type Error = WriteError;

    fn publish(self, _certificate: &Certificate) -> Result<PathBuf, WriteError> {
        match self.0 {}
    }
}

fn absent(location: &str) -> PostgresError {
    match Address::parse(location) {
        // Before anything is repeated: it may hold a password.
        Err(error) => error,
        Ok(address) => PostgresError::new(
            &address.database,
            "this is a PostgreSQL database, and this program was built without PostgreSQL",
            "build it with `cargo install --path crates/shoal-cli --features postgres`, or use files: psql -c \"copy (select …) to stdout csv header\" > people.csv",
        ),
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::Silent;

    use super::*;

    #[test]
    fn a_program_without_postgresql_says_how_to_get_it() {
        let error = crate::read_table(&Source::new("postgres://h/d#t"), &|_| true, &Silent).unwrap_err();
        assert!(error.to_string().contains("built without PostgreSQL"), "{error}");
        assert!(error.hint().contains("--features postgres") && error.hint().contains("csv header"));
        assert!(TableTarget::open("postgres://h/d#t", &Silent).is_err());
        let error = TableTarget::open("postgres://ann:s3cret@h/d#t", &Silent).unwrap_err();
        assert!(
            error.to_string().contains("holds a password") && !error.to_string().contains("s3"),
            "{error}"
        );
    }
}
