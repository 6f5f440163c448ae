//! A release as files, which every verb of the command line understands.

use std::path::PathBuf;

use pyo3::prelude::*;
use shoal_core::Progress;
use shoal_pipeline::files::{self, SavedFile};

use crate::background;
use crate::errors::of_pipeline;
use crate::policy::GivenPolicy;
use crate::release::NativeRelease;

/// Writes a release under the name `name` into the folder of `policy`, which is the release's, with files where there was memory; `files` are these. `previous` are
/// releases that it was held against, with the places of their `audit.json`s where they were saved. Gives the places of the data and of its own `audit.json`.
#[pyfunction]
#[pyo3(signature = (release, policy, name, files, previous, force, progress=None))]
#[allow(clippy::too_many_arguments)] // the arguments of `Release.save`, which gives them in order
pub(crate) fn save(
    py: Python<'_>,
    release: &Bound<'_, NativeRelease>,
    policy: GivenPolicy,
    name: &str,
    files: Vec<SavedFile>,
    previous: Vec<(Py<NativeRelease>, Option<PathBuf>)>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PathBuf, PathBuf)> {
    let (job, release) = (policy.job()?, release.get());
    let mut earlier = release.request.earlier().clone();
    for audit in &mut earlier.previous {
        // By the release and not by its data: two releases of the same people may have the same ones.
        let held = previous.iter().find(|(held, _)| held.get().release.is_of(audit));
        if let Some((_, Some(place))) = held {
            audit.place.clone_from(place);
        }
    }
    let request = policy.request_of(&job)?.with_earlier(earlier);
    let work = |progress: &dyn Progress| {
        files::save(&release.release, &job, &request, name, &files, force, progress)
    };
    let output = background::run(py, progress.as_ref(), work)?.map_err(of_pipeline)?;
    Ok((output, files::saved_audit(&job.folder)))
}
