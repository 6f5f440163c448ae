//! Streams: what leaves is read as a stranger would read it, before it leaves.
//!
//! A table is verified when it is whole; a stream never is. So a [`Gate`] stands where lines leave: it sees the
//! tuples that arrived and the lines that would leave, remembers of both what the promise needs, and either makes an
//! [`Admitted`] or refuses. Later, whoever has the lines can ask [`verify_stream`] about them, and whoever has the tuples
//! too can ask [`conserved`].

mod admitted;
mod conserved;
mod gate;
mod possible;
mod verify;
mod violation;

pub use admitted::Admitted;
pub use conserved::conserved;
pub use gate::{Gate, GateColumn, GateMismatch, GateState};
pub use verify::{LineViolation, StreamVerdict, verify_stream};
pub use violation::StreamViolation;
