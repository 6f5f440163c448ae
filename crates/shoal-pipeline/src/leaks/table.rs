//! What a published table gives away.

use shoal_core::{Policy, RawTable, Role};
use shoal_measure::leaks::{Guesses, folded, guesses};
use shoal_privacy::Classes;

use super::{Leak, columns, nothing};
use crate::Request;

/// The leaks of a published table; `classes` are those of its quasi-identifiers.
pub(crate) fn of_table(request: &Request, published: &RawTable, classes: &Classes) -> Vec<Leak> {
    let mut leaks: Vec<Leak> = nothing::of_columns(request, published, "records").into_iter().collect();
    for name in request.policy().columns_of(Role::Sensitive) {
        let Some(column) = published.column(name) else { continue };
        let values = folded(column, &request.policy().data.missing);
        let found = guesses(classes, |record| std::slice::from_ref(&values[record]));
        leaks.extend(in_classes(name, &found, classes.len(), "records"));
    }
    leaks.extend(columns::of_untouched(request, published));
    leaks
}

/// The leaks of a table that are known before it is published.
pub(crate) fn before_table(request: &Request, original: &RawTable) -> Vec<Leak> {
    let policy = request.policy();
    let unlimited = policy.columns_of(Role::Sensitive).into_iter().filter(|name| !is_limited(policy, name));
    let mut leaks: Vec<Leak> = unlimited.map(no_condition).collect();
    leaks.extend(columns::of_untouched(request, original));
    leaks.extend(columns::of_names(request, original));
    leaks
}

/// Whether any condition limits what classes may give away of a column.
fn is_limited(policy: &Policy, column: &str) -> bool {
    policy.table_promise().conditions.iter().any(|condition| condition.column == column)
}

fn no_condition(column: &str) -> Leak {
    let what = format!(
        "nothing limits what a class gives away about `{column}`: all its members may have the same value, and k hides who \
         they are, not what they have; l-diversity, t-closeness or beta-likeness do"
    );
    Leak::new("no-condition", what).of_column(column)
}

/// What the classes of a file say about a sensitive column, the worst first. `records` is what they consist of.
pub(super) fn in_classes(column: &str, found: &Guesses, classes: usize, records: &str) -> Vec<Leak> {
    let mut leaks = Vec::new();
    let percent = |share: f64| (share * 100.0).round();
    if found.certain.classes > 0 {
        let what = format!(
            "in {} of {classes} classes ({} {records}) everybody has the same `{column}`: whoever knows somebody's class knows \
             it for certain",
            found.certain.classes, found.certain.records
        );
        leaks.push(Leak::new("one-value-classes", what).of_column(column).counted(found.certain.records));
    }
    if classes > 0 {
        let what = format!(
            "whoever knows somebody's class guesses `{column}` right with up to {} % (with {} % without it); in {} of {classes} \
             classes ({} {records}) with more than half",
            percent(found.best),
            percent(found.overall),
            found.likely.classes,
            found.likely.records
        );
        leaks.push(Leak::new("best-guess", what).of_column(column).counted(found.likely.records));
    }
    leaks
}
