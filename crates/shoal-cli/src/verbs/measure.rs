use shoal_measure::stream::{Guesses, Monitoring};
use shoal_measure::{LossReport, RiskReport};
use shoal_pipeline::Measured;
use shoal_pipeline::sequences::SequencesMeasured;
use shoal_pipeline::stream::{StreamMeasured, StreamQuestion};
use shoal_pipeline::table::TableMeasured;
use shoal_pipeline::transactions::TransactionsMeasured;

use super::{Answer, Opened};
use crate::args::MeasureArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print;
use crate::print::{
    count, events, facts, grouped, of_pairs, percent, sequence_loss, table, table_counts, transaction_loss,
    transaction_risk, two_measures,
};

/// Loss and risk of a published file against its original.
pub(crate) fn measure(args: &MeasureArgs, console: &Console) -> Result<Answer, Failure> {
    let opened = Opened::open(&args.policy, &args.overrides.set)?;
    let progress = opened.progress(console)?;
    let (original, published) = match args.files.as_slice() {
        [original, published] => (Some(original.as_path()), published),
        files => (None, &files[0]),
    };
    let question = question(args);
    let measured = shoal_pipeline::files::measure(
        &opened.job,
        original,
        published,
        question.as_ref(),
        progress.as_ref(),
    );
    let measured = measured.map_err(|e| opened.blame(e))?;
    drop(progress);
    console.answer(&measured, || prose(&measured))?;
    Ok(Answer::Holds)
}

/// What is asked of a published stream, where anything is.
fn question(args: &MeasureArgs) -> Option<StreamQuestion> {
    let question = StreamQuestion {
        values: args.values.clone(),
        conditions: args.conditions.clone(),
        windows: args.windows,
        every: args.every.clone(),
    };
    let asked = !question.values.is_empty() || !question.conditions.is_empty();
    (asked || question.windows.is_some() || question.every.is_some()).then_some(question)
}

fn prose(measured: &Measured) -> String {
    match measured {
        Measured::Table(measured) => table_prose(measured),
        Measured::Transactions(measured) => transactions_prose(measured),
        Measured::Sequences(measured) => sequences_prose(measured),
        Measured::Stream(measured) => stream_prose(measured),
    }
}

fn stream_prose(measured: &StreamMeasured) -> String {
    let loss = &measured.loss;
    let out = format!("{} out", grouped(loss.tuples as usize));
    let tuples = match measured.tuples_in {
        Some(into) => {
            format!("{} in, {out}, {} suppressed", grouped(into), grouped(loss.suppressed as usize))
        }
        None => out,
    };
    let mut rows = vec![
        ("tuples", tuples),
        (
            "loss",
            format!("IL {}, of the quasi-identifiers alone {}", percent(loss.il), percent(loss.il_quasi)),
        ),
    ];
    if let Some(sau) = loss.sau {
        let bound = measured.sau_bound.map_or_else(String::new, |b| format!("; no method gets below {b:.3}"));
        rows.push(("counterfeits", format!("SAU {sau:.3}{bound}")));
    }
    rows.extend(measured.adversary.iter().map(|guesses| ("adversary", adversary(guesses))));
    rows.extend(measured.notes.iter().map(|note| ("note", (*note).to_owned())));
    let windows = measured.counts.len();
    let mut text = facts(&rows);
    text.push('\n');
    if windows <= 1 || measured.monitoring.is_empty() {
        text.push_str(&counts(measured));
    }
    if windows > 1 && !measured.monitoring.is_empty() {
        let row = |(value, found): (&String, &Monitoring)| {
            let figures = [found.mean_count, found.mean_absolute_error, found.mean_standard_error];
            std::iter::once(value.clone()).chain(figures.map(|figure| format!("{figure:.2}"))).collect()
        };
        let rows: Vec<Vec<String>> = measured.monitoring.iter().map(row).collect();
        let head = ["value", "mean count", "mean error", "mean standard error"];
        text.push_str(&format!("over {} windows:\n{}", grouped(windows), table(&head, &[1, 2, 3], &rows)));
    }
    text
}

/// What somebody guesses who learns from the published lines how values depend on the other columns.
fn adversary(guesses: &Guesses) -> String {
    let sure = count(guesses.nearly_certain, "line", "lines");
    match &guesses.right {
        Some(right) => format!(
            "who learns from these lines alone is right in {} of all guesses (1/l = {}, ± {} by chance), in {} of the surest \
             tenth; more than 99 % sure of {sure}, and right in {} of them",
            percent(right.all),
            percent(guesses.promised),
            percent(2.0 * right.standard_error),
            percent(right.surest_tenth),
            grouped(right.nearly_certain)
        ),
        None => format!(
            "who learns from these lines alone thinks to be right in {} of all guesses (1/l = {}), in {} of the surest tenth; \
             more than 99 % sure of {sure}",
            percent(guesses.confidence),
            percent(guesses.promised),
            percent(guesses.confidence_surest_tenth)
        ),
    }
}

/// One line per window and value.
fn counts(measured: &StreamMeasured) -> String {
    let one = measured.counts.len() <= 1;
    let mut rows = Vec::new();
    for answer in &measured.counts {
        for count in &answer.counts {
            let mut row = if one { Vec::new() } else { vec![answer.window.to_string()] };
            row.push(count.value.clone());
            row.extend([count.count, count.standard_error].map(|figure| format!("{figure:.1}")));
            // Over one window, the mean of the true counts is the count.
            row.extend(measured.monitoring.get(&count.value).map(|found| format!("{:.0}", found.mean_count)));
            rows.push(row);
        }
    }
    let mut head = if one { vec![] } else { vec!["window"] };
    head.extend(["value", "count", "standard error"]);
    if !measured.monitoring.is_empty() {
        head.push("true count");
    }
    let right: Vec<usize> =
        (head.iter().position(|name| *name == "count").unwrap_or(1)..head.len()).collect();
    table(&head, &right, &rows)
}

fn transactions_prose(measured: &TransactionsMeasured) -> String {
    let loss = &measured.loss;
    let out = format!("{} in, {} out", grouped(measured.records_in), grouped(measured.records_out));
    let suppressed = format!(
        "{}, {} occurrences",
        count(loss.items_suppressed as usize, "item", "items"),
        grouped(loss.occurrences_suppressed as usize)
    );
    let sizes = loss.generalized_items.iter();
    let sizes: Vec<Vec<String>> =
        sizes.map(|(size, items)| vec![grouped(*size), grouped(*items as usize)]).collect();
    let mut rows = vec![("transactions", out)];
    rows.extend(loss.are.map(|are| ("counts", of_pairs(are, "two items"))));
    rows.extend([
        ("loss", transaction_loss(loss)),
        ("utility", percent(loss.utility)),
        ("suppressed", suppressed),
        ("smallest crowd", transaction_risk(&measured.risk)),
    ]);
    rows.extend(loss.are.and_then(|are| two_measures(loss.utility, are)).map(|note| ("note", note)));
    if let Some(constraints) = &loss.utility_constraints {
        let kept = constraints.iter().filter(|constraint| constraint.kept).count();
        rows.push(("counts kept", format!("in {kept} of {} utility constraints", constraints.len())));
    }
    let table = table(&["original items in one", "published items"], &[0, 1], &sizes);
    format!("{}\n{table}", facts(&rows))
}

fn sequences_prose(measured: &SequencesMeasured) -> String {
    let (loss, risk) = (&measured.measures.loss, &measured.measures.risk);
    let mut rows = vec![
        ("people", format!("{} in, {} out", grouped(measured.records_in), grouped(measured.records_out))),
        ("events", events(loss)),
    ];
    rows.extend(loss.are.map(|are| ("counts", of_pairs(are, "two events in order"))));
    rows.extend([("loss", sequence_loss(loss)), ("risk", print::risk(&risk.before, &risk.after))]);
    rows.extend(loss.are.and_then(|are| two_measures(loss.utility, are)).map(|note| ("note", note)));
    let columns = loss.lm_by_column.iter().map(|(name, lm)| vec![name.clone(), percent(*lm)]);
    let columns: Vec<Vec<String>> = columns.collect();
    format!("{}\n{}", facts(&rows), table(&["column", "LM"], &[1], &columns))
}

fn table_prose(measured: &TableMeasured) -> String {
    let out = format!("{} in, {} out", grouped(measured.records_in), grouped(measured.records_out));
    let classes = count(measured.classes, "class", "classes");
    let (loss, risk) = (&measured.measures.loss, &measured.measures.risk);
    let mut rows = vec![("records", format!("{out}, {classes}"))];
    rows.extend(table_counts(loss).map(|counts| ("counts", counts)));
    let records = facts(&rows);
    [records, losses_by_column(loss), losses(loss), risks(risk)].join("\n")
}

fn losses_by_column(loss: &LossReport) -> String {
    let row = |(name, ncp): (&String, &f64)| {
        let changed = loss.minimal_distortion_by_column.get(name).copied().unwrap_or_default();
        vec![name.clone(), percent(*ncp), grouped(changed as usize)]
    };
    let mut rows: Vec<Vec<String>> = loss.ncp_by_column.iter().map(row).collect();
    rows.push(vec!["all".to_owned(), percent(loss.ncp), grouped(loss.minimal_distortion as usize)]);
    table(&["column", "NCP", "cells changed"], &[1, 2], &rows)
}

fn losses(loss: &LossReport) -> String {
    let or_none = |figure: Option<f64>| figure.map_or_else(|| "–".to_owned(), |f| format!("{f:.2}"));
    facts(&[
        ("utility", percent(loss.utility)),
        ("ILoss", percent(loss.iloss)),
        ("discernibility", grouped(loss.discernibility as usize)),
        ("classification metric", loss.classification_metric.map_or_else(|| "–".to_owned(), percent)),
        ("average class size", or_none(loss.average_class_size)),
        ("  divided by k", or_none(loss.normalized_average_class_size)),
    ])
}

fn risks(risk: &RiskReport) -> String {
    let row = |name: &str, before: String, after: String| vec![name.to_owned(), before, after];
    let shares = |name: &str, before: f64, after: f64| row(name, percent(before), percent(after));
    let (before, after) = (&risk.before, &risk.after);
    let above = format!("records above {}", percent(after.prosecutor.threshold));
    let unique = |unique: u64| grouped(unique as usize);
    let rows = [
        shares("prosecutor, highest", before.prosecutor.highest, after.prosecutor.highest),
        shares("prosecutor, mean", before.prosecutor.mean, after.prosecutor.mean),
        shares(&above, before.prosecutor.share_above_threshold, after.prosecutor.share_above_threshold),
        row(
            "unique records",
            unique(before.prosecutor.unique_records),
            unique(after.prosecutor.unique_records),
        ),
        shares("journalist, highest", before.journalist.highest, after.journalist.highest),
        shares("marketer", before.marketer, after.marketer),
    ];
    table(&["risk", "before", "after"], &[1, 2], &rows)
}
