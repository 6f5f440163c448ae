use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Schema};
use shoal_core::Progress;

use super::content::digest_content;
use super::read::{ColumnError, check_types, push_arrays};
use crate::collect::Gathered;
use crate::error::ReadError;
use crate::limits::Limits;
use crate::read::ReadTable;

/// Folds Arrow record batches in memory to a table, as [`read_table`](crate::read_table) does with files.
///
/// Values become the same texts as those of a Parquet file. Of a dictionary only the values that records have
/// are read, each once per batch, so dictionary columns are the fastest and unused entries never become labels.
/// Batches may differ in how a column is stored (as a dictionary or plain, in 32 or 64 bits), but not in the
/// names of their columns.
///
/// # The digest
///
/// [`ReadTable::sha256`] is a digest of the content: the same cells have the same digest, however they are cut
/// into batches and stored. The digested bytes are, with every number as 8 bytes, the least first:
///
/// 1. `shoal table 1` and a line feed;
/// 2. the number of all columns, and of each the length of its name in bytes and the name in UTF-8;
/// 3. the number of records, and the number of columns that are kept;
/// 4. for each column that is kept: its name as in 2; the number of its distinct values (no value at all being
///    one); each of them in the order in which records have them first, as a byte 0 for no value, or a byte 1, the
///    length of the text and the text; then for each record the number of its value in this order, from 0, in 1
///    byte if there are at most 256 values, in 2 if there are at most 65,536, otherwise in 4, the least first.
///
/// Cells of columns that are not kept are not part of it.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::types::Int32Type;
/// use arrow_array::{ArrayRef, DictionaryArray, Int64Array, RecordBatch};
/// use shoal_io::TableBuilder;
///
/// let town: DictionaryArray<Int32Type> = ["Bonn", "Ulm", "Bonn"].into_iter().collect();
/// let age = Int64Array::from(vec![Some(34), None, Some(51)]);
/// let batch = RecordBatch::try_from_iter([
///     ("town", Arc::new(town) as ArrayRef),
///     ("age", Arc::new(age) as ArrayRef),
/// ])?;
///
/// let mut builder = TableBuilder::new("people", &batch.schema(), &|_| true, None)?;
/// builder.push_batch(&batch)?;
/// builder.push_batch(&batch.slice(1, 2))?;
/// let read = builder.finish();
/// assert_eq!(read.table.rows, 5);
/// assert_eq!(read.table.columns[0].text(3), "Ulm");
/// assert_eq!(read.table.columns[1].null, Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TableBuilder {
    name: String,
    gathered: Gathered,
    /// Whether some columns have got values of a batch that others have not.
    torn: bool,
}

impl TableBuilder {
    /// A table without records, with the columns of this schema that `keep` wants. `name` stands for the source
    /// in errors. The column `list` may be one of lists, as in
    /// [`read_table_with_list`](crate::read_table_with_list).
    pub fn new(
        name: &str,
        schema: &Schema,
        keep: &dyn Fn(&str) -> bool,
        list: Option<&str>,
    ) -> Result<Self, ReadError> {
        TableBuilder::with_limits(name, schema, keep, list, Limits::default())
    }

    /// Like [`TableBuilder::new`], with other limits of columns, rows and cells than the usual ones.
    pub fn with_limits(
        name: &str,
        schema: &Schema,
        keep: &dyn Fn(&str) -> bool,
        list: Option<&str>,
        limits: Limits,
    ) -> Result<Self, ReadError> {
        let mut gathered = Gathered::new(limits, list);
        gathered.begin(name, names_of(schema).into_iter().map(str::to_owned).collect(), keep)?;
        check_types(name, schema, &mut gathered)?;
        Ok(TableBuilder { name: name.to_owned(), gathered, torn: false })
    }

    /// Appends the records of a batch.
    ///
    /// # Panics
    /// After [`ReadError::BadValue`], because the columns are then of different lengths. After other errors the
    /// batch is left out as a whole, and the builder can be used.
    pub fn push_batch(&mut self, batch: &RecordBatch) -> Result<(), ReadError> {
        self.assert_whole();
        let schema = batch.schema_ref();
        self.gathered.compare(&self.name, "the schema", &names_of(schema))?;
        check_types(&self.name, schema, &mut self.gathered).map_err(|error| match error {
            // There are no files of which one could be the first.
            ReadError::ListDiffers { file, column, .. } => ReadError::ListBatchDiffers { file, column },
            error => error,
        })?;
        let first = self.gathered.next_rows(batch.num_rows() as u64, None)?;
        let kept: Vec<usize> = self.gathered.kept().iter().map(|(column, _)| *column).collect();
        let arrays = kept.iter().map(|&column| batch.column(column));
        push_arrays(arrays, &mut self.gathered, first).map_err(|ColumnError { column, kind, error }| {
            // The columns before this one have the values of the batch already, so the table cannot be completed any
            // more.
            self.torn = true;
            let column = schema.field(column).name().clone();
            ReadError::BadValue { file: self.name.clone(), column, kind, why: error.to_string() }
        })
    }

    /// How many records there are so far.
    pub fn rows(&self) -> u64 {
        self.gathered.rows()
    }

    /// The table. Its digest is computed now.
    ///
    /// # Panics
    /// After [`ReadError::BadValue`]; see [`TableBuilder::push_batch`].
    pub fn finish(self) -> ReadTable {
        self.assert_whole();
        let listed = self.gathered.is_listed();
        let (table, header) = self.gathered.finish();
        let (sha256, bytes) = digest_content(&header, &table);
        ReadTable { table, header, sha256, bytes, listed }
    }

    fn assert_whole(&self) {
        assert!(!self.torn, "{}: a batch was read in part, the table cannot be used", self.name);
    }
}

/// Reads record batches to the end of the iterator; see [`TableBuilder`] for how, and for the digest. The schema
/// is that of the first batch, so there must be one, if only without rows.
///
/// Progress counts records.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Date32Array, RecordBatch};
/// use shoal_core::Silent;
///
/// let days: ArrayRef = Arc::new(Date32Array::from(vec![0, 1]));
/// let batch = RecordBatch::try_from_iter([("day", days)])?;
/// let read = shoal_io::read_batches("visits", [Ok(batch)], &|_| true, None, &Silent)?;
/// assert_eq!(read.table.columns[0].text(1), "1970-01-02");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_batches(
    name: &str,
    batches: impl IntoIterator<Item = Result<RecordBatch, ArrowError>>,
    keep: &dyn Fn(&str) -> bool,
    list: Option<&str>,
    progress: &dyn Progress,
) -> Result<ReadTable, ReadError> {
    progress.stage("reading", 0);
    let mut builder = None;
    for batch in batches {
        let batch = batch.map_err(|e| ReadError::Batches { file: name.to_owned(), why: e.to_string() })?;
        let builder = match &mut builder {
            Some(builder) => builder,
            None => builder.insert(TableBuilder::new(name, batch.schema_ref(), keep, list)?),
        };
        builder.push_batch(&batch)?;
        progress.advance(batch.num_rows() as u64);
    }
    builder.map(TableBuilder::finish).ok_or_else(|| ReadError::NoBatches { file: name.to_owned() })
}

fn names_of(schema: &Schema) -> Vec<&str> {
    schema.fields().iter().map(|field| field.name().as_str()).collect()
}
