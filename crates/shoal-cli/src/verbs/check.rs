use shoal_pipeline::ColumnPlan;
use shoal_pipeline::Plan;
use shoal_pipeline::sequences::SequencesPlan;
use shoal_pipeline::stream::{StreamColumnPlan, StreamPlan};
use shoal_pipeline::table::TablePlan;
use shoal_pipeline::transactions::TransactionsPlan;

use super::{Answer, Opened};
use crate::args::CheckArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, facts, grouped, leaks, table, verdict};
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
    let mut rows = vec![
        ("source", plan.source.clone()),
        ("transactions", grouped(plan.records)),
        ("items", items),
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
    format!("{}\n{}", columns(&plan.columns), facts(&rows))
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
    format!("{}\n{}", columns(&plan.columns), facts(&rows))
}

fn columns(plans: &[ColumnPlan]) -> String {
    let rows: Vec<Vec<String>> = plans.iter().map(column_row).collect();
    table(&["column", "role", "kind", "distinct", "missing", "published as"], &[3, 4], &rows)
}

fn column_row(column: &ColumnPlan) -> Vec<String> {
    let figure = |figure: Option<usize>| figure.map_or_else(|| "–".to_owned(), grouped);
    vec![
        column.name.clone(),
        column.role.name().to_owned(),
        column.kind.name().to_owned(),
        figure(column.distinct),
        figure(column.missing),
        column.published_as.clone(),
    ]
}
