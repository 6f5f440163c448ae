//! Where a run writes to, and what it must not write over.

use std::path::{Path, PathBuf};

use shoal_core::Progress;
use shoal_core::policy::Shape;
use shoal_io::{TableTarget, groups_beside, is_postgres, table_of_postgres_address};

use super::{Job, RunOptions};
use crate::run::PEOPLE;
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
    /// The published file, or the address of the published table.
    pub output: PathBuf,
    /// The table, if it is one.
    pub table: Option<TableTarget>,
    /// The folder of the reports; none where the output is a device and no folder was named.
    pub report: Option<PathBuf>,
    /// The release whose reports lie in that folder already, where they can be read.
    pub earlier: Option<Audit>,
}

impl Targets {
    /// What the command line says, else the policy; refused where it would destroy something.
    pub(crate) fn of(
        job: &Job,
        options: &RunOptions,
        progress: &dyn Progress,
    ) -> Result<Targets, PipelineError> {
        let output = job.place_of_output(options.output.as_deref())?.ok_or(PipelineError::NoOutput)?;
        let table = match output.to_str().filter(|output| is_postgres(output)) {
            Some(address) => Some(table_target(job, address, options, progress)?),
            None => None,
        };
        refuse_to_destroy(job, &output, options.force)?;
        let named = job.policy().output.report.as_ref().map(|path| job.resolve(path));
        let report = options.report.clone().or(named).or_else(|| job.usual_report_folder(&output));
        let earlier = match &report {
            Some(folder) => earlier_reports(folder, &output, options.force)?,
            None => None,
        };
        Ok(Targets { output, table, report, earlier })
    }
}

/// Refuses to write a file over an input, and over anything else unless that is asked for.
pub(super) fn refuse_to_destroy(job: &Job, output: &Path, force: bool) -> Result<(), PipelineError> {
    let data = output.is_file().then(|| output.to_owned());
    // A dictionary is of a release that is gone, or that is replaced without having been asked for: either is for a person to decide.
    let has_groups = is_file(output) && job.policy().data.shape == Shape::Transactions;
    let groups = has_groups.then(|| groups_beside(output)).filter(|groups| groups.exists());
    for path in data.into_iter().chain(groups) {
        if is_input(job, &path)? {
            return Err(PipelineError::OutputIsInput { path });
        }
        if !force {
            return Err(PipelineError::Exists { path });
        }
    }
    Ok(())
}

/// Refuses to write over an earlier release, whatever is asked for: others have it, and the next release is compared with it. `output` and `audit` are places as audits
/// record them.
pub(super) fn refuse_to_replace_earlier(
    previous: &[Audit],
    output: Option<&Path>,
    audit: Option<&Path>,
) -> Result<(), PipelineError> {
    for earlier in previous {
        let mut written = [Some(&earlier.output), earlier.groups.as_ref()].into_iter().flatten();
        if let Some(file) = written.find(|file| output == Some(file.as_path()) && *file != Path::new("-")) {
            return Err(PipelineError::OutputIsInput { path: file.clone() });
        }
        if audit == Some(earlier.place.as_path()) {
            return Err(PipelineError::OutputIsInput { path: earlier.place.clone() });
        }
    }
    Ok(())
}

/// The table that a release is to be. The server is asked now: a right that is missing is better known before the work.
pub(super) fn table_target(
    job: &Job,
    address: &str,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<TableTarget, PipelineError> {
    let target = TableTarget::open(address, progress)?;
    if target.exists() {
        let source = job.source()?;
        if is_postgres(&source.location) && target.is_read_by(&source, progress)? {
            return Err(PipelineError::OutputIsInput { path: address.into() });
        }
        if !options.force {
            return Err(PipelineError::Exists { path: address.into() });
        }
        target.check_replaceable()?;
    }
    Ok(target)
}

/// Whether a place is, or will be, a file with a name: neither standard output, nor a device, nor a database.
pub(super) fn is_file(output: &Path) -> bool {
    output != Path::new("-")
        && !output.to_str().is_some_and(is_postgres)
        && std::fs::metadata(output).map_or(true, |m| m.is_file())
}

/// The release whose reports lie in the folder. Those of another output are not replaced unless that is asked for: they
/// may be the only record of a file that was published long ago.
pub(super) fn earlier_reports(
    folder: &Path,
    output: &Path,
    force: bool,
) -> Result<Option<Audit>, PipelineError> {
    let audit = folder.join(AUDIT);
    let found = audit.exists().then(|| Audit::open_with_people(&audit).ok()).flatten();
    let is_of_output = |audit: &Audit| audit.output == recorded(output) && audit.output != Path::new("-");
    let holds_reports =
        [REPORT, AUDIT, PEOPLE, REPORT_PAGE, AUDIT_PAGE].iter().any(|name| folder.join(name).exists());
    if holds_reports && !force && !found.as_ref().is_some_and(is_of_output) {
        return Err(PipelineError::OtherReports { folder: folder.to_owned() });
    }
    Ok(found)
}

/// The published file as `audit.json` names it: a name that means the same from everywhere; standard output is not a place, and an address
/// is none of this machine's paths.
pub(crate) fn recorded(output: &Path) -> PathBuf {
    match output == Path::new("-") || output.to_str().is_some_and(is_postgres) {
        true => output.to_owned(),
        false => std::path::absolute(output).unwrap_or_else(|_| output.to_owned()),
    }
}

/// Whether a file is the policy, one of its sources, one of its hierarchies or its key file, under whatever name.
fn is_input(job: &Job, file: &Path) -> Result<bool, PipelineError> {
    let hierarchies = job.policy().columns.values().filter_map(|c| c.hierarchy.as_ref());
    let mut inputs: Vec<PathBuf> = hierarchies.map(|path| job.resolve(path)).collect();
    inputs.extend(job.policy().algorithm.key_file.iter().map(|path| job.resolve(path)));
    // A source that is not there cannot be written over, and reading it says what is wrong with it.
    inputs.extend(job.source()?.files().unwrap_or_default().into_iter().map(PathBuf::from));
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

/// `postgres://host/database#research.people_k10` → `research.people_k10.report` in the folder of the policy: there is no place beside a table.
pub(super) fn report_folder_of_table(folder: &Path, address: &str) -> Option<PathBuf> {
    let table = table_of_postgres_address(address)?;
    // Quotes and slashes are for SQL; a folder is better off without them.
    let name: String = table.chars().filter(|c| !['"', '/', '\\', '\0'].contains(c)).collect();
    Some(folder.join(format!("{name}.report")))
}
