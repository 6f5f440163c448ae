use std::path::{Path, PathBuf};

use shoal_core::{Groups, Progress, RawTable, Transactions};
use shoal_io::{
    ColumnForm, Content, CsvOptions, Finding, PendingFile, ReadError, WriteError, WriteOptions, groups_beside,
};
use shoal_privacy::{Certificate, Staged};

use crate::{Sink, Source, StagedData};

/// A file that gets its name only when it is published.
#[derive(Debug)]
pub struct FileSink {
    path: PathBuf,
    /// Begun before the work, so that a folder that does not exist, or may not be written to, is known at once.
    begun: Option<PendingFile>,
    csv: CsvOptions,
    /// Where a dictionary of groups may lie.
    beside: Option<PathBuf>,
    /// The dictionary of what is staged next.
    groups: Option<PendingFile>,
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
        let (path, begun) = (path.to_owned(), Some(PendingFile::create(path)?));
        Ok(FileSink { path, begun, csv, beside: None, groups: None })
    }

    /// The same for transactions, whose groups may be in a dictionary beside the file. A dictionary that lies there already is replaced, or
    /// taken away where the new release has none: it is that of the release which is replaced.
    #[must_use]
    pub fn with_groups(self) -> FileSink {
        let has_place = self.begun.as_ref().is_some_and(PendingFile::has_place_beside);
        FileSink { beside: has_place.then(|| groups_beside(&self.path)), ..self }
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
        let (groups, beside) = (self.groups.take(), self.beside.clone());
        Ok(StagedFile { pending, csv: self.csv.clone(), groups, beside })
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

    fn place_of_groups(&self) -> Option<String> {
        self.beside.as_ref().map(|path| path.to_string_lossy().into_owned())
    }

    fn stage_groups(&mut self, groups: &Groups) -> Result<(), WriteError> {
        let Some(place) = &self.beside else {
            return Err(WriteError::NoPlaceForGroups { path: self.path.clone() });
        };
        let mut pending = PendingFile::create(place)?;
        shoal_io::write_groups(&mut pending, groups)?;
        pending.finish()?;
        self.groups = Some(pending);
        Ok(())
    }
}

/// A written file that has no name yet.
#[derive(Debug)]
pub struct StagedFile {
    pending: PendingFile,
    csv: CsvOptions,
    /// The dictionary of its groups, where it has one.
    groups: Option<PendingFile>,
    /// Where the dictionary of a release of this name lies.
    beside: Option<PathBuf>,
}

impl StagedFile {
    fn read_again(&self) -> shoal_io::Source {
        let groups = self.groups.as_ref().map(|groups| groups.path().to_owned());
        shoal_io::Source { groups, ..self.pending.source(self.csv.clone()) }
    }
}

impl Staged for StagedFile {
    type Receipt = PathBuf;
    type Error = WriteError;

    fn publish(self, certificate: &Certificate) -> Result<PathBuf, WriteError> {
        if let Some(groups) = self.groups {
            return self.pending.publish_with_groups(groups, certificate);
        }
        let path = self.pending.publish(certificate)?;
        // That of the release which was replaced. Left there, it would be taken for a part of this one.
        if let Some(old) = self.beside.filter(|old| old.is_file()) {
            let removed = std::fs::remove_file(&old);
            removed.map_err(|source| WriteError::Io {
                path: old,
                action: "remove the old dictionary",
                source,
            })?;
        }
        Ok(path)
    }
}

impl StagedData for StagedFile {
    fn source(&self) -> Box<dyn Source + '_> {
        Box::new(self.read_again())
    }

    fn unjudged(&self, content: Content, progress: &dyn Progress) -> Result<Vec<Finding>, ReadError> {
        shoal_io::inspect(&self.read_again(), content, progress)
    }
}
