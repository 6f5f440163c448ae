//! Readers and writers: bytes become encoded columns here, and published columns become bytes.
//!
//! [`read_table`] reads CSV, JSON, Parquet, Arrow, Excel and SQLite, plain or compressed, one file or many, and what a PostgreSQL server gives, and folds every
//! value to a code while it reads; the SHA-256 of the stored bytes is computed on the way. [`write_table`] writes a
//! table into a [`PendingFile`], which gets its final name only as part of a
//! [`Verified`](shoal_privacy::Verified) that owns it, as does the table of a database in a [`PendingTable`]. [`read_baskets`] and [`write_baskets`] do the same for
//! transactions, a line each, [`read_groups`] and [`write_groups`] for the dictionary beside them; [`read_table_with_list`] finds them in a list column of Parquet. [`read_batches`],
//! [`TableBuilder`] and [`write_batches`] take and give Arrow record batches in memory instead of files.
//!
//! CSV is split by this crate's own reader, because three things are wanted that common readers do not
//! give: blanks outside quotes go and blanks inside stay (so that `a, "b, c"` is two fields, and what was
//! written is read back to the byte), lines are numbered as an editor numbers them, and broken quotes are
//! errors instead of a guess.

mod arrow;
mod basket;
mod collect;
mod compress;
mod csv;
mod decimal;
mod digest;
mod encoding;
mod error;
mod excel;
mod format;
mod groups;
mod inspect;
mod ipc;
mod json;
mod limits;
mod lines;
mod parquet;
mod people;
mod postgres;
mod read;
mod recognise;
mod source;
mod sqlite;
mod stored;
pub mod stream;
mod text_file;
mod window;
mod write;

pub use arrow::{TableBuilder, read_batches, write_batches};
pub use basket::{
    BasketOptions, OfferedBaskets, ReadTransactions, TableOfItems, item_reads_back, offered_baskets,
    original_items, published_item, read_baskets, write_baskets,
};
pub use csv::{CsvOptions, SeparatorError, separator_of, unusual_separator_of};
pub use decimal::{DecimalCommas, find_decimal_commas};
pub use digest::sha256_hex;
pub use encoding::TextEncoding;
pub use error::{NotADictionary, PostgresError, ReadError, WriteError};
pub use format::{Compression, Format, Layout};
pub use groups::{ReadGroups, groups_beside, groups_size, read_groups, write_groups};
pub use inspect::{Content, Finding, inspect};
pub use limits::Limits;
pub use people::PeopleOfRecords;
pub use postgres::{
    PendingTable, TableTarget, check_postgres_address, is_postgres, postgres_table_address,
    refuse_postgres_password, table_of_postgres_address,
};
pub use read::{
    FoundEncoding, ITEM_SEPARATOR, ReadTable, read_header, read_table, read_table_with_list, sample,
    sniff_encoding, sniff_head, sniff_separator,
};
pub use source::{Query, Source};
pub use text_file::read_text_file;
pub use write::{
    ColumnForm, PendingFile, StagedFolder, WriteOptions, table_bytes, write_atomically, write_table,
};
