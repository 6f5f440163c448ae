//! The people of a release: a hash for each record, in a compact file that its publisher keeps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, RecordBatch, UInt32Array};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::arrow::BATCH;
use crate::inspect::{CREATED_BY, check_parquet_sizes};
use crate::limits::Limits;

/// Whose each record of a release is, and in which cluster, where that is not seen in the published data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleOfRecords {
    /// A keyed hash of each record's person, in the order of the published file.
    pub persons: Vec<[u8; 16]>,
    /// The cluster of each record; empty where there are no clusters but the published classes.
    pub clusters: Vec<u32>,
}

impl PeopleOfRecords {
    /// As a Parquet file: `person`, 16 bytes a record, and `cluster`.
    pub fn to_parquet(&self) -> Result<Vec<u8>, String> {
        let why = |error: &dyn ToString| error.to_string();
        let mut out = Vec::new();
        // Hashes do not become smaller; people with many records do, by the dictionary.
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_created_by(CREATED_BY.to_owned())
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let first = self.batch(0..0)?;
        let writer = ArrowWriter::try_new(&mut out, first.schema(), Some(properties));
        let mut writer = writer.map_err(|e| why(&e))?;
        for from in (0..self.persons.len()).step_by(BATCH) {
            let to = self.persons.len().min(from + BATCH);
            writer.write(&self.batch(from..to)?).map_err(|e| why(&e))?;
        }
        writer.close().map_err(|e| why(&e))?;
        Ok(out)
    }

    fn batch(&self, rows: std::ops::Range<usize>) -> Result<RecordBatch, String> {
        let mut persons = FixedSizeBinaryBuilder::with_capacity(rows.len(), 16);
        for hash in &self.persons[rows.clone()] {
            persons.append_value(hash).map_err(|error| error.to_string())?;
        }
        let mut columns: Vec<(&str, ArrayRef)> = vec![("person", Arc::new(persons.finish()))];
        if !self.clusters.is_empty() {
            columns.push(("cluster", Arc::new(UInt32Array::from(self.clusters[rows].to_vec()))));
        }
        RecordBatch::try_from_iter(columns).map_err(|error| error.to_string())
    }

    /// Reads what [`PeopleOfRecords::to_parquet`] has written. The error says why it is something else.
    pub fn from_parquet(bytes: Vec<u8>) -> Result<PeopleOfRecords, String> {
        let bytes = Bytes::from(bytes);
        check_parquet_sizes(&bytes, &Limits::default()).map_err(|(_, why)| why.to_string())?;
        // The Parquet reader trusts what a file says about itself, and a damaged file can make it panic.
        catch_unwind(AssertUnwindSafe(|| read_trusting(bytes)))
            .unwrap_or_else(|_| Err("its parts contradict each other".to_owned()))
    }
}

fn read_trusting(bytes: Bytes) -> Result<PeopleOfRecords, String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes).map_err(|error| error.to_string())?;
    let mut people = PeopleOfRecords::default();
    for batch in builder.with_batch_size(BATCH).build().map_err(|error| error.to_string())? {
        let batch = batch.map_err(|error| error.to_string())?;
        let other = || "it has other columns than hashes of people".to_owned();
        let persons = batch.column_by_name("person").ok_or_else(other)?;
        let persons = persons.as_any().downcast_ref::<FixedSizeBinaryArray>().ok_or_else(other)?;
        for hash in persons {
            people.persons.push(hash.and_then(|hash| hash.try_into().ok()).ok_or_else(other)?);
        }
        if let Some(clusters) = batch.column_by_name("cluster") {
            let clusters = clusters.as_any().downcast_ref::<UInt32Array>().ok_or_else(other)?;
            people.clusters.extend(clusters.values());
        }
    }
    Ok(people)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_come_back_in_their_order() {
        for (records, clusters) in [(0, false), (1, true), (BATCH + 3, false), (2 * BATCH, true)] {
            let hash = |at: usize| [at.to_le_bytes(), (at * 7).to_le_bytes()].concat().try_into().unwrap();
            let clusters = (0..records as u32).filter(|_| clusters).map(|at| at / 3).collect();
            let people = PeopleOfRecords { persons: (0..records).map(hash).collect(), clusters };
            assert_eq!(PeopleOfRecords::from_parquet(people.to_parquet().unwrap()).unwrap(), people);
        }
    }

    #[test]
    fn what_is_something_else_or_damaged_is_an_error() {
        let people = PeopleOfRecords { persons: vec![[7; 16]; 100], clusters: Vec::new() };
        let bytes = people.to_parquet().unwrap();
        assert!(PeopleOfRecords::from_parquet(Vec::new()).is_err());
        assert!(PeopleOfRecords::from_parquet(bytes[..bytes.len() - 9].to_vec()).is_err());
        let ages = RecordBatch::try_from_iter([("age", Arc::new(UInt32Array::from(vec![1])) as ArrayRef)]);
        let ages = ages.unwrap();
        let mut other = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut other, ages.schema(), None).unwrap();
        writer.write(&ages).unwrap();
        writer.close().unwrap();
        let said = PeopleOfRecords::from_parquet(other).unwrap_err();
        assert_eq!(said, "it has other columns than hashes of people");
    }
}
