//! Who is who in several releases: by the texts of columns, and by the keyed hashes of these texts that a release remembers.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use shoal_core::{Interner, Labels, PersonKey, RawColumn, RawTable};

use crate::Classes;
use crate::matching::Membership;

/// How a release remembers a person.
pub type PersonHash = [u8; 16];

/// The secret key by which a release remembers its people: nobody else can find them by trying names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PeopleKey(pub [u8; 32]);

impl PeopleKey {
    /// The hash of what somebody is known by.
    pub fn hash(&self, text: &str) -> PersonHash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"person\0").update(text.as_bytes());
        let hash = *hasher.finalize().as_bytes();
        std::array::from_fn(|at| hash[at])
    }
}

/// The people whom a release remembers.
#[derive(Clone, Copy)]
pub struct Remembered<'a> {
    /// The key of the hashes.
    pub key: PeopleKey,
    /// Of each published record its person.
    pub persons: &'a [PersonHash],
}

/// Something that knows whom a release remembers.
pub trait Remembers {
    /// Why it does not know.
    type Error;

    /// The people of its release.
    fn remembered(&self) -> Result<Remembered<'_>, Self::Error>;
}

/// By what the records of an original are recognized in two releases: a text for each record, made of these columns.
#[derive(Clone, Debug)]
pub struct KnownAs {
    /// The columns.
    pub columns: Vec<String>,
    /// Of each record.
    pub texts: Vec<String>,
}

impl KnownAs {
    /// The hash of each record's person.
    pub fn hashes(&self, key: &PeopleKey) -> Vec<PersonHash> {
        self.texts.iter().map(|text| key.hash(text)).collect()
    }
}

/// The people of several releases, in numbers that mean the same person everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognized {
    /// Of each record of the new original.
    pub now: Vec<u32>,
    /// Of each published record of each earlier release.
    pub before: Vec<Vec<u32>>,
}

impl Recognized {
    /// By the people that each release remembers. Somebody who is in none of the new data is the same person in two earlier releases where
    /// these remember people by one key.
    pub fn by_hash<R: Remembers>(known: &KnownAs, previous: &[R]) -> Result<Recognized, R::Error> {
        let mut number_of: HashMap<&str, u32> = HashMap::new();
        let number = |text| {
            let next = number_of.len() as u32;
            *number_of.entry(text).or_insert(next)
        };
        let now: Vec<u32> = known.texts.iter().map(String::as_str).map(number).collect();
        let mut next = number_of.len() as u32;
        let mut by_key: HashMap<PeopleKey, HashMap<PersonHash, u32>> = HashMap::new();
        let mut before = Vec::new();
        for release in previous {
            let Remembered { key, persons } = release.remembered()?;
            let of_hash = by_key.entry(key).or_insert_with(|| {
                number_of.iter().map(|(text, &number)| (key.hash(text), number)).collect()
            });
            let number = |hash: &PersonHash| {
                *of_hash.entry(*hash).or_insert_with(|| {
                    next += 1;
                    next - 1
                })
            };
            before.push(persons.iter().map(number).collect());
        }
        Ok(Recognized { now, before })
    }

    /// How many records are of people who were in an earlier release, and how many of the releases know nobody.
    pub fn returning(&self) -> (usize, usize) {
        let mut known: Vec<u32> = self.before.concat();
        known.sort_unstable();
        let returning = self.now.iter().filter(|person| known.binary_search(person).is_ok()).count();
        let people = self.now.iter().max().map_or(0, |&last| last + 1);
        let strange = |release: &&Vec<u32>| release.iter().all(|&person| person >= people);
        (returning, self.before.iter().filter(strange).count())
    }
}

impl Membership {
    /// Who is in which class of a release by what it remembers. `texts` are those of the people of the original, `person_of` whose
    /// each original is. Somebody who is not in the original gets a number that no record has.
    pub fn remembered(
        class_of: Vec<u32>,
        remembered: Remembered<'_>,
        texts: &Labels,
        person_of: Vec<u32>,
    ) -> Membership {
        let mut number_of: HashMap<PersonHash, u32> =
            (0..).zip(texts.iter()).map(|(number, text)| (remembered.key.hash(text), number)).collect();
        let mut members: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for (&class, &hash) in class_of.iter().zip(remembered.persons) {
            // The next free number: people of the original have the numbers before it.
            let next = number_of.len() as u32;
            let person = *number_of.entry(hash).or_insert(next);
            *members.entry((class, person)).or_default() += 1;
        }
        let members = members.into_iter().map(|((class, person), rows)| (class, person, rows)).collect();
        Membership { class_of, person_of, members }
    }
}

/// The people of an original by the texts of some columns, in order of appearance; `None` where a column was not read.
pub fn people(raw: &RawTable, columns: &[String]) -> Option<(Labels, Vec<u32>)> {
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

    struct Release(PeopleKey, Vec<PersonHash>);

    impl Remembers for Release {
        type Error = ();

        fn remembered(&self) -> Result<Remembered<'_>, ()> {
            Ok(Remembered { key: self.0, persons: &self.1 })
        }
    }

    #[test]
    fn who_is_gone_is_the_same_person_in_releases_of_one_key() {
        let (one, other) = (PeopleKey([1; 32]), PeopleKey([2; 32]));
        let release =
            |key: PeopleKey, names: &[&str]| Release(key, names.iter().map(|name| key.hash(name)).collect());
        let known = KnownAs {
            columns: vec!["name".to_owned()],
            texts: ["ann", "bob", "ann"].map(str::to_owned).to_vec(),
        };
        let previous = [
            release(one, &["bob", "gone", "gone"]),
            release(one, &["gone", "ann"]),
            release(other, &["gone"]),
        ];
        let found = Recognized::by_hash(&known, &previous).unwrap();
        assert_eq!(found.now, [0, 1, 0]);
        assert_eq!(found.before, [vec![1, 2, 2], vec![2, 0], vec![3]]);
        assert_eq!(found.returning(), (3, 1));
    }

    #[test]
    fn a_membership_gives_strangers_numbers_of_their_own() {
        let key = PeopleKey([1; 32]);
        let texts: Labels = ["ann", "bob"].into_iter().collect();
        let persons = ["bob", "gone", "bob", "ann"].map(|name| key.hash(name));
        let remembered = Remembered { key, persons: &persons };
        let found = Membership::remembered(vec![0, 0, 0, 1], remembered, &texts, vec![0, 1, 1]);
        assert_eq!(found.members, [(0, 1, 2), (0, 2, 1), (1, 0, 1)]);
    }
}
