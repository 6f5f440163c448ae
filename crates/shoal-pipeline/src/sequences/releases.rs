//! A release of sequences, attacked together with earlier ones.

use std::collections::{BTreeMap, BTreeSet};

use shoal_core::{Progress, RawTable};
use shoal_measure::sequences::attack::{
    EarlierSequences, SequencesTarget, Together, attack_sequences_together,
};

use super::applied::{self, History, greatest_k};
use super::load::Loaded;
use super::promise::promise;
use super::run::id;
use crate::earlier::EarlierFile;
use crate::leaks::nobody_recognized;
use crate::table::absent;
use crate::{Audit, Leak, PipelineError, Request};

/// Attacks a release together with each earlier one; `origin` says which event each published one comes from.
pub(super) fn together(
    request: &Request,
    loaded: &Loaded,
    published: &RawTable,
    origin: &[u32],
    progress: &dyn Progress,
) -> Result<Vec<Together>, PipelineError> {
    let promise = promise(request.policy());
    let target = SequencesTarget {
        original: &loaded.data,
        source_rows: &loaded.source_place,
        published,
        id: id(request),
        promise: &promise,
        seed: request.policy().algorithm.seed,
    };
    let person_of = loaded.data.person_of();
    let mut is_published = vec![false; loaded.data.persons()];
    origin.iter().for_each(|&event| is_published[person_of[event as usize] as usize] = true);
    let mut found = Vec::new();
    for (audit, file) in request.earlier.previous.iter().zip(&request.earlier.files) {
        let EarlierFile::Sequences(before) = file else { continue };
        let mut in_both = in_release(audit, loaded)?;
        // Whoever is left out has no line in the new release that could be found.
        in_both.iter_mut().zip(&is_published).for_each(|(both, now)| *both &= now);
        let earlier = EarlierSequences { published: before, in_both: Some(&in_both) };
        found.push(attack_sequences_together(&target, &earlier, progress));
    }
    Ok(found)
}

/// Of each person of the new original whether they are in a release, by its audit.
pub(super) fn in_release(audit: &Audit, loaded: &Loaded) -> Result<Vec<bool>, PipelineError> {
    let history = History::of(audit, &loaded.known_as)?;
    Ok(history.cluster_of.iter().map(Option::is_some).collect())
}

/// An error where an earlier release and the new one break a promise together; else what to say about them.
pub(super) fn check(
    request: &Request,
    loaded: &Loaded,
    published: &RawTable,
    origin: &[u32],
    progress: &dyn Progress,
) -> Result<Vec<Leak>, PipelineError> {
    let releases = request.earlier.previous.len();
    let mut worst: f64 = 0.0;
    for Together { attack, .. } in together(request, loaded, published, origin, progress)? {
        if attack.beaten {
            return Err(PipelineError::Attacked { found: attack.worst, releases });
        }
        worst = worst.max(attack.success);
    }
    let text = format!(
        "people of this release were in earlier ones, too ({releases} given): an adversary who has all of them and knows what the promise says picks the right \
         line with up to {:.1} %",
        100.0 * worst
    );
    let mut strangers = 0;
    for audit in &request.earlier.previous {
        strangers += usize::from(!in_release(audit, loaded)?.contains(&true));
    }
    let found = (worst > 0.0).then(|| Leak::new("earlier-releases", text));
    // Who is gone is looked at before a recoding is applied.
    let gone = match request.earlier.applied {
        true => 0,
        false => gone(request, loaded, origin)?,
    };
    Ok([found, absent(gone), nobody_recognized(strangers)].into_iter().flatten().collect())
}

/// How many people of earlier releases are not in the new one and are fewer than k of their cluster.
fn gone(request: &Request, loaded: &Loaded, origin: &[u32]) -> Result<usize, PipelineError> {
    let previous = &request.earlier.previous;
    let histories = previous.iter().map(|audit| History::of(audit, &loaded.known_as));
    let histories = histories.collect::<Result<Vec<_>, _>>()?;
    let person_of = loaded.data.person_of();
    let published: BTreeSet<u32> = origin.iter().map(|&event| person_of[event as usize]).collect();
    let mut groups: BTreeMap<Vec<Option<u32>>, Vec<u32>> = BTreeMap::new();
    for person in published {
        let was = histories.iter().map(|history| history.cluster_of[person as usize]).collect();
        groups.entry(was).or_default().push(person);
    }
    Ok(applied::absent(&groups, &histories, greatest_k(request)))
}
