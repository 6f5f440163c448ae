//! Arrow record batches in memory, as a source and as a sink: no file is touched.

use arrow_array::RecordBatch;
use shoal_core::{Progress, RawTable};
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

/// Hands a release out as record batches.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchSink;

impl Sink for BatchSink {
    type Staged = StagedBatches;

    fn name(&self) -> String {
        "record batches".to_owned()
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
        Ok(StagedBatches(shoal_io::write_batches(table, columns)?))
    }
}

/// Batches that nobody has been given yet.
#[derive(Debug)]
pub struct StagedBatches(Vec<RecordBatch>);

impl Staged for StagedBatches {
    type Receipt = Vec<RecordBatch>;
    type Error = WriteError;

    /// Nobody else can have touched the batches since they were read back: they were never handed out.
    fn publish(self, _certificate: &Certificate) -> Result<Vec<RecordBatch>, WriteError> {
        Ok(self.0)
    }
}

impl StagedData for StagedBatches {
    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(BatchSource::new("record batches", self.0.clone()))
    }
}
