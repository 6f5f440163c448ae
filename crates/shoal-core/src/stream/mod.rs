//! The words of streams: what a tuple is, how l values are chosen to hide its own, and what a line of a
//! published stream says.

mod design;
mod line;
mod promise;

pub use design::{Calibrated, DesignError, Ring, SetDesign};
pub use line::{StreamLine, StreamTuple};
pub use promise::StreamPromise;
