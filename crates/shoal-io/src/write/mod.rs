//! Writing so that nothing unfinished or unproven ever carries a final name, or, where the system can do
//! without, any name at all.

mod fields;
mod made_folders;
mod pending;
mod staged;
mod table;
mod target;
mod temporary;
#[cfg(target_os = "linux")]
mod unnamed;

pub(crate) use fields::Fields;
pub use pending::PendingFile;
pub use staged::{StagedFolder, write_atomically};
pub use table::{ColumnForm, WriteOptions, table_bytes, write_table};
