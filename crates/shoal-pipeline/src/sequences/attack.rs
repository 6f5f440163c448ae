//! The adversary of published sequences.

use shoal_core::Progress;
use shoal_measure::sequences::attack::{
    EarlierSequences, SequencesTarget, attack_sequences, attack_sequences_together,
};

use super::load::load;
use super::previous::in_release;
use super::promise::promise_of_file;
use super::run::id;
use crate::attack::Attacked;
use crate::columns::read_published;
use crate::{EarlierSource, PipelineError, ReleaseKey, Request, Source};

/// Plays the adversary.
pub(crate) fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    earlier: &mut [EarlierSource],
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let loaded = load(request, &ReleaseKey::UNPUBLISHED, original, progress)?;
    let read = read_published(request, published, progress)?;
    let (release, sha256) = (read.table, read.sha256);
    if release.column(id(request)).is_none() {
        let (file, column) = (published.name(), id(request).to_owned());
        return Err(PipelineError::PublishedColumn { file, column });
    }
    let target = SequencesTarget {
        original: &loaded.data,
        source_rows: &loaded.source_place,
        published: &release,
        id: id(request),
        promise: &promise_of_file(request),
        seed: request.policy().algorithm.seed,
    };
    let mut attacks = attack_sequences(&target, progress);
    for earlier in earlier {
        let read = read_published(request, earlier.data.as_mut(), progress)?;
        earlier.check_data(&read.sha256.into())?;
        let file = read.table;
        // Without an audit it is not known who was in it: then anybody may have been.
        let mut in_both = match &earlier.audit {
            Some(audit) => Some(in_release(audit, &loaded)?),
            None => None,
        };
        // Whoever is left out has no line in the new release that could be found; its audit knows.
        if let (Some(in_both), Some(audit)) = (&mut in_both, request.audit_of(&sha256)) {
            let now = in_release(audit, &loaded)?;
            in_both.iter_mut().zip(now).for_each(|(both, now)| *both &= now);
        }
        let together = EarlierSequences { published: &file, in_both: in_both.as_deref() };
        attacks.attacks.push(attack_sequences_together(&target, &together, progress).attack);
    }
    let people = release.column(id(request)).map_or(0, |ids| ids.labels.len());
    Ok(Attacked {
        original: original.name(),
        published: published.name(),
        records_in: loaded.data.persons(),
        records_out: people,
        attacks,
    })
}
