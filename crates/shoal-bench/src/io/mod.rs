//! How fast files and record batches are read and written.

pub(crate) mod baskets;
pub(crate) mod batches;
pub(crate) mod tables;
