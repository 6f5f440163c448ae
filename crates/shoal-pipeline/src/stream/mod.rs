//! Streams: what a policy asks for, bound; and the verbs that look at a stream's policy or at what it has published.
//! The running itself is `shoal-stream`'s.

mod bind;
mod lines;
mod measure;
mod values;
mod verbs;

pub use bind::{StreamBinding, bind, infeasible};
pub use measure::{StreamMeasured, StreamQuestion, ValueCount, WindowAnswer, measure};
pub use values::{SensitiveValues, read_prior};
pub use verbs::{StreamColumnPlan, StreamPlan, StreamVerified, check, verify};
