//! What can go wrong at the doors. Lines and rows count from 1.

mod read;
mod write;

pub use read::ReadError;
pub use write::WriteError;
