//! Data about people, encoded once: dense integer codes inside, labels at the doors.

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
pub use transactions::{Transactions, TransactionsBuilder};
