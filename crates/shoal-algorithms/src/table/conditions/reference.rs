//! Everybody, where a table is a part of something larger.

use std::collections::HashMap;

use shoal_core::{Column, Distance, Distribution, Rule};

use crate::table::TableError;

/// How often everybody has each value of a column.
pub(super) struct Reference {
    /// By code.
    pub(super) counts: Vec<u32>,
    /// How many records or people with a value they are, those included who have one that the table does not have.
    pub(super) members: u64,
    /// How many records, or pairs of a person and one of their values, they have.
    pairs: u64,
    /// A value that the table does not have.
    other: Option<String>,
}

impl Reference {
    /// Fails where the table has a value that nobody is said to have: no share could be compared with nobody's.
    pub(super) fn of(column: &Column, given: &Distribution) -> Result<Reference, TableError> {
        let domain = &column.domain;
        let key = |text| domain.parser().same(text);
        let codes = (0..domain.len() as u32).filter(|&code| domain.missing() != Some(code));
        let code_of: HashMap<_, u32> = codes.map(|code| (key(domain.label(code)), code)).collect();
        let (mut counts, mut other, mut absent) = (vec![0_u32; domain.len()], None, 0);
        for (text, count) in given.counts() {
            // The empty text stands for those without a value.
            if text.is_empty() || domain.missing_texts().has(text) {
                absent += u64::from(*count);
                continue;
            }
            match code_of.get(&key(text)).copied() {
                Some(code) => counts[code as usize] = counts[code as usize].saturating_add(*count),
                None => other = Some(text.clone()),
            }
        }
        let mut unknown = (0..domain.len() as u32).filter(|&code| domain.missing() != Some(code));
        if let Some(code) = unknown.find(|&code| counts[code as usize] == 0) {
            let value = domain.label(code).to_owned();
            return Err(TableError::NotInDistribution { column: column.name.clone(), value });
        }
        let members = given.members() - if given.counts_people() { 0 } else { absent };
        Ok(Reference { counts, members, pairs: given.total() - absent, other })
    }

    /// How many records, or pairs, have a value that the table does not have. Fails where a rule has to know where each value stands: those do
    /// not stand anywhere.
    pub(super) fn beyond(&self, column: &Column, rules: &[Rule]) -> Result<u64, TableError> {
        let is_far =
            |rule: &Rule| matches!(rule, Rule::Close { distance, .. } if *distance != Distance::Equal);
        match &self.other {
            Some(value) if rules.iter().any(is_far) => {
                let (column, value) = (column.name.clone(), value.clone());
                Err(TableError::BeyondTable { column, value })
            }
            _ => Ok(self.pairs - self.counts.iter().map(|&count| u64::from(count)).sum::<u64>()),
        }
    }
}
