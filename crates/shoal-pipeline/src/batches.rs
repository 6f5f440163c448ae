//! Arrow record batches in memory, as a source and as a sink: no file is touched.

use arrow_array::RecordBatch;
use shoal_core::{Progress, RawTable, Silent};
use shoal_io::{ColumnForm, ReadError, ReadTable, WriteError};
use shoal_privacy::{Certificate, Staged};

use crate::{Sink, Source, StagedData, WantedColumns};

/// Record batches that are read as a table. Transactions are a column of lists or rows of id and item.
#[derive(Clone, Debug)]
pub struct BatchSource {
    name: String,
    batches: Vec<RecordBatch>,
}

impl BatchSource {
    /// Batches of one schema; errors call them `name`. There must be one, if only without rows, so that the columns are
    /// known.
    pub fn new(name: &str, batches: Vec<RecordBatch>) -> BatchSource {
        BatchSource { name: name.to_owned(), batches }
    }
}

impl Source for BatchSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn read_table(
        &mut self,
        wanted: &WantedColumns<'_>,
        progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError> {
        // A batch is a few reference counts; its columns are not copied.
        let batches = self.batches.iter().cloned().map(Ok);
        shoal_io::read_batches(&self.name, batches, wanted.keep, wanted.list, progress)
    }
}

/// What errors call published batches.
const NAME: &str = "record batches";

/// Hands a release out as record batches.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchSink;

impl Sink for BatchSink {
    type Staged = StagedBatches;

    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn holds_lists(&self) -> bool {
        true
    }

    fn stage_table(
        &mut self,
        table: &RawTable,
        columns: &[ColumnForm],
        progress: &dyn Progress,
    ) -> Result<StagedBatches, WriteError> {
        progress.check();
        let mut forms = table.columns.iter().zip(columns);
        let list = forms.find(|(_, form)| **form == ColumnForm::List).map(|(column, _)| column.name.clone());
        let forms = columns.to_vec();
        Ok(StagedBatches { batches: shoal_io::write_batches(table, columns)?, list, forms })
    }
}

/// Batches that are not handed out yet.
#[derive(Clone, Debug)]
pub struct StagedBatches {
    batches: Vec<RecordBatch>,
    /// The column of lists, where there is one.
    list: Option<String>,
    /// The forms in which its columns were written.
    forms: Vec<ColumnForm>,
}

impl StagedBatches {
    pub(crate) fn list(&self) -> Option<&str> {
        self.list.as_deref()
    }

    pub(crate) fn forms(&self) -> &[ColumnForm] {
        &self.forms
    }
}

impl Staged for StagedBatches {
    type Receipt = Vec<RecordBatch>;
    type Error = WriteError;

    /// Hands the batches out. They are read again, so that no certificate of other data opens them.
    fn publish(self, certificate: &Certificate) -> Result<Vec<RecordBatch>, WriteError> {
        let batches = self.batches.iter().cloned().map(Ok);
        let read = shoal_io::read_batches(NAME, batches, &|_| true, self.list.as_deref(), &Silent);
        let found = read.map_err(|error| WriteError::Batches { why: error.to_string() })?.sha256;
        if found != certificate.sha256() {
            let proven = certificate.sha256().to_owned();
            return Err(WriteError::NotTheVerifiedBytes { path: NAME.into(), proven, found });
        }
        Ok(self.batches)
    }
}

impl StagedData for StagedBatches {
    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(BatchSource::new(NAME, self.batches.clone()))
    }
}
