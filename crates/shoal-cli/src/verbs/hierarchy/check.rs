use serde::Serialize;
use shoal_core::Hierarchy;

use super::column::{From, Values};
use crate::args::HierarchyCheckArgs;
use crate::console::Console;
use crate::failure::Failure;
use crate::print::{count, facts, grouped, table, verdict};
use crate::progress;
use crate::verbs::Answer;

/// How many missed values a person is shown.
const SHOWN: usize = 20;

/// What `hierarchy check` found.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Checked {
    file: String,
    values: u32,
    levels: usize,
    nodes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Coverage {
    column: String,
    records: usize,
    /// Distinct values, the missing one not counted.
    distinct: usize,
    holds: bool,
    /// In the order in which they occur in the data.
    missed: Vec<Missed>,
    /// Values of the hierarchy that the column does not have.
    unused: usize,
}

/// A value of the column that the hierarchy does not have.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Missed {
    value: String,
    first: String,
    records: usize,
}

/// Is the file a tree, and does it hold every value of a column?
pub(crate) fn check(args: &HierarchyCheckArgs, console: &Console) -> Result<Answer, Failure> {
    let tree = super::read(&args.file)?;
    let from = match (&args.data, &args.policy) {
        (Some(data), _) => Some(From::Data(data)),
        (None, Some(policy)) => Some(From::Policy(policy)),
        (None, None) => None,
    };
    let mut coverage = None;
    if let (Some(from), Some(column)) = (from, &args.column) {
        let progress = progress::sink(console);
        coverage = Some(Coverage::of(&tree, &Values::read(&from, column, progress.as_ref())?));
    }
    let checked = Checked {
        file: args.file.display().to_string(),
        values: tree.leaf_count(),
        levels: tree.level_count(),
        nodes: tree.node_count(),
        coverage,
    };
    console.answer(&checked, || prose(&checked))?;
    Ok(checked.coverage.is_none_or(|coverage| coverage.holds).into())
}

impl Coverage {
    fn of(tree: &Hierarchy, values: &Values) -> Coverage {
        let column = &values.column;
        let mut records = vec![0; column.labels.len()];
        column.codes.iter().for_each(|&code| records[code as usize] += 1);
        // A missing value joins any hierarchy directly below `*`.
        let present = (0..column.labels.len() as u32).filter(|&code| !values.means_nothing(code));
        let (held, missed): (Vec<u32>, Vec<u32>) =
            present.partition(|&code| tree.leaf(column.labels.get(code)).is_some());
        let missed_value = |&code: &u32| Missed {
            value: column.labels.get(code).to_owned(),
            first: values.first_place(code),
            records: records[code as usize],
        };
        Coverage {
            column: column.name.clone(),
            records: column.codes.len(),
            distinct: held.len() + missed.len(),
            holds: missed.is_empty(),
            missed: missed.iter().map(missed_value).collect(),
            unused: tree.leaf_count() as usize - held.len(),
        }
    }
}

fn prose(checked: &Checked) -> String {
    let values = count(checked.values as usize, "value", "values");
    let tree = format!("{values}, {} levels, {} nodes: a tree", checked.levels, grouped(checked.nodes));
    let mut rows = vec![("file", checked.file.clone()), ("structure", tree)];
    let Some(coverage) = &checked.coverage else { return facts(&rows) };
    let all = format!("holds all {}", count(coverage.distinct, "value", "values"));
    let some = format!("misses {} of {} values", grouped(coverage.missed.len()), grouped(coverage.distinct));
    rows.push((
        "coverage",
        format!("{} of column `{}`", verdict(coverage.holds, &all, &some), coverage.column),
    ));
    rows.push(("unused", count(coverage.unused, "value", "values")));
    let mut text = facts(&rows);
    if !coverage.holds {
        let row = |missed: &Missed| vec![missed.value.clone(), grouped(missed.records), missed.first.clone()];
        let shown: Vec<Vec<String>> = coverage.missed.iter().take(SHOWN).map(row).collect();
        text.push('\n');
        text.push_str(&table(&["missed", "records", "first"], &[1], &shown));
        if coverage.missed.len() > SHOWN {
            text.push_str(&format!(" … and {} more\n", grouped(coverage.missed.len() - SHOWN)));
        }
    }
    text
}
