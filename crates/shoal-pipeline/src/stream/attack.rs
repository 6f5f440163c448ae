//! The adversary who learns from the published lines, and how often it is right where the original is at hand.

use std::collections::HashMap;

use shoal_core::stream::{StreamDesign, StreamLine, StreamPromise, StreamTuple};
use shoal_measure::stream::{Guesses, Sightings};

use super::StreamBinding;
use crate::PipelineError;

/// Plays the adversary; none for castle, which hides no values. `shown` are the originals of the lines, in their order.
pub(super) fn attack(
    binding: &StreamBinding,
    lines: &[StreamLine<'_>],
    design: Option<&StreamDesign>,
    shown: Option<&[StreamTuple<'_>]>,
) -> Result<Option<Guesses>, PipelineError> {
    let (seen, labels, l) = match (binding.promise, design) {
        (StreamPromise::Sets { l }, Some(design)) => {
            (Sightings::of_sets(&binding.columns, lines, design)?, design.labels().to_vec(), l)
        }
        (StreamPromise::Groups { l, .. }, _) => {
            let (seen, labels) = Sightings::of_groups(&binding.columns, lines)?;
            (seen, labels, l)
        }
        (StreamPromise::Sets { .. }, None) | (StreamPromise::Crowds { .. }, _) => return Ok(None),
    };
    let code =
        |tuple: &StreamTuple<'_>| labels.partition_point(|label| label.as_str() < &*tuple.value) as u32;
    let truth: Option<Vec<u32>> = shown.map(|tuples| tuples.iter().map(code).collect());
    Ok(Some(Guesses::of(&seen.guess(), l, truth.as_deref())))
}

/// The tuples of an original that lines show, in their order: those that were not learned from and could be hidden. None
/// where lines and tuples do not fit each other.
pub(super) fn shown(
    binding: &StreamBinding,
    tuples: &[StreamTuple<'static>],
    lines: &[StreamLine<'_>],
    design: Option<&StreamDesign>,
) -> Option<Vec<StreamTuple<'static>>> {
    if matches!(binding.promise, StreamPromise::Crowds { .. }) {
        return None;
    }
    let can_be_hidden = |tuple: &&StreamTuple<'_>| {
        design.is_none_or(|design| {
            let stratum = design.strata().of_tuple(&tuple.cells);
            let code = design.code(&tuple.value);
            stratum.zip(code).is_some_and(|(stratum, code)| design.sets(stratum).holds(code))
        })
    };
    // A run that went on with what an earlier one had learned has published its first tuples, too.
    let learned = binding.learn.unwrap_or(0).min(tuples.len());
    [learned, 0].into_iter().find_map(|skipped| {
        let shown: Vec<_> = tuples[skipped..].iter().filter(can_be_hidden).cloned().collect();
        fits(&shown, lines).then_some(shown)
    })
}

/// Whether every line holds its tuple's value.
fn fits(tuples: &[StreamTuple<'_>], lines: &[StreamLine<'_>]) -> bool {
    let mut groups: HashMap<u64, Vec<&str>> = HashMap::new();
    let mut next = tuples.iter();
    for line in lines {
        let held = match line {
            StreamLine::Slot { group, value, .. } => {
                groups.entry(*group).or_default().push(value);
                continue;
            }
            StreamLine::Set { values, .. } => next.next().is_some_and(|tuple| values.contains(&tuple.value)),
            StreamLine::Member { group, .. } => next
                .next()
                .is_some_and(|tuple| groups.get(group).is_some_and(|values| values.contains(&&*tuple.value))),
            StreamLine::Row { .. } => false,
        };
        if !held {
            return false;
        }
    }
    next.next().is_none()
}
