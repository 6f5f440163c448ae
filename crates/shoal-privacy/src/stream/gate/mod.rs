//! The gate: before lines leave, they are compared with the tuples that they show and with the promise.
//!
//! It has a state of its own and asks no kernel. The state is small: a position for sets; the open groups for groups, at
//! most as many as the promise allows; for crowds the tuples that wait, at most δ, and a fingerprint of each class that
//! has been good. It can be written down with a kernel's state and taken up again.

mod column;
mod crowds;
mod fingerprint;
mod groups;
mod sets;

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shoal_core::stream::{StreamDesign, StreamLine, StreamPromise, StreamTuple};

pub use column::GateColumn;
pub(super) use fingerprint::Fingerprint;

use self::crowds::{Crowding, Crowds};
use self::groups::Groups;
use self::sets::Sets;
use super::possible::PossibleSets;
use super::{Admitted, StreamViolation};

/// Stands where lines leave.
///
/// Lines that belong together, those of one tuple at least, are admitted together. After a refusal the gate is closed
/// for good: it admits nothing more.
#[derive(Debug)]
pub struct Gate {
    promise: StreamPromise,
    columns: Vec<GateColumn>,
    possible: Option<PossibleSets>,
    /// What the fingerprints in the state are made with; never written down with them.
    key: Option<[u8; 32]>,
    state: GateState,
}

/// What a gate remembers, to be written down and taken up again by [`Gate::resume`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateState {
    /// How many lines have been admitted.
    lines: u64,
    spent: bool,
    /// States that were written down name it so.
    #[serde(rename = "books")]
    of_promise: PromiseState,
}

/// What must be remembered for each kind of promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum PromiseState {
    Sets(Sets),
    Groups(Groups),
    Crowds(Crowds),
}

/// A state of another kind of promise, or one that no gate has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the gate's state that was written down is that of another kind of stream, or damaged")]
pub struct GateMismatch;

impl GateMismatch {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        "start with an empty state folder, or with the policy that the state was made with"
    }
}

impl Gate {
    /// A gate through which nothing has gone. `columns` are those of a tuple's cells, in their order.
    pub fn new(promise: StreamPromise, columns: Vec<GateColumn>) -> Gate {
        let of_promise = match promise {
            StreamPromise::Sets { .. } => PromiseState::Sets(Sets::default()),
            StreamPromise::Groups { .. } => PromiseState::Groups(Groups::default()),
            StreamPromise::Crowds { .. } => PromiseState::Crowds(Crowds::default()),
        };
        let state = GateState { lines: 0, spent: false, of_promise };
        Gate { promise, columns, possible: None, key: None, state }
    }

    /// The same gate with a state that says nothing to whoever lacks the key. A state goes on only with the key that it was
    /// begun with: otherwise every tuple that waits looks like another one and is refused.
    #[must_use]
    pub fn with_key(mut self, key: [u8; 32]) -> Gate {
        self.key = Some(key);
        self
    }

    /// A gate that goes on where another has stopped.
    pub fn resume(
        promise: StreamPromise,
        columns: Vec<GateColumn>,
        state: GateState,
    ) -> Result<Gate, GateMismatch> {
        let fits = match (promise, &state.of_promise) {
            (StreamPromise::Sets { .. }, PromiseState::Sets(_)) => true,
            (StreamPromise::Groups { .. }, PromiseState::Groups(groups)) => groups.add_up(),
            (StreamPromise::Crowds { .. }, PromiseState::Crowds(crowds)) => crowds.add_up(),
            _ => false,
        };
        if fits { Ok(Gate { promise, columns, possible: None, key: None, state }) } else { Err(GateMismatch) }
    }

    /// The same gate for a stream of sets whose design is known: every line must be one that the design can draw.
    #[must_use]
    pub fn for_design(self, design: Arc<StreamDesign>) -> Gate {
        Gate { possible: Some(PossibleSets::of(design)), ..self }
    }

    /// The same gate for a stream that is taken up at a position, when no tuple waits and no group is open: all that
    /// there is to know of a stream of sets.
    #[must_use]
    pub fn starting_at(mut self, position: u64) -> Gate {
        match &mut self.state.of_promise {
            PromiseState::Sets(sets) => sets.start_at(position),
            PromiseState::Groups(groups) => groups.start_at(position),
            PromiseState::Crowds(crowds) => crowds.start_at(position),
        }
        self
    }

    /// What the gate remembers now.
    pub fn state(&self) -> &GateState {
        &self.state
    }

    /// Says what time it is, in milliseconds from any beginning, before tuples arrive and lines leave. Time that goes
    /// back stands still. Matters where tuples wait; where nothing is said it is always 0.
    pub fn advance(&mut self, now: u64) {
        match &mut self.state.of_promise {
            PromiseState::Crowds(crowds) => crowds.advance(now),
            PromiseState::Sets(_) | PromiseState::Groups(_) => {}
        }
    }

    /// Notes that a tuple has arrived. Matters where tuples wait, i.e. for crowds; elsewhere a tuple leaves at once,
    /// and [`Gate::admit`] sees it first.
    pub fn arrive(&mut self, tuple: &StreamTuple<'_>) -> Result<(), StreamViolation> {
        match &mut self.state.of_promise {
            PromiseState::Crowds(crowds) => crowds.arrive(tuple, self.key.as_ref()),
            PromiseState::Sets(_) | PromiseState::Groups(_) => Ok(()),
        }
    }

    /// Admits `lines`, which are what a reader of `bytes` sees, or says why not. `tuples` are the originals of those
    /// lines that show a tuple, in the order of the lines.
    ///
    /// Call it after every step, also when no line leaves: it is also when a tuple is found that has waited
    /// too long.
    pub fn admit<'a>(
        &mut self,
        bytes: &'a [u8],
        lines: &[StreamLine<'_>],
        tuples: &[StreamTuple<'_>],
    ) -> Result<Admitted<'a>, StreamViolation> {
        if self.state.spent {
            return Err(StreamViolation::Spent);
        }
        // Before anything can fail; taken back at the end. So every way out in between leaves the gate closed.
        self.state.spent = true;
        let key = self.key.as_ref();
        let step = Step { columns: &self.columns, key, before: self.state.lines, lines, tuples };
        step.check_pairs()?;
        match (&mut self.state.of_promise, self.promise) {
            (PromiseState::Sets(sets), StreamPromise::Sets { l }) => {
                sets.admit(&step, l, self.possible.as_ref())?;
            }
            (PromiseState::Groups(groups), StreamPromise::Groups { l, max_open_groups }) => {
                groups.admit(&step, l, max_open_groups)?;
            }
            (PromiseState::Crowds(crowds), StreamPromise::Crowds { k, l, delta, max_wait, reuse }) => {
                crowds.admit(&step, Crowding { k, l, reuse })?;
                crowds.check_delay(delta, max_wait)?;
            }
            _ => unreachable!("the state is made for the promise, and resumed only where it fits"),
        }
        self.state.spent = false;
        self.state.lines += lines.len() as u64;
        Ok(Admitted::seal(bytes))
    }

    /// Whether everything that arrived has left, as it must when the stream ends.
    pub fn finish(&self) -> Result<(), StreamViolation> {
        match &self.state.of_promise {
            PromiseState::Crowds(crowds) => crowds.finish(),
            PromiseState::Sets(_) | PromiseState::Groups(_) => Ok(()),
        }
    }
}

/// What is looked at together.
pub(super) struct Step<'s> {
    pub(super) columns: &'s [GateColumn],
    /// What fingerprints that are kept are made with.
    key: Option<&'s [u8; 32]>,
    /// Lines that were admitted before.
    before: u64,
    lines: &'s [StreamLine<'s>],
    pub(super) tuples: &'s [StreamTuple<'s>],
}

/// The number of a line, and the tuple that it shows.
pub(super) struct Shown<'s> {
    pub(super) line: u64,
    pub(super) tuple: &'s StreamTuple<'s>,
}

impl<'s> Step<'s> {
    /// A stream from its beginning.
    pub(super) fn of(
        columns: &'s [GateColumn],
        lines: &'s [StreamLine<'s>],
        tuples: &'s [StreamTuple<'s>],
    ) -> Step<'s> {
        Step { columns, key: None, before: 0, lines, tuples }
    }

    /// All lines with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &'s StreamLine<'s>)> {
        (self.before + 1..).zip(self.lines)
    }

    pub(super) fn check_pairs(&self) -> Result<(), StreamViolation> {
        let lines = self.lines.iter().filter(|line| !matches!(line, StreamLine::Slot { .. })).count();
        let tuples = self.tuples.len();
        if lines == tuples { Ok(()) } else { Err(StreamViolation::Unpaired { lines, tuples }) }
    }

    /// Every column with what is published and what was.
    fn pairs(
        &self,
        cells: &'s [Cow<'s, str>],
        shown: &Shown<'s>,
    ) -> Result<impl Iterator<Item = (&'s GateColumn, &'s str, &'s str)>, StreamViolation> {
        let columns = self.columns;
        for there in [cells.len(), shown.tuple.cells.len()] {
            if there != columns.len() {
                let (line, position) = (shown.line, shown.tuple.position);
                return Err(StreamViolation::Ragged { line, position, cells: there, columns: columns.len() });
            }
        }
        let texts = cells.iter().zip(&shown.tuple.cells);
        Ok(columns.iter().zip(texts).map(|(column, (text, original))| (column, &**text, &**original)))
    }

    /// What of some cells is published as it is, the sensitive value included.
    pub(super) fn plain(&self, cells: &'s [Cow<'s, str>], value: &'s str) -> Vec<&'s str> {
        let insensitive = self.columns.iter().zip(cells).filter(|(column, _)| !column.quasi);
        insensitive.map(|(_, cell)| &**cell).chain([value]).collect()
    }

    /// Whether the quasi-identifiers among some cells are true of a tuple.
    pub(super) fn covers(&self, cells: &[Cow<'_, str>], tuple: &StreamTuple<'_>) -> bool {
        let mut texts = self.columns.iter().zip(cells.iter().zip(&tuple.cells));
        texts.all(|(column, (text, original))| !column.quasi || column.covers(text, original))
    }

    /// Delay-free streams publish cells as they are.
    pub(super) fn check_unchanged(
        &self,
        cells: &'s [Cow<'s, str>],
        shown: &Shown<'s>,
    ) -> Result<(), StreamViolation> {
        self.pairs(cells, shown)?
            .find(|(_, text, original)| text != original)
            .map_or(Ok(()), |(column, text, _)| Err(shown.changed(&column.name, text)))
    }
}

/// Whether a row of castle says no more than that there is somebody. An empty value says nothing: no column is
/// sensitive then.
pub(super) fn is_suppressed(cells: &[Cow<'_, str>], value: &str) -> bool {
    cells.iter().all(|cell| cell == "*") && (value == "*" || value.is_empty())
}

impl Shown<'_> {
    fn changed(&self, column: &str, text: &str) -> StreamViolation {
        let (column, text) = (column.to_owned(), text.to_owned());
        StreamViolation::Changed { line: self.line, position: self.tuple.position, column, text }
    }
}

/// Where tuples leave at once, each must be the next.
fn take_turn(next: &mut u64, position: u64) -> Result<(), StreamViolation> {
    if position != *next {
        return Err(StreamViolation::OutOfTurn { position, expected: *next });
    }
    *next += 1;
    Ok(())
}

/// What a line is called that has no place in a stream.
pub(super) fn alien(line: u64, found: &StreamLine<'_>) -> StreamViolation {
    let found = match found {
        StreamLine::Set { .. } => "tuple with a set of values",
        StreamLine::Member { .. } => "member of a group",
        StreamLine::Slot { .. } => "value of a group",
        StreamLine::Row { .. } => "generalized tuple",
    };
    StreamViolation::Alien { line, found }
}
