//! The adversary of published transactions.

use shoal_core::Progress;
use shoal_measure::transactions::attack::{TransactionsTarget, attack_transactions};

use super::algorithm::{hierarchy, promise};
use super::load::{Text, load};
use crate::attack::Attacked;
use crate::{PipelineError, Request, Source};

/// Plays the adversary.
pub(crate) fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let before = load(request, original, Text::Original, progress)?;
    let after = load(request, published, Text::Published, progress)?;
    let target = TransactionsTarget {
        original: &before.data,
        source_rows: &before.source_rows,
        published: &after.data,
        hierarchy: hierarchy(request),
        promise: &promise(request, &before.data)?,
        seed: request.policy().algorithm.seed,
    };
    let mut attacks = attack_transactions(&target, progress);
    if before.rest.as_ref().is_some_and(|(rest, _)| !rest.columns.is_empty()) {
        let what = "the columns beside the items: the promise is about items, and these columns are published as they are";
        attacks.not_tried.push(what.to_owned());
    }
    Ok(Attacked {
        original: original.name(),
        published: published.name(),
        records_in: before.data.len(),
        records_out: after.data.len(),
        attacks,
    })
}
