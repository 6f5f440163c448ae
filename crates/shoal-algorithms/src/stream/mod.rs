//! Algorithms for streams: plain state machines that take one tuple at a time and say what leaves. They know no clock, no
//! broker and no file; those with a state can be written down and taken up again.

pub mod castle;
pub mod delay_free;
pub mod strata;
