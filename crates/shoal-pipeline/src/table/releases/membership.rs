//! Who is in which class of a release, by its audit.

use std::collections::{BTreeMap, HashMap};

use shoal_core::{RawColumn, RawTable, Role};
use shoal_privacy::Classes;
use shoal_privacy::matching::Membership;

use super::identity::people;
use crate::Audit;
use crate::audit::person_hash;

/// What an audit says about the people in the classes of a published file, in terms of the original as it was read. None
/// where it cannot be read in these terms. Somebody who is not in the original gets a number that no record has.
pub(crate) fn membership(audit: &Audit, raw: &RawTable, published: &RawTable) -> Option<Membership> {
    let known_by = &audit.recoding.known_by;
    let (texts, person_of) = people(raw, known_by).filter(|_| !known_by.is_empty())?;
    let (remembered, key) = audit.people().ok()?;
    let mut number_of: HashMap<[u8; 16], u32> =
        (0..).zip(texts.iter()).map(|(number, text)| (person_hash(&key, text), number)).collect();
    let quasi = audit.policy.columns_of(Role::QuasiIdentifier).into_iter();
    let quasi: Vec<&RawColumn> = quasi.map(|name| published.column(name)).collect::<Option<_>>()?;
    let class_of = Classes::of(published.rows, &quasi).class_of;
    let mut members: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (&class, &hash) in class_of.iter().zip(&remembered.persons) {
        // The next free number: people of the original have the numbers before it.
        let next = number_of.len() as u32;
        let person = *number_of.entry(hash).or_insert(next);
        *members.entry((class, person)).or_default() += 1;
    }
    Some(Membership {
        class_of,
        person_of,
        members: members.into_iter().map(|((class, person), rows)| (class, person, rows)).collect(),
    })
}
