//! The files of a stream: its prior, the folder of what must survive it, its texts.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use shoal_core::Progress;
use shoal_io::Source;

use super::Job;
use crate::stream::{
    SensitiveValues, StreamMeasured, StreamPlan, StreamQuestion, StreamText, StreamVerified, attack, bind,
    check, measure, parse_prior, verify,
};
use crate::{Attacked, PipelineError, Request};

/// The file in the state folder that holds what a run has learned.
const LEARNED_PRIOR: &str = "prior.csv";

/// The state folder of a stream: the one that the policy names. Where it names none and a broker is the source or the
/// sink, one that is named after the policy's file: a broker sends again what was not acknowledged, so what was decided
/// must be known then; and two policies must never share a folder because neither of them says anything.
pub fn state_folder(job: &Job) -> Option<PathBuf> {
    let policy = job.policy();
    if let Some(dir) = &policy.state.dir {
        return Some(job.resolve(dir));
    }
    let through_broker =
        policy.data.source != "-" || policy.output.path.as_deref().is_some_and(|path| path != "-");
    // The whole name, so that `visits.toml` and `visits.test.toml` are two.
    let stem = job.path.file_stem().unwrap_or(job.path.as_os_str());
    let mut name = stem.to_owned();
    name.push(".state");
    through_broker.then(|| job.folder.join(name))
}

/// Where a run with this state folder writes down what it has learned.
pub fn learned_prior(folder: &Path) -> PathBuf {
    folder.join(LEARNED_PRIOR)
}

/// Reads a prior: that of the policy, or what a run has learned.
pub fn read_prior(job: &Job, path: &Path) -> Result<SensitiveValues, PipelineError> {
    let place = path.to_string_lossy().into_owned();
    let raw = shoal_io::read_table(&Source::new(place.clone()), &|_| true, &shoal_core::Silent)?.table;
    parse_prior(&job.document, &place, &raw)
}

/// [`check`] with the place of the state.
pub(super) fn check_stream(job: &Job) -> Result<StreamPlan, PipelineError> {
    let mut plan = check(&job.request()?)?;
    plan.state = state_folder(job).map(|folder| folder.display().to_string());
    Ok(plan)
}

/// [`verify`] of a file.
pub(super) fn verify_stream(job: &Job, published: &Path) -> Result<StreamVerified, PipelineError> {
    let request = job.request()?;
    let mut published = OpenText::open(published, PUBLISHED)?;
    verify(&request, learned(job, &request)?.as_ref(), published.text())
}

/// [`measure`] of a file, against another one where that is at hand.
pub(super) fn measure_stream(
    job: &Job,
    original: Option<&Path>,
    published: &Path,
    question: &StreamQuestion,
) -> Result<StreamMeasured, PipelineError> {
    let request = job.request()?;
    let mut published = OpenText::open(published, PUBLISHED)?;
    let mut original = original.map(|path| OpenText::open(path, "original stream")).transpose()?;
    let original = original.as_mut().map(OpenText::text);
    measure(&request, learned(job, &request)?.as_ref(), original, published.text(), question)
}

/// [`attack`] of a file, with its original.
pub(super) fn attack_stream(
    job: &Job,
    original: &Path,
    published: &Path,
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let request = job.request()?;
    let mut published = OpenText::open(published, PUBLISHED)?;
    let mut original = OpenText::open(original, "original stream")?;
    attack(&request, learned(job, &request)?.as_ref(), original.text(), published.text(), progress)
}

/// What is called so where it cannot be opened.
const PUBLISHED: &str = "published stream";

/// What a run of the policy has learned, where it had to and its state folder is here.
fn learned(job: &Job, request: &Request) -> Result<Option<SensitiveValues>, PipelineError> {
    // What lies in the folder of a policy that does not learn is of an earlier one.
    if bind(request).learn.is_none() {
        return Ok(None);
    }
    let file = state_folder(job).map(|folder| learned_prior(&folder));
    file.filter(|file| file.exists()).map(|file| read_prior(job, &file)).transpose()
}

/// A text of a stream that has been opened; `-` is standard input.
struct OpenText {
    place: String,
    bytes: Box<dyn Read>,
}

impl OpenText {
    fn open(path: &Path, what: &'static str) -> Result<OpenText, PipelineError> {
        let fail = |error| PipelineError::ReadFile { path: path.to_owned(), what, error };
        let bytes: Box<dyn Read> = match path.to_str() {
            Some("-") => Box::new(std::io::stdin()),
            _ => Box::new(File::open(path).map_err(fail)?),
        };
        Ok(OpenText { place: path.display().to_string(), bytes })
    }

    fn text(&mut self) -> StreamText<'_> {
        StreamText { place: &self.place, bytes: &mut self.bytes }
    }
}
