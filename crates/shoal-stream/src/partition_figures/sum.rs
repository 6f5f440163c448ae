//! The figures of several partitions together.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use shoal_pipeline::stream::Words;

use super::{GroupFigures, PartitionFigures};
use crate::Figures;
use crate::engine::KernelFigures;
use crate::figures::Times;

/// A sum of figures that grows by one partition after the other.
#[derive(Clone)]
pub(crate) struct Sum {
    figures: Figures,
    times: Times,
    owned: BTreeMap<u32, PartitionFigures>,
    started: Instant,
}

impl Sum {
    pub(crate) fn new(started: Instant) -> Sum {
        Sum { figures: Figures::default(), times: Times::default(), owned: BTreeMap::new(), started }
    }

    /// Adds a partition that is another process's now: what was done for it here, nothing of its state.
    pub(crate) fn add_gone(&mut self, figures: &Figures, times: &Times) {
        let (sum, add) = (&mut self.figures, figures);
        sum.tuples_now += add.tuples_now;
        sum.messages += add.messages;
        sum.dead_letters += add.dead_letters;
        for (reason, more) in &add.dead_letters_by_reason {
            let found = sum.dead_letters_by_reason.entry(reason).or_insert_with(|| {
                let mut first = *more;
                first.count = 0;
                first
            });
            found.count += more.count;
        }
        if let Some(file) = &add.dead_letters_file {
            // Of several, the folder that holds them is named in the end.
            let several = sum.dead_letters_file.as_ref().is_some_and(|other| other != file);
            sum.dead_letters_file = Some(if several { SEVERAL.into() } else { file.clone() });
        }
        self.times.add_all(times);
    }

    /// Adds a partition of this process.
    pub(crate) fn add(&mut self, partition: u32, figures: &Figures, times: &Times) {
        self.add_gone(figures, times);
        let sum = &mut self.figures;
        sum.kernel = join(&sum.kernel, sum.tuples, &figures.kernel, figures.tuples);
        sum.tuples += figures.tuples;
        sum.lag = added(sum.lag, figures.lag);
        let (tuples, tuples_now) = (figures.tuples, figures.tuples_now);
        let (messages, dead_letters) = (figures.messages, figures.dead_letters);
        let (lag, kernel) = (figures.lag, figures.kernel);
        let of_partition = PartitionFigures { tuples, tuples_now, messages, dead_letters, lag, kernel };
        self.owned.insert(partition, of_partition);
    }

    /// The figures of the process. `root` is the folder with all partitions' folders.
    pub(crate) fn finish(self, group: GroupFigures, words: Words, root: &Path) -> Figures {
        let mut figures = self.figures;
        figures.seconds = self.started.elapsed().as_secs_f64();
        figures.mean_seconds_per_tuple = self.times.mean();
        figures.p99_seconds_per_tuple = self.times.p99();
        figures.words = words;
        if figures.dead_letters_file.as_deref() == Some(Path::new(SEVERAL)) {
            figures.dead_letters_file = Some(root.to_owned());
        }
        figures.partitions = Some(GroupFigures { owned: self.owned, ..group });
        figures
    }
}

/// Stands for several files of dead letters; no file has an empty name.
const SEVERAL: &str = "";

/// What two kernels say together, after so many tuples each.
fn join(a: &KernelFigures, tuples_a: u64, b: &KernelFigures, tuples_b: u64) -> KernelFigures {
    // A share of all is the mean of the shares, each as heavy as its stream is long.
    let mean = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) if tuples_a + tuples_b > 0 => {
            Some((a * tuples_a as f64 + b * tuples_b as f64) / (tuples_a + tuples_b) as f64)
        }
        (a, b) => a.or(b),
    };
    // The worst one counts: that it is kept elsewhere helps nobody there.
    let worst = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
    // Errors of independent counts add up by their squares.
    let error = match (a.standard_error, b.standard_error) {
        (Some(a), Some(b)) => Some(a.hypot(b)),
        (a, b) => a.or(b),
    };
    KernelFigures {
        groups_open: added(a.groups_open, b.groups_open),
        groups_given_up: added(a.groups_given_up, b.groups_given_up),
        sau: mean(a.sau, b.sau),
        sau_bound: mean(a.sau_bound, b.sau_bound),
        standard_error: error,
        guess_success: worst(a.guess_success, b.guess_success),
        guess_promised: worst(a.guess_promised, b.guess_promised),
        waiting: added(a.waiting, b.waiting),
        classes: added(a.classes, b.classes),
        reused: added(a.reused, b.reused),
        suppressed: added(a.suppressed, b.suppressed),
    }
}

fn added(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Reason;

    fn figures(tuples: u64, kernel: KernelFigures) -> Figures {
        let reason = Reason { count: 2, first_partition: 3, first_offset: tuples };
        Figures {
            tuples,
            tuples_now: 10,
            messages: 4,
            dead_letters: 2,
            dead_letters_by_reason: BTreeMap::from([("not-json", reason)]),
            dead_letters_file: Some(format!("{tuples}").into()),
            lag: Some(5),
            kernel,
            ..Figures::default()
        }
    }

    #[test]
    fn a_sum_holds_what_was_done_here_and_the_state_of_what_is_here() {
        let kernel = |sau, waiting| KernelFigures {
            sau: Some(sau),
            waiting: Some(waiting),
            standard_error: Some(3.0 + sau),
            ..KernelFigures::default()
        };
        let mut times = Times::default();
        times.add(Duration::from_micros(100));
        let mut sum = Sum::new(Instant::now());
        sum.add_gone(&figures(1_000_000, kernel(0.9, 99)), &times);
        sum.add(0, &figures(100, kernel(0.0, 7)), &times);
        sum.add(4, &figures(300, kernel(1.0, 8)), &times);
        let group = GroupFigures { total: 8, awaited: vec![6], ..GroupFigures::default() };
        let all = sum.finish(group, Words::default(), Path::new("state"));
        assert_eq!((all.tuples, all.tuples_now, all.messages, all.lag), (400, 30, 12, Some(10)));
        assert_eq!((all.dead_letters, all.dead_letters_by_reason["not-json"].count), (6, 6));
        assert_eq!(all.dead_letters_file.as_deref(), Some(Path::new("state")));
        assert_eq!((all.kernel.sau, all.kernel.waiting), (Some(0.75), Some(15)));
        assert_eq!(all.kernel.standard_error, Some(5.0));
        assert!((all.mean_seconds_per_tuple - 100e-6).abs() < 1e-9);
        let text = all.to_prometheus();
        for line in [
            "shoal_tuples_total 30",
            "shoal_partitions 8",
            "shoal_partitions_owned 2",
            "shoal_partitions_awaited 1",
            "shoal_partition_tuples_total{partition=\"4\"} 10",
            "shoal_partition_waiting{partition=\"0\"} 7",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
        assert!(all.to_line().ends_with("partitions 0, 4 of 8, waiting for 6"), "{}", all.to_line());
    }
}
