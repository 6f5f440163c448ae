//! What a reader should know although the promise holds: counted on the published file (what can be counted before, on the
//! original), in plain words, and never with a raw value.

mod columns;
mod left_out;
mod nothing;
mod sequences;
mod table;
mod transactions;
mod transparency;

pub(crate) use columns::of_names;
pub(crate) use left_out::left_out;
pub(crate) use nothing::SAYS_NOTHING;
pub(crate) use sequences::of_sequences;
pub(crate) use table::{before_table, of_table};
pub(crate) use transactions::of_transactions;

use serde::Serialize;
use shoal_core::policy::Shape;
use shoal_core::{Policy, RawTable};

use crate::Request;

/// Something that a release gives away and that its promise does not cover, in plain words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Leak {
    /// What kind it is, a fixed word for scripts: `not-transparent`, `left-out`, `repeated-identifier`,
    /// `kept-order`, …
    pub kind: &'static str,
    /// The column that it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// How many records, classes or values it touches, where that can be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// What it is, and what can be done about it, in a sentence or two. It names no raw value.
    pub text: String,
}

/// What `output.keep-order` gives away.
pub(crate) fn kept_order(policy: &Policy) -> Option<Leak> {
    let text = "the records stand in the order of the source: whoever knows that order, a list of names or times of arrival, \
                finds people by their place whatever the promise says; leave `output.keep-order` out to publish in an order \
                that says nothing";
    policy.output.keep_order.then(|| Leak::new("kept-order", text))
}

impl Leak {
    /// A leak of the release as a whole.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Leak {
        Leak { kind, column: None, count: None, text: text.into() }
    }

    /// The same, about a column.
    #[must_use]
    pub fn of_column(self, column: impl Into<String>) -> Leak {
        Leak { column: Some(column.into()), ..self }
    }

    /// The same, with how many it touches.
    #[must_use]
    pub fn counted(self, count: usize) -> Leak {
        Leak { count: Some(count), ..self }
    }
}

/// The report's folder holds another release: of the same source, or of one that was not looked at.
pub(crate) fn earlier_release(shape: Shape, same_source: bool) -> Leak {
    let of = match same_source {
        true => "of the same source",
        false => "of other data, in which the same people may be",
    };
    let what = format!(
        "this folder held the reports of another release {of}; whoever has both files can compare them and may learn more about a person than from either"
    );
    let remedy = match shape {
        Shape::Table => "give its audit.json with --previous to compare this release with it",
        Shape::Transactions | Shape::Sequences => {
            "give its audit.json with --previous to compare this release with it; `shoal apply` publishes new data so that both hold together; or hand out only one of them"
        }
        Shape::Stream => "for this shape of data it is not known how much: hand out only one of them",
    };
    Leak::new("earlier-release", format!("{what}; {remedy}"))
}

/// Earlier releases were given in which nobody of the new one was found. That may be so; it is also what happens when a column by which people are known is written in another
/// way than then, a date with a time for instance, and then nothing was compared although everything seems to hold.
pub(crate) fn nobody_recognized(releases: usize) -> Option<Leak> {
    let text = format!(
        "nobody of {releases} earlier release{} was found in this one, so that nothing was compared with {}; where the same people should be in both, look whether the columns \
         by which people are known are written as they were then",
        if releases == 1 { "" } else { "s" },
        if releases == 1 { "it" } else { "them" },
    );
    (releases > 0).then(|| Leak::new("nobody-recognized", text).counted(releases))
}

/// What the policy itself gives away, before and after a run.
pub(crate) fn of_policy(policy: &Policy) -> Vec<Leak> {
    kept_order(policy).into_iter().chain(transparency::not_transparent(policy)).collect()
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
        if !leaks.iter().any(|known| (known.kind, &known.column) == (leak.kind, &leak.column)) {
            leaks.push(leak);
        }
    }
}
