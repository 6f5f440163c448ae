//! Ctrl-C (SIGINT) and SIGTERM: the first asks the work to end, the second ends the process.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};

use crate::failure::Failure;

/// The first signal that came, 0 before.
static CAME: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// Returns a flag that either signal sets. A second signal ends the process at once.
pub(crate) fn listen() -> Result<Arc<AtomicBool>, Failure> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let came = CAME.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM] {
        // What is registered for a signal is done in this order: at the first one the flag is not set yet.
        register_conditional_shutdown(signal, exit_code(signal).into(), Arc::clone(&cancelled))
            .and_then(|_| register_usize(signal, Arc::clone(came), signal as usize))
            .and_then(|_| register(signal, Arc::clone(&cancelled)))
            .map_err(|error| Failure::Signals { error })?;
    }
    Ok(cancelled)
}

/// How a process ends whose work a signal has cancelled.
pub(crate) fn exit_code_of_cancelled() -> u8 {
    let came = CAME.get().map_or(0, |came| came.load(Ordering::SeqCst));
    exit_code(i32::try_from(came).ok().filter(|came| *came > 0).unwrap_or(SIGINT))
}

/// As shells report a process that a signal has ended: 130 for SIGINT, 143 for SIGTERM.
fn exit_code(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}
