//! The adversary of published transactions.

use std::collections::HashSet;

use shoal_core::{Progress, RawTable};
use shoal_measure::attack::Attacks;
use shoal_measure::transactions::attack::{
    EarlierTransactions, TransactionsTarget, attack_transactions, attack_transactions_together,
};
use shoal_privacy::Recognized;

use super::algorithm::{hierarchy, promise};
use super::load::{Text, load, read_published_data};
use super::previous::whose;
use crate::attack::Attacked;
use crate::{EarlierSource, PipelineError, ReleaseKey, Request, Source};

/// Plays the adversary.
pub(crate) fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    earlier: &mut [EarlierSource],
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    let before = load(request, &ReleaseKey::UNPUBLISHED, original, Text::Original, progress)?;
    let after = load(request, &ReleaseKey::UNPUBLISHED, published, Text::Published, progress)?;
    let target = TransactionsTarget {
        original: &before.data,
        source_rows: &before.source_rows,
        published: &after.data,
        hierarchy: hierarchy(request),
        promise: &promise(request, &before.data)?,
        seed: request.policy().algorithm.seed,
    };
    let rest = before.rest.as_ref().map(|(rest, _)| rest);
    let mut attacks = play(&target, rest, progress);
    for earlier in earlier {
        let (file, found) = read_published_data(request, earlier.data.as_mut(), progress)?;
        earlier.check_data(&found)?;
        // Without an audit it is not known who was in it: then anybody may have been.
        let (file, mut lines_of) = match &earlier.audit {
            Some(audit) => whose(audit, &file, before.known_as.as_ref()),
            None => (file, None),
        };
        // Whoever is left out has no line in the new release that could be found; its audit knows.
        let now = request.audit_of(&after.sha256).zip(before.known_as.as_ref());
        let now = now.and_then(|(audit, known)| Recognized::by_hash(known, std::slice::from_ref(audit)).ok());
        if let (Some(lines_of), Some(now)) = (&mut lines_of, now) {
            let here: HashSet<u32> = now.before.concat().into_iter().collect();
            let out = lines_of.iter_mut().zip(&now.now).filter(|(_, person)| !here.contains(person));
            out.for_each(|(lines, _)| lines.clear());
        }
        let together = EarlierTransactions { published: &file, lines_of: lines_of.as_deref() };
        attacks.attacks.push(attack_transactions_together(&target, &together, progress));
    }
    Ok(Attacked {
        original: original.name(),
        published: published.name(),
        records_in: before.data.len(),
        records_out: after.data.len(),
        attacks,
    })
}

/// Plays the adversary against items; the columns beside them, in `rest`, are not attacked, which is said.
pub(super) fn play(
    target: &TransactionsTarget<'_>,
    rest: Option<&RawTable>,
    progress: &dyn Progress,
) -> Attacks {
    let mut attacks = attack_transactions(target, progress);
    if rest.is_some_and(|rest| !rest.columns.is_empty()) {
        let what = "the columns beside the items: the promise is about items, and these columns are published as they are";
        attacks.not_tried.push(what.to_owned());
    }
    attacks
}
