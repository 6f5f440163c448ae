//! What published transactions give away.

use shoal_core::{RawTable, Transactions};

use super::{Leak, columns, nothing};
use crate::Request;

/// The leaks of published transactions; `rest` are the other columns of the table that the items are a column of.
pub(crate) fn of_transactions(
    request: &Request,
    published: &Transactions,
    rest: Option<&RawTable>,
) -> Vec<Leak> {
    let privacy = &request.policy().privacy;
    let k = u32::try_from(privacy.k.unwrap_or_default()).unwrap_or(u32::MAX);
    let mut leaks: Vec<Leak> = nothing::of_items(published).into_iter().collect();
    let rare = published.supports().into_iter().filter(|&support| support < k).count();
    if rare > 0 {
        let what = format!(
            "{rare} of {} published items are held by fewer than {k} transactions; the promise does not speak of them, and \
             whoever knows one finds a crowd smaller than k",
            published.items().len()
        );
        leaks.push(Leak::new("rare-items", what).counted(rare));
    }
    let alone = alone(published);
    if alone > 0 && !privacy.complete {
        let known = match privacy.m {
            Some(m) => format!("more than {m} of somebody's items"),
            None => "more of somebody's items than the promise speaks of".to_owned(),
        };
        let what = format!(
            "{alone} of {} transactions are like no other: whoever knows {known} may find them, and all other items in them",
            published.len()
        );
        leaks.push(Leak::new("unique-transactions", what).counted(alone));
    }
    leaks.extend(rest.into_iter().flat_map(|rest| columns::of_untouched(request, rest)));
    leaks
}

/// Transactions that no other one equals; one without items shows nothing.
fn alone(published: &Transactions) -> usize {
    let mut all: Vec<&[u32]> = published.iter().filter(|items| !items.is_empty()).collect();
    all.sort_unstable();
    all.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1).count()
}
