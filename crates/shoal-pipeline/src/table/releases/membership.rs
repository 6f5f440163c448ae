//! Who is in which class of a release, by its audit.

use std::collections::{BTreeMap, HashMap};

use shoal_core::{RawColumn, RawTable};
use shoal_privacy::matching::Membership;

use super::identity::people;
use super::person_hash;
use crate::Audit;
use crate::audit::RecodingFile;

/// What an audit says about the people in the classes of a published file, in terms of the original as it was read. None
/// where it cannot be read in these terms. Somebody who is not in the original gets a number that no record has.
pub(crate) fn membership(audit: &Audit, raw: &RawTable, published: &RawTable) -> Option<Membership> {
    let RecodingFile::Table { quasi_identifiers, known_by, classes } = &audit.recoding else { return None };
    let (texts, person_of) = people(raw, known_by).filter(|_| !known_by.is_empty())?;
    let key = audit.key()?;
    let mut number_of: HashMap<String, u32> =
        (0..).zip(texts.iter()).map(|(number, text)| (person_hash(&key, text), number)).collect();
    let mut members: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (class, file) in (0..).zip(classes) {
        for hash in &file.people {
            // The next free number: people of the original have the numbers before it.
            let next = number_of.len() as u32;
            let person = *number_of.entry(hash.clone()).or_insert(next);
            *members.entry((class, person)).or_default() += 1;
        }
    }
    let cells = classes.iter().map(|class| class.cells.iter().map(String::as_str).collect::<Vec<_>>());
    let class_of_cells: HashMap<Vec<&str>, u32> = cells.zip(0..).collect();
    let columns: Vec<&RawColumn> =
        quasi_identifiers.iter().map(|name| published.column(name)).collect::<Option<_>>()?;
    let class_of_row = |row: usize| {
        let cells: Vec<&str> = columns.iter().map(|column| column.text(row)).collect();
        class_of_cells.get(&cells).copied()
    };
    Some(Membership {
        class_of: (0..published.rows).map(class_of_row).collect::<Option<_>>()?,
        person_of,
        members: members.into_iter().map(|((class, person), rows)| (class, person, rows)).collect(),
    })
}
