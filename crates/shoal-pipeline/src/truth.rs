//! A published file compared with the original that it claims to come from.

use serde::Serialize;
use shoal_privacy::matching::NoOrigin;

/// What a comparison with the original found: is every published value true, is nobody lost or doubled?
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AgainstOriginal {
    /// The original.
    pub file: String,
    /// How many records it has: rows, transactions, people.
    pub records: usize,
    /// How many of them are not in the file.
    pub left_out: usize,
    /// Whether all that is published is true of records that are different from each other, and nobody is left out who
    /// may not be.
    pub holds: bool,
    /// What is wrong, where something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl AgainstOriginal {
    /// Everything is true, and this many are left out.
    pub(crate) fn is_true(file: &str, records: usize, left_out: usize) -> AgainstOriginal {
        AgainstOriginal { file: file.to_owned(), records, left_out, holds: true, why: None }
    }

    /// Something is not.
    pub(crate) fn because(self, why: &impl ToString) -> AgainstOriginal {
        AgainstOriginal { holds: false, why: Some(why.to_string()), ..self }
    }

    /// Where it is not known who is in the file, it is not known either who is left out.
    pub(crate) fn no_origin(file: &str, records: usize, published: usize, why: &NoOrigin) -> AgainstOriginal {
        AgainstOriginal::is_true(file, records, records.saturating_sub(published)).because(&why)
    }
}
