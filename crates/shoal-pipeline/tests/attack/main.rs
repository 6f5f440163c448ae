//! No adversary beats a correct release: random data of every shape through every algorithm in memory, then attacked.
//!
//! `PROPTEST_CASES=1000` plays more of them.

mod mutations;
mod sequences;
mod support;
mod table;
mod transactions;
