use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use shoal_core::{Progress, RawColumn, RawTable};

use super::list::{list_type, lists_of};
use super::typed::Typed;
use crate::inspect::CREATED_BY;
use crate::write::ColumnForm;

/// How many records are turned into arrays at a time.
const BATCH: usize = 1 << 16;

/// Writes the records; nulls stay nulls.
pub(crate) fn write<W: Write + Send>(
    table: &RawTable,
    form: impl Fn(usize) -> ColumnForm,
    out: W,
    progress: &dyn Progress,
) -> Result<W, ParquetError> {
    let types: Vec<Typed> = table
        .columns
        .iter()
        .enumerate()
        .map(|(number, column)| match form(number) {
            ColumnForm::Text => Typed::Text,
            ColumnForm::Typed => Typed::of(column),
            ColumnForm::List => Typed::List,
        })
        .collect();
    let fields: Vec<Field> = table
        .columns
        .iter()
        .zip(&types)
        .map(|(column, typed)| Field::new(&column.name, typed.data_type(), has_nulls(column)))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    // Nothing but the values and what is derived from them: no embedded schema, no version of a library, no index.
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(CREATED_BY.to_owned())
        .set_statistics_enabled(EnabledStatistics::Chunk)
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

/// Whether a record that is written has no value; that one is left out who has none is nobody's business.
fn has_nulls(column: &RawColumn) -> bool {
    column.null.is_some_and(|null| column.codes.contains(&null))
}

impl Typed {
    fn data_type(self) -> DataType {
        match self {
            Typed::Text => DataType::Utf8,
            Typed::Integer => DataType::Int64,
            Typed::Float => DataType::Float64,
            Typed::Boolean => DataType::Boolean,
            Typed::List => list_type(),
        }
    }

    fn array(self, column: &RawColumn, from: usize, to: usize) -> ArrayRef {
        let codes = &column.codes[from..to];
        let label = |code: &u32| (column.null != Some(*code)).then(|| column.labels.get(*code));
        let labels = codes.iter().map(label);
        // `Typed::of` has seen that every label parses.
        match self {
            Typed::Text => {
                let mut texts = StringBuilder::with_capacity(codes.len(), codes.len() * 8);
                labels.for_each(|label| texts.append_option(label));
                Arc::new(texts.finish())
            }
            Typed::Integer => Arc::new(labels.map(|l| l?.parse().ok()).collect::<Int64Array>()),
            Typed::Float => Arc::new(labels.map(|l| l?.parse().ok()).collect::<Float64Array>()),
            Typed::Boolean => Arc::new(labels.map(|l| Some(l? == "true")).collect::<BooleanArray>()),
            Typed::List => lists_of(labels),
        }
    }
}
