//! The anonymization algorithms, one folder each.
//!
//! They take encoded data, checked parameters and a progress sink, and return a
//! [`Recoding`](shoal_core::Recoding) of a table or an [`ItemRecoding`](shoal_core::ItemRecoding) of
//! transactions. They know no files, no privacy verifier and no clock.

pub mod table;
pub mod transaction;
