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
/// Where only quasi-identifiers tell people apart, records in two releases are one person's if what is published untouched is
/// equal, too. Other values may be those of somebody else, who came when another left, and an attacker may know that.
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

/// By what people are recognized: a hash, and where only quasi-identifiers are known of them, what is published untouched.
type Known = ([u8; 16], u64);

/// Somebody who is not in the new data: by the key and the columns of the hash, and a number where several are recognized by the same.
type Absent<'a> = (String, &'a [String], Known, usize);

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
            for (&known, rows) in &found.rows_of {
                for (at, &row) in rows.iter().enumerate() {
                    numbers[row as usize] = found.person(known, at).unwrap_or_else(|rank| {
                        let somebody = (key.hex(), audit.recoding.known_by.as_slice(), known, rank);
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

/// The rows of an earlier release by what their people are recognized by.
struct Rows {
    /// In the order of the published file.
    rows_of: IndexMap<Known, Vec<u32>>,
    people_of: HashMap<Known, Vec<u32>>,
    /// Whether several people can be recognized by the same, because quasi-identifiers are all that is known of them.
    several: bool,
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
        let is_quasi = |name: &String| {
            audit.policy.columns.get(name).is_some_and(|column| column.role == Role::QuasiIdentifier)
        };
        let several = known_by.iter().all(is_quasi);
        let untouched = [Role::Sensitive, Role::Insensitive];
        let mut columns: Vec<&str> =
            untouched.into_iter().flat_map(|role| request.policy().columns_of(role)).collect();
        columns.retain(|name| several && raw.column(name).is_some() && file.column(name).is_some());
        let records = text_of.into_iter().zip(values(raw, &columns)).zip(person_of.iter().copied());
        let mut people_of: HashMap<Known, Vec<u32>> = HashMap::new();
        for ((text, value), person) in records.collect::<HashSet<((u32, u64), u32)>>() {
            people_of.entry((hashes[text as usize], value)).or_default().push(person);
        }
        people_of.values_mut().for_each(|people| people.sort_unstable());
        let mut rows_of: IndexMap<Known, Vec<u32>> = IndexMap::new();
        for ((row, &hash), value) in (0..).zip(&remembered.persons).zip(values(file, &columns)) {
            rows_of.entry((hash, value)).or_default().push(row);
        }
        Ok(Rows { rows_of, people_of, several })
    }

    /// The person of one of the rows that are recognized by the same, or a number among those who are absent.
    fn person(&self, known: Known, at: usize) -> Result<u32, usize> {
        let people = self.people_of.get(&known).map_or(&[][..], Vec::as_slice);
        match self.several {
            true => people.get(at).copied().ok_or(at),
            false => people.get(at.min(people.len().saturating_sub(1))).copied().ok_or(0),
        }
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

    fn rows(several: bool, people: &[(u64, &[u32])]) -> Rows {
        let people_of = people.iter().map(|&(value, people)| (([0; 16], value), people.to_vec())).collect();
        Rows { rows_of: IndexMap::new(), people_of, several }
    }

    fn dealt(rows: &Rows, value: u64, count: usize) -> Vec<Result<u32, usize>> {
        (0..count).map(|at| rows.person(([0; 16], value), at)).collect()
    }

    #[test]
    fn all_rows_of_a_name_are_one_person() {
        assert_eq!(dealt(&rows(false, &[(0, &[7])]), 0, 3), [Ok(7), Ok(7), Ok(7)]);
        // One name was two people's, who are told apart now.
        assert_eq!(dealt(&rows(false, &[(0, &[7, 9])]), 0, 3), [Ok(7), Ok(9), Ok(9)]);
        assert_eq!(dealt(&rows(false, &[]), 0, 2), [Err(0), Err(0)]);
    }

    #[test]
    fn people_who_look_alike_are_recognized_by_their_values() {
        let alike = rows(true, &[(10, &[5]), (20, &[4, 6])]);
        assert_eq!(dealt(&alike, 20, 2), [Ok(4), Ok(6)]);
        // One is more than there are: somebody has left. So has who had another value.
        assert_eq!(dealt(&alike, 10, 2), [Ok(5), Err(1)]);
        assert_eq!(dealt(&alike, 30, 1), [Err(0)]);
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
