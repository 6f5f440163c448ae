use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use shoal_core::{RawColumn, RawTable};

use super::list::{list_type, lists_of};
use super::typed::Typed;
use crate::write::ColumnForm;

/// How many records are turned into arrays at a time.
const BATCH: usize = 1 << 16;

/// Writes the records; nulls stay nulls.
pub(crate) fn write<W: Write + Send>(
    table: &RawTable,
    form: impl Fn(usize) -> ColumnForm,
    out: W,
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
        .map(|(column, typed)| Field::new(&column.name, typed.data_type(), column.null.is_some()))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = ArrowWriter::try_new(out, schema.clone(), Some(properties))?;
    for from in (0..table.rows).step_by(BATCH) {
        let to = table.rows.min(from + BATCH);
        let arrays = table.columns.iter().zip(&types).map(|(column, typed)| typed.array(column, from, to));
        writer.write(&RecordBatch::try_new(schema.clone(), arrays.collect())?)?;
    }
    writer.into_inner()
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
