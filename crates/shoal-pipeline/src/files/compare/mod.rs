//! Tries every cell of a grid, and goes on where an earlier run ended.

mod choose;
mod folder;
mod plan;
mod workers;

use std::path::{Path, PathBuf};

use shoal_core::Progress;

pub use choose::choose;

use super::Job;
use crate::PipelineError;
use crate::compare::{Cell, CompareError, Grid, Outcome, Page, Row, page};
use folder::ResultsFolder;
use plan::Plan;

/// What the command line says about a comparison.
#[derive(Clone, Copy, Debug)]
pub struct CompareOptions<'a> {
    /// The policy.
    pub policy: &'a Path,
    /// The policy or the data as the command line named it.
    pub subject: &'a str,
    /// The command line without the grid, for the commands that the page shows.
    pub command: &'a str,
    /// The `KEY=VALUE`s of `--set`, the same for all cells.
    pub set: &'a [String],
    /// The algorithms; where none is named, those of the shape that fit the policy.
    pub algorithms: &'a [String],
    /// The `KEY=V1,V2,…`s of `--vary`.
    pub varied: &'a [String],
    /// Where the results go.
    pub folder: &'a Path,
    /// How many threads all cells together may use; 0 for one per core.
    pub threads: usize,
    /// Whether results of something else in the folder are thrown away.
    pub force: bool,
    /// Whether nobody has decided about the roles of the columns yet.
    pub proposed: bool,
}

/// What a comparison has found.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The shape of the data.
    pub shape: &'static str,
    /// The cells asked for in the order of the grid, and after them those that the folder held before.
    pub rows: Vec<Row>,
    /// How many of them were asked for.
    pub asked: usize,
    /// How many of those an earlier run had finished.
    pub reused: usize,
    /// How many cells were tried at a time.
    pub at_a_time: usize,
}

impl Comparison {
    /// The cells asked for.
    pub fn asked(&self) -> &[Row] {
        &self.rows[..self.asked]
    }

    /// Whether one of the cells asked for could be published.
    pub fn holds_somewhere(&self) -> bool {
        self.asked().iter().any(|row| row.outcome == Outcome::Holds)
    }
}

/// Tries all cells, and leaves `results.csv`, `results.parquet` and `compare.html` in the folder. `results.csv` is written after every
/// cell: the same call goes on from there, whatever has ended the earlier one.
pub fn compare(options: &CompareOptions<'_>, progress: &dyn Progress) -> Result<Comparison, CompareError> {
    let grid = Grid::parse(options.algorithms, options.varied)?;
    let plan = Plan::of(options, grid)?;
    let mut folder = ResultsFolder::open(options, &plan)?;
    let done = folder.take_finished(&plan.cells);
    let reused = done.iter().flatten().count();
    let (rows, at_a_time) = workers::try_cells(options, &plan, done, &folder, progress)?;
    let asked = rows.len();
    let rows: Vec<Row> = rows.into_iter().chain(folder.others).collect();
    let all: Vec<&Row> = rows.iter().collect();
    let proposed_roles = if options.proposed { roles(&plan) } else { Vec::new() };
    let page = page(&Page {
        subject: options.subject,
        command: options.command,
        shape: plan.shape,
        rows: &all,
        proposed_roles: &proposed_roles,
    });
    folder::write_results(options.folder, &all, plan.shape)?;
    folder::write_page(options.folder, &all, plan.shape, &page)?;
    Ok(Comparison { shape: plan.shape, rows, asked, reused, at_a_time })
}

/// The folder of results where none is named: beside the policy or the data.
pub fn compare_folder(beside: &Path) -> PathBuf {
    beside.with_file_name("compare")
}

fn roles(plan: &Plan) -> Vec<(String, String)> {
    let job = plan.jobs.iter().find_map(|job| job.as_ref().ok());
    let columns = job.into_iter().flat_map(|job| &job.policy().columns);
    columns.map(|(name, column)| (name.clone(), column.role.name().to_owned())).collect()
}

/// Opens the policy with the settings of a cell.
fn open(options: &CompareOptions<'_>, overrides: &[String]) -> Result<Job, PipelineError> {
    Job::open(options.policy, &[options.set, overrides].concat())
}

/// An error of a cell with all that was set for it.
fn blame(options: &CompareOptions<'_>, cell: Option<&Cell>, error: PipelineError) -> CompareError {
    let overrides = cell.map(Cell::overrides).unwrap_or_default();
    CompareError::of_cell(error, [options.set, &overrides].concat())
}
