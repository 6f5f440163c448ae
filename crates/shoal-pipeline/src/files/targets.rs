//! Where a run writes to, and what it must not write over.

use std::path::{Path, PathBuf};

use shoal_core::policy::Shape;
use shoal_io::groups_beside;

use super::{Job, RunOptions};
use crate::{Audit, PipelineError};

/// The edition that may be published.
pub(crate) const REPORT: &str = "report.json";
/// The edition that stays with the publisher.
pub(crate) const AUDIT: &str = "audit.json";

/// The same two for people.
pub(crate) const REPORT_PAGE: &str = "report.html";
pub(crate) const AUDIT_PAGE: &str = "audit.html";

/// Where a run writes to.
pub(crate) struct Targets {
    /// The published file.
    pub output: PathBuf,
    /// The folder of the reports; none where the output is a device and no folder was named.
    pub report: Option<PathBuf>,
    /// The release whose reports lie in that folder already, where they can be read.
    pub earlier: Option<Audit>,
}

impl Targets {
    /// What the command line says, else the policy; refused where it would destroy something.
    pub(crate) fn of(job: &Job, options: &RunOptions) -> Result<Targets, PipelineError> {
        let policy = &job.policy().output;
        let output = options.output.clone().or_else(|| policy.path.as_ref().map(|path| job.resolve(path)));
        let output = output.ok_or(PipelineError::NoOutput)?;
        let is_file = output != Path::new("-") && std::fs::metadata(&output).map_or(true, |m| m.is_file());
        if output.is_file() {
            if is_input(job, &output)? {
                return Err(PipelineError::OutputIsInput { path: output });
            }
            if !options.force {
                return Err(PipelineError::Exists { path: output });
            }
        }
        let groups =
            (is_file && job.policy().data.shape == Shape::Transactions).then(|| groups_beside(&output));
        if let Some(groups) = groups.filter(|groups| groups.exists()) {
            if is_input(job, &groups)? {
                return Err(PipelineError::OutputIsInput { path: groups });
            }
            // Of a release that is gone, or that is replaced without having been asked for: either is for a person to decide.
            if !options.force {
                return Err(PipelineError::Exists { path: groups });
            }
        }
        let named = options.report.clone().or_else(|| policy.report.as_ref().map(|path| job.resolve(path)));
        let report = named.or_else(|| is_file.then(|| beside(&output)));
        let earlier = match &report {
            Some(folder) => earlier(folder, &output, options.force)?,
            None => None,
        };
        Ok(Targets { output, report, earlier })
    }
}

/// The release whose reports lie in the folder. Those of another output are not replaced unless that is asked for: they
/// may be the only record of a file that was published long ago.
fn earlier(folder: &Path, output: &Path, force: bool) -> Result<Option<Audit>, PipelineError> {
    let audit = folder.join(AUDIT);
    let found = audit.exists().then(|| Audit::open(&audit).ok()).flatten();
    let is_of_output = |audit: &Audit| audit.output == recorded(output) && audit.output != Path::new("-");
    let holds_reports =
        [REPORT, AUDIT, REPORT_PAGE, AUDIT_PAGE].iter().any(|name| folder.join(name).exists());
    if holds_reports && !force && !found.as_ref().is_some_and(is_of_output) {
        return Err(PipelineError::OtherReports { folder: folder.to_owned() });
    }
    Ok(found)
}

/// The published file as `audit.json` names it: a name that means the same from everywhere; standard output is not a place.
pub(crate) fn recorded(output: &Path) -> PathBuf {
    match output == Path::new("-") {
        true => output.to_owned(),
        false => std::path::absolute(output).unwrap_or_else(|_| output.to_owned()),
    }
}

/// Whether a file is the policy, one of its sources, one of its hierarchies or its key file, under whatever name.
fn is_input(job: &Job, file: &Path) -> Result<bool, PipelineError> {
    let hierarchies = job.policy().columns.values().filter_map(|c| c.hierarchy.as_ref());
    let mut inputs: Vec<PathBuf> = hierarchies.map(|path| job.resolve(path)).collect();
    inputs.extend(job.policy().algorithm.key_file.iter().map(|path| job.resolve(path)));
    inputs.extend(job.source()?.files()?.into_iter().map(PathBuf::from));
    inputs.push(job.path.clone());
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    Ok(inputs.iter().any(|input| real(input).is_some_and(|input| Some(input) == real(file))))
}

/// `adult.k10.csv.gz` → `adult.k10.report`.
pub(super) fn beside(output: &Path) -> PathBuf {
    let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let endings = [".gz", ".zst", ".csv", ".parquet", ".tsv", ".txt"];
    let mut stem = name.as_str();
    for ending in endings {
        stem = stem.strip_suffix(ending).unwrap_or(stem);
    }
    output.with_file_name(format!("{stem}.report"))
}
