//! By what somebody is recognized in two releases.

use std::borrow::Cow;

use rayon::prelude::*;
use shoal_core::{Interner, Labels, RawColumn, RawTable, Role};
use shoal_measure::leaks::look;
use shoal_privacy::Classes;

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
    let looks: Vec<Looks<'_>> = columns.into_par_iter().map(Looks::of).collect();
    // People are compared by codes, and a text is made once for each of them.
    let codes: Vec<&[u32]> = looks.iter().map(|looks| &*looks.codes).collect();
    let people = Classes::of_codes(raw.rows, &codes);
    let mut texts = Labels::new();
    let mut text = String::new();
    for row in people.first_rows() {
        text.clear();
        for looks in &looks {
            text.push_str(looks.written.get(looks.codes[row as usize]));
        }
        texts.push(&text);
    }
    Some((texts, people.class_of))
}

/// What the values of a column look like. Texts that look alike are one: `Ann ` and `ann`, `7` and `7.0`.
struct Looks<'a> {
    /// Each look with its length before it, so that two texts cannot run into each other.
    written: Labels,
    /// The look of each record. Where no two texts look alike these are the codes of the column.
    codes: Cow<'a, [u32]>,
}

impl Looks<'_> {
    fn of(column: &RawColumn) -> Looks<'_> {
        let mut known = Interner::default();
        let look_of: Vec<u32> = (0..column.labels.len() as u32)
            .map(|code| {
                let look = look(column.labels.get(code));
                known.intern(&format!("{}:{look};", look.len()))
            })
            .collect();
        let written = known.into_labels();
        let codes = if written.len() == look_of.len() {
            Cow::Borrowed(&column.codes[..])
        } else {
            Cow::Owned(column.codes.iter().map(|&code| look_of[code as usize]).collect())
        };
        Looks { written, codes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious way: every record's text, one after the other.
    fn slowly(raw: &RawTable) -> (Vec<String>, Vec<u32>) {
        let mut known: Vec<String> = Vec::new();
        let person = |row: usize| {
            let looks = raw.columns.iter().map(|column| look(column.text(row)));
            let text: String = looks.map(|look| format!("{}:{look};", look.len())).collect();
            let at = known.iter().position(|known| *known == text);
            at.unwrap_or_else(|| {
                known.push(text);
                known.len() - 1
            }) as u32
        };
        let person_of = (0..raw.rows).map(person).collect();
        (known, person_of)
    }

    #[test]
    fn people_are_numbered_as_they_appear_and_looks_are_one() {
        let names = ["name", "number"];
        let tables = [
            vec![vec!["Ann", "7"], vec!["Bob", "7"], vec!["Ann", "7"], vec!["Bob", "8"]],
            vec![
                vec!["Ann", "7"],
                vec!["ann ", "7.0"],
                vec!["Bob", "07"],
                vec!["ANN", "8"],
                vec!["bob", "7"],
            ],
            vec![vec!["1:2", "3"], vec!["1", "2:3"], vec!["", ""]],
        ];
        for rows in tables {
            let raw = RawTable::from_rows(&names, &rows);
            let (texts, person_of) = people(&raw, &names.map(str::to_owned)).unwrap();
            let texts: Vec<String> = texts.iter().map(str::to_owned).collect();
            assert_eq!((texts, person_of), slowly(&raw));
        }
        assert!(people(&RawTable::from_rows(&names, &[vec!["a", "b"]]), &["age".to_owned()]).is_none());
    }
}
