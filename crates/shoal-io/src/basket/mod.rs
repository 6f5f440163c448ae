//! Basket files: a line per transaction, items separated by one character.

mod items;
mod options;
mod read;
mod sniff;
mod write;

pub(crate) use items::items_of;
pub use items::{item_reads_back, original_items, published_item};
pub use options::BasketOptions;
pub use read::{ReadTransactions, read_baskets};
pub use sniff::{OfferedBaskets, TableOfItems, offered_baskets};
pub use write::write_baskets;
