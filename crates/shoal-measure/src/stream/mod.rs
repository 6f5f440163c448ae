//! What a published stream lost, and what can still be counted in it.
//!
//! [`StreamLoss`] is the paper's information loss and uncertainty. [`count`] answers how many tuples have a value, with
//! conditions on the other cells and in windows of time, from published lines alone and with a standard error;
//! [`monitor`] compares such answers with the truth. [`Sightings`] is what an adversary learns from the lines alone, and
//! [`DriftMonitor`] notices while a stream runs that its values are not those it was made for.

mod adversary;
pub mod attack;
mod castle;
mod cells;
mod count;
mod drift;
mod error;
mod estimate;
mod estimator;
mod groups;
mod loss;
mod monitor;
mod sau;
mod sets;
mod windows;

pub use adversary::{Guess, Guesses, RightGuesses, Sightings};
pub use cells::{Condition, Extent, Predicate};
pub use count::{Method, Question, WindowCounts, count};
pub use drift::{BLOCK, Drift, DriftMonitor, DriftState, SAID_ABOVE, STOPS_ABOVE};
pub use error::StreamMeasureError;
pub use estimate::Estimate;
pub use estimator::{CountEstimator, EstimatorError, ExpectedError, Scorer};
pub use loss::StreamLoss;
pub use monitor::{Monitoring, monitor};
pub use sau::{sau, sau_bound};
pub use windows::Windows;
