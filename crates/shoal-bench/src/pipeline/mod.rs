//! What concerns a run as a whole.

pub(crate) mod cancellation;
