//! Streams: what a policy asks for, bound; and the verbs that look at a stream's policy or at what it has published.
//! The running itself is `shoal-stream`'s.

mod adversaries;
mod attack;
mod bind;
mod design;
mod lines;
mod measure;
mod prior;
mod values;
mod verbs;
mod words;

pub use adversaries::attack;
pub use bind::{StreamBinding, bind};
pub use design::infeasible;
pub use lines::StreamText;
pub use measure::{StreamMeasured, StreamQuestion, ValueCount, WindowAnswer, measure};
pub use prior::parse_prior;
pub use values::{Counted, People, SensitiveValues};
pub use verbs::{StreamColumnPlan, StreamPlan, StreamVerified, check, verify};
pub use words::{Words, words};
