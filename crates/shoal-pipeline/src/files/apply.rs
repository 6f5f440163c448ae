//! The recoding of an earlier release on other data: which policy, which releases it must hold together with, where it is written.

use std::path::Path;

use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_io::is_postgres;

use super::run::{open_audit, run_to_end};
use super::{Job, Outcome, RunOptions};
use crate::{Audit, EarlierReleases, PipelineError};

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
/// the applied one does not know, or whose audits have moved. When it returns an error, nothing has been published, unless it says so.
pub fn apply(
    job: &Job,
    release: &Path,
    options: &RunOptions,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    Cancelled::catch(|| {
        let last = open_audit(release)?;
        let given = options.previous.iter().map(|path| open_audit(path)).collect::<Result<_, _>>()?;
        let earlier = EarlierReleases::applied(last, given, &|place| Audit::open_with_people(place).ok())?;
        run_to_end(job, options, earlier, progress)
    })?
}
