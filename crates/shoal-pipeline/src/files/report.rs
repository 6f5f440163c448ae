//! `shoal report`: the edition of the report that goes out, made again from the published file.

use std::path::{Path, PathBuf};

use shoal_core::{Cancelled, Progress};
use shoal_io::StagedFolder;

use super::Job;
use super::run::outgoing_files;
use super::targets::{beside, is_file, report_folder_of_table};
use crate::{Outgoing, PipelineError};

/// What was made, and the folder that holds it.
#[derive(Debug)]
pub struct Reported {
    /// The folder of `report.json` and `report.html`.
    pub folder: PathBuf,
    /// The report.
    pub outgoing: Outgoing,
}

/// Makes the report of a published file in a folder; where none is named, in the one that a run makes. A report that says something
/// else is replaced with `force` only.
pub fn report(
    job: &Job,
    published: &Path,
    folder: Option<&Path>,
    force: bool,
    progress: &dyn Progress,
) -> Result<Reported, PipelineError> {
    Cancelled::catch(|| {
        let outgoing = Outgoing::read(&job.request()?, &mut job.published(published)?, progress)?;
        let folder = folder.map_or_else(|| usual_folder(job, published), Path::to_owned);
        let files = outgoing_files(&outgoing);
        for (name, bytes) in &files {
            let path = folder.join(name);
            if !force && std::fs::read(&path).is_ok_and(|old| old != *bytes) {
                return Err(PipelineError::Exists { path });
            }
        }
        let mut staged = StagedFolder::new(&folder)?;
        for (name, bytes) in &files {
            staged.add(name, bytes)?;
        }
        progress.check();
        staged.publish()?;
        Ok(Reported { folder, outgoing })
    })?
}

fn usual_folder(job: &Job, published: &Path) -> PathBuf {
    match is_file(published) {
        true => beside(published),
        false => {
            let table = published.to_str().and_then(|address| report_folder_of_table(&job.folder, address));
            table.unwrap_or_else(|| job.folder.join("report"))
        }
    }
}
