//! Arrow arrays, of record batches in memory and of Parquet files alike: their values as text, and texts as
//! arrays again.

mod builder;
mod content;
mod dictionary;
mod list;
mod read;
mod text;
mod typed;
mod write;

pub use builder::{TableBuilder, read_batches};
pub(crate) use read::{ColumnError, check_types, push_arrays};
pub(crate) use typed::{Typed, nullable};
#[cfg(feature = "postgres")]
pub(crate) use typed::{is_date, occurring_labels};
pub use write::write_batches;

/// How many records are turned into arrays at a time.
pub(crate) const BATCH: usize = 1 << 16;
