//! How far the work is: bars on a terminal, plain lines elsewhere, nothing with `--quiet`. And whether somebody has
//! pressed Ctrl-C.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shoal_core::{Cancellable, Progress, Silent};

use crate::console::Console;
use crate::failure::Failure;
use crate::signals;

/// The sink that suits the place where standard error goes.
pub(crate) fn sink(console: &Console) -> Box<dyn Progress> {
    if console.is_quiet() {
        Box::new(Silent)
    } else if std::io::stderr().is_terminal() {
        Box::new(Bar::new())
    } else {
        Box::new(Lines::default())
    }
}

/// The same, for work that asks often enough to be cancelled by Ctrl-C (SIGINT) and SIGTERM.
pub(crate) fn cancellable(console: &Console) -> Result<Interruptible, Failure> {
    Ok(Interruptible { inner: sink(console), cancelled: signals::listen()? })
}

/// The same, for work that is not worth a bar.
pub(crate) fn unseen() -> Result<Interruptible, Failure> {
    Ok(Interruptible { inner: Box::new(Silent), cancelled: signals::listen()? })
}

/// Progress of work that a signal cancels.
pub(crate) struct Interruptible {
    inner: Box<dyn Progress>,
    cancelled: Arc<AtomicBool>,
}

impl Interruptible {
    fn asked(&self) -> Cancellable<'_> {
        Cancellable::new(self.inner.as_ref(), &self.cancelled)
    }
}

impl Progress for Interruptible {
    fn stage(&self, name: &str, total: u64) {
        self.asked().stage(name, total);
    }

    fn advance(&self, done: u64) {
        self.asked().advance(done);
    }

    fn go_on(&self) -> bool {
        self.asked().go_on()
    }

    fn check(&self) {
        self.asked().check();
    }
}

/// One bar, redrawn for each stage and gone at the end.
struct Bar(ProgressBar);

impl Bar {
    fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.enable_steady_tick(Duration::from_millis(120));
        Bar(bar)
    }
}

impl Progress for Bar {
    fn stage(&self, name: &str, total: u64) {
        let template = match total {
            0 => "{spinner} {msg} {elapsed}",
            _ => "{spinner} {msg} {wide_bar} {percent} % {eta}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
        self.0.reset();
        match total {
            0 => self.0.unset_length(),
            total => self.0.set_length(total),
        }
        self.0.set_message(name.to_owned());
    }

    fn advance(&self, done: u64) {
        self.0.inc(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A line when a stage begins, and one now and then while a long one lasts.
#[derive(Default)]
struct Lines {
    done: AtomicU64,
    stage: Mutex<Stage>,
}

#[derive(Default)]
struct Stage {
    name: String,
    total: u64,
    last_line: Option<Instant>,
}

const BETWEEN_LINES: Duration = Duration::from_secs(5);

impl Progress for Lines {
    fn stage(&self, name: &str, total: u64) {
        say(name);
        self.done.store(0, Ordering::Relaxed);
        if let Ok(mut stage) = self.stage.lock() {
            *stage = Stage { name: name.to_owned(), total, last_line: Some(Instant::now()) };
        }
    }

    fn advance(&self, done: u64) {
        let before = self.done.fetch_add(done, Ordering::Relaxed);
        // Another thread that is just about to print will do.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let percent = |steps: u64| (steps.min(stage.total) * 100).checked_div(stage.total);
        let (Some(was), Some(is)) = (percent(before), percent(before + done)) else { return };
        if was != is && stage.last_line.is_none_or(|at| at.elapsed() >= BETWEEN_LINES) {
            say(&format!("{}: {is} %", stage.name));
            stage.last_line = Some(Instant::now());
        }
    }
}

/// A closed standard error must not stop the work.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
