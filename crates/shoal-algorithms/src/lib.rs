//! The anonymization algorithms, one folder each.
//!
//! They take encoded data, checked parameters and a progress sink, and return a
//! [`Recoding`](shoal_core::Recoding) of a table, an [`ItemRecoding`](shoal_core::ItemRecoding) of
//! transactions or a [`SequenceRecoding`](shoal_core::SequenceRecoding) of sequences; those for a [`stream`] take one tuple at a
//! time. They know no files, no privacy verifier and no clock.

pub mod sequence;
pub mod stream;
pub mod table;
pub mod transaction;
