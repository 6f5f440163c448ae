use std::io;
use std::path::PathBuf;

use parquet::errors::ParquetError;
use shoal_core::{Kind, Progress, RawTable};

use super::PendingFile;
use crate::compress::Packer;
use crate::csv;
use crate::error::WriteError;
use crate::format::{Format, Layout};
use crate::parquet as parquet_file;

/// How a column may be written where the format knows types (Parquet, record batches).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnForm {
    /// As text: names, and quasi-identifiers that are texts.
    #[default]
    Text,
    /// As whole numbers, floats or truth values, if every value reads back from that to exactly the same
    /// text; otherwise as text.
    Typed,
    /// As numbers or dates of this kind, whichever values there are and also where there are none, if every value reads
    /// back from that to exactly the same text; otherwise as text.
    OfKind(Kind),
    /// As a list of texts: the items between the [`ITEM_SEPARATOR`](crate::ITEM_SEPARATOR)s of each text.
    /// Where the format knows no lists, the text is written as it is.
    List,
}

/// How a table is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// The character between the fields of CSV.
    pub separator: u8,
    /// The form of each column in order; columns beyond the end of the list are text.
    pub columns: Vec<ColumnForm>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions { separator: b',', columns: Vec::new() }
    }
}

/// Writes a table in the [`Format`] that the target's name shows. CSV has a header line and ends its lines
/// with `\n`. The same table gives the same bytes.
pub fn write_table(
    out: &mut PendingFile,
    table: &RawTable,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<(), WriteError> {
    let path = out.target().to_owned();
    if table.columns.is_empty() {
        return Err(WriteError::NoColumns { path });
    }
    let Format { layout, compression } = out.format();
    if !layout.is_written() {
        return Err(WriteError::NotWritten { path, layout });
    }
    let refused = |source| WriteError::io(&path, "write", source);
    let mut packer = Packer::new(compression, out).map_err(refused)?;
    match layout {
        Layout::Parquet => {
            packer =
                parquet_file::write(table, &options.columns, packer, progress).map_err(
                    |error| match io_error(error) {
                        Ok(source) => refused(source),
                        Err(why) => WriteError::Parquet { path: path.clone(), why },
                    },
                )?;
        }
        _ => csv::write(table, options.separator, &mut packer, progress).map_err(refused)?,
    }
    packer.finish().map_err(refused)
}

/// The bytes of a small table about releases, such as the results of a comparison. Data about people go through a
/// [`PendingFile`] instead, which nobody sees before it is proven.
pub fn table_bytes(
    table: &RawTable,
    layout: Layout,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<Vec<u8>, WriteError> {
    let path = PathBuf::from("memory");
    match layout {
        Layout::Parquet => parquet_file::write(table, &options.columns, Vec::new(), progress)
            .map_err(|error| WriteError::Parquet { path, why: error.to_string() }),
        Layout::Csv => {
            let mut bytes = Vec::new();
            csv::write(table, options.separator, &mut bytes, progress)
                .map_err(|source| WriteError::io(&path, "write", source))?;
            Ok(bytes)
        }
        layout => Err(WriteError::NotWritten { path, layout }),
    }
}

/// The error of the disk, where there is one behind what the Parquet writer says.
fn io_error(error: ParquetError) -> Result<io::Error, String> {
    match error {
        ParquetError::External(inner) => inner.downcast::<io::Error>().map(|e| *e).map_err(|e| e.to_string()),
        other => Err(other.to_string()),
    }
}
