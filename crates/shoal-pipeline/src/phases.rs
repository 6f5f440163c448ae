//! How long the phases of an algorithm take. Algorithms have no clock, but they say when a phase begins.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indexmap::IndexMap;
use shoal_core::Progress;

/// Hands progress on and notes the time at the beginning of every phase.
pub(crate) struct Phases<'a> {
    inner: &'a dyn Progress,
    begun: Mutex<Vec<(String, Instant)>>,
}

impl<'a> Phases<'a> {
    pub(crate) fn within(inner: &'a dyn Progress) -> Phases<'a> {
        Phases { inner, begun: Mutex::new(Vec::new()) }
    }

    /// The seconds that each phase took; phases of one name are one. The last one ends now.
    pub(crate) fn finish(self) -> IndexMap<String, f64> {
        let begun = self.begun.into_inner().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let ends = begun.iter().skip(1).map(|(_, at)| *at).chain([now]);
        let mut seconds = IndexMap::new();
        for ((name, from), to) in begun.iter().zip(ends) {
            *seconds.entry(name.clone()).or_insert(0.0) += (to - *from).as_secs_f64();
        }
        seconds
    }
}

impl Progress for Phases<'_> {
    fn stage(&self, name: &str, total: u64) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.push((name.to_owned(), Instant::now()));
        self.inner.stage(name, total);
    }

    fn advance(&self, by: u64) {
        self.inner.advance(by);
    }

    fn go_on(&self) -> bool {
        self.inner.go_on()
    }

    fn check(&self) {
        self.inner.check();
    }
}
