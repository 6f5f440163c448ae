//! What several of the tests need.
#![allow(dead_code)] // Not every test file uses all of it.

use std::fs;
use std::path::{Path, PathBuf};

use shoal_core::{RawTable, Silent};
use shoal_io::{
    CsvOptions, PendingFile, ReadError, ReadTable, Source, WriteOptions, read_table, write_table,
};

/// A folder with the files that a test puts there.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn source(&self, name: &str) -> Source {
        Source::new(self.0.path().join(name).to_str().unwrap())
    }
}

pub(crate) fn read(source: &Source) -> Result<ReadTable, ReadError> {
    read_table(source, &|_| true, &Silent)
}

/// Reads one CSV text through a file.
pub(crate) fn read_text(text: impl AsRef<[u8]>) -> Result<ReadTable, ReadError> {
    let folder = Folder::new();
    folder.put("t.csv", text);
    read(&folder.source("t.csv"))
}

pub(crate) fn rows(table: &RawTable) -> Vec<Vec<&str>> {
    (0..table.rows).map(|row| table.columns.iter().map(|column| column.text(row)).collect()).collect()
}

/// Cells with their nulls.
pub(crate) fn cells(table: &RawTable) -> Vec<Vec<Option<&str>>> {
    let cell = |row: usize| {
        table.columns.iter().map(move |c| (c.null != Some(c.codes[row])).then(|| c.text(row))).collect()
    };
    (0..table.rows).map(cell).collect()
}

pub(crate) fn names(table: &RawTable) -> Vec<&str> {
    table.columns.iter().map(|column| column.name.as_str()).collect()
}

/// The bytes that a table becomes under a name.
pub(crate) fn written(name: &str, table: &RawTable, options: &WriteOptions) -> Vec<u8> {
    let folder = Folder::new();
    let mut pending = PendingFile::create(&folder.path().join(name)).unwrap();
    write_table(&mut pending, table, options, &Silent).unwrap();
    pending.finish().unwrap();
    fs::read(pending.path()).unwrap()
}

/// Writes a table under a name and reads the pending file again, as the verifier does.
pub(crate) fn round_trip(name: &str, table: &RawTable, options: &WriteOptions) -> RawTable {
    let folder = Folder::new();
    let mut pending = PendingFile::create(&folder.path().join(name)).unwrap();
    write_table(&mut pending, table, options, &Silent).unwrap();
    let sha256 = pending.finish().unwrap().to_owned();
    let csv = CsvOptions { separator: options.separator, ..CsvOptions::default() };
    let read = read(&pending.source(csv)).unwrap();
    assert_eq!(read.sha256, sha256);
    read.table
}
