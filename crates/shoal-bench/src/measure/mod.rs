//! What measures cost.

pub(crate) mod stream_queries;
pub(crate) mod table;
