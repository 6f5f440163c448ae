use std::cmp::Reverse;
use std::path::Path;

use serde_json::{Value, json};
use shoal_core::Progress;
use shoal_measure::LossReport;
use shoal_pipeline::files::{Outcome, RunOptions, audit_path};
use shoal_pipeline::{Construction, Counts, Loss, Risk, Search};

use super::{Answer, Opened};
use crate::args::{Overrides, RunArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{
    count, events, facts, grouped, kept, leaks, names, of_pairs, percent, promises, sequence_loss,
    table_counts, transaction_loss, transaction_risk, two_measures,
};
use crate::{print, progress};

/// The main job.
pub(crate) fn run(args: &RunArgs, console: &Console) -> Result<Answer, Failure> {
    if args.output.as_deref().is_some_and(is_stdout) {
        console.leave_stdout();
    }
    let set = overrides(&args.overrides, args.seed);
    // One of the two is there, says the parser.
    let policy = args.policy.as_deref().map(Path::to_owned);
    let policy = policy.or_else(|| args.key_of.as_deref().map(audit_path)).unwrap_or_default();
    let opened = Opened::open(&policy, &set)?;
    let policy_output = || opened.job.policy().output.path.as_ref().map(|path| opened.job.resolve(path));
    if args.output.clone().or_else(policy_output).is_some_and(|path| is_stdout(&path)) {
        console.leave_stdout();
    }
    if args.reuse_classes && !console.is_quiet() {
        eprintln!("note: --reuse-classes is not needed any more: it is what --previous does");
    }
    let options = RunOptions {
        output: args.output.clone(),
        report: args.report.clone(),
        force: args.force,
        key_of: args.key_of.clone(),
        previous: args.previous.clone(),
        allow_absent: args.allow_absent,
        allow_total_loss: args.allow_total_loss,
    };
    carry_out(args.threads, console, |progress| {
        shoal_pipeline::files::run(&opened.job, &options, progress).map_err(|error| opened.blame(error))
    })
}

/// Does the work with so many threads, and says what has come out.
pub(super) fn carry_out(
    threads: u16,
    console: &Console,
    work: impl FnOnce(&dyn Progress) -> Result<Outcome, Failure> + Send,
) -> Result<Answer, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build();
    let pool = pool.map_err(|error| Failure::Threads { threads, error })?;
    let progress = progress::cancellable(console)?;
    let outcome = pool.install(|| work(&progress))?;
    drop(progress);
    console.summary(&machine(&outcome), || prose(&outcome))?;
    Ok(Answer::Holds)
}

/// The overrides of a call, with its seed.
pub(super) fn overrides(given: &Overrides, seed: Option<u64>) -> Vec<String> {
    let mut set = given.set.clone();
    set.extend(seed.map(|seed| format!("algorithm.seed={seed}")));
    set
}

pub(super) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// The edition that goes out, with what only the publisher is told.
fn machine(outcome: &Outcome) -> Value {
    let report = &outcome.report;
    let mut said = json!(outcome.outgoing);
    said["records-in"] = json!(report.records_in);
    said["records-suppressed"] = json!(report.records_suppressed);
    said["promises"] = json!(report.promises);
    said["leaks"] = json!(report.leaks);
    said["notes"] = json!(report.notes);
    said
}

fn prose(outcome: &Outcome) -> String {
    let report = &outcome.report;
    let published = match is_stdout(&outcome.output) {
        true => "standard output".to_owned(),
        false => outcome.output.display().to_string(),
    };
    let mut rows: Vec<(&str, String)> = vec![("published", published)];
    if let Some(groups) = &outcome.groups {
        let what = "(what the numbers of groups stand for; it is a part of the release)";
        rows.push(("groups", format!("{} {what}", groups.display())));
    }
    if let Some(folder) = &outcome.report_folder {
        rows.push((
            "reports",
            format!("{} (report.html, report.json; audit.html, audit.json stay with you)", folder.display()),
        ));
    }
    if let Some(repeats) = outcome.repeats {
        let says = match repeats {
            true => "the same bytes as the release of --key-of",
            false => "other bytes than the release of --key-of: data, policy or version differ",
        };
        rows.push(("key", says.to_owned()));
    }
    if let Some(file) = &outcome.new_key_file {
        rows.push(("key", format!("{} is new; keep it secret, it can undo the release", file.display())));
    }
    let names = names(&report.promises);
    let (into, out) = (grouped(report.records_in), grouped(report.records_out));
    match (&report.loss, &report.risk) {
        (Loss::Table(loss), Risk::Table(risk)) => {
            rows.push((
                "records",
                format!("{into} in, {out} out, {} suppressed", grouped(report.records_suppressed)),
            ));
            rows.push((
                "classes",
                count(report.classes, "class by", "classes by") + " " + report.about.algorithm,
            ));
            rows.extend(promises(&report.promises, &names));
            rows.extend(leaks(&report.leaks));
            rows.push(("detail", detail(loss, report.records_in)));
            rows.extend(table_counts(loss).map(|counts| ("counts", counts)));
            rows.push(("loss", format!("NCP {}, utility {}", percent(loss.ncp), percent(loss.utility))));
            rows.push(("risk", print::risk(&risk.before, &risk.after)));
            rows.extend(outcome.trace.search.iter().flat_map(search));
        }
        (Loss::Transactions(loss), Risk::Transactions(risk)) => {
            rows.push(("transactions", format!("{into} in, {out} out")));
            let items = count(report.clusters, "published item by", "published items by");
            rows.push((
                "items",
                format!("{items} {}, {} suppressed", report.about.algorithm, loss.items_suppressed),
            ));
            rows.extend(promises(&report.promises, &names));
            rows.extend(leaks(&report.leaks));
            rows.extend(loss.are.map(|are| ("counts", of_pairs(are, "two items"))));
            rows.push(("loss", transaction_loss(loss)));
            rows.extend(loss.are.and_then(|are| two_measures(loss.utility, are)).map(|note| ("note", note)));
            rows.push(("smallest crowd", transaction_risk(risk)));
        }
        (Loss::Sequences(loss), Risk::Sequences(risk)) => {
            let suppressed = grouped(report.records_suppressed);
            rows.push(("people", format!("{into} in, {out} out, {suppressed} left out")));
            rows.push(("events", events(loss)));
            rows.push((
                "classes",
                count(report.classes, "class by", "classes by") + " " + report.about.algorithm,
            ));
            rows.extend(promises(&report.promises, &names));
            rows.extend(leaks(&report.leaks));
            rows.push(("detail", kept(&loss.lm_by_column)));
            rows.extend(loss.are.map(|are| ("counts", of_pairs(are, "two events in order"))));
            rows.push(("loss", sequence_loss(loss)));
            rows.extend(loss.are.and_then(|are| two_measures(loss.utility, are)).map(|note| ("note", note)));
            rows.push(("risk", print::risk(&risk.before, &risk.after)));
            rows.extend([("work", work_done(&outcome.trace.counts))]);
        }
        // A report's loss and risk are of one shape.
        _ => {
            rows.extend(promises(&report.promises, &names));
            rows.extend(leaks(&report.leaks));
        }
    }
    rows.extend(report.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("time", format!("{:.2} s", report.seconds.total)));
    facts(&rows)
}

/// What is left of each quasi-identifier, in its own units: how exactly numbers and dates are known, and for how many records a
/// text is published as it was.
fn detail(loss: &LossReport, records_in: usize) -> String {
    let column = |(name, &less_specific): (&String, &u64)| {
        let exact = 1.0 - less_specific as f64 / records_in.max(1) as f64;
        match loss.mean_width_by_column.get(name) {
            _ if less_specific == 0 => format!("`{name}` exact"),
            Some(width) => format!("`{name}` to ±{}", short(width / 2.0)),
            None if exact < 0.000_05 => format!("`{name}` in groups"),
            None => format!("`{name}` exact for {}", percent(exact)),
        }
    };
    loss.minimal_distortion_by_column.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// A number as a person says it: about two digits.
fn short(number: f64) -> String {
    match number.abs() {
        small if small < 10.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

/// Which construction won, what the rounds gained, and what outliers cost.
fn search<'a>(search: &Search) -> Vec<(&'a str, String)> {
    let loses = |start: &Construction| format!("{} {}", start.name, percent(start.loss));
    let mut starts: Vec<&Construction> = search.constructions.iter().collect();
    starts.sort_by_key(|start| Reverse(start.won));
    let starts: Vec<String> = starts.into_iter().map(loses).collect();
    let rounds = count(search.rounds.len(), "round", "rounds");
    let after = search.rounds.last().map_or(search.loss, |round| round.loss);
    let mut rows = vec![("search", format!("{}; {} after {rounds}", starts.join(", "), percent(after)))];
    if let Some(price) = &search.outliers {
        let would = if price.done { "loses" } else { "would lose" };
        let verb = if price.done { "would lose" } else { "loses" };
        let keeping = price.keeping.map(|loss| format!("keeping everybody {verb} {}; ", percent(loss)));
        let kept = keeping.unwrap_or_default();
        let left_out = count(price.suppressed, "record", "records");
        let (all, rest) = (percent(price.suppressing), percent(price.published));
        rows.push((
            "outliers",
            match price.suppressed {
                0 => format!("{kept}leaving anybody out would gain nothing"),
                _ => format!("{kept}leaving out {left_out} {would} {all}, {rest} among the others"),
            },
        ));
    }
    rows
}

/// What was aligned and what was hidden; an algorithm may do only one of the two.
fn work_done(counts: &Counts) -> String {
    let number = |count: u64| grouped(usize::try_from(count).unwrap_or(usize::MAX));
    let mut words = Vec::new();
    if counts.get("alignments-computed") > 0 {
        words.push(format!("{} alignments", number(counts.get("alignments-computed"))));
    }
    if counts.get("alignments-skipped") > 0 {
        words.push(format!("{} more dismissed by a bound", number(counts.get("alignments-skipped"))));
    }
    if counts.get("blocks") > 1 {
        words.push(format!("in {} blocks of people", number(counts.get("blocks"))));
    }
    if counts.get("invalid-found") > 0 {
        words.push(format!(
            "{} pieces of knowledge that broke the promise, hidden",
            number(counts.get("invalid-found"))
        ));
    }
    if words.is_empty() { "nothing had to be done".to_owned() } else { words.join(", ") }
}
