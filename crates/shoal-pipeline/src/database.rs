//! A table of a PostgreSQL database as the place of a release.

use shoal_core::{Progress, RawTable};
use shoal_io::{ColumnForm, PendingTable, ReadError, ReadTable, TableTarget, WriteError};

use crate::{Sink, Source, StagedData, WantedColumns};

/// A table that is committed only when it is published.
#[derive(Debug)]
pub struct TableSink {
    target: TableTarget,
    replace: bool,
}

impl TableSink {
    /// A release that will be this table. With `replace` it takes the place of the table that has its name.
    pub fn new(target: TableTarget, replace: bool) -> TableSink {
        TableSink { target, replace }
    }
}

impl Sink for TableSink {
    type Staged = PendingTable;

    fn name(&self) -> String {
        self.target.shown().to_owned()
    }

    fn holds_lists(&self) -> bool {
        true
    }

    fn stage_table(
        &mut self,
        table: &RawTable,
        columns: &[ColumnForm],
        progress: &dyn Progress,
    ) -> Result<PendingTable, WriteError> {
        self.target.stage(table, columns, self.replace, progress)
    }
}

impl StagedData for PendingTable {
    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(UncommittedTable(self))
    }
}

/// What was written, as the transaction that wrote it reads it.
struct UncommittedTable<'t>(&'t PendingTable);

impl Source for UncommittedTable<'_> {
    fn name(&self) -> String {
        self.0.shown().to_owned()
    }

    fn read_table(
        &mut self,
        wanted: &WantedColumns<'_>,
        progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError> {
        self.0.read_back(wanted.keep, wanted.list, progress)
    }
}
