//! The verbs that look at sequences that are already published, ours or not.

use std::path::Path;

use serde::Serialize;
use shoal_core::{Progress, Role};
use shoal_measure::sequences::SequenceMeasures;
use shoal_privacy::{Refusal, SequenceVerdict, verify_sequences_file};

use super::load::load;
use super::promise::promise;
use super::road::{id, models, take_measures};
use crate::{Job, PipelineError};

/// What `verify` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesVerified {
    /// The file.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// The verifier's answer.
    #[serde(flatten)]
    pub verdict: SequenceVerdict,
}

/// Does this file keep the policy's promise?
pub(crate) fn verify(
    job: &Job,
    published: &Path,
    progress: &dyn Progress,
) -> Result<SequencesVerified, PipelineError> {
    let source = job.published(published)?;
    let read = shoal_io::read_table(&source, &|_| true, progress)?;
    let roles: Vec<(&str, Role)> = job.policy().columns.iter().map(|(n, c)| (n.as_str(), c.role)).collect();
    let verdict = verify_sequences_file(&read.table, id(job), &roles, &models(job, &promise(job.policy()))?)
        .map_err(Refusal::Unverifiable)?;
    Ok(SequencesVerified { file: source.location, sha256: read.sha256, verdict })
}

/// What `measure` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesMeasured {
    /// People in the original.
    pub records_in: usize,
    /// People in the published file.
    pub records_out: usize,
    /// Loss and risk.
    #[serde(flatten)]
    pub measures: SequenceMeasures,
}

/// How much does this file lose against its original, and what does it still risk?
pub(crate) fn measure(
    job: &Job,
    original: &Path,
    published: &Path,
    progress: &dyn Progress,
) -> Result<SequencesMeasured, PipelineError> {
    let loaded = load(job, &job.original(original)?, progress)?;
    let release = shoal_io::read_table(&job.published(published)?, &|_| true, progress)?.table;
    let measures = take_measures(job, &loaded.data, &release)?;
    Ok(SequencesMeasured {
        records_in: measures.loss.persons_in as usize,
        records_out: measures.loss.persons_out as usize,
        measures,
    })
}
