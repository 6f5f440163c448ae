//! The verbs beside `run`, on files.

use std::path::{Path, PathBuf};

use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress, Table};
use shoal_io::is_postgres;

use super::stream::{check_stream, measure_stream, verify_stream};
use super::targets::table_target;
use super::{Job, RunOptions, release_key};
use crate::stream::StreamQuestion;
use crate::{Explained, Explanation, Measured, PipelineError, Plan, Source, Verified};

/// What the command line says beyond the file and the policy.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The original that the file claims to come from.
    pub original: Option<PathBuf>,
}

/// Reads policy and data, and says what a run would do. Writes nothing.
pub fn check(job: &Job, progress: &dyn Progress) -> Result<Plan, PipelineError> {
    if job.policy().data.shape == Shape::Stream {
        return Ok(Plan::Stream(check_stream(job)?));
    }
    let of_key = release_key::check(job)?;
    let mut source = job.source()?;
    let mut plan = crate::check(&job.request()?, &mut source, progress)?;
    plan.add_notes(source.notes()?.into_iter().chain(of_key).collect());
    let output = job.place_of_output(None)?;
    plan.add_notes(
        output.as_deref().and_then(|output| unwritable_table(job, output, progress)).into_iter().collect(),
    );
    plan.set_output(output.map(|path| path.display().to_string()));
    Ok(plan)
}

/// What a run would say of the table that it should write, asked of its server; nothing is made there. A note and no error: what `check` says of the data is
/// true all the same.
fn unwritable_table(job: &Job, output: &Path, progress: &dyn Progress) -> Option<String> {
    let address = output.to_str().filter(|output| is_postgres(output))?;
    let error = table_target(job, address, &RunOptions::default(), progress).err()?;
    let hint = error.hint().map_or_else(String::new, |hint| format!("; {hint}"));
    Some(format!("a run could not publish there: {error}{hint}"))
}

/// Does this file keep the policy's promise?
pub fn verify(job: &Job, published: &Path, progress: &dyn Progress) -> Result<Verified, PipelineError> {
    verify_with(job, published, &VerifyOptions::default(), progress)
}

/// The same, with what the command line asks for beyond; where the original is given also: is the file true of it?
pub fn verify_with(
    job: &Job,
    published: &Path,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Verified, PipelineError> {
    if job.policy().data.shape == Shape::Stream {
        return match options.original {
            Some(_) => Err(PipelineError::StreamOriginal),
            None => Ok(Verified::Stream(verify_stream(job, published)?)),
        };
    }
    let mut original = match &options.original {
        Some(path) => Some(job.original(path)?),
        None => None,
    };
    let original = original.as_mut().map(|source| source as &mut dyn Source);
    crate::verify(&job.request()?, &mut job.published(published)?, original, progress)
}

/// How much does this file lose against its original, and what does it still risk? A published stream can be asked for
/// counts, without its original, too.
pub fn measure(
    job: &Job,
    original: Option<&Path>,
    published: &Path,
    question: Option<&StreamQuestion>,
    progress: &dyn Progress,
) -> Result<Measured, PipelineError> {
    if job.policy().data.shape == Shape::Stream {
        let all = StreamQuestion::default();
        let measured = measure_stream(job, original, published, question.unwrap_or(&all))?;
        return Ok(Measured::Stream(measured));
    }
    if question.is_some() {
        return Err(PipelineError::OnlyStreams);
    }
    let original = original.ok_or(PipelineError::NoOriginal)?;
    crate::measure(&job.request()?, &mut job.original(original)?, &mut job.published(published)?, progress)
}

/// Why is this file as coarse as it is? The original is the policy's source where none is named.
pub fn explain(
    job: &Job,
    original: Option<&Path>,
    published: &Path,
    asked: &Explained,
    progress: &dyn Progress,
) -> Result<Explanation, PipelineError> {
    let mut original = match original {
        Some(path) => job.original(path)?,
        None => job.source()?,
    };
    crate::explain(&job.request()?, &mut original, &mut job.published(published)?, asked, progress)
}

/// The policy's table, encoded, in the order of the source.
pub fn load(job: &Job, progress: &dyn Progress) -> Result<Table, PipelineError> {
    Cancelled::catch(|| crate::table::load(&job.request()?, &mut job.source()?, progress))?
}
