//! What can go wrong when data is read or written. Lines and rows count from 1.

mod postgres;
mod read;
mod redaction;
mod write;

pub use postgres::PostgresError;
pub use read::{NotADictionary, ReadError};
pub use write::WriteError;
