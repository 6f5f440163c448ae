//! Writing so that nothing unfinished or unproven ever carries a final name.

mod atomic;
mod pending;
mod table;
mod target;

pub use atomic::{StagedFile, write_atomically};
pub use pending::PendingFile;
pub use table::{ColumnForm, WriteOptions, write_table};
