//! All adversaries of a published stream, with its original to measure their success by.

use shoal_core::stream::StreamPromise;
use shoal_core::{Cancelled, Progress, Role};
use shoal_measure::stream::attack::{StreamTarget, attack_stream};

use super::attack::shown;
use super::lines::{StreamText, original, published};
use super::{SensitiveValues, bind};
use crate::{Attacked, PipelineError, Request};

/// Plays the adversaries against published lines. `learned` is what the run has learned that published them, where that is known.
pub fn attack(
    request: &Request,
    learned: Option<&SensitiveValues>,
    original_text: StreamText<'_>,
    published_text: StreamText<'_>,
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let binding = bind(request);
    let (before, after) = (original_text.place.to_owned(), published_text.place.to_owned());
    let lines = published(&binding.layout, published_text)?;
    let (tuples, broken) = original(request, &binding.layout, original_text)?;
    let design = match (binding.promise, binding.values_of_design(learned)) {
        (StreamPromise::Sets { .. }, Some(values)) => Some(binding.design(request, values)?),
        _ => None,
    };
    let shown = shown(&binding, &tuples, &lines, design.as_ref());
    let sensitive = request.policy().columns_of(Role::Sensitive).join("|");
    let target = StreamTarget {
        columns: &binding.columns,
        promise: binding.promise,
        lines: &lines,
        design: design.as_ref(),
        tuples: &tuples,
        shown: shown.as_deref(),
        sensitive: &sensitive,
    };
    let mut attacks = Cancelled::catch(|| attack_stream(&target, progress))??;
    if broken > 0 {
        attacks.notes.push(format!("{broken} lines of the original are not tuples"));
    }
    Ok(Attacked {
        original: before,
        published: after,
        records_in: tuples.len(),
        records_out: lines
            .iter()
            .filter(|line| !matches!(line, shoal_core::stream::StreamLine::Slot { .. }))
            .count(),
        attacks,
    })
}
