//! Who is who in the new data and in earlier releases.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use indexmap::IndexMap;
use shoal_core::{RawTable, Role, SameValue};

use super::identity::{Identity, KnownBy, people};
use super::{check_notation, incomparable, unknown_people};
use crate::audit::person_hash;
use crate::earlier::EarlierFile;
use crate::{Audit, PipelineError, Request};

/// The people of the new data and of all earlier releases. Equal numbers are the same person.
///
/// Where only quasi-identifiers tell people apart, records in two releases are one person's if their sensitive values are equal,
/// too. Other values may be those of somebody else, who came when another left, and an attacker may know that.
pub(crate) struct Linked<'a> {
    /// Of each record of the new data.
    pub person_of: Vec<u32>,
    /// The earlier releases.
    pub earlier: Vec<Earlier<'a>>,
    /// How many people there are.
    pub people: usize,
}

/// An earlier release.
pub(crate) struct Earlier<'a> {
    pub audit: &'a Audit,
    pub file: &'a RawTable,
    /// Of each published row.
    pub person_of: Vec<u32>,
}

/// Somebody who is not in the new data: by the key and the columns of the hash, the hash, and a number where several have it.
type Absent<'a> = (String, &'a [String], [u8; 16], usize);

impl<'a> Linked<'a> {
    pub(crate) fn of(request: &'a Request, raw: &RawTable) -> Result<Linked<'a>, PipelineError> {
        // Nobody asks who is who.
        if request.earlier.previous.is_empty() && !request.policy().knows_all_rows() {
            return Ok(Linked { person_of: Vec::new(), earlier: Vec::new(), people: 0 });
        }
        if let Some(unread) = request.earlier.previous.get(request.earlier.files.len()) {
            return Err(incomparable(unread, "what it has published was not read"));
        }
        let identity = Identity::of(request, raw);
        let (person_of, mut people) = match identity.known_by {
            KnownBy::QuasiIdentifiers => ((0..raw.rows as u32).collect(), raw.rows),
            KnownBy::Person | KnownBy::Identifiers => (identity.person_of, identity.texts.len()),
        };
        let mut absent: HashMap<Absent<'a>, u32> = HashMap::new();
        let mut earlier = Vec::new();
        for (audit, file) in request.earlier.previous.iter().zip(&request.earlier.files) {
            let EarlierFile::Table(file) = file else {
                return Err(incomparable(audit, "it is not the release of a table"));
            };
            let found = Rows::of(request, raw, audit, file, &person_of)?;
            let (_, key) = audit.people()?;
            let mut numbers = vec![0; file.rows];
            for (&hash, rows) in &found.rows_of {
                let known = found.people_of.get(&hash).map_or(&[][..], Vec::as_slice);
                let dealt = found.deal(known, rows);
                for (&row, person) in rows.iter().zip(dealt) {
                    numbers[row as usize] = person.unwrap_or_else(|rank| {
                        let somebody = (key.hex(), audit.recoding.known_by.as_slice(), hash, rank);
                        *absent.entry(somebody).or_insert_with(|| {
                            people += 1;
                            people as u32 - 1
                        })
                    });
                }
            }
            earlier.push(Earlier { audit, file, person_of: numbers });
        }
        Ok(Linked { person_of, earlier, people })
    }

    /// How many earlier releases have nobody of the new data.
    pub(crate) fn strangers(&self) -> usize {
        let now: HashSet<u32> = self.person_of.iter().copied().collect();
        let knows_nobody =
            |earlier: &&Earlier<'_>| !earlier.person_of.iter().any(|person| now.contains(person));
        self.earlier.iter().filter(knows_nobody).count()
    }
}

/// The rows of an earlier release by the hashes of their people.
struct Rows {
    /// In the order of the published file.
    rows_of: IndexMap<[u8; 16], Vec<u32>>,
    /// The people of the new data who have a hash.
    people_of: HashMap<[u8; 16], Vec<u32>>,
    /// Whether a hash can be of several people, because quasi-identifiers are all that is known of them.
    several: bool,
    /// What sensitive columns say in each row, and for each person of the new data in the first record.
    values: Vec<u64>,
    values_now: HashMap<u32, u64>,
}

impl Rows {
    fn of(
        request: &Request,
        raw: &RawTable,
        audit: &Audit,
        file: &RawTable,
        person_of: &[u32],
    ) -> Result<Rows, PipelineError> {
        let known_by = &audit.recoding.known_by;
        check_notation(request, audit, known_by)?;
        let (texts, text_of) = people(raw, known_by).ok_or_else(|| unknown_people(audit, known_by))?;
        let (remembered, key) = audit.people()?;
        if remembered.persons.len() != file.rows {
            return Err(incomparable(audit, "its people are not those of its published file"));
        }
        let hashes: Vec<[u8; 16]> = texts.iter().map(|text| person_hash(&key, text)).collect();
        let mut people_of: HashMap<[u8; 16], Vec<u32>> = HashMap::new();
        let pairs: HashSet<(u32, u32)> = text_of.iter().copied().zip(person_of.iter().copied()).collect();
        pairs.into_iter().for_each(|(text, person)| {
            people_of.entry(hashes[text as usize]).or_default().push(person);
        });
        people_of.values_mut().for_each(|people| people.sort_unstable());
        let mut rows_of: IndexMap<[u8; 16], Vec<u32>> = IndexMap::new();
        (0..).zip(&remembered.persons).for_each(|(row, &hash)| rows_of.entry(hash).or_default().push(row));
        let is_quasi = |name: &String| {
            audit.policy.columns.get(name).is_some_and(|column| column.role == Role::QuasiIdentifier)
        };
        let several = known_by.iter().all(is_quasi);
        let columns: Vec<&str> = request
            .policy()
            .columns_of(Role::Sensitive)
            .into_iter()
            .filter(|name| several && raw.column(name).is_some() && file.column(name).is_some())
            .collect();
        let mut values_now = HashMap::new();
        if several {
            for (&person, value) in person_of.iter().zip(values(raw, &columns)) {
                values_now.entry(person).or_insert(value);
            }
        }
        let values = if several { values(file, &columns) } else { Vec::new() };
        Ok(Rows { rows_of, people_of, several, values, values_now })
    }

    /// Of each of some rows with one hash its person among those who have it, or a number among those who are absent.
    fn deal(&self, known: &[u32], rows: &[u32]) -> Vec<Result<u32, usize>> {
        if !self.several {
            let of_row = |at: usize| known.get(at.min(known.len().saturating_sub(1))).copied().ok_or(0);
            return (0..rows.len()).map(of_row).collect();
        }
        let mut left = known.to_vec();
        let mut absent = 0;
        let mut of_row = |&row: &u32| {
            let value = self.values[row as usize];
            let same = left.iter().position(|person| self.values_now.get(person) == Some(&value));
            same.map(|at| left.remove(at)).ok_or_else(|| {
                absent += 1;
                absent
            })
        };
        rows.iter().map(&mut of_row).collect()
    }
}

/// What some columns say in each row, as a number.
fn values(table: &RawTable, columns: &[&str]) -> Vec<u64> {
    let mut all = vec![0_u64; table.rows];
    for column in columns.iter().filter_map(|name| table.column(name)) {
        let of_label: Vec<u64> =
            column.labels.iter().map(|label| hash_of(&SameValue::from_text(label))).collect();
        let codes = all.iter_mut().zip(&column.codes);
        codes.for_each(|(value, &code)| *value = hash_of(&(*value, of_label[code as usize])));
    }
    all
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(several: bool, values: &[u64], values_now: &[(u32, u64)]) -> Rows {
        let values_now = values_now.iter().copied().collect();
        Rows {
            rows_of: IndexMap::new(),
            people_of: HashMap::new(),
            several,
            values: values.to_vec(),
            values_now,
        }
    }

    #[test]
    fn all_rows_of_a_name_are_one_person() {
        let named = rows(false, &[], &[]);
        assert_eq!(named.deal(&[7], &[0, 1, 2]), [Ok(7), Ok(7), Ok(7)]);
        // One name was two people's, who are told apart now.
        assert_eq!(named.deal(&[7, 9], &[0, 1, 2]), [Ok(7), Ok(9), Ok(9)]);
        assert_eq!(named.deal(&[], &[0, 1]), [Err(0), Err(0)]);
    }

    #[test]
    fn people_who_look_alike_are_linked_by_their_values() {
        let alike = rows(true, &[10, 20, 30], &[(4, 20), (5, 10), (6, 40)]);
        assert_eq!(alike.deal(&[4, 5, 6], &[0, 1, 2]), [Ok(5), Ok(4), Err(1)]);
        // One is more than there are: somebody has left.
        assert_eq!(alike.deal(&[4], &[0, 1, 2]), [Err(1), Ok(4), Err(2)]);
    }

    #[test]
    fn equal_looks_are_equal_values() {
        let table =
            RawTable::from_rows(&["x", "y"], &[vec!["HIV", "1"], vec!["hiv ", "1.0"], vec!["1", "hiv"]]);
        let found = values(&table, &["x", "y"]);
        assert_eq!(found[0], found[1]);
        assert_ne!(found[0], found[2]);
    }
}
