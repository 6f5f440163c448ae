use shoal_core::{RawTable, Role, Sequences};

use super::model::verify_all;
use super::{SequencesModel, SequencesView, conservation};
use crate::table::check_original;
use crate::{Classes, RecordOrder, Refusal, VerifiedRelease, people_out_of_order};

/// What is said about sequences that shall be released; every word of it is checked.
#[derive(Clone, Debug)]
pub struct SequencesClaim<'a> {
    /// The SHA-256 of the file's bytes, in lower-case hex.
    pub sha256: String,
    /// The file, read back from these bytes: a row an event.
    pub published: &'a RawTable,
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

/// Sequences that may be published, and what was seen on the way.
#[derive(Debug)]
pub struct VerifiedSequences {
    release: VerifiedRelease,
    classes: Classes,
    events_published: usize,
    events_left_out: usize,
}

/// Checks that published sequences keep every promise and are true of their input.
pub fn verify_sequences(
    claim: SequencesClaim<'_>,
    models: &[Box<dyn SequencesModel>],
) -> Result<VerifiedSequences, Refusal> {
    let SequencesClaim { sha256, published, id, original, origin, left_out, order } = claim;
    check_original(original.events())?;
    let quasi: Vec<&str> =
        original.events().of_role(Role::QuasiIdentifier).map(|c| c.name.as_str()).collect();
    let view = SequencesView::new(published, id, &quasi)?;
    let (promises, broken) = verify_all(&view, models)?;
    if !broken.is_empty() {
        return Err(Refusal::BrokenSequences { broken });
    }
    conservation::check(original, &view, origin, left_out)?;
    if order == RecordOrder::Published {
        people_out_of_order(published, id).map_or(Ok(()), Err)?;
    }
    let release = VerifiedRelease::seal(sha256, promises, original.persons(), view.people());
    let events_published = published.rows;
    Ok(VerifiedSequences {
        release,
        classes: view.into_classes(),
        events_published,
        events_left_out: left_out,
    })
}

impl VerifiedSequences {
    /// The ticket for publishing. Its records are people.
    pub fn release(&self) -> &VerifiedRelease {
        &self.release
    }

    /// The ticket alone.
    pub fn into_release(self) -> VerifiedRelease {
        self.release
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
