use std::collections::HashMap;

use super::{Labels, RawColumn};
use crate::{MissingTexts, SameValue, ValueParser};

/// The distinct values of a column, numbered so that the order of codes is the order of values: numbers
/// and dates ascending, texts by their bytes, and the missing value, if there is one, last.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    labels: Labels,
    /// Of the values that are not missing; `None` for text.
    positions: Option<Vec<f64>>,
    missing: Option<u32>,
    missing_texts: MissingTexts,
    parser: ValueParser,
    /// Where texts of one value have been merged: the code of each value.
    alike: Option<HashMap<SameValue, u32>>,
}

/// A text that is not of its column's kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the distinct text number {raw_code} of the column is not of its kind")]
pub struct BadValue {
    /// Its code in the raw column.
    pub raw_code: u32,
}

impl Domain {
    /// Orders the values of a raw column. Nulls and texts that fold to one of `missing_tokens` become the one missing
    /// value, labelled by the first of the tokens that occurs. Returns the domain and, for every raw
    /// code, its code in the domain.
    pub fn of(
        raw: &RawColumn,
        parser: ValueParser,
        missing_tokens: &[String],
    ) -> Result<(Domain, Vec<u32>), BadValue> {
        let missing_texts = MissingTexts::new(missing_tokens);
        let (absent, present): (Vec<u32>, Vec<u32>) =
            (0..raw.labels.len() as u32).partition(|&code| missing_texts.has_code(raw, code));
        let ordered = parser.kind().is_ordered();
        let mut values = Vec::with_capacity(present.len());
        for &raw_code in &present {
            let label = raw.labels.get(raw_code);
            let position = if ordered { parser.position(label).ok_or(BadValue { raw_code })? } else { 0.0 };
            values.push((position, label, raw_code));
        }
        // Texts of one number (7 and 7.0) have the same position; their bytes decide, so that the order is the same
        // for every input.
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));

        let mut labels = Labels::new();
        let mut code_of = vec![0; raw.labels.len()];
        for &(_, label, raw_code) in &values {
            code_of[raw_code as usize] = labels.push(label);
        }
        let mut missing = None;
        if !absent.is_empty() {
            let texts = absent.iter().filter(|&&code| raw.null != Some(code));
            let texts: Vec<SameValue> =
                texts.map(|&code| SameValue::from_text(raw.labels.get(code))).collect();
            let first = missing_tokens.iter().find(|token| texts.contains(&SameValue::from_text(token)));
            let code = labels.push(first.map_or("", String::as_str));
            absent.iter().for_each(|&raw_code| code_of[raw_code as usize] = code);
            missing = Some(code);
        }
        let positions = ordered.then(|| values.iter().map(|v| v.0).collect());
        Ok((Domain { labels, positions, missing, missing_texts, parser, alike: None }, code_of))
    }

    /// The same values where texts of one value ([`ValueParser::same`]) are one, called by the first of them. Returns the
    /// domain and for every code the new one; `None` where no two texts are one value.
    ///
    /// This is how algorithms see a sensitive column: what a reader takes for one value must not count as two.
    pub fn merged(&self) -> Option<(Domain, Vec<u32>)> {
        // The key `None` stands for the missing value.
        let mut codes_of: HashMap<Option<SameValue>, u32> = HashMap::new();
        let mut new_code = Vec::with_capacity(self.len());
        // The least code that has each new one.
        let mut firsts: Vec<u32> = Vec::new();
        for code in 0..self.len() as u32 {
            let key = (self.missing != Some(code)).then(|| self.parser.same(self.label(code)));
            let new = *codes_of.entry(key).or_insert(firsts.len() as u32);
            if new as usize == firsts.len() {
                firsts.push(code);
            }
            new_code.push(new);
        }
        // Nothing was merged, so every code would stay the same.
        if firsts.len() == self.len() {
            return None;
        }
        let labels: Labels = firsts.iter().map(|&code| self.label(code)).collect();
        let positions = self.positions.as_ref().map(|positions| {
            firsts.iter().filter_map(|&code| positions.get(code as usize).copied()).collect()
        });
        let missing = self.missing.map(|missing| new_code[missing as usize]);
        let alike = codes_of.into_iter().filter_map(|(key, code)| Some((key?, code))).collect();
        let (missing_texts, parser) = (self.missing_texts.clone(), self.parser.clone());
        Some((Domain { labels, positions, missing, missing_texts, parser, alike: Some(alike) }, new_code))
    }

    /// How many values there are, the missing one included.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The text of a value.
    pub fn label(&self, code: u32) -> &str {
        self.labels.get(code)
    }

    /// The texts of all values in the order of their codes.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The code of the missing value.
    pub fn missing(&self) -> Option<u32> {
        self.missing
    }

    /// The texts that stand for the missing value, whether it occurs or not.
    pub fn missing_texts(&self) -> &MissingTexts {
        &self.missing_texts
    }

    /// How the column's texts are read.
    pub fn parser(&self) -> &ValueParser {
        &self.parser
    }

    /// Whether the values lie on a line.
    pub fn is_ordered(&self) -> bool {
        self.positions.is_some()
    }

    /// Where the values lie, ascending, the missing one left out; empty for text.
    pub fn positions(&self) -> &[f64] {
        self.positions.as_deref().unwrap_or_default()
    }

    /// From the least to the greatest position; 0 when there are fewer than two or no order.
    pub fn span(&self) -> f64 {
        match self.positions() {
            [first, .., last] => last - first,
            _ => 0.0,
        }
    }

    /// The code of a text, if it is one of the values.
    pub fn code_of(&self, text: &str) -> Option<u32> {
        if let Some(missing) = self.missing
            && (self.label(missing) == text || self.missing_texts.has(text))
        {
            return Some(missing);
        }
        if let Some(alike) = &self.alike {
            return alike.get(&self.parser.same(text)).copied();
        }
        let known = (self.len() - usize::from(self.missing.is_some())) as u32;
        let position = if self.is_ordered() { self.parser.position(text)? } else { 0.0 };
        let before = |code: u32| {
            let by_position = match self.positions().get(code as usize) {
                Some(at) => at.total_cmp(&position),
                None => std::cmp::Ordering::Equal,
            };
            by_position.then_with(|| self.label(code).cmp(text))
        };
        // Binary search in the order of the codes, which is that of `Domain::of`; the missing value, at the end, has
        // been compared above.
        let (mut lo, mut hi) = (0, known);
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            match before(mid) {
                std::cmp::Ordering::Equal => return Some(mid),
                std::cmp::Ordering::Less => lo = mid + 1,
                std::cmp::Ordering::Greater => hi = mid,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::Kind;
    use crate::fixture::domain;

    #[test]
    fn codes_follow_the_order_of_values_and_missing_is_last() {
        let numbers = domain(Kind::Integer, &["10", "?", "9", "100", "007", "7"]);
        let labels: Vec<&str> = numbers.labels().iter().collect();
        assert_eq!(labels, ["007", "7", "9", "10", "100", "?"]);
        assert_eq!(numbers.missing(), Some(5));
        assert_eq!(numbers.span(), 93.0);
        for (code, label) in labels.iter().enumerate() {
            assert_eq!(numbers.code_of(label), Some(code as u32));
        }
        assert_eq!(numbers.code_of("8"), None);
        assert_eq!(numbers.code_of("x"), None);
    }

    #[test]
    fn several_missing_tokens_are_one_value() {
        let texts = domain(Kind::Text, &["b", "?", "", "a"]);
        assert_eq!(texts.labels().iter().collect::<Vec<_>>(), ["a", "b", ""]);
        assert_eq!((texts.code_of(""), texts.code_of("?")), (Some(2), Some(2)));
    }

    #[test]
    fn values_that_look_alike_are_merged_and_the_order_stays() {
        assert!(domain(Kind::Text, &["a", "b", "?"]).merged().is_none());
        let texts = domain(Kind::Text, &["hiv", "Flu", "HIV", "?", "HIV\u{a0}", " \u{200e}?"]);
        let (merged, code_of) = texts.merged().unwrap();
        assert_eq!(merged.labels().iter().collect::<Vec<_>>(), ["Flu", "HIV", "?"]);
        assert_eq!((code_of, merged.missing()), (vec![0, 1, 1, 1, 2], Some(2)));
        assert_eq!(
            ["flu ", "H\u{ad}iv", "?", "x"].map(|text| merged.code_of(text)),
            [Some(0), Some(1), Some(2), None]
        );
        let numbers = domain(Kind::Decimal, &["10", "7.0", "?", "7", "8"]);
        let (merged, code_of) = numbers.merged().unwrap();
        assert_eq!(merged.labels().iter().collect::<Vec<_>>(), ["7", "8", "10", "?"]);
        assert_eq!((merged.positions(), code_of), (&[7.0, 8.0, 10.0][..], vec![0, 0, 1, 2, 3]));
    }

    #[test]
    fn dates_are_ordered_by_the_calendar() {
        let dates = domain(Kind::Date, &["2020-03-01", "2019-12-31", "2020-02-29"]);
        assert_eq!(dates.label(0), "2019-12-31");
        assert_eq!(dates.positions()[2] - dates.positions()[1], 1.0);
    }
}
