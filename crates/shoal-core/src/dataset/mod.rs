//! Data about people, encoded once: dense integer codes inside, labels only where data is read and written.

mod domain;
mod interner;
mod labels;
mod raw;
mod sequences;
mod table;
mod transactions;

pub use domain::{BadValue, Domain};
pub use interner::Interner;
pub use labels::Labels;
pub use raw::{Place, RawColumn, RawColumnBuilder, RawTable};
pub use sequences::{InvalidSequences, Sequences};
pub use table::{Column, Table};
pub(crate) use transactions::natural_order;
pub use transactions::{Transactions, TransactionsBuilder};
