//! The privacy models and their verifiers.
//!
//! Nothing is published on an algorithm's word. What stands in the written file is read back and looked at
//! as a stranger would: two records are alike when their published quasi-identifiers are the same text
//! ([`Classes`]), and every [`Model`] that was asked for is checked on these classes. Beside it,
//! [`conservation`] compares the file with the input: all records are there, once, and everything that is
//! said about them is true. Who passes both gets a [`VerifiedRelease`], which nothing else can make.
//!
//! The crate knows no algorithm and shares no code with one.

mod classes;
pub mod conservation;
mod file;
mod k_anonymity;
mod model;
mod release;
mod view;

pub use classes::Classes;
pub use conservation::ConservationError;
pub use file::{Verdict, verify_file};
pub use k_anonymity::{KAnonymity, KTooSmall};
pub use model::{BrokenPromise, Figure, Model, Outcome, PromiseResult, PublishedCell, Violation, Violations};
pub use release::{Claim, Refusal, VerifiedRelease, verify_release};
pub use view::{Unverifiable, View};
