//! What can be said of a running stream.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use shoal_measure::stream::{SAID_ABOVE, STOPS_ABOVE};
use shoal_pipeline::stream::Words;

use crate::dead_letters::Reason;
use crate::engine::KernelFigures;
use crate::partition_figures::GroupFigures;

/// Figures of a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Figures {
    /// Tuples that were understood, over the stream's whole life.
    pub tuples: u64,
    /// Tuples of this run.
    pub tuples_now: u64,
    /// Tuples of this run that were learned from and are not published.
    #[serde(skip_serializing_if = "is_zero")]
    pub learned: u64,
    /// Messages that left in this run; a tuple's lines, or those of a whole crowd.
    pub messages: u64,
    /// Lines of this run that were not understood.
    pub dead_letters: u64,
    /// How many of them for each reason, and where the first stood.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub dead_letters_by_reason: BTreeMap<&'static str, Reason>,
    /// The file that holds them, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dead_letters_file: Option<PathBuf>,
    /// How long this run takes.
    pub seconds: f64,
    /// Mean time from a tuple's bytes to its verified lines, in seconds.
    pub mean_seconds_per_tuple: f64,
    /// The time that 99 of 100 tuples stay below.
    pub p99_seconds_per_tuple: f64,
    /// Records that wait in the broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag: Option<u64>,
    /// Where the partitions of a topic are shared with other processes: those of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<GroupFigures>,
    /// What the kernel says.
    #[serde(flatten)]
    pub kernel: KernelFigures,
    /// What is promised, and what that does not cover.
    #[serde(flatten)]
    pub words: Words,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Figures {
    /// The share of this run's lines that were not understood.
    pub fn lost_share(&self) -> f64 {
        let lines = self.tuples_now + self.learned + self.dead_letters;
        if lines == 0 { 0.0 } else { self.dead_letters as f64 / lines as f64 }
    }

    /// The figures in the text format of Prometheus.
    pub fn to_prometheus(&self) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, value: Option<f64>| {
            if let Some(value) = value {
                let _ = writeln!(
                    text,
                    "# HELP shoal_{name} {help}\n# TYPE shoal_{name} {kind}\nshoal_{name} {value}"
                );
            }
        };
        let count = |count: u64| Some(count as f64);
        metric("tuples_total", "counter", "Tuples understood in this run.", count(self.tuples_now));
        metric("learned_total", "counter", "Tuples learned from and not published.", count(self.learned));
        metric("messages_total", "counter", "Messages released in this run.", count(self.messages));
        metric(
            "dead_letters_total",
            "counter",
            "Lines of this run that were not understood.",
            count(self.dead_letters),
        );
        metric("dead_letters_share", "gauge", "Share of lines not understood.", Some(self.lost_share()));
        metric("lag", "gauge", "Records that wait in the broker.", self.lag.map(|lag| lag as f64));
        let mean = Some(self.mean_seconds_per_tuple);
        metric("seconds_per_tuple_mean", "gauge", "Mean time from a tuple to its verified lines.", mean);
        let p99 = Some(self.p99_seconds_per_tuple);
        metric("seconds_per_tuple_p99", "gauge", "The time that 99 of 100 tuples stay below.", p99);
        let kernel = &self.kernel;
        let optional = |figure: Option<u64>| figure.map(|figure| figure as f64);
        metric("groups_open", "gauge", "Groups that wait for members.", optional(kernel.groups_open));
        metric("groups_given_up_total", "counter", "Groups given up.", optional(kernel.groups_given_up));
        metric("sau", "gauge", "Share of counterfeits among the published values.", kernel.sau);
        metric("sau_bound", "gauge", "What no method can go below.", kernel.sau_bound);
        let error = kernel.standard_error;
        metric("estimator_standard_error", "gauge", "Greatest standard error of an estimated count.", error);
        let success = kernel.guess_success;
        metric(
            "guess_success",
            "gauge",
            "How often the best guess of a value is right, from the values of late.",
            success,
        );
        metric("guess_promised", "gauge", "1/l: how often it may be right.", kernel.guess_promised);
        let drifting = success.zip(kernel.guess_promised).map(|(success, promised)| {
            let level =
                u8::from(success > SAID_ABOVE * promised) + u8::from(success > STOPS_ABOVE * promised);
            f64::from(level)
        });
        metric("drift", "gauge", "0 as promised, 1 past the first bound, 2 past the second.", drifting);
        metric("waiting", "gauge", "Tuples that wait for a crowd.", optional(kernel.waiting));
        metric(
            "suppressed_total",
            "counter",
            "Tuples of which nothing could be shown.",
            optional(kernel.suppressed),
        );
        if !self.dead_letters_by_reason.is_empty() {
            let name = "shoal_dead_letters_by_reason_total";
            let _ = writeln!(
                text,
                "# HELP {name} Lines of this run that were not understood.\n# TYPE {name} counter"
            );
        }
        for (reason, found) in &self.dead_letters_by_reason {
            let _ =
                writeln!(text, "shoal_dead_letters_by_reason_total{{reason=\"{reason}\"}} {}", found.count);
        }
        if let Some(partitions) = &self.partitions {
            partitions.to_prometheus(&mut text);
        }
        text
    }

    /// The figures in one line.
    pub fn to_line(&self) -> String {
        let rate = if self.seconds > 0.0 { self.tuples_now as f64 / self.seconds } else { 0.0 };
        let mut line = format!("{} tuples, {rate:.0}/s, {} dead letters", self.tuples, self.dead_letters);
        let kernel = &self.kernel;
        if let (Some(sau), Some(bound)) = (kernel.sau, kernel.sau_bound) {
            let _ = write!(line, ", SAU {sau:.3} (no method below {bound:.3})");
        }
        if let Some(open) = kernel.groups_open {
            let _ = write!(line, ", {open} groups open");
        }
        if let Some(error) = kernel.standard_error {
            let _ = write!(line, ", counts ± {error:.0}");
        }
        if let (Some(success), Some(promised)) = (kernel.guess_success, kernel.guess_promised)
            && success > SAID_ABOVE * promised
        {
            let _ = write!(line, ", guessed with {success:.2} instead of {promised:.2}");
        }
        if let Some(waiting) = kernel.waiting {
            let _ = write!(line, ", {waiting} waiting");
        }
        if let Some(lag) = self.lag {
            let _ = write!(line, ", lag {lag}");
        }
        if let Some(partitions) = &self.partitions {
            let _ = write!(line, ", partitions {} of {}", numbers(partitions.owned.keys()), partitions.total);
            if !partitions.awaited.is_empty() {
                let _ = write!(line, ", waiting for {}", numbers(partitions.awaited.iter()));
            }
        }
        line
    }
}

/// Numbers for people.
pub(crate) fn numbers<'n>(numbers: impl Iterator<Item = &'n u32>) -> String {
    let texts: Vec<String> = numbers.map(u32::to_string).collect();
    if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
}

/// How long tuples take: counts by time, in steps of an eighth of a doubling.
#[derive(Clone, Debug)]
pub(crate) struct Times {
    counts: [u64; BUCKETS],
    total: Duration,
    tuples: u64,
}

const BUCKETS: usize = 8 * 40;

impl Default for Times {
    fn default() -> Times {
        Times { counts: [0; BUCKETS], total: Duration::ZERO, tuples: 0 }
    }
}

impl Times {
    pub(crate) fn add(&mut self, time: Duration) {
        let nanoseconds = time.as_nanos().max(1) as f64;
        let bucket = (nanoseconds.log2() * 8.0) as usize;
        self.counts[bucket.min(BUCKETS - 1)] += 1;
        self.total += time;
        self.tuples += 1;
    }

    /// Adds what others took.
    #[cfg(feature = "kafka")]
    pub(crate) fn add_all(&mut self, other: &Times) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        self.total += other.total;
        self.tuples += other.tuples;
    }

    pub(crate) fn mean(&self) -> f64 {
        if self.tuples == 0 { 0.0 } else { self.total.as_secs_f64() / self.tuples as f64 }
    }

    /// The upper end of the step in which the 99th of 100 tuples lies.
    pub(crate) fn p99(&self) -> f64 {
        let wanted = (self.tuples as f64 * 0.99).ceil() as u64;
        let mut seen = 0;
        let bucket = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        match bucket {
            Some(bucket) if self.tuples > 0 => ((bucket + 1) as f64 / 8.0).exp2() * 1e-9,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_99th_of_100_is_found_within_a_tenth() {
        let mut times = Times::default();
        assert_eq!((times.mean(), times.p99()), (0.0, 0.0));
        for microseconds in 1..=1000 {
            times.add(Duration::from_micros(microseconds));
        }
        assert!((times.mean() - 500.5e-6).abs() < 1e-9);
        assert!((0.99e-3..1.09e-3).contains(&times.p99()), "{}", times.p99());
    }

    #[test]
    fn figures_are_written_for_people_and_for_machines() {
        let kernel = KernelFigures {
            sau: Some(0.146),
            sau_bound: Some(0.002),
            groups_open: Some(7),
            ..KernelFigures::default()
        };
        let figures =
            Figures { tuples: 10, tuples_now: 4, seconds: 2.0, lag: Some(3), kernel, ..Figures::default() };
        assert_eq!(
            figures.to_line(),
            "10 tuples, 2/s, 0 dead letters, SAU 0.146 (no method below 0.002), 7 groups open, lag 3"
        );
        let text = figures.to_prometheus();
        assert!(text.contains("# TYPE shoal_tuples_total counter\nshoal_tuples_total 4\n"), "{text}");
        assert!(text.contains("\nshoal_sau 0.146\n") && !text.contains("waiting "), "{text}");
    }
}
