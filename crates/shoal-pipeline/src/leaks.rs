//! What a reader should know although the promise holds.

use serde::Serialize;

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
