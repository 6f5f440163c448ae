//! What a reader should know although the promise holds: counted on the published file (what can be counted before, on the
//! original). A [`LeakKind`] has the figures, `words.rs` the sentences; neither has a raw value.

mod columns;
mod kind;
mod left_out;
mod sequences;
mod table;
mod transactions;
mod transparency;
mod words;

pub(crate) use columns::of_names;
pub use kind::{Leak, LeakKind, LeftOut, Remedy, Unit, UnknownCohorts};
pub(crate) use left_out::left_out;
pub(crate) use sequences::of_sequences;
pub(crate) use table::{before_table, of_table};
pub(crate) use transactions::{check_sensitive_items, of_transactions};
pub(crate) use words::PAPER_SUPPORT;
pub use words::said_once;

use shoal_core::policy::{KnownRows, Shape};
use shoal_core::{Policy, RawTable};

use crate::Request;

/// The report's folder holds another release: of the same source, or of one that was not looked at.
pub(crate) fn earlier_release(shape: Shape, same_source: bool) -> Leak {
    LeakKind::EarlierRelease { count: None, same_source, shape }.into()
}

/// Earlier releases were given in which nobody of the new one was found. That may be so; it is also what happens when a column by which people are known is written in another
/// way than then, a date with a time for instance, and then nothing was compared although everything seems to hold.
pub(crate) fn nobody_recognized(releases: usize) -> Option<Leak> {
    (releases > 0).then(|| LeakKind::NobodyRecognized { count: releases }.into())
}

/// What the policy itself gives away, before and after a run.
pub(crate) fn of_policy(policy: &Policy) -> Vec<Leak> {
    let kept_order = policy.output.keep_order.then_some(LeakKind::KeptOrder {});
    let known_rows = (policy.data.known_rows == Some(KnownRows::One)).then_some(LeakKind::KnownRows {});
    let kinds = [kept_order, known_rows, transparency::not_transparent(policy)];
    kinds.into_iter().flatten().map(Leak::from).collect()
}

/// The leaks that are known before a run, for a shape whose crowds are not known then; `untouched` holds columns that will be
/// published as they are, where there are any.
pub(crate) fn before_run(request: &Request, untouched: Option<&RawTable>) -> Vec<Leak> {
    let mut leaks: Vec<Leak> =
        untouched.map(|table| columns::of_untouched(request, table)).unwrap_or_default();
    add_missing(&mut leaks, of_policy(request.policy()));
    leaks
}

/// Adds leaks of kinds that are not there yet.
pub(crate) fn add_missing(leaks: &mut Vec<Leak>, more: Vec<Leak>) {
    for leak in more {
        if !leaks.iter().any(|known| (known.kind.name(), &known.column) == (leak.kind.name(), &leak.column)) {
            leaks.push(leak);
        }
    }
}
