//! By what somebody is recognized in two releases.

use rayon::prelude::*;
use shoal_core::{Labels, RawTable, Role};
use shoal_io::PeopleOfRecords;
pub(crate) use shoal_privacy::people;

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
