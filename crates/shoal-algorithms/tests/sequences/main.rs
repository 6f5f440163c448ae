//! CBMSA and its baseline: a slow twin, properties, the paper's example, bad input.

mod data;
mod errors;
mod paper;
mod properties;
mod slow;
mod slow_improvement;
mod twin;
