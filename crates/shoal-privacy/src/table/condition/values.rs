//! The values of a sensitive column: what its texts stand for, and how often each value is published.
//!
//! A *member* of a file or a class is a record, or a person where people are counted.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use shoal_core::{Distribution, Hierarchy, RawColumn, ValueParser, canonical_value};

use crate::origin::number;
use crate::{Crowds, Unverifiable};

/// The values of a published column, numbered from 0.
#[derive(Debug)]
pub(super) struct Values<'a> {
    column: &'a RawColumn,
    /// For each code of the column its value.
    value_of: Vec<u32>,
    /// For each value one of its codes.
    code_of: Vec<u32>,
    missing: Option<u32>,
    /// How many members have each value.
    pub(super) totals: Vec<u32>,
    /// Records, or people where they are counted.
    members: u64,
    /// How many of them have a value that the file does not have, where the file is not everybody, and one of these values.
    beyond: (u64, Option<String>),
}

impl<'a> Values<'a> {
    /// Texts that look alike ([`canonical_value`]) are one value, called by the first of them in the order of bytes.
    /// The texts in `missing`, and what looks like them, are one value together with nulls, called by the first of
    /// the tokens that occurs. The numbers follow no order.
    pub(super) fn of(column: &'a RawColumn, missing: &[String], parser: &ValueParser) -> Values<'a> {
        let codes = 0..column.labels.len() as u32;
        // Labels that no record has are not published, and name nothing.
        let mut occurs = vec![false; column.labels.len()];
        column.codes.iter().for_each(|&code| occurs[code as usize] = true);
        let rank = |code: u32| (!occurs[code as usize], column.labels.get(code));
        let tokens: Vec<Cow<'_, str>> = missing.iter().map(|token| canonical_value(token, parser)).collect();
        let mut absent: Vec<(usize, u32)> = column.null.map(|null| (usize::MAX, null)).into_iter().collect();
        let mut least: HashMap<Cow<'_, str>, u32> = HashMap::new();
        for code in codes.clone().filter(|&code| column.null != Some(code)) {
            let key = canonical_value(column.labels.get(code), parser);
            match tokens.iter().position(|token| *token == key) {
                Some(token) => absent.push((token, code)),
                None => {
                    let known = least.entry(key).or_insert(code);
                    *known = if rank(code) < rank(*known) { code } else { *known };
                }
            }
        }
        absent.sort_unstable_by_key(|&(token, code)| (!occurs[code as usize], token, code));
        let missing_value = absent.first().map(|&(_, code)| code);
        let mut value_of: Vec<u32> = codes.clone().collect();
        for code in codes.clone() {
            let key = canonical_value(column.labels.get(code), parser);
            value_of[code as usize] = least.get(&key).copied().unwrap_or(code);
        }
        if let Some(missing) = missing_value {
            absent.iter().for_each(|&(_, code)| value_of[code as usize] = missing);
        }
        let mut totals = vec![0; value_of.len()];
        column.codes.iter().for_each(|&code| totals[value_of[code as usize] as usize] += 1);
        let members = column.codes.len() as u64;
        let (code_of, beyond) = (codes.collect(), (0, None));
        Values { column, value_of, code_of, missing: missing_value, totals, members, beyond }
    }

    /// The same where everybody is not the file: how often they have each value. Every value of the file must be one of theirs.
    pub(super) fn among(
        mut self,
        everybody: &Distribution,
        missing: &[String],
        parser: &ValueParser,
    ) -> Result<Values<'a>, Unverifiable> {
        let absent: Vec<Cow<'_, str>> = missing.iter().map(|token| canonical_value(token, parser)).collect();
        // The key `None` stands for the missing value, and so does the empty text among everybody.
        let key = |text: &'_ str, is_missing: bool| {
            let key = canonical_value(text, parser).into_owned();
            (!is_missing && !absent.iter().any(|token| **token == key)).then_some(key)
        };
        let values =
            self.occurring().map(|value| (key(self.text(value), self.missing == Some(value)), value));
        let value_of: HashMap<Option<String>, u32> = values.collect();
        let mut totals = vec![0_u32; self.totals.len()];
        for (text, count) in everybody.counts() {
            match value_of.get(&key(text, text.is_empty())) {
                Some(&value) => totals[value as usize] = totals[value as usize].saturating_add(*count),
                None => self.beyond = (self.beyond.0 + u64::from(*count), Some(text.clone())),
            }
        }
        if let Some(value) = self.occurring().find(|&value| totals[value as usize] == 0) {
            let (row, column) = (self.first_row(value), self.column.name.clone());
            return Err(Unverifiable::NotAmongEverybody { row, column, value: self.text(value).to_owned() });
        }
        (self.totals, self.members) = (totals, everybody.members());
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
        let mut pairs: Vec<(u32, u32)> = values.zip(crowds.person_of().iter().copied()).collect();
        pairs.sort_unstable();
        pairs.dedup();
        self.totals.fill(0);
        pairs.iter().for_each(|&(value, _)| self.totals[value as usize] += 1);
        self.members = u64::from(crowds.people());
        self
    }

    /// Numbers the values that occur in their order: numbers and dates ascending, and the missing value last.
    pub(super) fn ranked(self, parser: &ValueParser) -> Result<Values<'a>, Unverifiable> {
        self.check_places()?;
        let mut places: Vec<(f64, &str, u32)> = Vec::new();
        for value in self.occurring() {
            let text = self.text(value);
            let place = match (self.missing == Some(value), parser.position(text)) {
                (true, _) => f64::INFINITY,
                (false, Some(position)) => position,
                (false, None) => {
                    let (row, kind) = (self.first_row(value), parser.kind().name());
                    let (column, value) = (self.column.name.clone(), text.to_owned());
                    return Err(Unverifiable::NotOfKind { row, column, value, kind });
                }
            };
            places.push((place, text, value));
        }
        // The positions of values are finite, so nothing stands behind the missing one.
        places.sort_unstable_by(|one, two| one.0.total_cmp(&two.0).then_with(|| one.1.cmp(two.1)));
        let places: Vec<(u32, u32)> = (0..).zip(places).map(|(rank, (_, _, value))| (value, rank)).collect();
        let len = places.len();
        Ok(self.renumbered(&places, len))
    }

    /// Numbers the values as the leaves of a tree. A missing value that the tree does not know joins it directly
    /// below `*`, as it does among quasi-identifiers. Returns the tree as well.
    pub(super) fn leaves(self, tree: &Arc<Hierarchy>) -> Result<(Values<'a>, Arc<Hierarchy>), Unverifiable> {
        self.check_places()?;
        let outside = |value: u32| Unverifiable::OutsideHierarchy {
            row: self.first_row(value),
            column: self.column.name.clone(),
            value: self.text(value).to_owned(),
        };
        let mut tree = Arc::clone(tree);
        if let Some(missing) = self.missing.filter(|&missing| self.totals[missing as usize] > 0)
            && tree.leaf(self.text(missing)).is_none()
        {
            tree = Arc::new(tree.with_leaf(self.text(missing)).map_err(|_| outside(missing))?);
        }
        let mut leaves = Vec::new();
        for value in self.occurring() {
            leaves.push((value, tree.leaf(self.text(value)).ok_or_else(|| outside(value))?));
        }
        let len = tree.leaf_count() as usize;
        Ok((self.renumbered(&leaves, len), tree))
    }

    /// The value that a code of the column stands for.
    pub(super) fn of_code(&self, code: u32) -> u32 {
        self.value_of[code as usize]
    }

    /// The value of each record is behind these codes.
    pub(super) fn codes(&self) -> &'a [u32] {
        &self.column.codes
    }

    /// How many members there are: people where they are counted, else records.
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
        if self.missing == Some(value) {
            "the missing value".to_owned()
        } else {
            format!("`{}`", self.text(value))
        }
    }

    fn text(&self, value: u32) -> &'a str {
        self.column.labels.get(self.code_of[value as usize])
    }

    fn occurring(&self) -> impl Iterator<Item = u32> {
        (0_u32..).zip(&self.totals).filter(|(_, total)| **total > 0).map(|(value, _)| value)
    }

    fn first_row(&self, value: u32) -> u64 {
        let rows = &self.column.codes;
        number(rows.iter().position(|&code| self.of_code(code) == value).unwrap_or_default())
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
        let value_of = self.value_of.iter().map(|&value| new[value as usize]).collect();
        let missing = self.missing.filter(|&value| self.totals[value as usize] > 0);
        let missing = missing.map(|value| new[value as usize]);
        let (members, beyond) = (self.members, self.beyond);
        Values { column: self.column, value_of, code_of, missing, totals, members, beyond }
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
        Values::of(column, &tokens(missing), &parser(Kind::Text))
    }

    fn tokens(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn nulls_and_missing_texts_are_one_value_and_the_empty_text_is_one_if_it_is_said() {
        let column = column(&[Some("n/a"), None, Some("?"), Some(""), Some("1")]);
        let apart = valued(&column, &["?", "n/a"]);
        let numbers: Vec<u32> = (0..5).map(|code| apart.of_code(code)).collect();
        assert_eq!(numbers, [2, 2, 2, 3, 4]);
        assert_eq!(apart.totals, [0, 0, 3, 1, 1]);
        assert_eq!((apart.quoted(2), apart.quoted(3)), ("the missing value".into(), "``".into()));
        assert_eq!(valued(&column, &["?", "n/a", ""]).totals, [0, 0, 4, 0, 1]);
    }

    #[test]
    fn only_what_occurs_has_a_rank_and_the_missing_value_the_last() {
        let texts = [Some("10"), None, Some("9"), Some("-1.5"), Some("9.0"), Some("?")];
        let mut column = column(&texts);
        column.labels = column.labels.iter().chain(["8"]).collect::<Labels>();
        let parser = parser(Kind::Decimal);
        let ranked = Values::of(&column, &tokens(&["?"]), &parser).ranked(&parser).unwrap();
        let ranks: Vec<u32> = column.codes.iter().map(|&code| ranked.of_code(code)).collect();
        assert_eq!(ranks, [2, 3, 1, 0, 1, 3], "9 and 9.0 are one number");
        assert_eq!(ranked.totals, [1, 2, 1, 2]);
        assert_eq!(ranked.quoted(3), "the missing value");
    }

    #[test]
    fn texts_that_look_alike_are_one_value_called_by_the_least_that_occurs() {
        let texts = ["hiv", "HIV ", "Flu", "07", "7.0", "7", " hiv", "n/a", "cafe\u{301}", "Caf\u{e9}"];
        let mut column = column(&texts.map(Some));
        column.labels = column.labels.iter().chain(["HIV"]).collect::<Labels>();
        let values = valued(&column, &["N/A"]);
        let numbers: Vec<u32> = (0..11).map(|code| values.of_code(code)).collect();
        assert_eq!(numbers, [6, 6, 2, 3, 3, 3, 6, 7, 9, 9, 6], "nobody has the label `HIV`");
        assert_eq!(values.totals, [0, 0, 1, 3, 0, 0, 3, 1, 0, 2, 0]);
        assert_eq!((values.quoted(6), values.quoted(7)), ("` hiv`".into(), "the missing value".into()));
    }

    #[test]
    fn what_is_missing_nowhere_joins_no_tree() {
        let tree = Arc::new(Hierarchy::from_rows(&[["a", "all"], ["b", "all"]].map(Vec::from)).unwrap());
        let full = column(&[Some("b"), Some("a"), Some("b")]);
        let (values, same) = valued(&full, &["?"]).leaves(&tree).unwrap();
        assert_eq!((values.totals, same.leaf_count()), (vec![1, 2], 2));
        let lacking = column(&[Some("b"), Some("?")]);
        let (values, joined) = valued(&lacking, &["?"]).leaves(&tree).unwrap();
        assert_eq!((values.totals, joined.leaf_count()), (vec![0, 1, 1], 3));
        // A missing value that is an inner node of the tree is not a leaf.
        let inner = valued(&lacking, &["?"])
            .leaves(&Arc::new(Hierarchy::from_rows(&[["a", "?"], ["b", "?"]].map(Vec::from)).unwrap()));
        let outside = Unverifiable::OutsideHierarchy { row: 2, column: "x".into(), value: "?".into() };
        assert_eq!(inner.map(|_| ()), Err(outside));
    }

    /// A dictionary may hold texts that no record has.
    #[test]
    fn a_text_for_the_missing_value_that_no_record_has_names_nothing() {
        let with_label = |texts: &[Option<&str>], label: &str| {
            let mut column = column(texts);
            column.labels = column.labels.iter().chain([label]).collect::<Labels>();
            column
        };
        let tree = Arc::new(Hierarchy::from_rows(&[["a", "all"], ["?", "all"]].map(Vec::from)).unwrap());
        let known = with_label(&[Some("a"), Some("?")], "n/a");
        let (_, same) = valued(&known, &["n/a", "?"]).leaves(&tree).unwrap();
        assert_eq!(same.leaf_count(), 2, "it is called `?`, which the tree knows");
        let full = with_label(&[Some("a"), Some("a")], "n/a");
        let (values, same) = valued(&full, &["n/a"]).leaves(&tree).unwrap();
        assert_eq!((same.leaf_count(), values.quoted(0)), (2, "`a`".to_owned()));
    }
}
