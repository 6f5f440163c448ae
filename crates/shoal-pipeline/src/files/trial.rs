//! A run that is not published: what a release would lose and risk with other settings.

use std::path::{Path, PathBuf};
use std::time::Instant;

use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_io::is_postgres;

use super::Job;
use super::run::file_sink;
use crate::{PipelineError, ReleaseKey, Report, Request, Source};

/// Runs a policy to its end, verification and measures included, and leaves nothing behind but the report. What was staged has no name and
/// vanishes. All trials have one key, so that settings are compared and not keys, and the release that follows draws its own.
///
/// A policy with `transparent` is refused: its promise rests on one random choice that nobody has picked, and whoever tries
/// several and publishes the best has picked one by looking at sensitive values.
pub fn trial(job: &Job, progress: &dyn Progress) -> Result<Report, PipelineError> {
    trial_of(job, job.request()?, &mut job.source()?, progress)
}

/// The same on records that come from elsewhere.
pub(super) fn trial_of(
    job: &Job,
    request: Request,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Report, PipelineError> {
    Cancelled::catch(|| {
        let policy = job.policy();
        if policy.data.shape == Shape::Stream {
            return Err(PipelineError::IsStream);
        }
        if policy.privacy.transparent {
            return Err(PipelineError::NoTrial);
        }
        let started = Instant::now();
        let request = request.with_release_key(Some(ReleaseKey::UNPUBLISHED));
        let mut sink = file_sink(job, &staging_place(job))?;
        let release = crate::run(&request, source, &mut sink, progress)?;
        let mut report = release.report;
        report.seconds.total = started.elapsed().as_secs_f64();
        Ok(report)
    })?
}

/// Where the release would be staged: on the disk that has room for it.
fn staging_place(job: &Job) -> PathBuf {
    let named = job.policy().output.path.as_ref().map(|path| job.resolve(path));
    // Standard output, devices and databases are no place for something that is thrown away.
    named
        .filter(|path| {
            path != Path::new("-") && !path.starts_with("/dev") && !path.to_str().is_some_and(is_postgres)
        })
        .unwrap_or_else(|| "trial.csv".into())
}
