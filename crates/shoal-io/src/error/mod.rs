//! What can go wrong when data is read or written. Lines and rows count from 1.

mod read;
mod write;

pub use read::{NotADictionary, ReadError};
pub use write::WriteError;
