//! Everybody, where a table is a part of something larger.

use std::collections::HashMap;

use shoal_core::{Column, Distance, Distribution, Rule, canonical_value};

use crate::table::TableError;

/// How often everybody has each value of a column.
pub(super) struct Reference {
    /// By code.
    pub(super) counts: Vec<u32>,
    /// How many records or people they are, those included who have a value that the table does not have.
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
        let key = |text| canonical_value(text, domain.parser());
        let codes = (0..domain.len() as u32).filter(|&code| domain.missing() != Some(code));
        let code_of: HashMap<_, u32> = codes.map(|code| (key(domain.label(code)), code)).collect();
        let (mut counts, mut other) = (vec![0_u32; domain.len()], None);
        for (text, count) in given.counts() {
            // A text of the missing value, or the empty one, which stands for it.
            let missing =
                domain.missing().filter(|&code| text.is_empty() || domain.code_of(text) == Some(code));
            match missing.or_else(|| code_of.get(&key(text)).copied()) {
                Some(code) => counts[code as usize] = counts[code as usize].saturating_add(*count),
                None => other = Some(text.clone()),
            }
        }
        if let Some(code) = counts.iter().position(|&count| count == 0) {
            let value = domain.label(code as u32).to_owned();
            return Err(TableError::NotInDistribution { column: column.name.clone(), value });
        }
        Ok(Reference { counts, members: given.members(), pairs: given.total(), other })
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
