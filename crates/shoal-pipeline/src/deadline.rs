//! Until when an algorithm may go on improving. Algorithms have no clock; they ask between two rounds.

use std::time::{Duration, Instant};

use shoal_core::Progress;

/// Passes progress on and says when the time is up.
pub(crate) struct Deadline<'a> {
    inner: &'a dyn Progress,
    /// None: never.
    at: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// This many seconds from now; never where nothing is given, or where the clock cannot represent the time.
    pub(crate) fn after(seconds: Option<f64>, inner: &'a dyn Progress) -> Deadline<'a> {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Deadline { inner, at: time.and_then(|time| Instant::now().checked_add(time)) }
    }
}

impl Progress for Deadline<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.inner.stage(name, total);
    }

    fn advance(&self, by: u64) {
        self.inner.advance(by);
    }

    fn go_on(&self) -> bool {
        self.at.is_none_or(|at| Instant::now() < at) && self.inner.go_on()
    }

    fn check(&self) {
        self.inner.check();
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::Silent;

    use super::*;

    #[test]
    fn without_a_deadline_work_goes_on_and_after_it_not() {
        assert!(Deadline::after(None, &Silent).go_on());
        assert!(Deadline::after(Some(1e300), &Silent).go_on());
        assert!(!Deadline::after(Some(0.0), &Silent).go_on());
    }
}
