//! A release as a file: written, read back, compared with what was verified, and only then named.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use shoal_core::{RawTable, Silent};
use shoal_io::{ColumnForm, Format, Layout, Source, WriteOptions};

use crate::errors::with_hint;
use crate::release::NativeRelease;

/// Writes the data of a release to a CSV or Parquet file, by the name's ending. An existing file is replaced only where `force` says so.
#[pyfunction]
pub(crate) fn save_data(release: &NativeRelease, path: PathBuf, force: bool) -> PyResult<()> {
    if path.exists() && !force {
        return Err(with_hint(
            format!("`{}` exists already", path.display()),
            "give force=True to replace it, or another name",
        ));
    }
    let layout = Format::of(&path.to_string_lossy()).layout;
    if !matches!(layout, Layout::Csv | Layout::Parquet) {
        return Err(with_hint(
            format!("`{}` cannot be written", path.display()),
            "a release is saved as .csv or .parquet; other forms can be made of its data",
        ));
    }
    let proven = read(&release.batches)?;
    let columns = vec![ColumnForm::Typed; proven.columns.len()];
    let bytes =
        shoal_io::table_bytes(&proven, layout, &WriteOptions { columns, ..WriteOptions::default() }, &Silent)
            .map_err(|error| with_hint(error.to_string(), error.hint()))?;
    let unnamed = beside(&path);
    let written = std::fs::write(&unnamed, &bytes)
        .map_err(|error| {
            with_hint(
                format!("`{}` cannot be written: {error}", path.display()),
                "is there room, and may you write there?",
            )
        })
        .and_then(|()| compare(&unnamed, &proven))
        .and_then(|()| {
            std::fs::rename(&unnamed, &path).map_err(|error| {
                with_hint(format!("`{}` cannot be named: {error}", path.display()), "may you write there?")
            })
        });
    if written.is_err() {
        // Nothing half-written is left; that it cannot be removed either is not what the caller must know first.
        let _ = std::fs::remove_file(&unnamed);
    }
    written
}

/// A name in the same folder, so that the file can be renamed, with the ending by which its format is known.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{}.{name}", std::process::id()))
}

fn read(batches: &[arrow_array::RecordBatch]) -> PyResult<RawTable> {
    shoal_io::read_batches("the release", batches.iter().cloned().map(Ok), &|_| true, None, &Silent)
        .map(|read| read.table)
        .map_err(|error| with_hint(error.to_string(), error.hint()))
}

/// The proof is about cells; a file with the same cells in the same order is what was proven.
fn compare(file: &Path, proven: &RawTable) -> PyResult<()> {
    let found = shoal_io::read_table(&Source::new(file.to_string_lossy().into_owned()), &|_| true, &Silent)
        .map_err(|error| with_hint(error.to_string(), error.hint()))?
        .table;
    // CSV knows no nulls: an empty text stands for one.
    let same_text = |(a, b): (&shoal_core::RawColumn, &shoal_core::RawColumn)| {
        a.name == b.name
            && a.codes.len() == b.codes.len()
            && (0..a.codes.len()).all(|row| a.text(row) == b.text(row))
    };
    let same = found.rows == proven.rows
        && found.columns.len() == proven.columns.len()
        && found.columns.iter().zip(&proven.columns).all(same_text);
    match same {
        true => Ok(()),
        false => Err(with_hint(
            "what was written is not what was verified".to_owned(),
            "this is a defect: please report it; save as .parquet instead",
        )),
    }
}
