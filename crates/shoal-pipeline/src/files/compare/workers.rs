//! Tries cells, several at a time where memory allows.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use rayon::{ThreadPool, ThreadPoolBuilder};
use shoal_core::{Cancelled, Progress, Unseen};

use super::folder::{ResultsFolder, write_results};
use super::plan::Plan;
use super::{CompareOptions, blame};
use crate::PipelineError;
use crate::compare::{Cell, CompareError, Outcome, Row, figures_of};
use crate::files::memory::{available_memory, peak_memory, reset_peak};
use crate::files::{Job, trial};

/// Data of this many bytes on the disk need so little memory that cells will surely run side by side.
const SMALL: u64 = 16 << 20;
/// Other cells may need more memory than the first one, and other programs need some, too.
const RESERVE: u64 = 3;

/// All rows in the order of the cells, those that were done before included, and how many cells were tried at a time.
pub(super) fn try_cells(
    options: &CompareOptions<'_>,
    plan: &Plan,
    done: Vec<Option<Row>>,
    folder: &ResultsFolder,
    progress: &dyn Progress,
) -> Result<(Vec<Row>, usize), CompareError> {
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let open: Vec<usize> =
        (0..done.len()).filter(|&at| done[at].is_none() && plan.jobs[at].is_ok()).collect();
    let begun = AtomicUsize::new(done.len() - open.len());
    let run = Run { options, plan, others: &folder.others, rows: Mutex::new(done), begun, progress };
    run.note_wrong_policies();
    let mut at_a_time = 1;
    if let Some((&first, rest)) = open.split_first() {
        // Alone, to see what it needs. On small data with as few threads as the others will have, so that their times can be compared.
        let share = if rest.is_empty() || !is_small(plan) { threads } else { 1 };
        let need = run.first(first, &pool(share)?)?;
        at_a_time = cells_at_a_time(threads.min(rest.len()), need, available_memory());
        run.all(rest, at_a_time, (threads / at_a_time).max(1))?;
    }
    let rows = run.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((rows.into_iter().flatten().collect(), at_a_time))
}

fn is_small(plan: &Plan) -> bool {
    let files = plan.jobs.iter().flatten().next().and_then(|job| job.source().ok()?.files().ok());
    let bytes = |file: &String| std::fs::metadata(file).map_or(u64::MAX, |file| file.len());
    files.is_some_and(|files| files.iter().map(bytes).fold(0, u64::saturating_add) <= SMALL)
}

/// As many as there are threads, unless memory is short or nothing is known about it.
fn cells_at_a_time(threads: usize, need: Option<u64>, available: Option<u64>) -> usize {
    let (Some(need), Some(available)) = (need, available) else { return 1 };
    let fit = usize::try_from(available / (need.max(1) * RESERVE)).unwrap_or(usize::MAX);
    fit.clamp(1, threads.max(1))
}

fn pool(threads: usize) -> Result<ThreadPool, CompareError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CompareError::NoThreads { threads, why: error.to_string() })
}

struct Run<'a> {
    options: &'a CompareOptions<'a>,
    plan: &'a Plan,
    others: &'a [Row],
    rows: Mutex<Vec<Option<Row>>>,
    /// How many cells are finished or being tried.
    begun: AtomicUsize,
    progress: &'a dyn Progress,
}

impl Run<'_> {
    /// Cells whose settings are no policy are finished already.
    fn note_wrong_policies(&self) {
        let mut rows = self.rows();
        for ((row, cell), job) in rows.iter_mut().zip(&self.plan.cells).zip(&self.plan.jobs) {
            if let (None, Err(error)) = (&row, job) {
                *row = Some(self.row(cell, Outcome::of(error)));
            }
        }
    }

    /// Tries a cell alone. What is wrong with the data is wrong for all cells, so it is an error here and not an outcome. Returns
    /// how many bytes it needed, where the system says so.
    fn first(&self, at: usize, pool: &ThreadPool) -> Result<Option<u64>, CompareError> {
        let is_measured = reset_peak();
        match self.try_cell(at, pool, is_measured) {
            Err(error) if is_about_data(&error) => {
                Err(blame(self.options, Some(&self.plan.cells[at]), error))
            }
            tried => {
                self.keep(at, tried)?;
                Ok(peak_memory().filter(|_| is_measured))
            }
        }
    }

    fn all(&self, cells: &[usize], at_a_time: usize, threads: usize) -> Result<(), CompareError> {
        let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let work = |pool: ThreadPool| -> Result<(), CompareError> {
            while !stop.load(Ordering::Relaxed) {
                let Some(&at) = cells.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                // The peak is that of the process, so it says nothing where several cells run.
                let is_measured = at_a_time == 1 && reset_peak();
                let tried = self.try_cell(at, &pool, is_measured);
                if let Err(error) = self.keep(at, tried) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
            Ok(())
        };
        let pools = (0..at_a_time).map(|_| pool(threads)).collect::<Result<Vec<_>, _>>()?;
        std::thread::scope(|scope| {
            let started: Vec<_> = pools.into_iter().map(|pool| scope.spawn(|| work(pool))).collect();
            let ended = started.into_iter().map(|worker| match worker.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            // All of them are waited for before the first error counts.
            ended.collect::<Vec<_>>().into_iter().collect()
        })
    }

    fn try_cell(&self, at: usize, pool: &ThreadPool, is_measured: bool) -> Result<Row, PipelineError> {
        let (cell, job) = (&self.plan.cells[at], &self.plan.jobs[at]);
        let job: &Job = match job {
            Ok(job) => job,
            // Noted before anything was tried.
            Err(error) => return Ok(self.row(cell, Outcome::of(error))),
        };
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let said = format!("cell {number} of {}: {}", self.plan.cells.len(), cell.choice());
        Cancelled::catch(|| self.progress.stage(&said, 0))?;
        let report = pool.install(|| trial(job, &Unseen(self.progress)))?;
        let mut row = self.row(cell, Outcome::Holds);
        row.figures = figures_of(&report);
        // `run` would refuse to publish it.
        if let Err(refused) = report.refuse_total_loss(job.policy()) {
            row.outcome = Outcome::of(&refused);
        }
        let seconds = (report.seconds.total * 1000.0).round() / 1000.0;
        row.figures.insert("seconds".to_owned(), seconds);
        row.figures.insert("threads".to_owned(), pool.current_num_threads() as f64);
        if let Some(bytes) = peak_memory().filter(|_| is_measured) {
            row.figures.insert("peak-memory-bytes".to_owned(), bytes as f64);
        }
        Ok(row)
    }

    /// Remembers how a cell ended and writes all results that there are.
    fn keep(&self, at: usize, tried: Result<Row, PipelineError>) -> Result<(), CompareError> {
        let row = match tried {
            Ok(row) => row,
            Err(PipelineError::Cancelled) => {
                let (done, all) = (self.done(), self.plan.cells.len());
                return Err(CompareError::Cancelled { done, all, folder: self.options.folder.to_owned() });
            }
            Err(error) => self.row(&self.plan.cells[at], Outcome::of(&error)),
        };
        let mut rows = self.rows();
        rows[at] = Some(row);
        let finished: Vec<&Row> = rows.iter().flatten().chain(self.others).collect();
        // Under the lock: two writers would leave the file of the slower one, with a row fewer.
        write_results(self.options.folder, &finished, self.plan.shape)
    }

    fn done(&self) -> usize {
        self.rows().iter().flatten().count()
    }

    fn rows(&self) -> MutexGuard<'_, Vec<Option<Row>>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn row(&self, cell: &Cell, outcome: Outcome) -> Row {
        Row { cell: cell.clone(), outcome, figures: IndexMap::new() }
    }
}

/// Whether an error is about the data or a disk, and not about the settings of a cell.
fn is_about_data(error: &PipelineError) -> bool {
    matches!(
        error,
        PipelineError::Read(_)
            | PipelineError::ReadFile { .. }
            | PipelineError::Write(_)
            | PipelineError::NoRecords { .. }
            | PipelineError::NotOfKind { .. }
            | PipelineError::MissingValue { .. }
            | PipelineError::Nobodys { .. }
            | PipelineError::NotAMark { .. }
            | PipelineError::TwoPeople { .. }
            | PipelineError::LooksGeneralized { .. }
            | PipelineError::Hierarchy { .. }
            | PipelineError::OutsideHierarchy { .. }
            | PipelineError::NoId { .. }
            | PipelineError::NoPlaceInOrder { .. }
            | PipelineError::SameOrder(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_cells_as_memory_allows() {
        const GIB: u64 = 1 << 30;
        assert_eq!(cells_at_a_time(8, Some(GIB), Some(100 * GIB)), 8);
        assert_eq!(cells_at_a_time(8, Some(GIB), Some(7 * GIB)), 2);
        assert_eq!(cells_at_a_time(8, Some(GIB), Some(GIB)), 1);
        assert_eq!(cells_at_a_time(8, None, Some(100 * GIB)), 1);
        assert_eq!(cells_at_a_time(8, Some(GIB), None), 1);
        assert_eq!(cells_at_a_time(0, Some(0), Some(GIB)), 1);
    }
}
