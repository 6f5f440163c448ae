//! Everything that is said of a person, as one release.
//!
//! The finest release gives each person one record: the list of all that is published of them in every release.
//! Each real release is a function of it, so an attacker who has all releases, and knows who is in which, has no
//! more than the finest one. It is judged by the ordinary models of its shape. People who are in exactly the same
//! releases are a *cell*, and each cell keeps the promise by itself.

pub mod sequences;
pub mod table;
pub mod transactions;

#[cfg(test)]
mod worlds;
