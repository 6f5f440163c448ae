//! Hierarchies built from a column's values where nobody has written one.
//!
//! Numbers become ever wider [`intervals`], codes lose characters from the right ([`prefixes`]), dates
//! become months and years ([`dates`]), and anything can go straight to `*` ([`flat`]). Items of transactions
//! are grouped with their neighbours ([`even_tree`]). [`countries`], diagnoses ([`icd`]), occupations ([`isco`]) and [`education`] have tables that come
//! with the program. Ranges are
//! labelled in the published form `[20, 29]`, both ends included, so that a label says the same thing with
//! the hierarchy and without it. The missing value is left out, except in [`flat`]: binding the
//! hierarchy to a column puts it directly below `*`.

mod countries;
mod dates;
mod education;
mod error;
mod even;
mod flat;
mod icd;
mod intervals;
mod isco;
mod number;
mod prefixes;
#[cfg(test)]
mod properties;

pub use countries::{countries, is_country};
pub use dates::{DateParams, DateStep, ValidDateParams, chosen_steps, dates};
pub use education::{education, is_education};
pub use error::BuildError;
pub use even::even_tree;
pub use flat::flat;
pub use icd::{Icd, icd};
pub use intervals::{IntervalParams, ValidIntervalParams, chosen_widths, intervals};
pub use isco::{is_isco, isco};
pub use number::Number;
pub use prefixes::{PrefixParams, ValidPrefixParams, prefixes};

use super::Hierarchy;
use crate::{Domain, Kind};

/// A hierarchy that was made from data, and how, in words for a person.
#[derive(Clone, Debug)]
pub struct Built {
    /// The hierarchy.
    pub hierarchy: Hierarchy,
    /// E.g. "intervals of 5, 10, 20, 40".
    pub description: String,
}

/// The hierarchy of a column that has none but needs one: intervals for numbers, calendar steps for dates,
/// one step to `*` for texts, and for numbers and dates that the other builders cannot hold.
pub fn default_for(domain: &Domain) -> Result<Built, BuildError> {
    let fitting = match domain.parser().kind() {
        Kind::Integer | Kind::Decimal => intervals(domain, &ValidIntervalParams::default()),
        Kind::Date => dates(domain, &ValidDateParams::default()),
        Kind::Text => return flat(domain),
    };
    fitting.or_else(|_| flat(domain))
}

/// More levels than anybody reads. A bound, so that a mistake in the parameters cannot exhaust the memory.
const MOST_LEVELS: usize = 64;

/// The texts of the values that are not missing, in the order of their codes.
fn values(domain: &Domain) -> Vec<&str> {
    let known = domain.len() - usize::from(domain.missing().is_some());
    domain.labels().iter().take(known).collect()
}

/// A line per value of which `groups` knows the groups, and one straight to `*` for each other; then what is to be said about the
/// others. Most values must be known, or the column holds something else than `what`.
fn known_rows(
    texts: &[&str],
    what: &'static str,
    groups: impl Fn(&str) -> Option<Vec<String>>,
) -> Result<(Vec<Vec<String>>, String), BuildError> {
    if texts.is_empty() {
        return Err(BuildError::Empty);
    }
    let found: Vec<(&str, Option<Vec<String>>)> = texts.iter().map(|text| (*text, groups(text))).collect();
    let unknown: Vec<&str> =
        found.iter().filter(|(_, groups)| groups.is_none()).map(|(text, _)| *text).collect();
    if 2 * unknown.len() > texts.len() {
        let (value, count) = (unknown[0].to_owned(), unknown.len());
        return Err(BuildError::NotKnown { what, value, count, of: texts.len() });
    }
    let levels = found.iter().find_map(|(_, groups)| groups.as_ref()).map_or(0, Vec::len);
    let row = |(text, groups): (&str, Option<Vec<String>>)| {
        let groups = groups.unwrap_or_else(|| vec!["*".to_owned(); levels]);
        std::iter::once(text.to_owned()).chain(groups).chain(std::iter::once("*".to_owned())).collect()
    };
    let others = match unknown[..] {
        [] => String::new(),
        [one] => format!("; 1 value is none of these and goes straight to `*`: `{one}`"),
        [first, ..] => {
            format!(
                "; {} values are none of these and go straight to `*`, for example `{first}`",
                unknown.len()
            )
        }
    };
    Ok((found.into_iter().map(row).collect(), others))
}

/// Small letters and digits with single blanks between words: `United-States` and `united states` are one.
fn plain(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    words.strip_prefix(&["the"]).unwrap_or(&words).join(" ").to_lowercase()
}

fn finish(rows: &[Vec<String>], description: String) -> Result<Built, BuildError> {
    Ok(Built { hierarchy: Hierarchy::from_rows(rows)?, description })
}

/// `a, b, c`
fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::domain;

    #[test]
    fn each_kind_has_its_builder() {
        let ages: Vec<String> = (17..=90).map(|age: u32| age.to_string()).collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        let described = |kind, values: &[&str]| default_for(&domain(kind, values)).unwrap().description;
        assert_eq!(described(Kind::Integer, &ages), "intervals of 5, 10, 20, 40");
        assert_eq!(described(Kind::Text, &["a", "b"]), "one step, from the value to `*`");
        assert_eq!(
            described(Kind::Date, &["2020-01-05", "2020-01-06", "2020-05-01", "2021-05-01"]),
            "dates by month, year"
        );
    }

    #[test]
    fn what_no_interval_holds_still_gets_a_hierarchy() {
        let wide = default_for(&domain(Kind::Decimal, &["1e-300", "1e300"])).unwrap();
        assert_eq!(wide.hierarchy.rows(), [["1e-300", "*"], ["1e300", "*"]]);
        let missing_only = default_for(&domain(Kind::Integer, &["?", "?"])).unwrap();
        assert_eq!(missing_only.hierarchy.rows(), [["?", "*"]]);
    }

    #[test]
    fn a_column_without_values_has_no_hierarchy() {
        for kind in [Kind::Integer, Kind::Decimal, Kind::Date, Kind::Text] {
            assert_eq!(default_for(&domain(kind, &[])).unwrap_err(), BuildError::Empty);
        }
    }
}
