//! When two texts are the same value, name the same person, or say that a value is missing.
//!
//! This is a definition, like that of a range or a set, not an algorithm. So it is here once, for
//! every shape of data. Algorithms, verifiers and adversaries share no code, but they mean the same
//! by it. Published texts stay as they are.
//!
//! The *fold* of a text, in this order:
//! 1. NFKC: `José` composed and decomposed are equal, so are `①` and `1`.
//! 2. Full case folding: `HIV` and `hiv`, `Straße` and `STRASSE`, both small sigmas.
//! 3. Control characters and all of Unicode's `Default_Ignorable_Code_Point` go, wherever they are:
//!    direction marks, soft hyphens, joiners, byte order marks.
//! 4. A run of white space, no-break blanks included, is one blank; at the ends there is none.
//! 5. A plain number is its exact value, however long it is: `7`, `07` and `7.0` are equal, two
//!    numbers of 17 digits that differ in the last one are not.
//!
//! In columns of numbers exponents count as well (`1e3` is `1000`), and dates are the moment that
//! they mean.
//!
//! A fold can only take two values for one. Then crowds look smaller and values look less diverse
//! than they are, so the promise is never weaker than what is printed.

mod fold;
mod number;

use std::borrow::Cow;

use crate::{Kind, RawColumn, ValueParser};

use fold::{cleaned, folded};
use number::Exact;

/// A value of a person, folded. Two values are the same exactly where these are equal; nothing but
/// the fold makes one.
///
/// ```
/// # use shoal_core::SameValue;
/// assert_eq!(SameValue::from_text(" HIV"), SameValue::from_text("h\u{ad}iv\u{a0}"));
/// assert_eq!(SameValue::from_text("07"), SameValue::from_text("7.0"));
/// assert_ne!(SameValue::from_text("7"), SameValue::from_text("70"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SameValue(Box<str>);

impl SameValue {
    /// A value of which no kind is known.
    pub fn from_text(text: &str) -> SameValue {
        SameValue(fold_text(text).into())
    }

    /// The folded text, for hashes and for other languages.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ValueParser {
    /// A value of a column. What is not of the column's kind is folded as a text.
    pub fn same(&self, text: &str) -> SameValue {
        let special = match self.kind() {
            Kind::Text => None,
            Kind::Integer | Kind::Decimal => {
                Exact::with_exponent(&folded(text)).map(|number| number.scientific())
            }
            // No text can be taken for it: a folded text has no capital letter.
            Kind::Date => self.format().since_1970(&cleaned(text)).map(|since| {
                let (seconds, nanoseconds) = (since.as_secs(), since.subsec_nanos());
                format!("DATE {seconds} {nanoseconds}")
            }),
        };
        special.map_or_else(|| SameValue::from_text(text), |text| SameValue(text.into()))
    }
}

fn fold_text(text: &str) -> Cow<'_, str> {
    let folded = folded(text);
    // Codes such as `1e5` are not numbers to their readers, so a plain text must have digits
    // only.
    match Exact::plain(&folded).map(|number| number.digits()) {
        Some(digits) if digits != *folded => Cow::Owned(digits),
        _ => folded,
    }
}

/// A person's name or number, folded. Two texts name one person exactly where these are equal.
///
/// Two people who are taken for one make a crowd look smaller than it is. One who is taken for two
/// would make it look larger.
///
/// ```
/// # use shoal_core::PersonKey;
/// assert_eq!(PersonKey::from_text("Ann "), PersonKey::from_text("ann"));
/// assert_ne!(PersonKey::from_text("12345678901234567"), PersonKey::from_text("12345678901234568"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonKey(Box<str>);

impl PersonKey {
    /// Who is named by one text.
    pub fn from_text(text: &str) -> PersonKey {
        PersonKey(SameValue::from_text(text).0)
    }

    /// Who is named by the texts of several columns together. Each has its length before it, so
    /// that no two lists are joined to one text.
    ///
    /// ```
    /// # use shoal_core::PersonKey;
    /// assert_eq!(PersonKey::from_texts(["Ann", "Lee"]), PersonKey::from_texts(["ann ", "LEE"]));
    /// assert_ne!(PersonKey::from_texts(["Ann", "Lee"]), PersonKey::from_texts(["Ann L", "ee"]));
    /// ```
    pub fn from_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> PersonKey {
        let mut joined = String::new();
        for text in texts {
            let text = fold_text(text);
            joined.push_str(&format!("{}:{text};", text.len()));
        }
        PersonKey(joined.into())
    }

    /// The folded text, for hashes and for other languages.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The texts that say that a value is missing. A text that folds to one of them says so, too.
///
/// ```
/// # use shoal_core::MissingTexts;
/// let missing = MissingTexts::new(&["NA", ""]);
/// assert!(missing.has("na") && missing.has(" \u{a0}"));
/// assert!(!missing.has("nab"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingTexts(Vec<SameValue>);

impl MissingTexts {
    /// The texts as a policy lists them.
    pub fn new<S: AsRef<str>>(texts: &[S]) -> MissingTexts {
        MissingTexts(texts.iter().map(|text| SameValue::from_text(text.as_ref())).collect())
    }

    /// Whether a text is one of them.
    pub fn has(&self, text: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let folded = fold_text(text);
        self.0.iter().any(|known| *known.0 == *folded)
    }

    /// Whether a code of a column stands for a missing value: a null, or one of these texts.
    pub fn has_code(&self, column: &RawColumn, code: u32) -> bool {
        column.null == Some(code) || self.has(column.labels.get(code))
    }

    /// The same for each code of a column.
    pub fn codes(&self, column: &RawColumn) -> Vec<bool> {
        (0..column.labels.len() as u32).map(|code| self.has_code(column, code)).collect()
    }
}

#[cfg(test)]
mod tests;
