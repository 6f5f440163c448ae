//! Who is who in several releases.

use std::collections::HashMap;

use crate::audit::{Key, person_hash};
use crate::{Audit, PipelineError};

/// By what the records of an original are recognized in two releases: a text for each record, made of these columns.
#[derive(Clone, Debug)]
pub(crate) struct KnownAs {
    pub columns: Vec<String>,
    /// Of each record.
    pub texts: Vec<String>,
}

impl KnownAs {
    /// The keyed hash of each record's person, as an audit remembers it.
    pub(crate) fn hashes(&self, key: &Key) -> Vec<[u8; 16]> {
        self.texts.iter().map(|text| person_hash(key, text)).collect()
    }
}

/// The people of several releases, in numbers that mean the same person everywhere.
pub(crate) struct Recognized {
    /// Of each record of the new original.
    pub now: Vec<u32>,
    /// Of each published record of each earlier release.
    pub before: Vec<Vec<u32>>,
}

impl Recognized {
    /// By the people that each release remembers. Somebody who is in none of the new data is the same person in two earlier releases where
    /// these remember people by one key.
    pub(crate) fn by_hash(known: &KnownAs, previous: &[Audit]) -> Result<Recognized, PipelineError> {
        let mut number_of: HashMap<&str, u32> = HashMap::new();
        let now: Vec<u32> = known
            .texts
            .iter()
            .map(|text| {
                let next = number_of.len() as u32;
                *number_of.entry(text).or_insert(next)
            })
            .collect();
        let mut next = number_of.len() as u32;
        let mut by_key: HashMap<String, HashMap<[u8; 16], u32>> = HashMap::new();
        let mut before = Vec::new();
        for audit in previous {
            let (people, key) = audit.people()?;
            let of_hash = by_key.entry(key.hex()).or_insert_with(|| {
                number_of.iter().map(|(text, &number)| (person_hash(&key, text), number)).collect()
            });
            let number = |hash: &[u8; 16]| {
                *of_hash.entry(*hash).or_insert_with(|| {
                    next += 1;
                    next - 1
                })
            };
            before.push(people.persons.iter().map(number).collect());
        }
        Ok(Recognized { now, before })
    }

    /// How many records are of people who were in an earlier release, and how many of the releases know nobody.
    pub(crate) fn returning(&self) -> (usize, usize) {
        let mut known: Vec<u32> = self.before.concat();
        known.sort_unstable();
        let returning = self.now.iter().filter(|person| known.binary_search(person).is_ok()).count();
        let people = self.now.iter().max().map_or(0, |&last| last + 1);
        let strange = |release: &&Vec<u32>| release.iter().all(|&person| person >= people);
        (returning, self.before.iter().filter(strange).count())
    }
}
