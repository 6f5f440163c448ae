use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where long work reports how far it is, and where it learns that it was cancelled. The fronts draw it; the kernels
/// only call it.
///
/// Every long loop asks, with [`check`](Progress::check) or with one of the other methods, so that at most about 100 ms
/// pass between two questions. A question is an atomic load behind a virtual call: it belongs into coarse loops, never
/// into a hot inner one.
pub trait Progress: Sync {
    /// A new stage begins ("reading", "clustering"); `total` steps are expected, 0 when unknown.
    fn stage(&self, name: &str, total: u64);
    /// `done` further steps of the current stage are finished.
    fn advance(&self, done: u64);

    /// Whether work that could go on forever may go on. Asked between rounds; kernels have no clock.
    fn go_on(&self) -> bool {
        true
    }

    /// Asked in long loops. Where the work was cancelled this does not return: it unwinds with [`Cancelled`].
    ///
    /// An implementation that wraps another one must pass this call on, too.
    fn check(&self) {}
}

/// Nobody is watching.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _done: u64) {}
}

/// Asks and reports nothing: for a step of a stage that has been announced already.
#[derive(Clone, Copy)]
pub struct Unseen<'a>(pub &'a dyn Progress);

impl std::fmt::Debug for Unseen<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Unseen")
    }
}

impl Progress for Unseen<'_> {
    fn stage(&self, _name: &str, _total: u64) {
        self.0.check();
    }

    fn advance(&self, _done: u64) {
        self.0.check();
    }

    fn go_on(&self) -> bool {
        self.0.go_on()
    }

    fn check(&self) {
        self.0.check();
    }
}

/// Somebody has cancelled the work.
///
/// Cancelling unwinds the stack up to whoever called [`Cancelled::catch`], instead of going through a `Result` of every
/// loop of every kernel: hundreds of functions would have an error that none of them can do anything about. It is
/// safe because kernels are pure functions on data of their own: whatever is half done is dropped on the way, and nobody
/// sees it. Files that were staged are removed by their `Drop`. rayon carries the payload from its threads to the caller.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use shoal_core::{Cancellable, Cancelled, Progress, Silent};
///
/// let asked_to_stop = AtomicBool::new(true);
/// let progress = Cancellable::new(&Silent, &asked_to_stop);
/// let sum = Cancelled::catch(|| (0..10).inspect(|_| progress.check()).sum::<u32>());
/// assert_eq!(sum, Err(Cancelled));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancelled {
    /// Leaves the work.
    pub fn throw() -> ! {
        // Not `panic_any`: nothing is wrong, so no panic hook should print anything.
        resume_unwind(Box::new(Cancelled))
    }

    /// Does the work, which may be cancelled. Every other panic goes on.
    pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        // What the work has changed half-way must not be looked at; all callers drop it or start again.
        catch_unwind(AssertUnwindSafe(work)).or_else(|payload| {
            if payload.is::<Cancelled>() { Err(Cancelled) } else { resume_unwind(payload) }
        })
    }
}

/// Progress of work that is cancelled as soon as the flag is set.
#[derive(Clone, Copy)]
pub struct Cancellable<'a> {
    inner: &'a dyn Progress,
    flag: &'a AtomicBool,
}

impl<'a> Cancellable<'a> {
    /// Passes progress on to `inner` until `flag` is set.
    pub fn new(inner: &'a dyn Progress, flag: &'a AtomicBool) -> Cancellable<'a> {
        Cancellable { inner, flag }
    }

    fn leave_if_cancelled(&self) {
        // Nothing else is handed over by the flag, so no order with other memory is needed.
        if self.flag.load(Ordering::Relaxed) {
            Cancelled::throw();
        }
    }
}

impl std::fmt::Debug for Cancellable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cancellable").field("flag", self.flag).finish_non_exhaustive()
    }
}

impl Progress for Cancellable<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.leave_if_cancelled();
        self.inner.stage(name, total);
    }

    fn advance(&self, done: u64) {
        self.leave_if_cancelled();
        self.inner.advance(done);
    }

    fn go_on(&self) -> bool {
        self.leave_if_cancelled();
        self.inner.go_on()
    }

    fn check(&self) {
        self.leave_if_cancelled();
        self.inner.check();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;
    use std::sync::atomic::AtomicUsize;

    use rayon::prelude::*;

    use super::*;

    /// Sets its own flag when it is asked for the n-th time.
    struct CancelAt<'a> {
        flag: &'a AtomicBool,
        asked: AtomicUsize,
        at: usize,
    }

    impl Progress for CancelAt<'_> {
        fn stage(&self, _name: &str, _total: u64) {}
        fn advance(&self, _done: u64) {
            if self.asked.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
                self.flag.store(true, Ordering::Relaxed);
            }
        }
    }

    #[test]
    fn work_that_nobody_cancels_returns_what_it_found() {
        assert_eq!(Cancelled::catch(|| 7), Ok(7));
    }

    #[test]
    fn every_method_of_cancelled_work_leaves_it() {
        let flag = AtomicBool::new(false);
        let progress = Cancellable::new(&Silent, &flag);
        let ways: [&dyn Fn(); 4] =
            [&|| progress.stage("a", 1), &|| progress.advance(1), &|| assert!(progress.go_on()), &|| {
                progress.check();
            }];
        ways.iter().for_each(|way| assert_eq!(Cancelled::catch(way), Ok(())));
        flag.store(true, Ordering::Relaxed);
        ways.iter().for_each(|way| assert_eq!(Cancelled::catch(way), Err(Cancelled)));
    }

    #[test]
    fn what_the_work_holds_is_dropped() {
        struct Counted<'a>(&'a AtomicUsize);
        impl Drop for Counted<'_> {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let dropped = AtomicUsize::new(0);
        let outcome: Result<(), Cancelled> = Cancelled::catch(|| {
            let _held = Counted(&dropped);
            Cancelled::throw()
        });
        assert_eq!((outcome, dropped.into_inner()), (Err(Cancelled), 1));
    }

    #[test]
    fn threads_of_rayon_hand_the_cancellation_to_the_caller() {
        let flag = AtomicBool::new(false);
        let inner = CancelAt { flag: &flag, asked: AtomicUsize::new(0), at: 100 };
        let progress = Cancellable::new(&inner, &flag);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        let work = || pool.install(|| (0..10_000).into_par_iter().for_each(|_| progress.advance(1)));
        assert_eq!(Cancelled::catch(work), Err(Cancelled));
        assert!(inner.asked.load(Ordering::Relaxed) < 10_000);
        // The pool goes on to serve others.
        assert_eq!(pool.install(|| (0..10_u32).into_par_iter().sum::<u32>()), 45);
    }

    #[test]
    fn other_panics_go_on() {
        let outcome = catch_unwind(|| Cancelled::catch(|| -> () { panic_any(5_u8) }));
        assert_eq!(outcome.unwrap_err().downcast_ref::<u8>(), Some(&5));
    }
}
