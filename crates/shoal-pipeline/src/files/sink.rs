use std::path::{Path, PathBuf};

use shoal_core::{Progress, RawTable, Transactions};
use shoal_io::{ColumnForm, Content, CsvOptions, Finding, PendingFile, ReadError, WriteError, WriteOptions};
use shoal_privacy::{Certificate, Staged};

use crate::{Sink, Source, StagedData};

/// A file that gets its name only when it is published.
#[derive(Debug)]
pub struct FileSink {
    path: PathBuf,
    /// Begun before the work, so that a folder that does not exist, or may not be written to, is known at once.
    begun: Option<PendingFile>,
    csv: CsvOptions,
}

impl FileSink {
    /// Begins a file that will get the name `path`; `csv` is how a reader will read it, if it is CSV.
    pub fn create(path: &Path, csv: CsvOptions) -> Result<FileSink, WriteError> {
        let name = path.to_string_lossy();
        if let Some(ending) = shoal_io::Format::other_ending(&name) {
            return Err(WriteError::OtherEnding { path: path.to_owned(), ending });
        }
        let layout = shoal_io::Format::of(&name).layout;
        if !layout.is_written() {
            return Err(WriteError::NotWritten { path: path.to_owned(), layout });
        }
        Ok(FileSink { path: path.to_owned(), begun: Some(PendingFile::create(path)?), csv })
    }

    fn stage(
        &mut self,
        write: impl FnOnce(&mut PendingFile) -> Result<(), WriteError>,
    ) -> Result<StagedFile, WriteError> {
        let mut pending = match self.begun.take() {
            Some(pending) => pending,
            None => PendingFile::create(&self.path)?,
        };
        write(&mut pending)?;
        pending.finish()?;
        Ok(StagedFile { pending, csv: self.csv.clone() })
    }
}

impl Sink for FileSink {
    type Staged = StagedFile;

    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    fn holds_lists(&self) -> bool {
        shoal_io::Format::of(&self.name()).layout == shoal_io::Layout::Parquet
    }

    fn stage_table(
        &mut self,
        table: &RawTable,
        columns: &[ColumnForm],
        progress: &dyn Progress,
    ) -> Result<StagedFile, WriteError> {
        let options = WriteOptions { separator: self.csv.separator, columns: columns.to_vec() };
        self.stage(|pending| shoal_io::write_table(pending, table, &options, progress))
    }

    fn stage_baskets(
        &mut self,
        published: &Transactions,
        separator: char,
        progress: &dyn Progress,
    ) -> Result<StagedFile, WriteError> {
        self.stage(|pending| shoal_io::write_baskets(pending, published, separator, progress))
    }
}

/// A written file that has no name yet.
#[derive(Debug)]
pub struct StagedFile {
    pending: PendingFile,
    csv: CsvOptions,
}

impl Staged for StagedFile {
    type Receipt = PathBuf;
    type Error = WriteError;

    fn publish(self, certificate: &Certificate) -> Result<PathBuf, WriteError> {
        self.pending.publish(certificate)
    }
}

impl StagedData for StagedFile {
    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(self.pending.source(self.csv.clone()))
    }

    fn unjudged(&self, content: Content, progress: &dyn Progress) -> Result<Vec<Finding>, ReadError> {
        shoal_io::inspect(&self.pending.source(self.csv.clone()), content, progress)
    }
}
