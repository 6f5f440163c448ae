use shoal_core::{Progress, RawTable, Role, Sequences};

use super::model::verify_all;
use super::{SequencesModel, SequencesView, conservation};
use crate::table::check_original;
use crate::{Classes, Findings, ReadBack, RecordOrder, Refusal, Staged, Verified, people_out_of_order};

/// What is said about sequences that shall be released; every word of it is checked.
#[derive(Clone, Copy, Debug)]
pub struct SequencesClaim<'a> {
    /// Its column of pseudonyms.
    pub id: &'a str,
    /// The input, with the hierarchies of the policy and no others.
    pub original: &'a Sequences,
    /// For every published event the input event that it comes from, both counted from 0.
    pub origin: &'a [u32],
    /// How many input events are not in the file.
    pub left_out: usize,
    /// In which order the records are said to stand.
    pub order: RecordOrder,
}

/// What was found about sequences that keep their promise.
#[derive(Debug)]
pub struct SequencesFindings {
    findings: Findings,
    classes: Classes,
    events_published: usize,
    events_left_out: usize,
}

/// Sequences that may be published, and what was seen on the way.
#[derive(Debug)]
pub struct VerifiedSequences<S> {
    /// The staged data with their certificate.
    pub release: Verified<S>,
    /// What was read back from them.
    pub published: RawTable,
    /// What was found about it.
    pub findings: SequencesFindings,
}

/// Judges what was staged, and certifies it where it keeps every promise.
pub fn verify_sequences<S: Staged>(
    staged: ReadBack<S, RawTable>,
    claim: SequencesClaim<'_>,
    models: &[Box<dyn SequencesModel>],
    progress: &dyn Progress,
) -> Result<VerifiedSequences<S>, Refusal> {
    let findings = judge_sequences(staged.content(), claim, models, progress)?;
    let (release, published) = staged.certify(findings.findings.clone());
    Ok(VerifiedSequences { release, published, findings })
}

/// Checks that published sequences keep every promise and are true of their input.
pub fn judge_sequences(
    published: &RawTable,
    claim: SequencesClaim<'_>,
    models: &[Box<dyn SequencesModel>],
    progress: &dyn Progress,
) -> Result<SequencesFindings, Refusal> {
    let SequencesClaim { id, original, origin, left_out, order } = claim;
    check_original(original.events())?;
    let quasi: Vec<&str> =
        original.events().of_role(Role::QuasiIdentifier).map(|c| c.name.as_str()).collect();
    let view = SequencesView::new(published, id, &quasi)?.with_progress(progress);
    let (promises, broken) = verify_all(&view, models)?;
    if !broken.is_empty() {
        return Err(Refusal::BrokenSequences { broken });
    }
    conservation::check(original, &view, origin, left_out, progress)?;
    progress.check();
    if order == RecordOrder::Published {
        people_out_of_order(published, id).map_or(Ok(()), Err)?;
    }
    let findings = Findings::new(promises, original.persons(), view.people());
    let events_published = published.rows;
    Ok(SequencesFindings {
        findings,
        classes: view.into_classes(),
        events_published,
        events_left_out: left_out,
    })
}

impl SequencesFindings {
    /// What was found, for any shape.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The classes of people whose sequences are alike, people in the order of their pseudonyms.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Events of the file.
    pub fn events_published(&self) -> usize {
        self.events_published
    }

    /// Events of the input that are not in the file, those of people who are not in it included.
    pub fn events_left_out(&self) -> usize {
        self.events_left_out
    }
}
