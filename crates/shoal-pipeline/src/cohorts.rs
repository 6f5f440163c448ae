//! Who was in which earlier release, for data that are not compared class by class.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::audit::{Key, PERSON};
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
    pub(crate) fn hashes(&self, key: &Key) -> Vec<String> {
        self.texts.iter().map(|text| key.hash(PERSON, text.as_bytes())[..32].to_owned()).collect()
    }
}

/// Which records were in which of the earlier releases.
pub(crate) struct Cohorts {
    /// For each earlier release, and each record, whether its person was in it.
    pub was_in: Vec<Vec<bool>>,
    /// The records of each cohort: people who were in exactly the same releases.
    pub records: Vec<Vec<u32>>,
}

impl Cohorts {
    /// Everybody, where nothing tells who was there before.
    pub(crate) fn unknown(records: usize) -> Cohorts {
        Cohorts { was_in: Vec::new(), records: vec![(0..records as u32).collect()] }
    }

    /// By the people that each release remembers.
    pub(crate) fn of(
        known: &KnownAs,
        previous: &[(&Audit, HashSet<&str>)],
    ) -> Result<Cohorts, PipelineError> {
        let mut was_in = Vec::new();
        for (audit, people) in previous {
            let broken = || PipelineError::Incomparable {
                output: audit.output.clone(),
                problem: "its key is broken".to_owned(),
            };
            let key = audit.key().ok_or_else(broken)?;
            // Of each text once: a person may have many records.
            let mut seen: HashMap<&str, bool> = HashMap::new();
            let was = known.texts.iter().map(|text| {
                *seen.entry(text).or_insert_with(|| people.contains(&key.hash(PERSON, text.as_bytes())[..32]))
            });
            was_in.push(was.collect::<Vec<bool>>());
        }
        let mut records: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
        for record in 0..known.texts.len() {
            let was = was_in.iter().map(|was| was[record]).collect();
            records.entry(was).or_default().push(record as u32);
        }
        Ok(Cohorts { was_in, records: records.into_values().collect() })
    }

    /// How many records are of people who were in an earlier release.
    pub(crate) fn returning(&self) -> usize {
        let records = self.was_in.first().map_or(0, Vec::len);
        (0..records).filter(|&record| self.was_in.iter().any(|was| was[record])).count()
    }
}
