//! A policy tried out with one column never finer than the first level of its hierarchy.
//!
//! The column is made coarser while it is read, and its hierarchy loses its leaves; everything else stays. So the trial is one of the real
//! algorithm, which makes use of what the other columns gain.

use std::sync::Arc;

use shoal_core::policy::Shape;
use shoal_core::{Hierarchy, Kind, Progress, RawColumn, RawColumnBuilder, Role};
use shoal_io::{ReadError, ReadTable};

use super::Job;
use super::trial::trial_of;
use crate::source::WantedColumns;
use crate::{Assets, PipelineError, Report, Request, Source};

/// The quasi-identifiers that can be made coarser: those whose hierarchy has a level between the values and `*`.
pub(super) fn coarser_columns(job: &Job) -> Result<Vec<String>, PipelineError> {
    let policy = job.policy();
    // Items have one hierarchy for all of them, and no columns.
    if policy.data.shape == Shape::Transactions {
        return Ok(Vec::new());
    }
    let request = job.request()?;
    let has_levels = |name: &&str| tree(&request, name).is_some_and(|tree| tree.level_count() > 2);
    let quasi = policy.columns_of(Role::QuasiIdentifier);
    Ok(quasi.into_iter().filter(has_levels).map(str::to_owned).collect())
}

/// Runs the policy with this column coarser.
pub(super) fn trial_coarser(
    job: &Job,
    column: &str,
    progress: &dyn Progress,
) -> Result<Report, PipelineError> {
    let request = job.request()?;
    let tree = tree(&request, column).expect("one of `coarser_columns`").clone();
    let mut rows: Vec<Vec<String>> = tree.rows().into_iter().map(|row| row[1..].to_vec()).collect();
    rows.sort();
    rows.dedup();
    // A name of its own: other columns may have the same hierarchy.
    let name = format!("{column}, coarser");
    let without_leaves = Hierarchy::from_rows(&rows).map_err(|error| PipelineError::Hierarchy {
        file: name.clone(),
        column: column.to_owned(),
        error: Box::new(error),
    })?;
    let changed = job.changed(
        |policy| {
            if let Some(column) = policy.columns.get_mut(column) {
                // What was a number or a date is now the label of a group.
                (column.kind, column.format, column.hierarchy) = (Kind::Text, None, Some(name.clone()));
            }
        },
        &[],
    )?;
    let request = Request::new(
        changed.document.clone(),
        super::assets::read(job, Assets::default())?.with_hierarchy(&name, without_leaves),
    )?;
    trial_of(&changed, request, &mut Coarser { source: job.source()?, column, tree: &tree }, progress)
}

fn tree<'a>(request: &'a Request, column: &str) -> Option<&'a Arc<Hierarchy>> {
    let name = request.policy().columns.get(column)?.hierarchy.as_deref()?;
    Some(request.hierarchy(name).content)
}

/// A source whose records have the label above each value of one column.
struct Coarser<'a, S> {
    source: S,
    column: &'a str,
    tree: &'a Hierarchy,
}

impl<S: Source> Source for Coarser<'_, S> {
    fn name(&self) -> String {
        self.source.name()
    }

    fn read_table(
        &mut self,
        wanted: &WantedColumns<'_>,
        progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError> {
        let mut read = self.source.read_table(wanted, progress)?;
        if let Some(column) = read.table.columns.iter_mut().find(|column| column.name == self.column) {
            *column = self.coarsened(column);
        }
        Ok(read)
    }
}

impl<S> Coarser<'_, S> {
    fn coarsened(&self, column: &RawColumn) -> RawColumn {
        let mut coarser = RawColumnBuilder::new(column.name.clone());
        for &code in &column.codes {
            let place = column.first_seen[code as usize];
            if column.null == Some(code) {
                coarser.push_null(place);
                continue;
            }
            let text = column.labels.get(code);
            // What the hierarchy does not have (a missing value) stays, and is judged as it would be otherwise.
            let above = self.tree.leaf(text.trim()).map(|leaf| self.tree.label(self.tree.ancestor(leaf, 1)));
            coarser.push(above.unwrap_or(text), place);
        }
        coarser.finish()
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    #[test]
    fn values_become_the_label_above_them() {
        let rows = [["39", "30-39", "*"], ["35", "30-39", "*"], ["41", "40-49", "*"]].map(Vec::from);
        let tree = Hierarchy::from_rows(&rows).unwrap();
        let ages: Vec<Vec<&str>> = ["35", "41", "?", "39"].map(|age| vec![age]).into();
        let read = RawTable::from_rows(&["age"], &ages);
        let coarser = Coarser { source: (), column: "age", tree: &tree }.coarsened(&read.columns[0]);
        let texts: Vec<&str> = (0..4).map(|row| coarser.text(row)).collect();
        assert_eq!(texts, ["30-39", "40-49", "?", "30-39"]);
        assert_eq!(coarser.labels.len(), 3);
    }
}
