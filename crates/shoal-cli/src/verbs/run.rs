use std::path::Path;

use shoal_pipeline::{Outcome, RunOptions};

use super::{Answer, Opened};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::print::{count, facts, grouped, percent, promises};
use crate::progress;
use crate::voice::Voice;

/// The main job.
pub(crate) fn run(args: &RunArgs, voice: &Voice) -> Result<Answer, Failure> {
    if args.output.as_deref().is_some_and(is_stdout) {
        voice.leave_stdout();
    }
    let set = overrides(args);
    let opened = Opened::open(&args.policy, &set)?;
    let policy_output = || opened.job.policy().output.path.as_ref().map(|path| opened.job.resolve(path));
    if args.output.clone().or_else(policy_output).is_some_and(|path| is_stdout(&path)) {
        voice.leave_stdout();
    }
    let options = RunOptions { output: args.output.clone(), report: args.report.clone(), force: args.force };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.into()).build();
    let pool = pool.map_err(|error| Failure::Threads { threads: args.threads, error })?;

    let progress = progress::sink(voice);
    let sink = progress.as_ref();
    let outcome = pool
        .install(|| shoal_pipeline::run(&opened.job, &options, sink).map_err(|error| opened.blame(error)))?;
    drop(progress);
    voice.summary(&outcome.report, || prose(&outcome))?;
    Ok(Answer::Holds)
}

fn overrides(args: &RunArgs) -> Vec<String> {
    let mut set = args.overrides.set.clone();
    set.extend(args.seed.map(|seed| format!("algorithm.seed={seed}")));
    set
}

fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

fn prose(outcome: &Outcome) -> String {
    let report = &outcome.report;
    let (before, after) = (&report.risk.before, &report.risk.after);
    let published = match is_stdout(&outcome.output) {
        true => "standard output".to_owned(),
        false => outcome.output.display().to_string(),
    };
    let records = format!(
        "{} in, {} out, {} suppressed",
        grouped(report.records_in),
        grouped(report.records_out),
        grouped(report.records_suppressed)
    );
    let risk =
        |name: &str, before: f64, after: f64| format!("{name} {} → {}", percent(before), percent(after));
    let mut rows = vec![("published", published)];
    if let Some(folder) = &outcome.report_folder {
        rows.push(("reports", format!("{} (report.json, release.json)", folder.display())));
    }
    rows.push(("records", records));
    rows.push(("classes", count(report.classes, "class by", "classes by") + " " + report.algorithm));
    rows.extend(promises(&report.promises));
    rows.push((
        "loss",
        format!("NCP {}, utility {}", percent(report.loss.ncp), percent(report.loss.utility)),
    ));
    rows.push((
        "risk",
        format!(
            "{}, {}",
            risk("highest", before.prosecutor.highest, after.prosecutor.highest),
            risk("mean", before.prosecutor.mean, after.prosecutor.mean)
        ),
    ));
    rows.extend(report.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("time", format!("{:.2} s", report.seconds.total)));
    facts(&rows)
}
