use std::collections::HashMap;

use shoal_core::{Column, MissingTexts, RawColumn, Rule, SameValue, ValueParser};

use super::TableTarget;
use super::fits::Fits;
use super::whose::Counting;

/// Who has no value in a column has no secret there: they are not guessed, and no share is counted among them.
pub(crate) const NO_VALUE: u32 = u32::MAX;

/// The values of some people, and how many have each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mix {
    /// How many of them have a value.
    pub total: u64,
    /// Values with how many have them, ascending by value.
    pub counts: Vec<(u32, u64)>,
}

impl Mix {
    /// Each record has one of these values.
    fn of_records(counts: Vec<(u32, u64)>) -> Mix {
        Mix { total: counts.iter().map(|(_, count)| count).sum(), counts }
    }

    /// The most frequent value, and its share; of equals the first.
    pub(crate) fn best(&self) -> Option<(u32, f64)> {
        let best = self.counts.iter().max_by_key(|&&(value, count)| (count, std::cmp::Reverse(value)))?;
        Some((best.0, best.1 as f64 / self.total as f64))
    }

    /// The values that both hold, each as often as in the one where it is rarer.
    pub(crate) fn common(&self, other: &Mix) -> Mix {
        let theirs: HashMap<u32, u64> = other.counts.iter().copied().collect();
        let counts: Vec<(u32, u64)> = self
            .counts
            .iter()
            .filter_map(|&(value, count)| Some((value, count.min(*theirs.get(&value)?))))
            .collect();
        Mix { total: counts.iter().map(|(_, count)| count).sum(), counts }
    }
}

/// A sensitive column on both sides, in codes of its own.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    /// The column's name.
    pub name: String,
    /// A text of each value.
    pub labels: Vec<String>,
    /// The value of each record of the original, or [`NO_VALUE`].
    pub own: Vec<u32>,
    /// The value of each published row, or [`NO_VALUE`].
    pub published: Vec<u32>,
    /// What everybody who is published has.
    pub everybody: Mix,
    /// What is promised about it.
    pub rules: Vec<Rule>,
    /// By class how often each value is in it, in rows.
    by_class: Vec<Vec<(u32, u64)>>,
}

impl Values {
    /// The sensitive columns that the file has.
    pub(crate) fn of(target: &TableTarget<'_>, fits: &Fits, counting: &Counting) -> Vec<Values> {
        let columns = target.original.of_role(shoal_core::Role::Sensitive);
        let read = |column: &Column| {
            let published = target.published.column(&column.name)?;
            let conditions = target.promise.conditions.iter();
            let rules = conditions.filter(|condition| condition.column == column.name);
            let rules = rules.map(|condition| condition.rule).collect();
            let mut codes = Codes::new(column.domain.parser(), target.missing);
            let own = codes.of_domain(column);
            let rows = codes.of_published(published);
            let mut values = Values {
                name: column.name.clone(),
                labels: codes.labels,
                own,
                published: rows,
                everybody: Mix::default(),
                rules,
                by_class: Vec::new(),
            };
            values.by_class = fits.rows.iter().map(|rows| values.tally(rows)).collect();
            values.everybody =
                values.mix_of_rows(counting, &(0..values.published.len() as u32).collect::<Vec<u32>>());
            Some(values)
        };
        columns.filter_map(read).collect()
    }

    /// What those have who are in some classes together. A value that somebody has in several rows counts once where people are
    /// counted.
    pub(crate) fn mix(&self, fits: &Fits, counting: &Counting, classes: &[u32]) -> Mix {
        if let Counting::People(_) = counting {
            let rows = classes.iter().flat_map(|&class| fits.rows[class as usize].iter().copied());
            return self.mix_of_rows(counting, &rows.collect::<Vec<u32>>());
        }
        if let [class] = classes {
            return Mix::of_records(self.by_class[*class as usize].clone());
        }
        let mut counts: HashMap<u32, u64> = HashMap::new();
        for &class in classes {
            for &(value, count) in &self.by_class[class as usize] {
                *counts.entry(value).or_default() += count;
            }
        }
        let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
        counts.sort_unstable();
        Mix::of_records(counts)
    }

    fn mix_of_rows(&self, counting: &Counting, rows: &[u32]) -> Mix {
        let Counting::People(person_of) = counting else {
            return Mix::of_records(self.tally(rows));
        };
        let mut pairs: Vec<(u32, u32)> =
            rows.iter().map(|&row| (self.published[row as usize], person_of[row as usize])).collect();
        pairs.retain(|&(value, _)| value != NO_VALUE);
        pairs.sort_unstable();
        pairs.dedup();
        let mut people: Vec<u32> = pairs.iter().map(|&(_, person)| person).collect();
        people.sort_unstable();
        people.dedup();
        let counts = pairs.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.len() as u64));
        Mix { total: people.len() as u64, counts: counts.collect() }
    }

    fn tally(&self, rows: &[u32]) -> Vec<(u32, u64)> {
        let mut values: Vec<u32> = rows.iter().map(|&row| self.published[row as usize]).collect();
        values.retain(|&value| value != NO_VALUE);
        values.sort_unstable();
        values.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect()
    }
}

/// Numbers the values of a column.
pub(crate) struct Codes<'a> {
    parser: &'a ValueParser,
    missing: &'a MissingTexts,
    known: HashMap<SameValue, u32>,
    labels: Vec<String>,
}

impl<'a> Codes<'a> {
    pub(crate) fn new(parser: &'a ValueParser, missing: &'a MissingTexts) -> Codes<'a> {
        Codes { parser, missing, known: HashMap::new(), labels: Vec::new() }
    }

    fn code(&mut self, text: Option<&str>) -> u32 {
        let Some(text) = text else { return NO_VALUE };
        let next = self.labels.len() as u32;
        *self.known.entry(self.parser.same(text)).or_insert_with(|| {
            self.labels.push(text.to_owned());
            next
        })
    }

    pub(crate) fn of_domain(&mut self, column: &Column) -> Vec<u32> {
        let missing = column.domain.missing();
        let codes: Vec<u32> = (0..column.domain.len() as u32)
            .map(|code| self.code((missing != Some(code)).then(|| column.domain.label(code))))
            .collect();
        column.codes.iter().map(|&code| codes[code as usize]).collect()
    }

    pub(crate) fn of_published(&mut self, column: &RawColumn) -> Vec<u32> {
        let texts = self.missing.codes(column).into_iter().zip(column.labels.iter());
        let codes: Vec<u32> =
            texts.map(|(is_absent, text)| self.code((!is_absent).then_some(text))).collect();
        column.codes.iter().map(|&code| codes[code as usize]).collect()
    }
}
