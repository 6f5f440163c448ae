//! Lines of streams, read and written: a tuple is one JSON object or one CSV row, and so is a published line.
//!
//! JSON values of columns that are published as they are keep their own text (`39` stays a number, `39.10` keeps its
//! zero); what is looked at is their plain text.

mod layout;
mod line_error;
pub(crate) mod object;
mod published;
mod released;
mod row;
mod splitter;
mod tuple;

pub use layout::{StreamForm, StreamLayout};
pub use line_error::LineError;
pub use splitter::{Split, Splitter};
pub use tuple::ReadTuple;

/// The longest line or message that is read, in bytes.
pub const LINE_LIMIT: usize = 1 << 20;
