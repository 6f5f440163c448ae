//! Long work beside the interpreter: its lock is released, Ctrl-C cancels, progress is shown.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use shoal_core::{Cancellable, Progress};

use crate::errors::with_hint;

/// How often signals are looked for and progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// What the work says of itself; the caller's thread looks at it, so that the work never waits for the interpreter.
#[derive(Default)]
struct Shown {
    stage: Mutex<(String, u64)>,
    done: AtomicU64,
}

impl Progress for Shown {
    fn stage(&self, name: &str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        if let Ok(mut stage) = self.stage.lock() {
            *stage = (name.to_owned(), total);
        }
    }

    fn advance(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }
}

impl Shown {
    /// Calls `callback(stage, done, total)`.
    fn tell(&self, py: Python<'_>, callback: &Py<PyAny>) -> PyResult<()> {
        let (stage, total) = self.stage.lock().map(|stage| stage.clone()).unwrap_or_default();
        if !stage.is_empty() {
            callback.call1(py, (stage, self.done.load(Ordering::Relaxed), total))?;
        }
        Ok(())
    }
}

/// Does the work in a thread of its own. Whatever the interpreter raises meanwhile (Ctrl-C, an error of the callback) cancels the work, and is
/// raised once nothing is left of it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    callback: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> T + Send,
) -> PyResult<T> {
    let pool = pool()?;
    let (shown, cancelled, finished) = (Shown::default(), AtomicBool::new(false), AtomicBool::new(false));
    let caller = thread::current();
    thread::scope(|scope| {
        let handle = scope.spawn(|| {
            // Set and told on every way out, a panic included.
            let _end = Ends { finished: &finished, caller };
            pool.install(|| work(&Cancellable::new(&shown, &cancelled)))
        });
        while !finished.load(Ordering::Acquire) {
            py.detach(|| thread::park_timeout(TICK));
            let raised = py.check_signals().and_then(|()| match callback {
                Some(callback) if !finished.load(Ordering::Acquire) => shown.tell(py, callback),
                _ => Ok(()),
            });
            if let Err(raised) = raised {
                cancelled.store(true, Ordering::Relaxed);
                // Work that was already done is dropped with the rest.
                py.detach(|| drop(handle.join()));
                return Err(raised);
            }
        }
        match py.detach(|| handle.join()) {
            Ok(result) => Ok(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Says that the work has ended.
struct Ends<'a> {
    finished: &'a AtomicBool,
    caller: thread::Thread,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.finished.store(true, Ordering::Release);
        self.caller.unpark();
    }
}

/// The threads of this process. Not rayon's own global ones: a process that forks (multiprocessing, a cluster's worker) has no threads in
/// the child, and the child would wait for them forever.
fn pool() -> PyResult<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut pool =
        POOL.lock().map_err(|_| with_hint("the threads are gone".to_owned(), "start Python again"))?;
    let process = std::process::id();
    if let Some((owner, pool)) = &*pool
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    // As many as RAYON_NUM_THREADS says, or as there are cores.
    let made = ThreadPoolBuilder::new().build().map(Arc::new).map_err(|error| {
        with_hint(format!("threads cannot be started: {error}"), "set RAYON_NUM_THREADS to fewer")
    })?;
    // The parent's pool must not be dropped in a child: it would wait for its threads.
    if let Some((_, of_parent)) = pool.replace((process, Arc::clone(&made))) {
        std::mem::forget(of_parent);
    }
    Ok(made)
}
