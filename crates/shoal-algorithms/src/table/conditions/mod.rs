//! May these records be a class? One answer for every algorithm.
//!
//! What is promised about a table is asked of each class alone ([`Conditions::hold`]): its size, the k that its
//! members ask for themselves, and how much it gives away about each sensitive column. What an algorithm has to
//! know of some records for that is their [`Tally`]; it grows and shrinks record by record.
//!
//! Two classes that hold still do when they are put together, whatever is promised: the union's size and number
//! of values are at least those of each part; entropy and the distances of t-closeness are concave and convex;
//! the share of a value in the union lies between its shares in the parts (frequency, β-likeness); and if both most frequent values are
//! outweighed by the rarer ones, so is that of the union. Hence a table that does not hold as a whole cannot be
//! published by any partition ([`Conditions::of`] refuses it), and one that does always can. A class that holds
//! and one that does not may be either together.
//!
//! That is so where every record is another person's. Where people are counted, it is still true of sizes, but no more of
//! the rest: two people who have one value each in one class and the other's value in another have both values in the
//! union. Then [`unions_hold`](Conditions::unions_hold) says no, and whoever puts classes together has to
//! ask; a table that does not hold as a whole is refused although some partitions might.
//!
//! t-closeness and β-likeness compare with the distribution in the published file. Whoever leaves records out
//! must ask again [`against`](Conditions::against) what remains; [`standing`](Conditions::standing) does both.

mod distance;
mod feasible;
mod measure;
mod reference;
mod sane;
mod standing;
mod tally;
#[cfg(test)]
mod tests;
mod trim;

pub(super) use sane::check_promise;
pub(crate) use tally::Tally;
pub(crate) use trim::Trimming;

use std::ops::Range;
use std::sync::Arc;

use shoal_core::{Column, Distribution, Role, Rule, Table, TablePromise};

use super::TableError;
use measure::{Measure, Values};
use reference::Reference;

/// What every class of one table must satisfy.
pub(crate) struct Conditions<'a> {
    k: usize,
    columns: Vec<Sensitive<'a>>,
    personal: Option<Arc<Personal>>,
    /// The person of each record, where some person has several, or may have elsewhere.
    people: Option<Arc<Vec<u32>>>,
    /// All keys of a tally are below.
    keys: u32,
}

/// A column about which something is promised.
///
/// An empty cell is nobody's secret ([`TablePromise`]): nothing is asked about records without a value, and shares are
/// shares of those with one.
struct Sensitive<'a> {
    column: &'a Column,
    keys: Range<u32>,
    /// The key of those who have a value, where some records have none.
    valued: Option<u32>,
    rules: Vec<Rule>,
    measures: Vec<Measure>,
    /// The share of everybody that has each value.
    shares: Vec<f64>,
    /// Everybody, where the table is a part of something larger.
    reference: Option<Arc<Reference>>,
}

/// The records that ask for more than k.
struct Personal {
    keys: Range<u32>,
    /// What they ask for, ascending.
    asked: Vec<u32>,
    /// The key of each record, [`CONTENT`] for the others.
    key_of: Vec<u32>,
}

const CONTENT: u32 = u32::MAX;

impl<'a> Conditions<'a> {
    /// What a promise means for a table. Fails where it names a column that is not sensitive or that lacks what
    /// it needs, and where not even all records together keep it, for then no classes do.
    pub(crate) fn of(table: &'a Table, promise: &TablePromise) -> Result<Conditions<'a>, TableError> {
        let mut conditions =
            Conditions { k: promise.k, columns: Vec::new(), personal: None, people: None, keys: 0 };
        for condition in &promise.conditions {
            let column = sensitive(table, &condition.column)?;
            let known = conditions.columns.iter_mut().find(|known| known.column.name == column.name);
            match known {
                Some(known) => known.rules.push(condition.rule),
                None => {
                    let keys = conditions.take_keys(column.domain.len());
                    let valued = column.domain.missing().map(|_| conditions.take_keys(1).start);
                    let rules = vec![condition.rule];
                    let (measures, shares) = (Vec::new(), Vec::new());
                    let given = promise.distributions.get(&column.name);
                    let reference =
                        given.map(|given| Reference::of(column, given)).transpose()?.map(Arc::new);
                    conditions.columns.push(Sensitive {
                        column,
                        keys,
                        valued,
                        rules,
                        measures,
                        shares,
                        reference,
                    });
                }
            }
        }
        conditions.personal = conditions.personal_of(table).map(Arc::new);
        if let Some(name) = &promise.person {
            // Nobody may have two records here and somebody elsewhere: then everybody's values are more than everybody.
            let is_part = promise.distributions.values().any(Distribution::counts_people);
            conditions.people = people(table, name, is_part)?.map(Arc::new);
        }
        let mut everybody = conditions.tally();
        (0..table.rows as u32).for_each(|row| conditions.add(&mut everybody, row, 1));
        conditions.measure_against(&everybody)?;
        conditions.feasible(&everybody)?;
        Ok(conditions)
    }

    /// The least size of a class that nobody asks more for.
    pub(crate) fn k(&self) -> usize {
        self.k
    }

    /// Whether nothing counts but k.
    pub(crate) fn only_size(&self) -> bool {
        self.columns.is_empty() && self.personal.is_none() && self.people.is_none()
    }

    /// Whether people are counted, some of whom have several records.
    pub(crate) fn counts_people(&self) -> bool {
        self.people.is_some()
    }

    /// Whether two classes that hold always do so together.
    pub(crate) fn unions_hold(&self) -> bool {
        self.columns.is_empty() || self.people.is_none()
    }

    /// The tally of nobody.
    pub(crate) fn tally(&self) -> Tally {
        if self.people.is_some() { Tally::of_people(self.keys) } else { Tally::new(self.keys) }
    }

    /// The tally of some records.
    pub(crate) fn tally_of<'r>(&self, rows: impl IntoIterator<Item = &'r u32>) -> Tally {
        let mut tally = self.tally();
        rows.into_iter().for_each(|&row| self.add(&mut tally, row, 1));
        tally
    }

    /// `times` records more that are like this one.
    pub(crate) fn add(&self, tally: &mut Tally, row: u32, times: u32) {
        if let Some(person_of) = &self.people {
            return tally.add_person(person_of[row as usize], self.keys_of(row), times);
        }
        tally.grow(times);
        self.keys_of(row).for_each(|key| tally.add_key(key, times));
    }

    /// `times` records fewer that are like this one.
    pub(crate) fn remove(&self, tally: &mut Tally, row: u32, times: u32) {
        if let Some(person_of) = &self.people {
            return tally.remove_person(person_of[row as usize], self.keys_of(row), times);
        }
        tally.shrink(times);
        self.keys_of(row).for_each(|key| tally.remove_key(key, times));
    }

    /// Whether these records may be a class.
    pub(crate) fn hold(&self, tally: &Tally) -> bool {
        tally.members() >= self.needed(tally) && self.lacks(tally).all(|lack| lack == 0.0)
    }

    /// How far these records are from being a class, 0 where they may be one. Only good to compare: of two
    /// changes of a class, the one that leaves less is the better.
    pub(crate) fn lack(&self, tally: &Tally) -> f64 {
        let needed = self.needed(tally);
        let fewer = needed.saturating_sub(tally.members()) as f64 / needed.max(1) as f64;
        fewer + self.lacks(tally).sum::<f64>()
    }

    /// Whether a class is compared with everybody else.
    pub(crate) fn compare_with_all(&self) -> bool {
        let compares = |rule: &Rule| matches!(rule, Rule::Close { .. } | Rule::Alike(_));
        self.columns.iter().any(|column| column.rules.iter().any(compares))
    }

    /// The same conditions where nobody is published but these records.
    pub(crate) fn against(&self, published: &Tally) -> Conditions<'a> {
        let again = |known: &Sensitive<'a>| Sensitive {
            column: known.column,
            keys: known.keys.clone(),
            valued: known.valued,
            rules: known.rules.clone(),
            measures: Vec::new(),
            shares: Vec::new(),
            reference: known.reference.clone(),
        };
        let columns = self.columns.iter().map(again).collect();
        let (personal, people) = (self.personal.clone(), self.people.clone());
        let mut conditions = Conditions { k: self.k, columns, personal, people, keys: self.keys };
        conditions.measure_against(published).expect("orders and hierarchies have been there before");
        conditions
    }

    /// The greatest size that a member asks for.
    fn needed(&self, tally: &Tally) -> u64 {
        let asked = self.personal.as_ref().and_then(|personal| {
            let most = tally.present(personal.keys.clone()).last();
            most.map(|(nth, _)| u64::from(personal.asked[nth as usize]))
        });
        asked.unwrap_or(self.k as u64)
    }

    fn lacks(&self, tally: &Tally) -> impl Iterator<Item = f64> {
        let of_column = |column: &Sensitive<'a>, measure: &Measure| column.lack(measure, tally);
        self.columns
            .iter()
            .flat_map(move |column| column.measures.iter().map(move |measure| of_column(column, measure)))
    }

    fn keys_of(&self, row: u32) -> impl Iterator<Item = u32> {
        let of_columns = self.columns.iter().flat_map(move |known| known.keys_of(row));
        let of_person = self.personal.iter().map(move |personal| personal.key_of[row as usize]);
        of_columns.chain(of_person.filter(|&key| key != CONTENT))
    }

    fn take_keys(&mut self, values: usize) -> Range<u32> {
        let first = self.keys;
        self.keys += values as u32;
        first..self.keys
    }

    fn personal_of(&mut self, table: &Table) -> Option<Personal> {
        let of_row = table.personal_k()?;
        let more = |k: &u32| *k as usize > self.k;
        let mut asked: Vec<u32> = of_row.iter().copied().filter(more).collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.is_empty() {
            return None;
        }
        let keys = self.take_keys(asked.len());
        let key = |k: &u32| asked.binary_search(k).map_or(CONTENT, |nth| keys.start + nth as u32);
        Some(Personal { key_of: of_row.iter().map(key).collect(), keys, asked })
    }

    fn measure_against(&mut self, published: &Tally) -> Result<(), TableError> {
        for known in &mut self.columns {
            let mut counts = vec![0; known.column.domain.len()];
            let present = published.present(known.keys.clone());
            present.for_each(|(code, count)| counts[code as usize] = count);
            let (mut everybody, mut beyond) = (known.members(published), 0);
            if let Some(reference) = &known.reference {
                (counts, everybody) = (reference.counts.clone(), reference.members);
                beyond = reference.beyond(known.column, &known.rules)?;
            }
            let measures =
                known.rules.iter().map(|&rule| Measure::new(rule, known.column, &counts, everybody, beyond));
            known.measures = measures.collect::<Result<_, _>>()?;
            let all = everybody.max(1) as f64;
            known.shares = counts.iter().map(|&count| f64::from(count) / all).collect();
        }
        Ok(())
    }
}

impl Sensitive<'_> {
    /// What a tally says about the column.
    fn values<'t>(&self, tally: &'t Tally) -> Values<'t> {
        let (members, several) = (self.members(tally), tally.counts_people());
        Values { members, several, present: tally.present(self.keys.clone()) }
    }

    /// How many members have a value.
    fn members(&self, tally: &Tally) -> u64 {
        self.valued.map_or_else(|| tally.members(), |key| tally.having(key).into())
    }

    /// How far some records are from a rule, 0 where none of them has a value.
    fn lack(&self, measure: &Measure, tally: &Tally) -> f64 {
        let values = self.values(tally);
        if values.members == 0 { 0.0 } else { measure.lack(&values) }
    }

    /// What a record counts for: its value, and that it has one where others have none.
    fn keys_of(&self, row: u32) -> impl Iterator<Item = u32> {
        let code = self.column.codes[row as usize];
        let has_value = self.column.domain.missing() != Some(code);
        let own = has_value.then_some(self.keys.start + code);
        own.into_iter().chain(self.valued.filter(|_| has_value))
    }
}

/// The person of each record; nothing where nobody has two, since then records are people, unless these are asked for `always`.
fn people(table: &Table, name: &str, always: bool) -> Result<Option<Vec<u32>>, TableError> {
    let column = table.columns.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| TableError::NoSuchColumn { column: name.to_owned() })?;
    let mut known = vec![false; column.domain.len()];
    let repeats = column.codes.iter().any(|&code| std::mem::replace(&mut known[code as usize], true));
    Ok((repeats || always).then(|| column.codes.clone()))
}

fn sensitive<'a>(table: &'a Table, name: &str) -> Result<&'a Column, TableError> {
    let column = table.columns.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| TableError::NoSuchColumn { column: name.to_owned() })?;
    match column.role {
        Role::Sensitive => Ok(column),
        role => Err(TableError::NotSensitive { column: name.to_owned(), role: role.name() }),
    }
}
