//! The dry run: what would happen, without doing it.

use std::borrow::Cow;

use serde::Serialize;
use shoal_algorithms::table::obstacle;
use shoal_core::{Progress, Role, Table, TablePromise};

use super::algorithm::algorithm;
use super::estimate::{Estimate, estimate};
use super::load::{Loaded, load_from};
use super::person::forbidden_by_preset;
use super::population::check_population;
use crate::columns::{
    ColumnPlan, Identifying, Units, column_plan, identifying, ranges_note, reordered_codes,
    with_alike_merged, with_hierarchies,
};
use crate::leaks::{add_missing, before_table, of_policy};
use crate::{Leak, PipelineError, ReleaseKey, Request, Source};

/// What a run of the policy would do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TablePlan {
    /// The source.
    pub source: String,
    /// How many records it holds.
    pub records: usize,
    /// The records that would be left out because a value is missing.
    pub incomplete: usize,
    /// The columns, in the order of the source.
    pub columns: Vec<ColumnPlan>,
    /// The k asked for.
    pub k: usize,
    /// What else is asked of every class, in sentences.
    pub conditions: Vec<String>,
    /// The algorithm.
    pub algorithm: &'static str,
    /// Where the release would go.
    pub output: Option<String>,
    /// The most classes that are possible.
    pub most_classes: usize,
    /// Whether the promise can be kept at all.
    pub feasible: bool,
    /// How far people can be told from each other by their quasi-identifiers; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifying: Option<Identifying>,
    /// What crowds of several sizes would cost; none without a quasi-identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// What the promise will not cover, as far as it can be known now.
    pub leaks: Vec<Leak>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// Reads policy, hierarchies and data, and says what a run would do. Writes nothing.
pub(crate) fn check(
    request: &Request,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<TablePlan, PipelineError> {
    let Loaded { read, bound, source_rows } = load_from(request, &ReleaseKey::UNPUBLISHED, source, progress)?;
    check_population(request, &bound.table)?;
    let policy = request.policy();
    // Nothing is drawn here, and nothing is written: any key will do.
    let algorithm = algorithm(request, &ReleaseKey::UNPUBLISHED)?;
    let mut notes = Vec::new();
    if algorithm.needs_hierarchies() {
        notes = with_hierarchies(&bound.table)?.1;
    }
    notes.extend(ranges_note(policy));
    let k = policy.privacy.k.unwrap_or_default();
    let usable = bound.table.rows - bound.incomplete.len();
    let promise = policy.table_promise();
    // The promise about all complete records as one class: what that breaks no classes can keep.
    let seen = with_alike_merged(Cow::Borrowed(&bound.table));
    let (usable_table, usable_rows) = match bound.complete_rows() {
        None => (seen, source_rows),
        Some(rows) => (Cow::Owned(seen.select(&rows)), reordered_codes(&source_rows, &rows)),
    };
    let obstacle = obstacle(&usable_table, &promise).map(|error| error.with_records(&usable_rows));
    notes.extend(obstacle.as_ref().map(ToString::to_string));
    let forbidden = forbidden_by_preset(request, &read.table);
    let feasible = obstacle.is_none() && forbidden.is_empty();
    notes.extend(forbidden);

    let person = promise.person.as_ref();
    let person = person.and_then(|name| usable_table.columns.iter().find(|column| column.name == *name));
    let units = person.map_or(Units::Records, |column| Units::People(&column.codes));
    progress.stage("looking for what identifies", 0);
    let column = |name: &String| {
        progress.check();
        column_plan(request, &bound.table, &usable_table, units, name)
    };
    let columns = read.header.iter().map(column).collect();
    let identifying = identifying(&usable_table, units, progress);
    progress.stage("estimating the loss", 0);
    let estimate = estimate(policy, &usable_table, units, progress);
    Ok(TablePlan {
        records: bound.table.rows,
        incomplete: bound.incomplete.len(),
        columns,
        k,
        conditions: conditions(&promise, &bound.table),
        algorithm: algorithm.name(),
        output: policy.output.path.clone(),
        most_classes: usable / k.max(1),
        feasible,
        identifying,
        estimate,
        leaks: {
            let mut leaks = before_table(request, &read.table);
            add_missing(&mut leaks, bound.leaks);
            add_missing(&mut leaks, of_policy(policy));
            leaks
        },
        notes,
        source: source.name(),
    })
}

/// What is asked of every class beside its size.
fn conditions(promise: &TablePromise, table: &Table) -> Vec<String> {
    let personal = table.of_role(Role::PersonalK).map(|c| format!("the largest `{}` of its members", c.name));
    let people = promise.person.iter().map(|name| format!("counted in people, who are named by `{name}`"));
    promise.conditions.iter().map(ToString::to_string).chain(personal).chain(people).collect()
}
