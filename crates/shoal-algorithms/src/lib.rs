//! The anonymization algorithms, one folder each.
//!
//! They take encoded data, checked parameters and a progress sink, and return a
//! [`TableRecoding`](shoal_core::TableRecoding) of a table, an [`TransactionsRecoding`](shoal_core::TransactionsRecoding) of
//! transactions or a [`SequencesRecoding`](shoal_core::SequencesRecoding) of sequences; those for a [`stream`] take one tuple at a
//! time. They know no files, no privacy verifier and no clock.

mod anonymized;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod fixture;
pub mod sequences;
pub mod stream;
pub mod table;
pub mod transactions;

pub use anonymized::{Anonymized, Construction, Counts, OutlierCost, Round, Search, Trace};
