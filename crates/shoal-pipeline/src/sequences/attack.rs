//! The adversary of published sequences.

use shoal_core::Progress;
use shoal_measure::sequences::attack::{SequencesTarget, attack_sequences};

use super::load::load;
use super::promise::promise;
use super::run::id;
use crate::attack::Attacked;
use crate::columns::read_published;
use crate::{PipelineError, Request, Source};

/// Plays the adversary.
pub(crate) fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let loaded = load(request, original, progress)?;
    let release = read_published(request, published, progress)?.table;
    if release.column(id(request)).is_none() {
        let (file, column) = (published.name(), id(request).to_owned());
        return Err(PipelineError::PublishedColumn { file, column });
    }
    let target = SequencesTarget {
        original: &loaded.data,
        source_rows: &loaded.source_place,
        published: &release,
        id: id(request),
        promise: &promise(request.policy()),
        seed: request.policy().algorithm.seed,
    };
    let attacks = attack_sequences(&target, progress);
    let people = release.column(id(request)).map_or(0, |ids| ids.labels.len());
    Ok(Attacked {
        original: original.name(),
        published: published.name(),
        records_in: loaded.data.persons(),
        records_out: people,
        attacks,
    })
}
