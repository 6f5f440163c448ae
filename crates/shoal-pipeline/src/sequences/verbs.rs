//! The verbs that look at sequences that are already published, ours or not.

use serde::Serialize;
use shoal_core::{Progress, RawTable, Role};
use shoal_io::ReadTable;
use shoal_measure::sequences::SequencesMeasures;
use shoal_privacy::matching::match_sequences;
use shoal_privacy::sequences::conservation;
use shoal_privacy::{Refusal, SequencesVerdict, SequencesView, verify_sequences_file};

use super::load::load;
use super::models::models;
use super::promise::promise_of;
use super::run::{id, take_measures};
use crate::columns::read_published;
use crate::leaks::{left_out, of_sequences};
use crate::{AgainstOriginal, PipelineError, ReleaseKey, Request, Source, VerifiedFile};

/// What `verify` found.
pub type SequencesVerified = VerifiedFile<SequencesVerdict>;

/// Does this file keep the policy's promise, and, where the original is given, is it true?
pub(crate) fn verify(
    request: &Request,
    published: &mut dyn Source,
    original: Option<&mut dyn Source>,
    progress: &dyn Progress,
) -> Result<SequencesVerified, PipelineError> {
    let read = read_published(request, published, progress)?;
    let models = models(request, &promise_of(request), None)?;
    let verdict = verify_sequences_file(&read.table, id(request), &request.roles(), &models, progress)
        .map_err(Refusal::Unverifiable)?;
    let original = match original {
        Some(original) => Some(compare(request, &read, &verdict, original, progress)?),
        None => None,
    };
    let quasi: Vec<&str> = request.policy().columns_of(Role::QuasiIdentifier);
    let view = SequencesView::new(&read.table, id(request), &quasi).map_err(Refusal::Unverifiable)?;
    let mut leaks = of_sequences(request, &read.table, id(request), view.classes());
    leaks.extend(
        original.as_ref().and_then(|found| left_out(request.policy(), found.left_out, found.records)),
    );
    Ok(VerifiedFile {
        file: published.name(),
        sha256: read.sha256,
        groups_sha256: None,
        verdict,
        original,
        leaks,
    })
}

/// Whether published sequences are true of the original. All promises about them can be seen in the file alone.
fn compare(
    request: &Request,
    published: &ReadTable,
    verdict: &SequencesVerdict,
    original: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<AgainstOriginal, PipelineError> {
    let loaded = load(request, &ReleaseKey::UNPUBLISHED, original, progress)?;
    let (file, people) = (&original.name(), loaded.data.persons());
    progress.stage("comparing", 0);
    let origins = match_sequences(&loaded.data, &published.table, id(request), &loaded.incomplete, progress);
    let origins = match origins.map_err(Refusal::Unverifiable)? {
        Ok(origins) => origins,
        Err(why) => return Ok(AgainstOriginal::no_origin(file, people, verdict.records, &why)),
    };
    let found = AgainstOriginal::is_true(file, people, people - verdict.records);
    let quasi: Vec<&str> =
        loaded.data.events().of_role(Role::QuasiIdentifier).map(|column| column.name.as_str()).collect();
    let view = SequencesView::new(&published.table, id(request), &quasi).map_err(Refusal::Unverifiable)?;
    Ok(match conservation::check(&loaded.data, &view, &origins.origin, origins.left_out, progress) {
        Ok(()) => found,
        Err(untrue) => found.because(&untrue),
    })
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
    pub measures: SequencesMeasures,
}

/// The measures of a file that was read already.
pub(super) fn measure_release(
    request: &Request,
    original: &mut dyn Source,
    file: &str,
    release: &RawTable,
    progress: &dyn Progress,
) -> Result<SequencesMeasures, PipelineError> {
    let loaded = load(request, &ReleaseKey::UNPUBLISHED, original, progress)?;
    // A value that is not true of anybody would otherwise be counted as one that nothing was lost of.
    match_sequences(&loaded.data, release, id(request), &loaded.incomplete, progress)
        .map_err(Refusal::Unverifiable)?
        .map_err(|error| PipelineError::Untrue { file: file.to_owned(), error: Box::new(error) })?;
    take_measures(request, &loaded.data, release, progress)
}

/// How much does this file lose against its original, and what does it still risk?
pub(crate) fn measure(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<SequencesMeasured, PipelineError> {
    let release = read_published(request, published, progress)?.table;
    let measures = measure_release(request, original, &published.name(), &release, progress)?;
    Ok(SequencesMeasured {
        records_in: measures.loss.persons_in as usize,
        records_out: measures.loss.persons_out as usize,
        measures,
    })
}
