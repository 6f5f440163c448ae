//! Scenarios that a person can read, and generators of data.
//!
//! # Scenarios
//!
//! A scenario is a Markdown file below `scenarios/`: prose, and fenced blocks whose info string names them.
//!
//! ````text
//! ```csv data.csv            a file of the scenario; any name
//! ```toml policy.toml        the policy, which every scenario has
//! ```csv expected published  run it: exactly these rows, in any order
//! ```json expected report    run it: the report holds at least this (numbers to four places, those of audit.json)
//! ```json expected measure   measure data.csv against the scenario's own published.csv
//! ```json expected verify    verify the scenario's own published.csv
//! ```text expected error     running it fails, and the message holds this text
//! ```json expected similarity    sbc's similarity orders, seen from the first record
//! ```json expected minimal-nodes incognito's minimal generalizations hold these
//! ````
//!
//! A scenario without an expectation is an error: it could not fail.
//!
//! With `SHOAL_UPDATE=1` the `expected published` blocks are rewritten from what was found, for review in the
//! diff; the others are written by hand, from the paper.

pub mod algorithms;
pub mod baskets;
pub mod data;
pub mod patients;
pub mod people;
mod play;
mod port;
#[cfg(target_os = "linux")]
pub mod postgres;
mod scenario;

pub use play::{Mismatch, play};
pub use port::ReservedPort;
pub use scenario::{Block, Scenario, ScenarioError};
