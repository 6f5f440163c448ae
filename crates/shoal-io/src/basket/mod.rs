//! Basket files: a line per transaction, items separated by one character.

mod items;
mod options;
mod read;
mod write;

pub use items::item_reads_back;
pub(crate) use items::items_of;
pub use options::BasketOptions;
pub use read::{ReadTransactions, read_baskets};
pub use write::write_baskets;
