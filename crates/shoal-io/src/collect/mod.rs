//! Records on their way from a reader into a table.

mod column;
mod gathered;

use shoal_core::{Place, RawTable};

use crate::error::ReadError;
use crate::limits::Limits;

pub(crate) use column::ColumnBuilder;
pub(crate) use gathered::Gathered;

/// Gathers the records of all files of a source.
pub(crate) struct Collector<'a> {
    keep: &'a dyn Fn(&str) -> bool,
    limit: u64,
    gathered: Gathered,
}

impl<'a> Collector<'a> {
    /// Stores the columns that `keep` wants, of at most `limit` records. More than `limits` allow are an error;
    /// the column `list` may be one of lists.
    pub(crate) fn new(
        keep: &'a dyn Fn(&str) -> bool,
        limit: u64,
        limits: Limits,
        list: Option<&str>,
    ) -> Self {
        Collector { keep, limit, gathered: Gathered::new(limits, list) }
    }

    /// A file with these columns begins.
    pub(crate) fn begin(&mut self, file: &str, names: Vec<String>) -> Result<(), ReadError> {
        self.gathered.begin(file, names, self.keep)
    }

    /// A further column, in which no record has had a value so far. Returns its number.
    pub(crate) fn add_column(&mut self, file: &str, name: &str) -> Result<usize, ReadError> {
        self.gathered.add_column(file, name, self.keep)
    }

    /// The names of all columns, stored or not.
    pub(crate) fn header(&self) -> &[String] {
        self.gathered.header()
    }

    /// Whether no further record is wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.gathered.rows() >= self.limit
    }

    /// How many records are still wanted.
    pub(crate) fn room(&self) -> u64 {
        self.limit - self.gathered.rows()
    }

    /// A new record begins; each of the kept columns must get its value.
    pub(crate) fn next_row(&mut self, line: Option<u64>) -> Result<Place, ReadError> {
        self.gathered.next_rows(1, line)
    }

    /// The columns that are stored, with their numbers in the source.
    pub(crate) fn kept(&mut self) -> &mut [(usize, ColumnBuilder)] {
        self.gathered.kept()
    }

    /// What was gathered so far, for readers that append many records at a time.
    pub(crate) fn gathered(&mut self) -> &mut Gathered {
        &mut self.gathered
    }

    /// All that was gathered: the table and the names of all columns.
    pub(crate) fn finish(self) -> (RawTable, Vec<String>) {
        self.gathered.finish()
    }
}
