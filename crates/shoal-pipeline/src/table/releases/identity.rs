//! By what somebody is recognized in two releases.

use shoal_core::{Interner, Labels, RawColumn, RawTable, Role};
use shoal_measure::leaks::look;

use crate::Request;

/// By which columns people are recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownBy {
    /// By the column that says whose record it is.
    Person,
    /// By all identifiers together.
    Identifiers,
    /// By all quasi-identifiers together: those who share them cannot be distinguished.
    QuasiIdentifiers,
}

/// Whose each record of an original is.
#[derive(Debug)]
pub(crate) struct Identity {
    pub known_by: KnownBy,
    pub columns: Vec<String>,
    /// Of each person the texts by which they are known.
    pub texts: Labels,
    /// Of each record its person.
    pub person_of: Vec<u32>,
}

impl Identity {
    /// By the best that was read: the person, else identifiers, else quasi-identifiers.
    pub(crate) fn of(request: &Request, raw: &RawTable) -> Identity {
        let policy = request.policy();
        let read = |names: Vec<&str>| -> Vec<String> {
            names.into_iter().filter(|name| raw.column(name).is_some()).map(str::to_owned).collect()
        };
        let ways = [
            (KnownBy::Person, read(policy.data.person.as_deref().into_iter().collect())),
            (KnownBy::Identifiers, read(policy.columns_of(Role::Identifier))),
            (KnownBy::QuasiIdentifiers, read(policy.columns_of(Role::QuasiIdentifier))),
        ];
        let way = ways.into_iter().find(|(_, columns)| !columns.is_empty());
        let (known_by, columns) = way.unwrap_or((KnownBy::QuasiIdentifiers, Vec::new()));
        let (texts, person_of) = people(raw, &columns).unwrap_or_default();
        Identity { known_by, columns, texts, person_of }
    }
}

/// The people of an original by the texts of some columns, in order of appearance; `None` where a column was not read.
pub(crate) fn people(raw: &RawTable, columns: &[String]) -> Option<(Labels, Vec<u32>)> {
    let columns: Vec<&RawColumn> = columns.iter().map(|name| raw.column(name)).collect::<Option<_>>()?;
    // Texts that look alike are one: `Ann ` and `ann`, `7` and `7.0`.
    let looks: Vec<Vec<String>> = columns
        .iter()
        .map(|column| (0..column.labels.len() as u32).map(|code| look(column.labels.get(code))).collect())
        .collect();
    let mut known = Interner::default();
    let mut person_of = Vec::with_capacity(raw.rows);
    for row in 0..raw.rows {
        let mut text = String::new();
        for (column, looks) in columns.iter().zip(&looks) {
            let look = &looks[column.codes[row] as usize];
            // The length first, so that two texts cannot run into each other.
            text.push_str(&format!("{}:{look};", look.len()));
        }
        person_of.push(known.intern(&text));
    }
    Some((known.into_labels(), person_of))
}
