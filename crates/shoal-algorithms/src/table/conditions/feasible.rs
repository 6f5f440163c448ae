//! Whether a table can be published at all.

use shoal_core::Rule;

use super::measure::Measure;
use super::{Conditions, Sensitive, Tally};
use crate::table::TableError;

/// The most values that a message names.
const NAMED: usize = 3;

impl Conditions<'_> {
    /// Refuses a table that does not hold as a whole, and says which value is in the way.
    pub(super) fn feasible(&self, everybody: &Tally) -> Result<(), TableError> {
        let (records, members) = (everybody.records() as usize, everybody.members() as usize);
        if records < self.k {
            return Err(TableError::TooFewRecords { k: self.k, records });
        }
        if members < self.k {
            return Err(TableError::TooFewPeople { k: self.k, people: members, records });
        }
        if let Some(personal) = &self.personal {
            let most = personal.asked.last().copied().unwrap_or_default();
            if most as usize > members {
                let key = personal.keys.end - 1;
                let row = personal.key_of.iter().position(|&of_row| of_row == key).unwrap_or_default();
                let (record, k) = (row + 1, most as usize);
                return Err(match everybody.counts_people() {
                    true => TableError::PersonalKAbovePeople { record, k, people: members },
                    false => TableError::PersonalKTooLarge { record, k, records },
                });
            }
        }
        for column in &self.columns {
            for (&rule, measure) in column.rules.iter().zip(&column.measures) {
                column.feasible(rule, measure, everybody)?;
            }
        }
        Ok(())
    }
}

impl Sensitive<'_> {
    fn feasible(&self, rule: Rule, measure: &Measure, everybody: &Tally) -> Result<(), TableError> {
        let present = everybody.present(self.keys.clone());
        if self.lack(measure, everybody) == 0.0 {
            return Ok(());
        }
        let column = self.column.name.clone();
        let label = |code: u32| self.column.domain.label(code).to_owned();
        if let Rule::Distinct { l } = rule
            && present.clone().count() < l
        {
            let found = present.clone().count();
            let mut values: Vec<String> =
                present.take(NAMED).map(|(code, _)| format!("`{}`", label(code))).collect();
            if found > NAMED {
                values.push("…".to_owned());
            }
            return Err(TableError::TooFewValues { column, l, found, values: values.join(", ") });
        }
        // The first of the most frequent values.
        let most = present.reduce(|most, next| if next.1 > most.1 { next } else { most });
        let (code, count) = most.unwrap_or_default();
        if everybody.counts_people() {
            return Err(TableError::TooManyPeople {
                column,
                value: label(code),
                count: count as usize,
                people: self.members(everybody) as usize,
                promise: describe(rule),
            });
        }
        Err(TableError::TooFrequent {
            column,
            value: label(code),
            count: count as usize,
            records: self.members(everybody) as usize,
            promise: describe(rule),
        })
    }
}

/// A rule in the words of a message.
fn describe(rule: Rule) -> String {
    match rule {
        Rule::Distinct { l } => format!("distinct {l}-diversity"),
        Rule::Frequency { l } => format!("a share of at most 1/{l}"),
        Rule::Entropy { l } => format!("entropy {l}-diversity"),
        Rule::Recursive { l, c } => format!("recursive ({c}, {l})-diversity"),
        Rule::Close { t, .. } => format!("{t}-closeness"),
        Rule::Alike(likeness) => format!("{}-likeness", likeness.beta()),
    }
}
