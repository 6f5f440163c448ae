//! The sensitive values: how many people of each group have them, and which share a crowd may have of them.

use std::collections::{BTreeMap, HashMap};

use shoal_core::{Bound, Distribution, Limit, MissingTexts, RawColumn, SameValue};

use super::groups::Groups;
use crate::origin::number as row_number;
use crate::{SequencesView, Unverifiable};

/// The sensitive values that somebody has.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) named: Vec<Value>,
    /// Where each group starts in `counts`.
    starts: Vec<usize>,
    /// Which values a group's people have, and how many of them.
    counts: Vec<(u32, u32)>,
}

/// A sensitive value.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) column: String,
    pub(super) text: String,
    /// The greatest share that a crowd may have of it.
    pub(super) allowed: f64,
}

impl Values {
    /// Counts people with at least one published event that has a value, group by group. What everybody's share of a value
    /// is, `everybody` says by column, or else the file.
    pub(super) fn new(
        view: &SequencesView<'_>,
        groups: &Groups,
        limits: &[Limit],
        missing: &MissingTexts,
        everybody: &BTreeMap<String, Distribution>,
    ) -> Result<Values, Unverifiable> {
        let mut named = Vec::new();
        let mut counts = vec![HashMap::<u32, u32>::new(); groups.len()];
        for limit in limits {
            let lacking = || Unverifiable::Lacking { column: limit.column.clone() };
            let column = view.events().published().column(&limit.column).ok_or_else(lacking)?;
            let first = named.len() as u32;
            // An event without a value has no secret, unless the limit names what stands for it.
            let absent = match limit.values {
                None => missing.codes(column),
                Some(_) => vec![false; column.labels.len()],
            };
            let present = column.labels.iter().zip(&absent).filter(|(_, missing)| !**missing);
            let mut texts: Vec<(SameValue, &str)> =
                present.map(|(text, _)| (SameValue::from_text(text), text)).collect();
            texts.sort_unstable();
            texts.dedup_by(|later, first| later.0 == first.0);
            if let Some(values) = &limit.values {
                let values: Vec<SameValue> = values.iter().map(|value| SameValue::from_text(value)).collect();
                texts.retain(|(key, _)| values.contains(key));
            }
            let number = |(text, missing): (&str, &bool)| {
                let key = (!missing).then(|| SameValue::from_text(text))?;
                texts.binary_search_by(|(known, _)| known.cmp(&key)).ok().map(|at| first + at as u32)
            };
            let numbers: Vec<Option<u32>> = column.labels.iter().zip(&absent).map(number).collect();
            let mut people = vec![0_u32; texts.len()];
            let mut own: Vec<u32> = Vec::new();
            for (person, &group) in groups.of_person().iter().enumerate() {
                let rows = view.rows_of(person).iter();
                own.extend(rows.filter_map(|&row| numbers[column.codes[row as usize] as usize]));
                own.sort_unstable();
                own.dedup();
                for value in own.drain(..) {
                    *counts[group as usize].entry(value).or_insert(0) += 1;
                    people[(value - first) as usize] += 1;
                }
            }
            let given = everybody.get(&limit.column).map(shares);
            for ((key, text), people) in texts.iter().zip(people) {
                let share = match (&given, limit.bound) {
                    (Some(given), Bound::Gain(_)) if people > 0 => {
                        let nobodys = || Unverifiable::NotAmongEverybody {
                            row: first_row(column, text),
                            column: limit.column.clone(),
                            value: (*text).to_owned(),
                        };
                        given.get(key).copied().ok_or_else(nobodys)?
                    }
                    _ => f64::from(people) / view.people() as f64,
                };
                let (column, text) = (limit.column.clone(), (*text).to_owned());
                named.push(Value { column, text, allowed: limit.bound.allowed(share) });
            }
        }
        let mut values = Values { named, starts: vec![0], counts: Vec::new() };
        for counts in counts {
            let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
            counts.sort_unstable();
            values.counts.extend(counts);
            values.starts.push(values.counts.len());
        }
        Ok(values)
    }

    /// Which values a group's people have, and how many of them.
    pub(super) fn of(&self, group: u32) -> &[(u32, u32)] {
        &self.counts[self.starts[group as usize]..self.starts[group as usize + 1]]
    }

    /// How many people of some groups have each value.
    pub(super) fn count(&self, groups: &[u32]) -> Vec<u32> {
        let mut counts = vec![0; self.named.len()];
        for (value, count) in groups.iter().flat_map(|&group| self.of(group)) {
            counts[*value as usize] += count;
        }
        counts
    }

    /// Whether a crowd may have a value that often.
    pub(super) fn allows(&self, value: u32, count: u32, people: u32) -> bool {
        share(count, people) <= self.named[value as usize].allowed
    }
}

/// The share of everybody who has each value.
fn shares(everybody: &Distribution) -> HashMap<SameValue, f64> {
    let mut counts: HashMap<SameValue, u64> = HashMap::new();
    for (text, count) in everybody.counts() {
        *counts.entry(SameValue::from_text(text)).or_default() += u64::from(*count);
    }
    let members = everybody.members();
    counts.into_iter().map(|(key, count)| (key, count.min(members) as f64 / members as f64)).collect()
}

/// The first row of the file with a text.
fn first_row(column: &RawColumn, text: &str) -> u64 {
    let is_text = |&code: &u32| column.labels.get(code) == text;
    row_number(column.codes.iter().position(is_text).unwrap_or_default())
}

/// The share of a crowd. Everybody in it counts, also who has no value in any event: other than in a table, where a cell that has
/// a value is what the promise is about, these promises are about what somebody learns who knows quasi-identifiers, and that the
/// person has none of the values is one of the possible answers. Everybody's share p counts the same people. An attacker who
/// knows besides that the person has some value knows more than (k,c) and (k,β)^L are about. No bound is asked of the share
/// of those without a value.
///
/// The division is rounded correctly, hence monotone: where no part of a crowd is above a
/// bound, the crowd is not.
pub(super) fn share(count: u32, people: u32) -> f64 {
    f64::from(count) / f64::from(people)
}
