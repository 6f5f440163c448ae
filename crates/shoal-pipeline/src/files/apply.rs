//! The recoding of an earlier release on other data: which policy, which releases it must hold together with, where it is written.

use std::path::{Path, PathBuf};

use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_io::is_postgres;

use super::run::{Before, open_audit, run_to_end};
use super::targets::{AUDIT, recorded};
use super::{Job, Outcome, RunOptions};
use crate::{Audit, PipelineError};

/// The policy of an earlier release (its `audit.json`, or the folder of it) for other data; `set` are `KEY=VALUE`s as `--set` takes
/// them.
pub fn open_applied(release: &Path, data: &str, set: &[String]) -> Result<Job, PipelineError> {
    // A stream leaves no audit, so its policy is what somebody may try.
    let is_stream = |job: Job| job.policy().data.shape == Shape::Stream;
    if release.is_file() && Job::open(release, &[]).is_ok_and(is_stream) {
        return Err(PipelineError::StreamApplied);
    }
    let audit = open_audit(release)?;
    // The policy's paths are seen from its folder, the data from where we are.
    let source = match data {
        "-" => data.to_owned(),
        address if is_postgres(address) => data.to_owned(),
        _ => std::path::absolute(data).map_or_else(|_| data.to_owned(), |path| path.display().to_string()),
    };
    Job::open(&audit.place, &[])?.for_data(&source, set)
}

/// Applies the recoding of a release to the data of a job that [`open_applied`] has made. `options.previous` are earlier releases that
/// the applied one does not know, or whose audits have moved. When it returns an error, nothing has been published.
pub fn apply(
    job: &Job,
    release: &Path,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    Cancelled::catch(|| {
        let last = open_audit(release)?;
        let previous = all_before(last, &options.previous)?;
        refuse_to_replace(job, &previous, options)?;
        // Tables have this word in their audits already: who is left out because of earlier releases is known from it.
        let reuse_classes = job.policy().data.shape == Shape::Table;
        let options = RunOptions { reuse_classes, ..options.clone() };
        run_to_end(job, &options, Before { previous, applied: true }, progress)
    })?
}

/// Every release that the new one must hold together with, the applied one last. What the applied one was compared with is named in its
/// audit; an audit that has moved may be among those that are given.
fn all_before(last: Audit, given: &[PathBuf]) -> Result<Vec<Audit>, PipelineError> {
    let mut given: Vec<Audit> = given.iter().map(|path| open_audit(path)).collect::<Result<_, _>>()?;
    let mut all = Vec::new();
    for named in &last.previous {
        let moved = given.iter().position(|audit| audit.is_named(&last, named)).map(|at| given.remove(at));
        // A file that is not there, or is another one by now, is not the audit that is named.
        let found =
            moved.or_else(|| Audit::open(&named.audit).ok().filter(|audit| audit.is_named(&last, named)));
        let lost = || PipelineError::LostRelease { audit: named.audit.clone(), by: last.place.clone() };
        all.push(found.ok_or_else(lost)?);
    }
    let is_known = |audit: &Audit, all: &[Audit]| {
        audit.output_sha256 == last.output_sha256
            || all.iter().any(|known| known.output_sha256 == audit.output_sha256)
    };
    given.retain(|audit| !is_known(audit, &all));
    all.extend(given);
    all.push(last);
    Ok(all)
}

/// An earlier release must stay what it was: others have it, and the next release is compared with it.
fn refuse_to_replace(job: &Job, previous: &[Audit], options: &RunOptions) -> Result<(), PipelineError> {
    let named = &job.policy().output;
    let output = job.place_of_output(options.output.as_deref())?.map(|path| recorded(&path));
    let report = options.report.clone().or_else(|| named.report.as_ref().map(|path| job.resolve(path)));
    let report = report.map(|folder| recorded(&folder.join(AUDIT)));
    for audit in previous {
        let mut written = [Some(&audit.output), audit.groups.as_ref()].into_iter().flatten();
        if let Some(file) = written.find(|file| output.as_ref() == Some(*file) && *file != Path::new("-")) {
            return Err(PipelineError::OutputIsInput { path: file.clone() });
        }
        if report.as_ref() == Some(&audit.place) {
            return Err(PipelineError::OutputIsInput { path: audit.place.clone() });
        }
    }
    Ok(())
}
