//! A release that was made in memory, as files that every verb understands.

use std::path::{Path, PathBuf};

use shoal_core::{Cancelled, Progress};
use shoal_io::StagedFolder;

use super::Job;
use super::run::{audit_places, file_sink, stage_reports, without_reports};
use super::targets::{AUDIT, earlier_reports, recorded, refuse_to_destroy, refuse_to_replace_earlier};
use crate::audit::AuditPlaces;
use crate::leaks::add_missing;
use crate::{PipelineError, Release, Request, StagedBatches};

/// What is written beside a saved release for its publisher's eyes only: the name of a file in the folder, or in a folder below it, and its text.
pub type SavedFile = (String, String);

/// Writes a release into a folder: the data under `name`, the reports, and `files`, which are the policy of `job` and what it names. The data are read back and compared with what
/// was verified before anything gets a name; report and audit are about the written bytes. An existing file is replaced only where `force` says so.
///
/// `request` is `job`'s, with the earlier releases of the release.
pub fn save(
    release: &Release<StagedBatches>,
    job: &Job,
    request: &Request,
    name: &str,
    files: &[SavedFile],
    force: bool,
    progress: &dyn Progress,
) -> Result<PathBuf, PipelineError> {
    Cancelled::catch(|| {
        let folder = &job.folder;
        let output = folder.join(name);
        refuse_to_destroy(job, &output, force)?;
        let earlier = &request.earlier().previous;
        refuse_to_replace_earlier(earlier, Some(&recorded(&output)), Some(&saved_audit(folder)))?;
        let replaced = earlier_reports(folder, &output, force)?;
        for (file, _) in files {
            let path = folder.join(file);
            if path.exists() && !force {
                return Err(PipelineError::Exists { path });
            }
        }
        // Made first, since a file without a name lies in its folder, too; taken away again where something fails.
        let made = StagedFolder::new(folder)?;
        let mut copy = release.copy_to(request, &mut file_sink(job, &output)?, progress)?;
        if let Some(replaced) = replaced {
            let leak = copy.leak_of_replaced(request, &replaced);
            add_missing(&mut copy.report.leaks, leak.into_iter().collect());
        }
        // The folder may be moved as a whole: everything that the policy names lies in it.
        let places = AuditPlaces { policy_folder: ".".into(), ..audit_places(job, recorded(&output), None) };
        let reports = stage_reports(&copy, request, folder, places)?;
        let mut staged = Vec::new();
        for (file, text) in files {
            let place = folder.join(file);
            let (above, name) = (place.parent().unwrap_or(folder), place.file_name().unwrap_or_default());
            let mut beside = StagedFolder::new(above)?;
            beside.add_closed(&name.to_string_lossy(), text.as_bytes())?;
            staged.push(beside);
        }
        progress.check();
        // The data first, as in a run.
        let output = copy.publish()?;
        let mut others = [reports].into_iter().chain(staged).chain([made]);
        others.try_for_each(StagedFolder::publish).map_err(|error| without_reports(&output, error))?;
        Ok(output)
    })?
}

/// Where the audit of a saved release lies.
pub fn saved_audit(folder: &Path) -> PathBuf {
    recorded(&folder.join(AUDIT))
}
