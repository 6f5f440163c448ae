use std::io::Write;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use shoal_core::{Progress, RawTable};

use crate::arrow::{BATCH, Typed, nullable};
use crate::inspect::CREATED_BY;
use crate::write::ColumnForm;

/// Writes the records; nulls stay nulls.
pub(crate) fn write<W: Write + Send>(
    table: &RawTable,
    forms: &[ColumnForm],
    out: W,
    progress: &dyn Progress,
) -> Result<W, ParquetError> {
    let types = Typed::all(table, forms);
    let fields: Vec<Field> = table
        .columns
        .iter()
        .zip(&types)
        .map(|(column, typed)| Field::new(&column.name, typed.data_type(), nullable(column)))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    // Nothing but the values and what is derived from them: no embedded schema, no version of a library, no index.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(CREATED_BY.to_owned())
        .set_statistics_enabled(EnabledStatistics::Chunk)
        // A shortened least or greatest value would not be a value of the column; `verify` would name it.
        .set_statistics_truncate_length(None)
        .set_offset_index_disabled(true)
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(out, schema.clone(), options)?;
    for from in (0..table.rows).step_by(BATCH) {
        let to = table.rows.min(from + BATCH);
        let arrays = table.columns.iter().zip(&types).map(|(column, typed)| {
            progress.check();
            typed.array(column, from, to)
        });
        writer.write(&RecordBatch::try_new(schema.clone(), arrays.collect())?)?;
    }
    writer.into_inner()
}
