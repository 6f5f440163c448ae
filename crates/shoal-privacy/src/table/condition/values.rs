//! The values of a sensitive column: what its texts stand for, and how often each value is published.
//!
//! A *member* of a file or a class is a record, or a person where people are counted.

use std::collections::{HashMap, HashSet};

use shoal_core::{Distribution, Hierarchy, MissingTexts, RawColumn, SameValue, ValueParser};

use crate::origin::number;
use crate::{Crowds, Unverifiable};

/// The values of a published column, numbered from 0.
#[derive(Debug)]
pub(super) struct Values<'a> {
    column: &'a RawColumn,
    /// For each code of the column its value; none where it is missing.
    value_of: Vec<Option<u32>>,
    /// For each value one of its codes.
    code_of: Vec<u32>,
    /// How many members have each value.
    pub(super) totals: Vec<u32>,
    /// Records with a value, or people with one where they are counted.
    members: u64,
    /// How many of them have a value that the file does not have, where the file is not everybody, and one of these values.
    beyond: (u64, Option<String>),
}

impl<'a> Values<'a> {
    /// Texts that fold to one value are one, called by the first of them in the order of bytes. The numbers follow no order.
    pub(super) fn of(column: &'a RawColumn, missing: &MissingTexts, parser: &ValueParser) -> Values<'a> {
        // Labels that no record has are not published, and name nothing.
        let mut occurs = vec![false; column.labels.len()];
        column.codes.iter().for_each(|&code| occurs[code as usize] = true);
        let rank = |code: u32| (!occurs[code as usize], column.labels.get(code));
        let absent = missing.codes(column);
        let same = |code: u32| (!absent[code as usize]).then(|| parser.same(column.labels.get(code)));
        let codes = 0..column.labels.len() as u32;
        let same_of: Vec<Option<SameValue>> = codes.clone().map(same).collect();
        let mut least: HashMap<&SameValue, u32> = HashMap::new();
        for (code, same) in codes.clone().zip(&same_of) {
            let Some(same) = same else { continue };
            let known = least.entry(same).or_insert(code);
            *known = if rank(code) < rank(*known) { code } else { *known };
        }
        let value_of: Vec<Option<u32>> =
            same_of.iter().map(|same| same.as_ref().map(|same| least[same])).collect();
        let mut totals = vec![0; value_of.len()];
        let values = column.codes.iter().filter_map(|&code| value_of[code as usize]);
        values.for_each(|value| totals[value as usize] += 1);
        let members = totals.iter().map(|&total| u64::from(total)).sum();
        Values { column, value_of, code_of: codes.collect(), totals, members, beyond: (0, None) }
    }

    /// The same where everybody is not the file: how often they have each value. Every value of the file must be one of theirs.
    pub(super) fn among(
        mut self,
        everybody: &Distribution,
        missing: &MissingTexts,
        parser: &ValueParser,
    ) -> Result<Values<'a>, Unverifiable> {
        let values = self.occurring().map(|value| (parser.same(self.text(value)), value));
        let value_of: HashMap<SameValue, u32> = values.collect();
        let (mut totals, mut absent) = (vec![0_u32; self.totals.len()], 0);
        for (text, count) in everybody.counts() {
            // The empty text stands for those without a value.
            if text.is_empty() || missing.has(text) {
                absent += u64::from(*count);
                continue;
            }
            match value_of.get(&parser.same(text)) {
                Some(&value) => totals[value as usize] = totals[value as usize].saturating_add(*count),
                None => self.beyond = (self.beyond.0 + u64::from(*count), Some(text.clone())),
            }
        }
        if let Some(value) = self.occurring().find(|&value| totals[value as usize] == 0) {
            let (row, column) = (self.first_row(value), self.column.name.clone());
            return Err(Unverifiable::NotAmongEverybody { row, column, value: self.text(value).to_owned() });
        }
        self.members = everybody.members() - if everybody.counts_people() { 0 } else { absent };
        self.totals = totals;
        Ok(self)
    }

    /// Refuses a distribution with values that the file does not have, where they would have to have a place among the others.
    fn check_places(&self) -> Result<(), Unverifiable> {
        match &self.beyond.1 {
            None => Ok(()),
            Some(value) => {
                let (column, value) = (self.column.name.clone(), value.clone());
                Err(Unverifiable::BeyondFile { column, value })
            }
        }
    }

    /// The same where people count: how many of them have each value in any of their records.
    pub(super) fn of_people(mut self, crowds: &Crowds) -> Values<'a> {
        let values = self.column.codes.iter().map(|&code| self.value_of[code as usize]);
        let pairs = values.zip(crowds.person_of()).filter_map(|(value, &person)| Some((value?, person)));
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        self.totals.fill(0);
        pairs.iter().for_each(|&(value, _)| self.totals[value as usize] += 1);
        self.members = pairs.iter().map(|&(_, person)| person).collect::<HashSet<u32>>().len() as u64;
        self
    }

    /// Numbers the values that occur in their order: numbers and dates ascending.
    pub(super) fn ranked(self, parser: &ValueParser) -> Result<Values<'a>, Unverifiable> {
        self.check_places()?;
        let mut places: Vec<(f64, &str, u32)> = Vec::new();
        for value in self.occurring() {
            let text = self.text(value);
            let Some(place) = parser.position(text) else {
                let (row, kind) = (self.first_row(value), parser.kind().name());
                let (column, value) = (self.column.name.clone(), text.to_owned());
                return Err(Unverifiable::NotOfKind { row, column, value, kind });
            };
            places.push((place, text, value));
        }
        places.sort_unstable_by(|one, two| one.0.total_cmp(&two.0).then_with(|| one.1.cmp(two.1)));
        let places: Vec<(u32, u32)> = (0..).zip(places).map(|(rank, (_, _, value))| (value, rank)).collect();
        let len = places.len();
        Ok(self.renumbered(&places, len))
    }

    /// Numbers the values as the leaves of a tree.
    pub(super) fn leaves(self, tree: &Hierarchy) -> Result<Values<'a>, Unverifiable> {
        self.check_places()?;
        let outside = |value: u32| Unverifiable::OutsideHierarchy {
            row: self.first_row(value),
            column: self.column.name.clone(),
            value: self.text(value).to_owned(),
        };
        let mut leaves = Vec::new();
        for value in self.occurring() {
            leaves.push((value, tree.leaf(self.text(value)).ok_or_else(|| outside(value))?));
        }
        let len = tree.leaf_count() as usize;
        Ok(self.renumbered(&leaves, len))
    }

    /// The value that a code of the column stands for.
    pub(super) fn of_code(&self, code: u32) -> Option<u32> {
        self.value_of[code as usize]
    }

    /// The value of each record is behind these codes.
    pub(super) fn codes(&self) -> &'a [u32] {
        &self.column.codes
    }

    /// How many members have a value: people where they are counted, else records.
    pub(super) fn members(&self) -> u64 {
        self.members
    }

    /// How many pairs of a member and one of their values there are: as many as members where everybody has one.
    pub(super) fn pairs(&self) -> u64 {
        self.beyond.0 + self.totals.iter().map(|&total| u64::from(total)).sum::<u64>()
    }

    /// The share of all members who have a value.
    pub(super) fn share(&self, value: u32) -> f64 {
        f64::from(self.totals[value as usize]) / self.members() as f64
    }

    /// A value in a sentence.
    pub(super) fn quoted(&self, value: u32) -> String {
        format!("`{}`", self.text(value))
    }

    fn text(&self, value: u32) -> &'a str {
        self.column.labels.get(self.code_of[value as usize])
    }

    fn occurring(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.totals).filter(|(_, total)| **total > 0).map(|(value, _)| value)
    }

    fn first_row(&self, value: u32) -> u64 {
        let rows = &self.column.codes;
        number(rows.iter().position(|&code| self.of_code(code) == Some(value)).unwrap_or_default())
    }

    /// The same values under other numbers below `len`, given for all that occur.
    fn renumbered(self, number_of: &[(u32, u32)], len: usize) -> Values<'a> {
        let mut new = vec![0; self.totals.len()];
        let (mut totals, mut code_of) = (vec![0; len], vec![0; len]);
        for &(value, number) in number_of {
            new[value as usize] = number;
            totals[number as usize] += self.totals[value as usize];
            code_of[number as usize] = self.code_of[value as usize];
        }
        let value_of = self.value_of.iter().map(|value| value.map(|value| new[value as usize])).collect();
        Values { value_of, code_of, totals, ..self }
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{DateFormat, Kind, Labels, Place, RawColumnBuilder};

    use super::*;

    fn column(texts: &[Option<&str>]) -> RawColumn {
        let mut builder = RawColumnBuilder::new("x".to_owned());
        for text in texts {
            match text {
                Some(text) => builder.push(text, Place::default()),
                None => builder.push_null(Place::default()),
            }
        }
        builder.finish()
    }

    fn parser(kind: Kind) -> ValueParser {
        ValueParser::new(kind, DateFormat::default())
    }

    fn valued<'a>(column: &'a RawColumn, missing: &[&str]) -> Values<'a> {
        Values::of(column, &MissingTexts::new(missing), &parser(Kind::Text))
    }

    #[test]
    fn nulls_and_missing_texts_are_no_value_and_the_empty_text_is_none_if_it_is_said() {
        let column = column(&[Some("n/a"), None, Some("?"), Some(""), Some("1"), Some("N/A\u{200e}")]);
        let apart = valued(&column, &["?", "n/a"]);
        let numbers: Vec<Option<u32>> = (0..6).map(|code| apart.of_code(code)).collect();
        assert_eq!(numbers, [None, None, None, Some(3), Some(4), None]);
        assert_eq!((apart.totals, apart.members), (vec![0, 0, 0, 1, 1, 0], 2));
        assert_eq!(valued(&column, &["?", "n/a", ""]).totals, [0, 0, 0, 0, 1, 0]);
    }

    #[test]
    fn only_what_occurs_has_a_rank() {
        let texts = [Some("10"), None, Some("9"), Some("-1.5"), Some("9.0"), Some("?")];
        let mut column = column(&texts);
        column.labels = column.labels.iter().chain(["8"]).collect::<Labels>();
        let parser = parser(Kind::Decimal);
        let ranked = Values::of(&column, &MissingTexts::new(&["?"]), &parser).ranked(&parser).unwrap();
        let ranks: Vec<Option<u32>> = column.codes.iter().map(|&code| ranked.of_code(code)).collect();
        assert_eq!(ranks, [Some(2), None, Some(1), Some(0), Some(1), None], "9 and 9.0 are one number");
        assert_eq!(ranked.totals, [1, 2, 1]);
    }

    #[test]
    fn texts_that_look_alike_are_one_value_called_by_the_least_that_occurs() {
        let texts =
            ["hiv", "HIV\u{a0}", "Flu", "07", "7.0", "7", " h\u{ad}iv", "n/a", "cafe\u{301}", "Caf\u{e9}"];
        let mut column = column(&texts.map(Some));
        column.labels = column.labels.iter().chain(["HIV"]).collect::<Labels>();
        let values = valued(&column, &["N/A"]);
        let numbers: Vec<Option<u32>> = (0..11).map(|code| values.of_code(code)).collect();
        let expected =
            [6, 6, 2, 3, 3, 3, 6, u32::MAX, 9, 9, 6].map(|value| (value < u32::MAX).then_some(value));
        assert_eq!(numbers, expected, "nobody has the label `HIV`");
        assert_eq!(values.totals, [0, 0, 1, 3, 0, 0, 3, 0, 0, 2, 0]);
        assert_eq!(values.quoted(6), "` h\u{ad}iv`");
    }

    #[test]
    fn a_missing_value_needs_no_leaf() {
        let tree = Hierarchy::from_rows(&[["a", "all"], ["b", "all"]].map(Vec::from)).unwrap();
        let lacking = column(&[Some("b"), Some("?"), Some("a"), Some("b")]);
        assert_eq!(valued(&lacking, &["?"]).leaves(&tree).unwrap().totals, [1, 2]);
        let outside = Unverifiable::OutsideHierarchy { row: 2, column: "x".into(), value: "?".into() };
        assert_eq!(valued(&lacking, &[]).leaves(&tree).map(|_| ()), Err(outside));
    }
}
