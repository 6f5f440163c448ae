//! Which cells are tried, with the policy of each.

use shoal_core::policy::{SequencesAlgorithmName, Shape, TableAlgorithmName, TransactionsAlgorithmName};

use super::{CompareOptions, blame, open};
use crate::PipelineError;
use crate::compare::{Cell, CompareError, Grid};
use crate::files::Job;

/// Algorithms that exist to show what a part of another one is good for. Whoever wants them names them.
const FOR_COMPARISON_ONLY: [&str; 2] = ["cbmsa-baseline", "fcla-base1"];
/// Only for policies that cannot be tried out.
const TRANSPARENT: &str = "transparent";

/// The cells of a grid and their policies.
#[derive(Debug)]
pub(super) struct Plan {
    pub shape: &'static str,
    pub cells: Vec<Cell>,
    /// The policy of each cell, or why it is none.
    pub jobs: Vec<Result<Job, PipelineError>>,
}

impl Plan {
    /// Opens the policy of every cell. It is an error where none of them can be opened, and where a wish makes no sense for any.
    pub(super) fn of(options: &CompareOptions<'_>, mut grid: Grid) -> Result<Plan, CompareError> {
        let first = first_that_opens(options, &grid)?;
        let policy = first.policy();
        let shape = policy.data.shape;
        if shape == Shape::Stream {
            return Err(blame(options, None, PipelineError::IsStream));
        }
        if policy.data.source == "-" {
            return Err(CompareError::OnlyOnce);
        }
        if policy.privacy.transparent || grid.algorithms.iter().any(|name| name == TRANSPARENT) {
            return Err(blame(options, None, PipelineError::NoTrial));
        }
        let known = names(shape);
        if let Some(name) = grid.algorithms.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(CompareError::UnknownAlgorithm { name: name.clone(), shape: shape.name(), known });
        }
        if grid.algorithms.is_empty() {
            grid.algorithms = fitting(options, &grid, &known);
        }
        let cells = grid.cells();
        let jobs: Vec<_> = cells.iter().map(|cell| open(options, &cell.overrides())).collect();
        if jobs.iter().flatten().any(|job| job.policy().privacy.transparent) {
            return Err(blame(options, None, PipelineError::NoTrial));
        }
        if jobs.iter().all(Result::is_err) {
            let first = cells.first().zip(jobs.into_iter().find_map(Result::err));
            return match first {
                Some((cell, error)) => Err(blame(options, Some(cell), error)),
                // No algorithm fits: the policy's own is one of the shape, so this cannot be.
                None => {
                    Err(CompareError::UnknownAlgorithm { name: String::new(), shape: shape.name(), known })
                }
            };
        }
        Ok(Plan { shape: shape.name(), cells, jobs })
    }
}

/// The policy with the values of some cell. The policy alone may be none: perhaps its k comes from the grid.
fn first_that_opens(options: &CompareOptions<'_>, grid: &Grid) -> Result<Job, CompareError> {
    let combinations = Grid { algorithms: vec![String::new()], axes: grid.axes.clone() }.cells();
    // The name of the algorithm comes first and is left to the policy.
    let own = combinations.iter().map(|cell| cell.overrides()[1..].to_vec());
    let with_algorithms = grid.cells().into_iter().map(|cell| cell.overrides());
    let mut first_error = None;
    for overrides in own.chain(with_algorithms) {
        match open(options, &overrides) {
            Ok(job) => return Ok(job),
            Err(error) => {
                first_error
                    .get_or_insert_with(|| CompareError::of_cell(error, [options.set, &overrides].concat()));
            }
        }
    }
    Err(first_error.expect("a grid has at least one combination"))
}

/// The names of the algorithms for a shape.
fn names(shape: Shape) -> Vec<&'static str> {
    match shape {
        Shape::Table => TableAlgorithmName::names().collect(),
        Shape::Transactions => TransactionsAlgorithmName::names().collect(),
        Shape::Sequences => SequencesAlgorithmName::names().collect(),
        Shape::Stream => Vec::new(),
    }
}

/// The algorithms that the policy allows with at least one combination of values.
fn fitting(options: &CompareOptions<'_>, grid: &Grid, known: &[&'static str]) -> Vec<String> {
    let usual = known.iter().filter(|name| !FOR_COMPARISON_ONLY.contains(name) && **name != TRANSPARENT);
    let fits = |name: &&&str| {
        let alone = Grid { algorithms: vec![(**name).to_owned()], axes: grid.axes.clone() };
        alone.cells().iter().any(|cell| open(options, &cell.overrides()).is_ok())
    };
    usual.filter(fits).map(|name| (*name).to_owned()).collect()
}
