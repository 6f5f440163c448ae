//! The policy with the settings of a cell.

use std::path::{Path, PathBuf};

use shoal_core::PolicyDocument;

use crate::PipelineError;
use crate::compare::{Cell, CompareError};
use crate::files::Job;

/// Writes the policy with these settings into a new file, comments and order kept. The file lies in the folder of the policy, since
/// its paths are seen from there.
pub fn choose(
    policy: &Path,
    set: &[String],
    chosen: &Cell,
    target: Option<&Path>,
    force: bool,
) -> Result<PathBuf, CompareError> {
    let overrides = [set, &chosen.overrides()].concat();
    let blame = |error| CompareError::of_cell(error, overrides.clone());
    let job = Job::open(policy, &overrides).map_err(blame)?;
    let target = match target {
        Some(target) => target.to_owned(),
        None => job.folder.join(chosen_name(policy)),
    };
    if real(&job.folder) != target.parent().map_or_else(|| real(Path::new("")), real) {
        return Err(CompareError::OtherFolder { folder: job.folder, path: target });
    }
    if target.exists() && !force {
        return Err(blame(PipelineError::Exists { path: target }));
    }
    let text = job.document.text();
    let rewritten = PolicyDocument::rewrite(text, &overrides).map_err(|error| {
        let (path, text) = (policy.to_owned(), text.to_owned());
        blame(PipelineError::Policy { path, text, error: Box::new(error) })
    })?;
    shoal_io::write_atomically(&target, rewritten.as_bytes()).map_err(|error| blame(error.into()))?;
    Ok(target)
}

/// `policy.toml` → `policy.chosen.toml`.
fn chosen_name(policy: &Path) -> String {
    let stem = policy.file_stem().unwrap_or_default().to_string_lossy();
    format!("{stem}.chosen.toml")
}

fn real(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}
