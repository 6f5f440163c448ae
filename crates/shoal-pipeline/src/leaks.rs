//! What a reader should know although the promise holds.

mod transparency;

pub(crate) use transparency::not_transparent;

use serde::Serialize;
use shoal_core::Policy;

/// Something that a release gives away and that its promise does not cover, in plain words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Leak {
    /// What kind it is, a fixed word for scripts: `not-transparent`, `repeated-identifier`, `kept-order`, …
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
