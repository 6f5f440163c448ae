//! Apache Parquet.

mod list;
mod read;
mod text;
mod typed;
mod write;

pub(crate) use read::read;
pub(crate) use write::write;
