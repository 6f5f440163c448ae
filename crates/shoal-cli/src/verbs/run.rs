use std::path::Path;

use shoal_measure::RiskReport;
use shoal_pipeline::{Loss, Outcome, Risk, RunOptions};

use super::{Answer, Opened};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::print::{count, facts, grouped, percent, promises, transaction_loss, transaction_risk};
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
    let published = match is_stdout(&outcome.output) {
        true => "standard output".to_owned(),
        false => outcome.output.display().to_string(),
    };
    let mut rows = vec![("published", published)];
    if let Some(folder) = &outcome.report_folder {
        rows.push(("reports", format!("{} (report.json, release.json)", folder.display())));
    }
    let (into, out) = (grouped(report.records_in), grouped(report.records_out));
    match (&report.loss, &report.risk) {
        (Loss::Table(loss), Risk::Table(risk)) => {
            rows.push((
                "records",
                format!("{into} in, {out} out, {} suppressed", grouped(report.records_suppressed)),
            ));
            rows.push(("classes", count(report.classes, "class by", "classes by") + " " + report.algorithm));
            rows.extend(promises(&report.promises));
            rows.push(("loss", format!("NCP {}, utility {}", percent(loss.ncp), percent(loss.utility))));
            rows.push(("risk", table_risk(risk)));
        }
        (Loss::Transactions(loss), Risk::Transactions(risk)) => {
            rows.push(("transactions", format!("{into} in, {out} out")));
            let items = count(report.clusters, "published item by", "published items by");
            rows.push((
                "items",
                format!("{items} {}, {} suppressed", report.algorithm, loss.items_suppressed),
            ));
            rows.extend(promises(&report.promises));
            rows.push(("loss", transaction_loss(loss)));
            rows.push(("smallest crowd", transaction_risk(risk)));
        }
        // A report's loss and risk are of one shape.
        _ => rows.extend(promises(&report.promises)),
    }
    rows.extend(report.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("time", format!("{:.2} s", report.seconds.total)));
    facts(&rows)
}

fn table_risk(risk: &RiskReport) -> String {
    let (before, after) = (&risk.before.prosecutor, &risk.after.prosecutor);
    let change =
        |name: &str, before: f64, after: f64| format!("{name} {} → {}", percent(before), percent(after));
    let highest = change("highest", before.highest, after.highest);
    format!("{highest}, {}", change("mean", before.mean, after.mean))
}
