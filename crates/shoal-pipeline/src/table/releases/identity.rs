//! By what somebody is recognized in two releases.

use std::borrow::Cow;

use rayon::prelude::*;
use shoal_core::{Interner, Labels, PersonKey, RawColumn, RawTable, Role};
use shoal_io::PeopleOfRecords;
use shoal_privacy::Classes;

use crate::Request;
use crate::audit::{Key, person_hash};

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

impl Identity {
    /// Whose each published record is, for an audit.
    pub(crate) fn of_records(&self, key: &Key, origin: &[u32]) -> PeopleOfRecords {
        let persons = (0..self.texts.len() as u32).into_par_iter();
        let hashes: Vec<[u8; 16]> = persons.map(|person| person_hash(key, self.texts.get(person))).collect();
        let of_row = |&row: &u32| hashes[self.person_of[row as usize] as usize];
        PeopleOfRecords { persons: origin.iter().map(of_row).collect(), clusters: Vec::new() }
    }
}

/// The people of an original by the texts of some columns, in order of appearance; `None` where a column was not read.
pub(crate) fn people(raw: &RawTable, columns: &[String]) -> Option<(Labels, Vec<u32>)> {
    let columns: Vec<&RawColumn> = columns.iter().map(|name| raw.column(name)).collect::<Option<_>>()?;
    let keys: Vec<Keys<'_>> = columns.into_par_iter().map(Keys::of).collect();
    // People are compared by codes, and a text is made once for each of them.
    let codes: Vec<&[u32]> = keys.iter().map(|keys| &*keys.codes).collect();
    let people = Classes::of_codes(raw.rows, &codes);
    let mut texts = Labels::new();
    let mut text = String::new();
    for row in people.first_rows() {
        text.clear();
        for keys in &keys {
            text.push_str(keys.written.get(keys.codes[row as usize]));
        }
        texts.push(&text);
    }
    Some((texts, people.class_of))
}

/// Whom the values of a column name.
struct Keys<'a> {
    /// Each as a [`PersonKey`], which may be joined with those of other columns.
    written: Labels,
    /// The key of each record. Where no two texts name one person these are the codes of the column.
    codes: Cow<'a, [u32]>,
}

impl Keys<'_> {
    fn of(column: &RawColumn) -> Keys<'_> {
        let mut known = Interner::default();
        let keys = column.labels.iter().map(|text| PersonKey::from_texts([text]));
        let key_of: Vec<u32> = keys.map(|key| known.intern(key.as_str())).collect();
        let written = known.into_labels();
        let codes = if written.len() == key_of.len() {
            Cow::Borrowed(&column.codes[..])
        } else {
            Cow::Owned(column.codes.iter().map(|&code| key_of[code as usize]).collect())
        };
        Keys { written, codes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious way: every record's text, one after the other.
    fn slowly(raw: &RawTable) -> (Vec<String>, Vec<u32>) {
        let mut known: Vec<String> = Vec::new();
        let person = |row: usize| {
            let key = PersonKey::from_texts(raw.columns.iter().map(|column| column.text(row)));
            let text = key.as_str().to_owned();
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
    fn people_are_numbered_as_they_appear_and_keys_are_one() {
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
