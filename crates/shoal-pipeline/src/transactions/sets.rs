//! Files that list items: privacy constraints, utility constraints, weights.

use std::path::{Path, PathBuf};

use shoal_core::Transactions;
use shoal_io::Limits;

use super::layout::Layout;
use crate::{Job, PipelineError};

/// Sets of items, one a line, with the numbers of their lines.
pub(crate) struct ItemSets {
    /// The items of each set, ascending.
    pub sets: Vec<Vec<u32>>,
    /// The line of each set, counted from 1.
    pub lines: Vec<usize>,
    /// The file.
    pub path: PathBuf,
}

/// Reads a file of sets. Every item must be one of the data's.
pub(crate) fn read_sets(
    job: &Job,
    file: &str,
    what: &'static str,
    data: &Transactions,
) -> Result<ItemSets, PipelineError> {
    let path = job.resolve(file);
    let text = read(&path, what)?;
    let separator = Layout::of(&job.policy().data).list_separator();
    let (mut sets, mut lines) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let mut set = items(line, separator)
            .map(|item| data.item(item).ok_or_else(|| unknown(&path, number + 1, item)))
            .collect::<Result<Vec<u32>, _>>()?;
        set.sort_unstable();
        set.dedup();
        if !set.is_empty() {
            sets.push(set);
            lines.push(number + 1);
        }
    }
    if sets.is_empty() {
        return Err(PipelineError::NoSets { path, what });
    }
    Ok(ItemSets { sets, lines, path })
}

/// Reads a file of sets by the names of their items, whether the data have them or not.
pub(crate) fn read_names(
    job: &Job,
    file: &str,
    what: &'static str,
) -> Result<Vec<Vec<String>>, PipelineError> {
    let text = read(&job.resolve(file), what)?;
    let separator = Layout::of(&job.policy().data).list_separator();
    Ok(text.lines().map(|line| items(line, separator).map(str::to_owned).collect()).collect())
}

/// Reads a file of weights, an item and a number per line. Items that it does not name weigh 1.
pub(crate) fn read_weights(job: &Job, file: &str, data: &Transactions) -> Result<Vec<f64>, PipelineError> {
    let path = job.resolve(file);
    let text = read(&path, "weights")?;
    let separator = Layout::of(&job.policy().data).list_separator();
    let mut weights = vec![1.0; data.items().len()];
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bad = || PipelineError::BadWeight { path: path.clone(), line: number + 1, text: line.to_owned() };
        let (item, weight) = line.trim().rsplit_once(separator).ok_or_else(bad)?;
        let weight: f64 = weight.trim().parse().map_err(|_| bad())?;
        if !(0.0..=1.0).contains(&weight) {
            return Err(bad());
        }
        let item = data.item(item.trim()).ok_or_else(|| unknown(&path, number + 1, item.trim()))?;
        weights[item as usize] = weight;
    }
    Ok(weights)
}

fn items(line: &str, separator: char) -> impl Iterator<Item = &str> {
    line.split(separator).map(str::trim).filter(|item| !item.is_empty())
}

fn read(path: &Path, what: &'static str) -> Result<String, PipelineError> {
    shoal_io::read_text_file(path, Limits::ITEM_LIST).map_err(|error| PipelineError::ReadFile {
        path: path.to_owned(),
        what,
        error,
    })
}

fn unknown(path: &Path, line: usize, item: &str) -> PipelineError {
    PipelineError::UnknownItem { path: path.to_owned(), line, item: item.to_owned() }
}
