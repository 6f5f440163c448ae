use shoal_pipeline::sequences::SequencesPlan;
use shoal_pipeline::stream::{StreamColumnPlan, StreamPlan};
use shoal_pipeline::table::{Estimate, EstimatedLoss, TablePlan};
use shoal_pipeline::transactions::TransactionsPlan;
use shoal_pipeline::{ColumnPlan, Combination, Identifying, Plan};

use super::{Answer, Opened};
use crate::args::CheckArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{Bar, bars, count, facts, grouped, leaks, percent, table, verdict};
use crate::progress;

/// The dry run.
pub(crate) fn check(args: &CheckArgs, console: &Console) -> Result<Answer, Failure> {
    let opened = Opened::open(&args.policy, &args.overrides.set)?;
    let progress = progress::cancellable(console)?;
    let plan = shoal_pipeline::files::check(&opened.job, &progress).map_err(|e| opened.blame(e))?;
    drop(progress);
    console.answer(&plan, || prose(&plan))?;
    Ok(plan.feasible().into())
}

fn prose(plan: &Plan) -> String {
    match plan {
        Plan::Table(plan) => table_prose(plan),
        Plan::Transactions(plan) => transactions_prose(plan),
        Plan::Sequences(plan) => sequences_prose(plan),
        Plan::Stream(plan) => stream_prose(plan),
    }
}

fn stream_prose(plan: &StreamPlan) -> String {
    let row = |column: &StreamColumnPlan| {
        vec![column.name.clone(), column.role.name().to_owned(), column.published_as.to_owned()]
    };
    let columns: Vec<Vec<String>> = plan.columns.iter().map(row).collect();
    let mut rows = vec![("source", plan.source.clone()), ("promise", plan.promise.clone())];
    rows.push(("algorithm", plan.algorithm.clone()));
    rows.extend(plan.values.iter().map(|values| ("values", values.clone())));
    rows.extend(plan.state.iter().map(|state| ("state", state.clone())));
    rows.push(("output", plan.output.clone()));
    rows.extend(plan.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("feasible", verdict(plan.feasible, "as far as can be known before tuples come", "no")));
    format!("{}\n{}", table(&["column", "role", "published as"], &[], &columns), facts(&rows))
}

fn transactions_prose(plan: &TransactionsPlan) -> String {
    let mut items = count(plan.items, "item", "items");
    items.push_str(&format!(
        ", {} occurrences, at most {} in a transaction",
        grouped(plan.occurrences),
        grouped(plan.largest)
    ));
    let (unit, all) = match plan.people {
        Some(people) => ("people", people),
        None => ("transactions", plan.records),
    };
    let unique =
        format!("{} of {} {unit} have an item that nobody else has", grouped(plan.unique), grouped(all));
    let mut rows = vec![
        ("source", plan.source.clone()),
        ("transactions", grouped(plan.records)),
        ("items", items),
        ("unique", unique),
        ("promise", plan.promise.clone()),
        ("algorithm", plan.algorithm.to_owned()),
    ];
    if let Some(people) = plan.people {
        rows.insert(2, ("people", grouped(people)));
    }
    if let Some(constraints) = plan.utility_constraints {
        rows.push(("utility", count(constraints, "constraint", "constraints")));
    }
    rows.push(("output", plan.output.clone().unwrap_or_else(|| "none yet: give -o".to_owned())));
    rows.extend(leaks(&plan.leaks));
    rows.extend(plan.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("feasible", verdict(plan.feasible, "as far as can be known without trying", "no")));
    facts(&rows)
}

fn sequences_prose(plan: &SequencesPlan) -> String {
    let mut events = format!("{}, at most {} of one person", grouped(plan.events), grouped(plan.longest));
    if plan.incomplete > 0 {
        events.push_str(&format!("; {} left out because a value is missing", grouped(plan.incomplete)));
    }
    let mut rows = vec![
        ("source", plan.source.clone()),
        ("people", grouped(plan.records)),
        ("events", events),
        ("promise", plan.promise.clone()),
        ("algorithm", plan.algorithm.to_owned()),
        ("output", plan.output.clone().unwrap_or_else(|| "none yet: give -o".to_owned())),
    ];
    rows.extend(leaks(&plan.leaks));
    rows.extend(plan.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("feasible", verdict(plan.feasible, "as far as can be known without trying", "no")));
    let columns = columns(&plan.columns, plan.identifying.as_ref());
    format!("{columns}\n{}{}", identifying(plan.identifying.as_ref(), " in one event"), facts(&rows))
}

fn table_prose(plan: &TablePlan) -> String {
    let mut records = count(plan.records, "record", "records");
    if plan.incomplete > 0 {
        records.push_str(&format!(", {} left out because a value is missing", grouped(plan.incomplete)));
    }
    let mut rows = vec![
        ("source", plan.source.clone()),
        ("records", records),
        ("promise", format!("k = {}: at most {}", plan.k, count(plan.most_classes, "class", "classes"))),
    ];
    rows.extend(plan.conditions.iter().map(|condition| ("and", format!("in every class {condition}"))));
    rows.push(("algorithm", plan.algorithm.to_owned()));
    rows.push(("output", plan.output.clone().unwrap_or_else(|| "none yet: give -o".to_owned())));
    rows.extend(leaks(&plan.leaks));
    rows.extend(plan.notes.iter().map(|note| ("note", note.clone())));
    rows.push(("feasible", verdict(plan.feasible, "yes", "no")));
    format!(
        "{}\n{}{}{}",
        columns(&plan.columns, plan.identifying.as_ref()),
        identifying(plan.identifying.as_ref(), ""),
        plan.estimate.as_ref().map_or_else(String::new, estimate),
        facts(&rows)
    )
}

fn columns(plans: &[ColumnPlan], identifying: Option<&Identifying>) -> String {
    let units = identifying.map_or(0, |identifying| identifying.units);
    let rows: Vec<Vec<String>> = plans.iter().map(|plan| column_row(plan, units)).collect();
    table(&["column", "role", "kind", "distinct", "missing", "unique", "published as"], &[3, 4, 5], &rows)
}

/// The combinations of columns that make most people unique, with a bar each.
fn identifying(found: Option<&Identifying>, place: &str) -> String {
    let Some(found) = found else { return String::new() };
    let all = (found.all.columns.len() > 3).then_some(&found.all);
    // A single quasi-identifier is in the table above, and makes no pair.
    let shown: Vec<&Combination> = found.pairs.iter().chain(&found.triples).chain(all).collect();
    if shown.is_empty() {
        return String::new();
    }
    let bar = |combination: &&Combination| {
        let label = match combination.columns.len() {
            2 | 3 => combination.columns.join(" + "),
            many => format!("all {many} quasi-identifiers"),
        };
        Bar { label, figure: share(combination.share), length: Some(combination.share) }
    };
    let units = format!("{} {}", grouped(found.units), found.unit);
    let chosen = match found.sample < found.records {
        true => format!("; the pairs and triples were chosen on a sample of {} rows", grouped(found.sample)),
        false => String::new(),
    };
    let head = format!(
        "most identifying: the share of the {units} whose combination{place} nobody else has{chosen}"
    );
    format!("{head}\n{}\n", bars(&shown.iter().map(bar).collect::<Vec<_>>()))
}

/// What crowds of several sizes would cost, with a bar each.
fn estimate(estimate: &Estimate) -> String {
    let on = match estimate.sample < estimate.records {
        true => format!("extrapolated from a sample of {}", grouped(estimate.sample)),
        false => format!("on all {}", count(estimate.records, "record", "records")),
    };
    let mut head = format!("loss (NCP): an estimate by {}, {on}", estimate.by);
    if !estimate.comparison.is_empty() {
        head.push_str(&format!("; {}", estimate.comparison));
    }
    let widest = estimate.losses.iter().map(|loss| loss.k.to_string().len()).max().unwrap_or_default();
    let bar = |loss: &EstimatedLoss| {
        let figure = match loss.ncp {
            Some(ncp) => percent(ncp),
            None if loss.feasible => "not known".to_owned(),
            None => "not possible".to_owned(),
        };
        let asked = if loss.asked { " (asked)" } else { "" };
        Bar { label: format!("k = {:>widest$}{asked}", loss.k), figure, length: loss.ncp }
    };
    format!("{head}\n{}\n", bars(&estimate.losses.iter().map(bar).collect::<Vec<_>>()))
}

/// A share in as many digits as a person needs; 0 and 100 % are exactly that.
fn share(share: f64) -> String {
    match share * 100.0 {
        percent if percent > 0.0 && percent < 0.1 => "under 0.1 %".to_owned(),
        percent if percent > 99.9 && percent < 100.0 => "over 99.9 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

fn column_row(column: &ColumnPlan, units: usize) -> Vec<String> {
    let figure = |figure: Option<usize>| figure.map_or_else(|| "–".to_owned(), grouped);
    let unique =
        column.unique.map_or_else(|| "–".to_owned(), |alone| share(alone as f64 / units.max(1) as f64));
    vec![
        column.name.clone(),
        column.role.name().to_owned(),
        column.kind.name().to_owned(),
        figure(column.distinct),
        figure(column.missing),
        unique,
        published_as(column),
    ]
}

fn published_as(column: &ColumnPlan) -> String {
    match &column.hierarchy {
        Some(hierarchy) if hierarchy.leaves_used < hierarchy.leaves => {
            format!("{}; {} of the leaves occur", column.published_as, grouped(hierarchy.leaves_used))
        }
        _ => column.published_as.clone(),
    }
}
