//! A kernel with its dictionaries: texts go in, the lines that leave come out.

mod build;
mod castle;
mod dictionary;
mod hardened;
mod published;

use serde::{Deserialize, Serialize};
use shoal_core::stream::StreamTuple;
use shoal_io::stream::{LineError, ReadTuple, StreamLayout};
use thiserror::Error;

pub(crate) use castle::CastleEngine;
pub(crate) use hardened::HardenedEngine;
pub(crate) use published::PublishedEngine;

use self::dictionary::Dictionary;

/// A tuple on its way in.
pub(crate) struct Arrival<'a> {
    /// Its number among the tuples that were understood.
    pub position: u64,
    /// When it came, in milliseconds.
    pub time: u64,
    /// Where it stood in the source.
    pub origin: (u32, u64),
    /// What it says.
    pub tuple: ReadTuple<'a>,
    /// Its bytes.
    pub line: &'a [u8],
}

/// Why a tuple cannot leave. It goes to the dead letters; the stream goes on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreleasable {
    /// The line is not a tuple.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The sensitive value is none of those among which it could hide.
    #[error("the sensitive value `{value}` is not among those known at the start, so it cannot be hidden")]
    UnknownValue {
        /// The value.
        value: String,
    },
    /// The quasi-identifiers are in no stratum.
    #[error(
        "its quasi-identifiers are in no stratum of the prior, so there is no design to hide its value by"
    )]
    NoStratum,
    /// Too little was learned from the tuples that were held back.
    #[error("it was held back to learn from, and {why}")]
    NothingLearned {
        /// What is lacking.
        why: String,
    },
    /// More different values than can be remembered.
    #[error("`{column}` has more different values than can be remembered")]
    TooManyValues {
        /// The column; the sensitive one is called `value`.
        column: String,
    },
    /// A value is outside its hierarchy.
    #[error("`{column}` holds `{value}`, which is not in its hierarchy")]
    OutsideHierarchy {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
}

impl Unreleasable {
    /// The reason in one word, by which dead letters are counted. It names no value.
    pub fn reason(&self) -> &'static str {
        match self {
            Unreleasable::Line(error) => match error {
                LineError::NotText => "not-text",
                LineError::NotJson { .. } => "not-json",
                LineError::NotCsv { .. } => "not-csv",
                LineError::Width { .. } => "wrong-width",
                LineError::UnknownColumn { .. } => "unknown-column",
                LineError::Twice { .. } => "column-twice",
                LineError::Nested { .. } => "nested-value",
                LineError::Missing { .. } => "missing-value",
                LineError::Kind { .. } => "wrong-kind",
                LineError::Joint { .. } => "separator-in-value",
                LineError::LooksGeneralized { .. } => "looks-generalized",
                LineError::TooLong { .. } => "line-too-long",
            },
            Unreleasable::UnknownValue { .. } => "unknown-value",
            Unreleasable::NoStratum => "no-stratum",
            Unreleasable::NothingLearned { .. } => "nothing-learned",
            Unreleasable::TooManyValues { .. } => "too-many-values",
            Unreleasable::OutsideHierarchy { .. } => "outside-hierarchy",
        }
    }
}

/// What a kernel knows of itself, for people who watch the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct KernelFigures {
    /// paper: groups that wait for members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_open: Option<u64>,
    /// paper: groups that were given up because too many were open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_given_up: Option<u64>,
    /// paper: the share of counterfeits among all published values (equation 8 of the paper).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sau: Option<f64>,
    /// paper: what no method can go below, 1 − 1/(l·p), p the share of the most frequent value so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sau_bound: Option<f64>,
    /// hardened: the greatest standard error among the estimated counts of values, for all tuples so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// hardened: how often the best guess is right in the worst stratum, from the values of late; none before enough came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_success: Option<f64>,
    /// hardened: 1/l, how often it may be right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guess_promised: Option<f64>,
    /// castle: tuples that wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// castle: classes published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<u64>,
    /// castle: tuples that joined a class that was out already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused: Option<u64>,
    /// castle: tuples of which nothing could be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<u64>,
}

/// The kernels.
pub(crate) enum Engine {
    Hardened(Box<HardenedEngine>),
    Published(Box<PublishedEngine>),
    Castle(Box<CastleEngine>),
}

/// What an engine must remember.
#[derive(Serialize, Deserialize)]
pub(crate) enum EngineState {
    Hardened,
    Published(Box<published::PublishedState>),
    Castle(Box<castle::CastleState>),
}

impl Engine {
    /// Takes a tuple, adds the lines that leave now to `out`, and says whose they are, in the order of the lines.
    pub(crate) fn take<'a>(
        &mut self,
        layout: &StreamLayout,
        arrival: Arrival<'a>,
        out: &mut Vec<u8>,
    ) -> Result<Vec<StreamTuple<'a>>, Unreleasable> {
        match self {
            Engine::Hardened(engine) => engine.take(layout, arrival, out),
            Engine::Published(engine) => engine.take(layout, arrival, out),
            Engine::Castle(engine) => engine.take(layout, &arrival, out),
        }
    }

    /// Whether at this time somebody has waited too long.
    pub(crate) fn is_due(&self, time: u64) -> bool {
        match self {
            Engine::Hardened(_) | Engine::Published(_) => false,
            Engine::Castle(engine) => engine.is_due(time),
        }
    }

    /// Whether it needs to know what time it is.
    pub(crate) fn has_clock(&self) -> bool {
        match self {
            Engine::Hardened(_) | Engine::Published(_) => false,
            Engine::Castle(engine) => engine.has_clock(),
        }
    }

    /// Writes the lines of those who have waited too long.
    pub(crate) fn tick(
        &mut self,
        layout: &StreamLayout,
        time: u64,
        out: &mut Vec<u8>,
    ) -> Vec<StreamTuple<'static>> {
        match self {
            Engine::Hardened(_) | Engine::Published(_) => Vec::new(),
            Engine::Castle(engine) => engine.tick(layout, time, out),
        }
    }

    /// Writes the lines of everything that waits.
    pub(crate) fn flush(&mut self, layout: &StreamLayout, out: &mut Vec<u8>) -> Vec<StreamTuple<'static>> {
        match self {
            Engine::Hardened(_) | Engine::Published(_) => Vec::new(),
            Engine::Castle(engine) => engine.flush(layout, out),
        }
    }

    /// Whether what it decides depends on what it decided before.
    pub(crate) fn has_state(&self) -> bool {
        !matches!(self, Engine::Hardened(_))
    }

    pub(crate) fn figures(&self, tuples: u64) -> KernelFigures {
        match self {
            Engine::Hardened(engine) => engine.figures(tuples),
            Engine::Published(engine) => engine.figures(),
            Engine::Castle(engine) => engine.figures(),
        }
    }

    pub(crate) fn state(&self) -> EngineState {
        match self {
            Engine::Hardened(_) => EngineState::Hardened,
            Engine::Published(engine) => EngineState::Published(Box::new(engine.state())),
            Engine::Castle(engine) => EngineState::Castle(Box::new(engine.state())),
        }
    }

    /// Goes on from a state; `false` where it is that of another engine.
    pub(crate) fn resume(&mut self, state: EngineState) -> bool {
        match (self, state) {
            (Engine::Hardened(_), EngineState::Hardened) => {}
            (Engine::Published(engine), EngineState::Published(state)) => engine.resume(*state),
            (Engine::Castle(engine), EngineState::Castle(state)) => engine.resume(*state),
            _ => return false,
        }
        true
    }
}
