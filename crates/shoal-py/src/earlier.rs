//! Earlier releases of the same people: those that Python holds, and those that were saved.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use shoal_core::{Progress, hierarchy};
use shoal_io::Limits;
use shoal_pipeline::files::{self, Job};
use shoal_pipeline::{Audit, BatchSource, EarlierReleases, EarlierSource, PipelineError, Request, Source};

use crate::errors::of_pipeline;
use crate::release::NativeRelease;

/// What stands in an audit for the place of another one that was not saved.
const NOT_SAVED: &str = "(not saved)";

/// An earlier release.
#[derive(FromPyObject)]
pub(crate) enum GivenRelease {
    /// One that Python holds, and its `audit.json` where it was saved.
    Held(Py<NativeRelease>, Option<PathBuf>),
    /// The `audit.json` of one that was saved, or of one that the command line has made, or its folder.
    Saved(PathBuf),
}

impl GivenRelease {
    fn audit(&self) -> Result<Audit, PipelineError> {
        match self {
            GivenRelease::Saved(path) => files::open_audit(path),
            GivenRelease::Held(release, saved) => {
                let place = saved.clone().unwrap_or_else(|| NOT_SAVED.into());
                let audit = Audit::parse(&place, &release.get().audit_text())?;
                match release.get().release.people() {
                    Some(people) => audit.with_people(people.clone()),
                    None => Ok(audit),
                }
            }
        }
    }

    /// The audits of the releases that it was held against, where it is held itself. They were read when it was made, so that it does not matter whether their files are
    /// still where they lay.
    fn previous(&self) -> &[Audit] {
        match self {
            GivenRelease::Saved(_) => &[],
            GivenRelease::Held(release, _) => &release.get().request.earlier().previous,
        }
    }

    /// The published data, where they are held.
    fn data(&self) -> Option<(&str, BatchSource)> {
        match self {
            GivenRelease::Saved(_) => None,
            GivenRelease::Held(release, _) => {
                let release = release.get();
                let source = BatchSource::new("the earlier release", release.batches.clone());
                Some((release.release.certificate().sha256(), source))
            }
        }
    }
}

/// The releases that came before, and what they mean for a new one.
pub(crate) struct Earlier {
    pub releases: Vec<GivenRelease>,
    /// Whether the recoding of the last one is applied.
    pub applied: bool,
    pub allow_absent: bool,
}

impl Earlier {
    /// The request for a release that must hold together with these.
    pub(crate) fn held_against(
        &self,
        request: Request,
        job: &Job,
        progress: &dyn Progress,
    ) -> Result<Request, PipelineError> {
        let mut previous = audits(&self.releases)?;
        let last = if self.applied { previous.pop() } else { None };
        let mut earlier = match last {
            Some(last) => {
                // Behind those that were given: whoever gives one of them again says where it lies by now.
                let held = self.releases.last().map(GivenRelease::previous);
                previous.extend(held.unwrap_or_default().iter().cloned());
                EarlierReleases::applied(last, previous, &|place| Audit::open_with_people(place).ok())?
            }
            None => of(previous),
        };
        earlier.allow_absent = self.allow_absent;
        request.with_earlier(earlier).with_earlier_data(|audit| data_of(&self.releases, job, audit), progress)
    }
}

fn of(previous: Vec<Audit>) -> EarlierReleases {
    let mut earlier = EarlierReleases::default();
    earlier.previous = previous;
    earlier
}

fn audits(releases: &[GivenRelease]) -> Result<Vec<Audit>, PipelineError> {
    releases.iter().map(GivenRelease::audit).collect()
}

/// The published data of an earlier release: from memory where it is held, else from where they were written to. The same digest is the same data.
fn data_of(releases: &[GivenRelease], job: &Job, audit: &Audit) -> Result<Box<dyn Source>, PipelineError> {
    let mut held = releases.iter().filter_map(GivenRelease::data);
    match held.find(|(digest, _)| *digest == audit.output_sha256) {
        Some((_, source)) => Ok(Box::new(source)),
        None => files::published_earlier(job, audit),
    }
}

/// These releases, for an attack on another one together with them.
pub(crate) fn attacked_together(
    releases: &[GivenRelease],
    job: &Job,
) -> Result<Vec<EarlierSource>, PipelineError> {
    let opened =
        |audit: Audit| Ok(EarlierSource { data: data_of(releases, job, &audit)?, audit: Some(audit) });
    audits(releases)?.into_iter().map(opened).collect()
}

/// The policy of a release that was saved, or that the command line has made, for other data.
#[derive(IntoPyObject)]
pub(crate) struct PolicyOfRelease {
    text: String,
    /// The folder that its paths are seen from.
    folder: PathBuf,
    /// Its hierarchies by the name that the policy uses, as the text of a hierarchy file.
    hierarchies: HashMap<String, String>,
}

/// The policy of a release, with its hierarchies: a release that applies it needs them as long as it lives, and the folder may move before.
#[pyfunction]
pub(crate) fn policy_of_release(path: PathBuf) -> PyResult<PolicyOfRelease> {
    let opened = || {
        let job = files::open_applied(&path, "-", &[])?;
        let policy = job.policy();
        let broken = |problem| PipelineError::Audit { path: path.clone(), problem };
        let text = policy.to_toml().map_err(broken)?;
        let of_columns = policy.columns.iter().map(|(column, spec)| (column.as_str(), &spec.hierarchy));
        let named = of_columns.chain([("(items)", &policy.data.hierarchy)]);
        let named = named.filter_map(|(column, name)| Some((column, name.as_ref()?)));
        let read = |(column, name): (&str, &String)| Ok((name.clone(), hierarchy_text(&job, column, name)?));
        let hierarchies = named.map(read).collect::<Result<_, PipelineError>>()?;
        Ok(PolicyOfRelease { text, folder: job.folder.clone(), hierarchies })
    };
    opened().map_err(of_pipeline)
}

/// A hierarchy file in the one layout that the Python package reads.
fn hierarchy_text(job: &Job, column: &str, name: &str) -> Result<String, PipelineError> {
    let path = job.resolve(name);
    let text = shoal_io::read_text_file(&path, Limits::HIERARCHY)
        .map_err(|error| PipelineError::ReadFile { path: path.clone(), what: "hierarchy", error })?;
    let tree = hierarchy::from_text(&text).map_err(|error| PipelineError::Hierarchy {
        file: path.to_string_lossy().into_owned(),
        column: column.to_owned(),
        error: Box::new(error),
    })?;
    Ok(hierarchy::to_text(&tree, ';'))
}
