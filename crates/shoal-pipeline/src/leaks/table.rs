//! What a published table gives away.

use shoal_core::{Policy, RawTable, Role};
use shoal_measure::leaks::{Guesses, folded, guesses};
use shoal_privacy::Classes;

use super::{Leak, LeakKind, Unit, columns};
use crate::Request;

/// The leaks of a published table; `classes` are those of its quasi-identifiers.
pub(crate) fn of_table(request: &Request, published: &RawTable, classes: &Classes) -> Vec<Leak> {
    let mut leaks: Vec<Leak> = columns::says_nothing(request, published, Unit::Records).into_iter().collect();
    for name in request.policy().columns_of(Role::Sensitive) {
        let Some(column) = published.column(name) else { continue };
        let values = folded(column, &request.policy().data.missing_texts());
        let found = guesses(classes, |record| values[record].into_iter().collect());
        leaks.extend(in_classes(name, &found, classes.len(), Unit::Records));
    }
    leaks.extend(columns::of_untouched(request, published));
    leaks
}

/// The leaks of a table that are known before it is published.
pub(crate) fn before_table(request: &Request, original: &RawTable) -> Vec<Leak> {
    let policy = request.policy();
    let unlimited = policy.columns_of(Role::Sensitive).into_iter().filter(|name| !is_limited(policy, name));
    let mut leaks: Vec<Leak> = unlimited.map(|name| LeakKind::NoCondition {}.of_column(name)).collect();
    leaks.extend(columns::of_untouched(request, original));
    leaks.extend(columns::of_names(request, original));
    leaks
}

/// Whether any condition limits what classes may give away of a column.
fn is_limited(policy: &Policy, column: &str) -> bool {
    policy.table_promise().conditions.iter().any(|condition| condition.column == column)
}

/// What the classes of a file say about a sensitive column, the worst first. `unit` is what they consist of.
pub(super) fn in_classes(column: &str, found: &Guesses, of_classes: usize, unit: Unit) -> Vec<Leak> {
    let Guesses { certain, likely, best, overall } = *found;
    let one_value = (certain.classes > 0).then_some(LeakKind::OneValueClasses {
        count: certain.records,
        unit,
        classes: certain.classes,
        of_classes,
    });
    let guess = (best > 0.0).then_some(LeakKind::BestGuess {
        count: likely.records,
        unit,
        best,
        overall,
        likely_classes: likely.classes,
        of_classes,
    });
    one_value.into_iter().chain(guess).map(|kind| kind.of_column(column)).collect()
}
