//! What published transactions give away.

use std::collections::HashSet;

use shoal_core::{RawTable, SameValue, Transactions, nearest, parse_group, unquote_item};
use shoal_measure::leaks::{ItemGuesses, item_guesses};
use shoal_privacy::total_loss::items_say_nothing;

use super::{Leak, LeakKind, Unit, columns};
use crate::{PipelineError, Request};

/// The leaks of published transactions; `rest` are the other columns of the table that the items are a column of.
pub(crate) fn of_transactions(
    request: &Request,
    published: &Transactions,
    rest: Option<&RawTable>,
) -> Vec<Leak> {
    let privacy = &request.policy().privacy;
    let k = u32::try_from(privacy.k.unwrap_or_default()).unwrap_or(u32::MAX);
    let mut leaks = Vec::new();
    if items_say_nothing(published) {
        leaks.push(LeakKind::SaysNothing { count: published.len(), unit: Unit::Transactions }.into());
    }
    let count = published.supports().into_iter().filter(|&support| support < k).count();
    if count > 0 {
        leaks.push(LeakKind::RareItems { count, of: published.items().len(), k }.into());
    }
    let count = alone(published);
    if count > 0 && !privacy.complete {
        leaks.push(LeakKind::UniqueTransactions { count, of: published.len(), m: privacy.m }.into());
    }
    leaks.extend(sensitive_items(request, published));
    leaks.extend(rest.into_iter().flat_map(|rest| columns::of_untouched(request, rest)));
    leaks
}

/// An item of `privacy.sensitive-items` that nobody has is misspelt, and nothing would be said of the one that was meant.
pub(crate) fn check_sensitive_items(request: &Request, original: &Transactions) -> Result<(), PipelineError> {
    let named = &request.policy().privacy.sensitive_items;
    if named.is_empty() {
        return Ok(());
    }
    let items: HashSet<SameValue> = original.items().iter().map(SameValue::from_text).collect();
    match named.iter().find(|item| !items.contains(&SameValue::from_text(item))) {
        None => Ok(()),
        Some(item) => {
            let message = format!("`{item}` is not an item of the data");
            let hint = match nearest(item, original.items().iter()) {
                Some(label) => format!("did you mean `{label}`?"),
                None => "remove it: an item that nobody has is no secret".to_owned(),
            };
            Err(request.complain_of_data("privacy.sensitive-items", message, hint, &[]))
        }
    }
}

/// How well the items that are secrets are guessed by a reader who knows other items of a person.
fn sensitive_items(request: &Request, published: &Transactions) -> Option<Leak> {
    let privacy = &request.policy().privacy;
    let secrets: HashSet<SameValue> =
        privacy.sensitive_items.iter().map(|item| SameValue::from_text(item)).collect();
    // A group says a secret where each of its members is one.
    let is_secret = |item: &str| secrets.contains(&SameValue::from_text(item));
    let says_secret = |label: &str| match (unquote_item(label), parse_group(label)) {
        (Some(item), _) => is_secret(&item),
        (None, Some(members)) => members.iter().all(|member| is_secret(member)),
        (None, None) => is_secret(label),
    };
    let codes = (0..).zip(published.items().iter()).filter(|(_, label)| says_secret(label));
    let codes: HashSet<u32> = codes.map(|(code, _)| code).collect();
    let found = item_guesses(published, &codes, privacy.m.unwrap_or(2))?;
    let ItemGuesses { known, share, of_all, likely } = found;
    Some(LeakKind::SensitiveItems { count: likely, known, best: share, overall: of_all }.into())
}

/// Transactions that no other one equals; one without items shows nothing.
fn alone(published: &Transactions) -> usize {
    let mut all: Vec<&[u32]> = published.iter().filter(|items| !items.is_empty()).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1).count()
}
