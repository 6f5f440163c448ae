use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use shoal_pipeline::PipelineError;
use shoal_stream::{Figures, StreamError, StreamOptions, Watcher};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::{Answer, Opened};
use crate::args::StreamArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{facts, grouped};

/// The share of a run's lines that may be lost, where the policy does not say.
const MAX_DEAD_LETTERS: f64 = 0.01;

/// Lets tuples through until there are no more.
pub(crate) fn stream(args: &StreamArgs, console: &Console) -> Result<Answer, Failure> {
    // Whatever goes wrong, standard output is for the stream.
    console.leave_stdout();
    let opened = Opened::open(&args.policy, &args.overrides.set)?;
    let options = StreamOptions {
        idle_exit: args.idle_exit.map(Duration::from_secs_f64),
        status_every: (args.status > 0).then(|| Duration::from_secs(args.status.into())),
        metrics: args.metrics,
        clock: None,
    };
    let watcher: Arc<dyn Watcher> =
        Arc::new(StderrWatcher { quiet: console.is_quiet(), last: Mutex::default() });
    let stop = stop_on_signals()?;
    let blame = |error: StreamError| match error {
        StreamError::Pipeline(
            error @ (PipelineError::Policy { .. } | PipelineError::PolicyAndData { .. }),
        ) => opened.blame(error),
        error => Failure::Stream(Box::new(error)),
    };
    let figures = shoal_stream::run(&opened.job, &options, &stop, &watcher).map_err(blame)?;
    let allowed = opened.job.policy().output.max_dead_letters.unwrap_or(MAX_DEAD_LETTERS);
    console.summary(&figures, || prose(&figures, allowed))?;
    Ok(if figures.lost_share() > allowed { Answer::DoesNotHold } else { Answer::Holds })
}

/// Set by SIGTERM and SIGINT. A second one ends the process at once: somebody means it.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        let asked_before = Arc::clone(&stop);
        signal_hook::flag::register_conditional_shutdown(signal, 1, asked_before)
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Failure::Signals { error })?;
    }
    Ok(stop)
}

/// Prints notices and figures on standard error, nothing twice in a row.
struct StderrWatcher {
    quiet: bool,
    last: Mutex<String>,
}

impl Watcher for StderrWatcher {
    fn notice(&self, text: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != text {
            text.clone_into(&mut last);
            self.print(text);
        }
    }

    fn status(&self, figures: &Figures) {
        self.print(&figures.to_line());
    }
}

impl StderrWatcher {
    fn print(&self, text: &str) {
        if !self.quiet {
            // Nobody may be listening; the stream goes on.
            let _ = writeln!(anstream::stderr(), "shoal: {text}");
        }
    }
}

fn prose(figures: &Figures, allowed: f64) -> String {
    let number = |count: u64| grouped(usize::try_from(count).unwrap_or(usize::MAX));
    let rate = if figures.seconds > 0.0 { figures.tuples_now as f64 / figures.seconds } else { 0.0 };
    let mut rows = vec![
        ("tuples", format!("{} in {:.2} s, {rate:.0} a second", number(figures.tuples_now), figures.seconds)),
        (
            "time per tuple",
            format!(
                "{:.2} µs in the mean, 99 of 100 below {:.2} µs",
                figures.mean_seconds_per_tuple * 1e6,
                figures.p99_seconds_per_tuple * 1e6
            ),
        ),
    ];
    if figures.tuples != figures.tuples_now {
        rows.insert(1, ("since the start", number(figures.tuples)));
    }
    if let Some(partitions) = &figures.partitions {
        let owned: Vec<String> = partitions.owned.keys().map(u32::to_string).collect();
        let owned = if owned.is_empty() { "none".to_owned() } else { owned.join(", ") };
        rows.push(("partitions", format!("{owned} of {}", partitions.total)));
        if partitions.records_without_key > 0 {
            rows.push(("without a key", format!("{} records", number(partitions.records_without_key))));
        }
    }
    if figures.learned > 0 {
        rows.push(("learned from", format!("{} tuples, which are not published", number(figures.learned))));
    }
    if !figures.words.promise.is_empty() {
        rows.push(("promise", figures.words.promise.clone()));
    }
    rows.extend(figures.words.not_covered.iter().map(|text| ("not covered", text.clone())));
    let kernel = &figures.kernel;
    if let (Some(success), Some(promised)) = (kernel.guess_success, kernel.guess_promised) {
        rows.push(("guesses", format!("the best is right with {success:.2}, promised {promised:.2}")));
    }
    if let (Some(sau), Some(bound)) = (kernel.sau, kernel.sau_bound) {
        rows.push(("counterfeits", format!("SAU {sau:.3}; no method gets below {bound:.3}")));
    }
    if let (Some(open), Some(given_up)) = (kernel.groups_open, kernel.groups_given_up) {
        rows.push(("groups", format!("{} open, {} given up", number(open), number(given_up))));
    }
    if let Some(error) = kernel.standard_error {
        rows.push(("counts", format!("standard error {error:.0} or less for the count of a value")));
    }
    if let (Some(classes), Some(reused), Some(suppressed)) =
        (kernel.classes, kernel.reused, kernel.suppressed)
    {
        let (classes, reused, suppressed) = (number(classes), number(reused), number(suppressed));
        rows.push((
            "crowds",
            format!("{classes}, {reused} tuples joined one later, {suppressed} suppressed"),
        ));
    }
    if figures.dead_letters > 0 {
        let file = figures
            .dead_letters_file
            .as_ref()
            .map_or_else(String::new, |file| format!(" in {}", file.display()));
        let share = figures.lost_share();
        let too_many = if share > allowed {
            format!(": {:.2} % of the lines, and {:.2} % are allowed", share * 100.0, allowed * 100.0)
        } else {
            String::new()
        };
        rows.push(("dead letters", format!("{}{file}{too_many}", number(figures.dead_letters))));
    }
    for (reason, found) in &figures.dead_letters_by_reason {
        // Offsets count from 0 and people from 1; a broker's offsets are as the broker shows them.
        let first = format!("partition {}, offset {}", found.first_partition, found.first_offset);
        rows.push((reason, format!("{}, the first at {first}", number(found.count))));
    }
    facts(&rows)
}
