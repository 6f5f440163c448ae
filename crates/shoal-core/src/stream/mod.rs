//! The words of streams: what a tuple is, how l values are chosen to hide its own, and what a line of a
//! published stream says.

mod design;
mod hiding;
mod line;
mod promise;
mod strata;

pub use design::{Calibrated, DesignError, Ring, SetDesign};
pub use hiding::{StratumError, StreamDesign};
pub use line::{StreamLine, StreamTuple};
pub use promise::StreamPromise;
pub use strata::{Strata, StrataColumn, StrataError, one_of};
