use std::path::{Path, PathBuf};

use serde::Serialize;
use shoal_io::{Finding, groups_beside};
use shoal_pipeline::files::VerifyOptions;
use shoal_pipeline::sequences::SequencesVerified;
use shoal_pipeline::stream::StreamVerified;
use shoal_pipeline::table::TableVerified;
use shoal_pipeline::transactions::TransactionsVerified;
use shoal_pipeline::{AgainstOriginal, Verified};
use shoal_privacy::stream::LineViolation;
use shoal_privacy::{
    BrokenPromise, OutOfOrder, PublishedCell, SequencesViolation, TableViolation, TransactionsViolation,
    Violations,
};

use super::{Answer, Opened};
use crate::args::VerifyArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, facts, grouped, leaks, names, promises, table, verdict};

/// Does this file keep the policy's promise?
pub(crate) fn verify(args: &VerifyArgs, console: &Console) -> Result<Answer, Failure> {
    let policy = super::policy_of(args.policy.as_deref(), &args.published)?;
    let found = Some(&policy).filter(|_| args.policy.is_none());
    let opened = Opened::open(&policy, &args.overrides.set)?;
    let progress = opened.progress(console)?;
    let options = VerifyOptions { original: args.original.clone() };
    let verified =
        shoal_pipeline::files::verify_with(&opened.job, &args.published, &options, progress.as_ref());
    let verified = verified.map_err(|e| opened.blame(e))?;
    let unjudged = shoal_pipeline::files::unjudged(&opened.job, &args.published, progress.as_ref());
    let unjudged = unjudged.map_err(|e| opened.blame(e))?;
    drop(progress);
    let other = shoal_pipeline::files::other_settings(&opened.job, &args.published);
    let other_settings = other.as_ref().map(|(_, keys)| keys.as_slice()).unwrap_or_default();
    let answer = WithUnjudged { verified: &verified, unjudged: &unjudged, other_settings };
    let notes = || found.map(|audit| judged_by(audit)).unwrap_or_default() + &other_prose(other.as_ref());
    console.answer(&answer, || prose(&verified) + &unjudged_prose(&unjudged, args.strict) + &notes())?;
    Ok((verified.holds() && (!args.strict || unjudged.is_empty())).into())
}

/// The verdict, and the bytes that it says nothing about.
#[derive(Serialize)]
struct WithUnjudged<'a> {
    #[serde(flatten)]
    verified: &'a Verified,
    unjudged: &'a [Finding],
    /// Where the file was released with another policy: the keys that differ.
    #[serde(rename = "other-settings", skip_serializing_if = "<[_]>::is_empty")]
    other_settings: &'a [String],
}

/// Whose promise was judged, where nobody has named a policy.
fn judged_by(audit: &Path) -> String {
    format!("\nThe promise is that of {}.\n", audit.display())
}

/// What was changed on the command line of the run is not in the policy.
fn other_prose(other: Option<&(PathBuf, Vec<String>)>) -> String {
    other.map_or_else(String::new, |(audit, keys)| {
        format!(
            "\nnote: this file was released with another {}; its own promise:  --policy {}\n",
            keys.join(", "),
            audit.display()
        )
    })
}

/// The bytes of a file that are not its data.
fn unjudged_prose(unjudged: &[Finding], strict: bool) -> String {
    if unjudged.is_empty() {
        return String::new();
    }
    let row = |finding: &Finding| {
        let offset = finding.offset.map_or_else(|| "–".to_owned(), |at| grouped(at as usize));
        vec![offset, grouped(finding.bytes as usize), finding.place.clone(), finding.what.clone()]
    };
    let rows: Vec<Vec<String>> = unjudged.iter().map(row).collect();
    let found = table(&["at byte", "bytes", "place", "what"], &[0, 1], &rows);
    let verdict = match strict {
        true => verdict(false, "", "refused because of --strict"),
        false => "they may say anything; --strict refuses them".to_owned(),
    };
    format!("\nbytes that are not data, which no promise covers ({verdict}):\n{found}")
}

fn prose(verified: &Verified) -> String {
    match verified {
        Verified::Table(verified) => table_prose(verified),
        Verified::Transactions(verified) => transactions_prose(verified),
        Verified::Sequences(verified) => sequences_prose(verified),
        Verified::Stream(verified) => stream_prose(verified),
    }
}

fn stream_prose(verified: &StreamVerified) -> String {
    let found = &verified.verdict;
    let names = names(&found.promises);
    let mut rows = vec![("file", verified.file.clone()), ("lines", grouped(found.lines as usize))];
    let suppressed = match found.suppressed {
        0 => String::new(),
        suppressed => format!(", {} suppressed", grouped(suppressed as usize)),
    };
    rows.push(("tuples", grouped(found.tuples as usize) + &suppressed));
    rows.extend(promises(&found.promises, &names));
    if found.is_vacuous() {
        rows.push(("note", "no tuple is shown, so every promise holds trivially".to_owned()));
    }
    rows.extend(verified.notes.iter().map(|note| ("note", (*note).to_owned())));
    let mut text = facts(&rows);
    for broken in &found.broken {
        let row = |line: &LineViolation| vec![grouped(line.line as usize), line.what.clone()];
        let shown: Vec<Vec<String>> = broken.violations.worst.iter().map(row).collect();
        let head = count(broken.violations.total, "line breaks", "lines break") + " the promise:";
        let lines = table(&["line", "what"], &[0], &shown);
        text.push_str(&worst(&head, &lines, &broken.violations, ["more line", "more lines"]));
    }
    text
}

fn transactions_prose(verified: &TransactionsVerified) -> String {
    let found = &verified.verdict;
    let names = names(&found.promises);
    let mut rows = vec![
        ("file", verified.file.clone()),
        ("transactions", grouped(found.records)),
        ("items", grouped(found.items)),
    ];
    if verified.groups_sha256.is_some() {
        rows.insert(1, ("groups", groups_beside(Path::new(&verified.file)).display().to_string()));
    }
    rows.extend(promises(&found.promises, &names));
    rows.extend(found.withheld_columns.iter().map(withheld));
    rows.extend(leaks(&verified.leaks));
    rows.extend(verified.original.as_ref().map(|original| against(original, "transactions")));
    if found.is_vacuous() {
        rows.push(("note", "there are no items, so every promise holds trivially".to_owned()));
    }
    rows.extend(found.out_of_order.iter().map(out_of_order));
    rows.extend(found.items_in_two_images.worst.iter().map(|two| ("two images", two.to_string())));
    let mut text = facts(&rows);
    for broken in &found.broken {
        let row = |set: &TransactionsViolation| vec![grouped(set.support as usize), set.items.join(", ")];
        let shown: Vec<Vec<String>> = broken.violations.worst.iter().map(row).collect();
        let head =
            count(broken.violations.total, "set of items breaks", "sets of items break") + " the promise:";
        let sets = table(&["support", "items"], &[0], &shown);
        text.push_str(&worst(&head, &sets, &broken.violations, ["more set", "more sets"]));
    }
    text
}

fn sequences_prose(verified: &SequencesVerified) -> String {
    let found = &verified.verdict;
    let names = names(&found.promises);
    let mut rows = vec![
        ("file", verified.file.clone()),
        ("people", grouped(found.records)),
        ("events", grouped(found.events)),
        ("classes", grouped(found.classes)),
    ];
    rows.extend(promises(&found.promises, &names));
    rows.extend(leaks(&verified.leaks));
    rows.extend(verified.original.as_ref().map(|original| against(original, "people")));
    rows.extend(found.withheld_columns.iter().map(withheld));
    rows.extend(found.out_of_order.iter().map(out_of_order));
    if found.is_vacuous() {
        rows.push(("note", "there are no people, so every promise holds trivially".to_owned()));
    }
    let mut text = facts(&rows);
    found.broken.iter().for_each(|broken| text.push_str(&crowds(broken)));
    text
}

/// The worst crowds: classes by their first events, what somebody may know in full.
fn crowds(broken: &BrokenPromise<SequencesViolation>) -> String {
    let shown = &broken.violations.worst;
    let Some(first) = shown.first() else {
        return format!("\n{} is not decided\n", broken.finding.promise.name());
    };
    let mut header = vec!["people", "found", "rows"];
    let row = |violation: &SequencesViolation| {
        let size = violation.size;
        vec![grouped(size as usize), violation.found.to_string(), rows_named(&violation.rows, size)]
    };
    let mut rows: Vec<Vec<String>> = shown.iter().map(row).collect();
    let total = broken.violations.total;
    let (head, more) = if first.is_known {
        header.push("known");
        rows.iter_mut().zip(shown).for_each(|(row, violation)| row.push(known(violation)));
        let head = count(total, "known sequence breaks", "known sequences break");
        (
            format!("{head} {}:", broken.finding.promise.name()),
            ["more known sequence", "more known sequences"],
        )
    } else {
        header.push("events");
        header.extend(first.events.iter().take(1).flatten().map(|cell| cell.column.as_str()));
        for (row, violation) in rows.iter_mut().zip(shown) {
            row.push(grouped(violation.events.len()));
            row.extend(violation.events.iter().take(1).flatten().map(|cell| cell.text.clone()));
        }
        let head = count(total, "class of people breaks", "classes of people break");
        (
            format!("{head} {}; their first events:", broken.finding.promise.name()),
            ["more class", "more classes"],
        )
    };
    let right: &[usize] = if first.is_known { &[0, 1] } else { &[0, 1, 3] };
    worst(&head, &table(&header, right, &rows), &broken.violations, more)
}

/// What somebody may know, event by event.
fn known(violation: &SequencesViolation) -> String {
    let cell = |cell: &PublishedCell| format!("{} = {}", cell.column, cell.text);
    let event = |cells: &Vec<PublishedCell>| cells.iter().map(cell).collect::<Vec<_>>().join(", ");
    violation.events.iter().map(event).collect::<Vec<_>>().join("; then ")
}

fn table_prose(verified: &TableVerified) -> String {
    let found = &verified.verdict;
    let names = names(&found.promises);
    let mut rows = vec![
        ("file", verified.file.clone()),
        ("records", grouped(found.records)),
        ("classes", grouped(found.classes)),
    ];
    rows.extend(promises(&found.promises, &names));
    rows.extend(leaks(&verified.leaks));
    rows.extend(verified.original.as_ref().map(|original| against(original, "records")));
    rows.extend(found.withheld_columns.iter().map(withheld));
    rows.extend(found.out_of_order.iter().map(out_of_order));
    if found.is_vacuous() {
        rows.push(("note", "there are no records, so every promise holds trivially".to_owned()));
    }
    let mut text = facts(&rows);
    found.broken.iter().for_each(|broken| text.push_str(&classes(broken)));
    text
}

/// What the original says: true or not, and who is missing.
fn against<'a>(original: &AgainstOriginal, what: &str) -> (&'a str, String) {
    let AgainstOriginal { file, records, left_out, holds, why } = original;
    let found = verdict(*holds, "true, nobody doubled", "not true");
    let why = why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
    let all = grouped(*records);
    ("original", format!("{file}, {all} {what}, {} left out: {found}{why}", grouped(*left_out)))
}

fn withheld<'a>(name: &String) -> (&'a str, String) {
    ("column", format!("`{name}` {}", verdict(false, "", "must not be published")))
}

/// An order that does not follow from what is published may follow from something else.
fn out_of_order<'a>(found: &OutOfOrder) -> (&'a str, String) {
    let text = format!(
        "record {} should come before the one above it: this file is not sorted by what it says, so its order may carry \
         something that the promise does not cover, such as the order of the original",
        grouped(found.record as usize)
    );
    ("order", text)
}

fn rows_named(rows: &[u64], all: u32) -> String {
    let named: Vec<String> = rows.iter().map(u64::to_string).collect();
    named.join(", ") + if named.len() < all as usize { ", …" } else { "" }
}

/// The worst classes with their cells, sizes and rows, and what is wrong with them beyond their size.
fn classes(broken: &BrokenPromise) -> String {
    let shown = &broken.violations.worst;
    let columns = shown.first().map(|violation| &violation.cells[..]).unwrap_or_default();
    let mut header = vec!["records", "rows"];
    header.extend(columns.iter().map(|cell| cell.column.as_str()));
    let mut rows: Vec<Vec<String>> = shown.iter().map(violation_row).collect();
    if shown.iter().any(|violation| violation.why.is_some()) {
        header.push("because");
        rows.iter_mut().zip(shown).for_each(|(row, class)| row.push(class.why.clone().unwrap_or_default()));
    }
    let promise = match &broken.finding.column {
        Some(column) => format!("{} of `{column}`", broken.finding.promise.name()),
        None => "the promise".to_owned(),
    };
    let head = format!("{} {promise}:", count(broken.violations.total, "class breaks", "classes break"));
    worst(&head, &table(&header, &[0], &rows), &broken.violations, ["more class", "more classes"])
}

fn violation_row(violation: &TableViolation) -> Vec<String> {
    let mut row = vec![grouped(violation.size as usize), rows_named(&violation.rows, violation.size)];
    row.extend(violation.cells.iter().map(|cell| cell.text.clone()));
    row
}

/// What breaks a promise: the worst of it as a table, and how much more there is.
fn worst<V>(head: &str, shown: &str, violations: &Violations<V>, [one, many]: [&str; 2]) -> String {
    let more = match violations.total.saturating_sub(violations.worst.len()) {
        0 => String::new(),
        more => format!(" … and {}\n", count(more, one, many)),
    };
    format!("\n{head}\n{shown}{more}")
}
