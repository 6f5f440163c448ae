//! What a sample shows of one column.

use std::collections::{BTreeMap, HashSet};

use shoal_core::{Kind, MissingTexts, RawColumn, Role, ValueParser};

use super::kinds::Reading;
use super::words::Words;

/// Fewer records than this say nothing about how often values repeat.
const ENOUGH: u64 = 20;
/// Values that at least this many records share give nobody away.
const CROWD: u64 = 10;

/// The counts of one column.
pub(super) struct Profile<'a> {
    pub name: Words,
    pub kind: Kind,
    /// Whether texts are numbers in a notation that is not read as such.
    pub number_like: bool,
    /// Each distinct value that is not missing, with its records, in order of appearance.
    pub values: Vec<(&'a str, u64)>,
    /// Records with a value.
    pub present: u64,
    /// Records without one.
    pub missing: u64,
    parser: ValueParser,
}

impl<'a> Profile<'a> {
    pub(super) fn of(column: &'a RawColumn, reading: &Reading) -> Self {
        let mut counts = vec![0_u64; column.labels.len()];
        column.codes.iter().for_each(|&code| counts[code as usize] += 1);
        let missing = MissingTexts::new(&reading.missing_tokens);
        let values: Vec<(&str, u64)> = (0..column.labels.len() as u32)
            .filter(|&code| !missing.has_code(column, code))
            .map(|code| (column.labels.get(code), counts[code as usize]))
            .collect();
        let present = values.iter().map(|value| value.1).sum();
        Profile {
            name: Words::of(&column.name),
            kind: reading.kind,
            number_like: reading.number_like,
            values,
            present,
            missing: column.codes.len() as u64 - present,
            parser: ValueParser::new(reading.kind, reading.format.clone().unwrap_or_default()),
        }
    }

    /// How many distinct values there are.
    pub(super) fn distinct(&self) -> u64 {
        self.values.len() as u64
    }

    /// Distinct values among the records that have one: 1 when no value repeats.
    pub(super) fn share(&self) -> f64 {
        self.distinct() as f64 / (self.present.max(1)) as f64
    }

    /// Whether there are enough records to judge by repetition.
    pub(super) fn is_telling(&self) -> bool {
        self.present >= ENOUGH
    }

    /// Whether hardly any value repeats.
    pub(super) fn is_nearly_unique(&self) -> bool {
        self.is_telling() && self.share() >= 0.9
    }

    /// Whether whole numbers look handed out and not measured: all of one length, or without large gaps.
    pub(super) fn is_numbering(&self) -> bool {
        let Some(first) = self.values.first() else { return false };
        let one_length = self.values.iter().all(|value| value.0.len() == first.0.len());
        let span = self.range().map_or(0.0, |(lo, hi)| hi.0 - lo.0 + 1.0);
        self.kind == Kind::Integer && (one_length || span <= 2.0 * self.distinct() as f64)
    }

    /// Whether it counts the rows from 0 or 1 on, each number once and in their order.
    pub(super) fn is_row_number(&self) -> bool {
        let first = self.values.first().and_then(|value| value.0.parse::<i64>().ok());
        let counts = |(at, value): (usize, &(&str, u64))| {
            value.1 == 1 && value.0.parse() == Ok(at as i64 + first.unwrap_or_default())
        };
        const FEWEST: usize = 5;
        self.missing == 0
            && self.values.len() >= FEWEST
            && matches!(first, Some(0 | 1))
            && self.values.iter().enumerate().all(counts)
    }

    /// Whether the texts are sentences.
    pub(super) fn is_prose(&self) -> bool {
        let wordy = self.values.iter().filter(|value| value.0.split_whitespace().count() >= 6).count();
        self.kind == Kind::Text && 2 * wordy > self.values.len()
    }

    /// What separates the values of cells that hold several: `486;2809;V5866`.
    pub(super) fn list_separator(&self) -> Option<char> {
        (self.kind == Kind::Text && !self.number_like && self.is_telling()).then_some(())?;
        [';', '|', ','].into_iter().find(|&separator| self.is_list(separator))
    }

    /// Lists have different lengths, unlike `Paris, France`, and their elements come again in other lists.
    fn is_list(&self, separator: char) -> bool {
        let lengths = self.values.iter().map(|value| value.0.split(separator).count());
        let mut of_length: BTreeMap<usize, usize> = BTreeMap::new();
        lengths.for_each(|length| *of_length.entry(length).or_default() += 1);
        let several: usize = of_length.range(2..).map(|(_, &values)| values).sum();
        // A comma is a part of many texts, a semicolon of few.
        let lengths_asked = if separator == ',' { 3 } else { 2 };
        if of_length.len() < lengths_asked || 5 * several < self.values.len() {
            return false;
        }
        let elements = || self.values.iter().flat_map(|value| value.0.split(separator)).map(str::trim);
        let distinct: HashSet<&str> = elements().collect();
        let longest = elements().map(str::len).max().unwrap_or_default();
        10 * distinct.len() < 9 * elements().count() && longest <= 60
    }

    /// What a person should know, without a value that could give somebody away.
    pub(super) fn facts(&self, role: Role) -> String {
        let values = match self.distinct() {
            1 => "1 distinct value".to_owned(),
            many => format!("{many} distinct values"),
        };
        let missing = match self.missing {
            0 => "none missing".to_owned(),
            some => format!("{} missing", percent(some as f64 / (some + self.present) as f64)),
        };
        // The ends of a range are somebody's values; where many differ they are likely one person's.
        let open = matches!(role, Role::QuasiIdentifier | Role::Insensitive) && self.share() < 0.5;
        let seen = if open { self.seen() } else { String::new() };
        format!("{values}, {missing}{seen}")
    }

    fn seen(&self) -> String {
        match self.range() {
            Some((lo, hi)) if self.is_telling() => format!("; from {} to {}", plain(lo.1), plain(hi.1)),
            Some(_) => String::new(),
            None => {
                let mut shared: Vec<_> = self.values.iter().filter(|value| value.1 >= CROWD).collect();
                shared.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
                let shared: Vec<String> = shared.iter().take(4).map(|value| plain(value.0)).collect();
                match shared.as_slice() {
                    [] => String::new(),
                    [only] if self.distinct() == 1 => format!("; always {only}"),
                    some => format!("; most often {}", some.join(", ")),
                }
            }
        }
    }

    /// The least and the greatest value with their texts; `None` without an order.
    fn range(&self) -> Option<(Placed<'a>, Placed<'a>)> {
        let at = |value: &(&'a str, u64)| self.parser.position(value.0).map(|at| (at, value.0));
        let lo = self.values.iter().filter_map(at).min_by(|a, b| a.0.total_cmp(&b.0))?;
        let hi = self.values.iter().filter_map(at).max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some((lo, hi))
    }
}

/// A value's place on the line, and its text.
type Placed<'a> = (f64, &'a str);

/// `0.4 %`, `97 %`; never 0 or 100 % of what is a little more or less.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        percent if percent < 0.1 => "under 0.1 %".to_owned(),
        percent if (99.0..100.0).contains(&percent) => "over 99 %".to_owned(),
        percent if percent < 10.0 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// A value as it may be written in a comment: on one line, and short.
pub(super) fn plain(text: &str) -> String {
    const LONGEST: usize = 30;
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match clean.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}
