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

/// Judges what was staged, and certifies it where it keeps every promise. [`judge_sequences`] says what that takes; this
/// function is the only one that makes sequences publishable.
///
/// ```
/// # use std::sync::Arc;
/// # use shoal_core::{Column, Hierarchy, Kind, Role, Sequences, Table};
/// use shoal_core::{RawTable, Silent};
/// use shoal_privacy::{
///     Certificate, ReadBack, RecordOrder, Refusal, SequenceAnonymity, SequencesClaim, SequencesModel, Staged,
///     verify_sequences,
/// };
///
/// /// Events that nobody else has seen yet.
/// struct Pending(RawTable);
///
/// impl Staged for Pending {
///     type Receipt = RawTable;
///     type Error = String;
///
///     fn publish(self, certificate: &Certificate) -> Result<RawTable, String> {
///         // A real one compares a digest of what it holds with the certificate's.
///         if certificate.sha256() == "digest" { Ok(self.0) } else { Err("not what was verified".into()) }
///     }
/// }
///
/// // One person was in Bonn, another one in Köln; both are in the west.
/// # let raw = RawTable::from_rows(&["town"], &[vec!["Bonn"], vec!["Köln"]]);
/// # let tree = Arc::new(Hierarchy::from_rows(&[["Bonn", "west", "*"], ["Köln", "west", "*"]].map(Vec::from))?);
/// # let town = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Text, &[]).unwrap().with_hierarchy(&tree).unwrap();
/// # let original = Sequences::new(Table { columns: vec![town], rows: 2 }, vec![0, 1, 2])?;
/// let models: Vec<Box<dyn SequencesModel>> = vec![Box::new(SequenceAnonymity::new(2)?)];
/// let verify = |towns: [&str; 2]| {
///     let file = RawTable::from_rows(&["id", "town"], &[vec!["1", towns[0]], vec!["2", towns[1]]]);
///     let read = |staged: &Pending| Ok::<_, Refusal>((staged.0.clone(), "digest".to_owned()));
///     let order = RecordOrder::Published;
///     let claim = SequencesClaim { id: "id", original: &original, origin: &[0, 1], left_out: 0, order };
///     verify_sequences(ReadBack::of(Pending(file), read)?, claim, &models, &Silent)
/// };
/// assert_eq!(verify(["west", "west"])?.release.publish()?.rows, 2);
/// assert!(matches!(verify(["Bonn", "Köln"]), Err(Refusal::BrokenSequences { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// # use std::sync::Arc;
/// # use shoal_core::{Column, Hierarchy, Kind, Role, Sequences, Table};
/// use shoal_core::{RawTable, Silent};
/// use shoal_privacy::{
///     RecordOrder, Refusal, SequenceAnonymity, SequencesClaim, SequencesModel, judge_sequences,
/// };
///
/// // One person was in Bonn, another one in Köln; both are in the west.
/// # let raw = RawTable::from_rows(&["town"], &[vec!["Bonn"], vec!["Köln"]]);
/// # let tree = Arc::new(Hierarchy::from_rows(&[["Bonn", "west", "*"], ["Köln", "west", "*"]].map(Vec::from))?);
/// # let town = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Text, &[]).unwrap().with_hierarchy(&tree).unwrap();
/// # let original = Sequences::new(Table { columns: vec![town], rows: 2 }, vec![0, 1, 2])?;
/// let models: Vec<Box<dyn SequencesModel>> = vec![Box::new(SequenceAnonymity::new(2)?)];
/// let judge = |town: &str| {
///     let published = RawTable::from_rows(&["id", "town"], &[vec!["1", town], vec!["2", town]]);
///     let order = RecordOrder::Published;
///     let claim = SequencesClaim { id: "id", original: &original, origin: &[0, 1], left_out: 0, order };
///     judge_sequences(&published, claim, &models, &Silent)
/// };
/// assert_eq!(judge("west")?.events_published(), 2);
/// // The second person was not in Bonn: a release must also be true.
/// assert!(matches!(judge("Bonn"), Err(Refusal::SequencesConservation(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
