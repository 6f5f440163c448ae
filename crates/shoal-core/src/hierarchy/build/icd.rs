//! Diagnoses of the International Classification of Diseases: categories, blocks and chapters.
//!
//! The ranges of ICD-9-CM are those of the US government's edition, which is in the public domain; those of ICD-10 are the WHO's
//! blocks with the categories that ICD-10-CM (public domain) adds. The names of chapters are our words.

use super::{BuildError, Built, finish, known_rows, values};
use crate::Domain;

/// An edition of the classification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icd {
    /// ICD-9-CM: `486`, `250.00`, `V58.66`, `E812.0`.
    Nine,
    /// ICD-10 and ICD-10-CM: `I21`, `I21.4`, `S72.001A`.
    Ten,
}

impl Icd {
    /// What a person calls it.
    pub fn name(self) -> &'static str {
        match self {
            Icd::Nine => "ICD-9",
            Icd::Ten => "ICD-10",
        }
    }

    /// Whether a text is a code of this edition, with or without its dot.
    ///
    /// ```
    /// use shoal_core::hierarchy::build::Icd;
    ///
    /// assert!(Icd::Nine.reads("250.00") && Icd::Nine.reads("V5866") && !Icd::Nine.reads("I21.4"));
    /// assert!(Icd::Ten.reads("I21.4") && Icd::Ten.reads("s72001a") && !Icd::Ten.reads("25000"));
    /// ```
    pub fn reads(self, text: &str) -> bool {
        self.groups(text).is_some()
    }

    /// The category, the block and the chapter of a code.
    fn groups(self, text: &str) -> Option<[String; 3]> {
        let category = self.category(text)?;
        let chapters = self.chapters();
        let chapter = chapters.iter().rev().find(|chapter| chapter.holds(&category))?;
        // Ranges are compared as texts, and a few categories with letters (`C7A`) lie inside another block's range: the block
        // that begins last is theirs.
        let block =
            chapter.blocks.iter().filter(|block| block.holds(&category)).max_by_key(|block| block.first);
        let name = format!("{}-{} {}", chapter.range.first, chapter.range.last, chapter.name);
        let block = match block {
            // A block of one category is written like that category.
            Some(block) if block.first == block.last => format!("{}.-", block.first),
            Some(block) => format!("{}-{}", block.first, block.last),
            None => name.clone(),
        };
        // `I21.-` is how the classification itself writes "any code of this category".
        Some([format!("{category}.-"), block, name])
    }

    /// The category of a code in capital letters: `486`, `V58`, `E812`; `I21`.
    fn category(self, text: &str) -> Option<String> {
        let mut code = text.trim().to_ascii_uppercase();
        if !code.is_ascii() {
            return None;
        }
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let before_dot = code.split('.').next().unwrap_or_default();
        if self == Icd::Nine && (1..3).contains(&before_dot.len()) && digits(before_dot) {
            // No code is that short: a program took it for a number and dropped the zeros in front (`8.45` is `008.45`).
            code = format!("{:0>width$}", code, width = code.len() + 3 - before_dot.len());
        }
        let length = match (self, code.as_bytes().first()?) {
            (Icd::Nine, b'E') => 4,
            (Icd::Nine, b'V' | b'0'..=b'9') | (Icd::Ten, b'A'..=b'Z') => 3,
            _ => return None,
        };
        let (category, rest) = code.split_at_checked(length)?;
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let fits = match self {
            Icd::Nine => digits(&category[1..]) && digits(rest) && rest.len() <= 2,
            Icd::Ten => {
                category.as_bytes()[1].is_ascii_digit() | category.starts_with("QA")
                    && category.as_bytes()[2].is_ascii_alphanumeric()
                    && rest.len() <= 4
                    && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
        };
        fits.then(|| category.to_owned())
    }

    fn chapters(self) -> Vec<Chapter> {
        chapters(match self {
            Icd::Nine => include_str!("data/icd9.txt"),
            Icd::Ten => include_str!("data/icd10.txt"),
        })
    }
}

/// Codes by category (`486.-`), block (`480-488`) and chapter (`460-519 respiratory system`). Values that are not codes go
/// straight to `*`; a column in which these are the most is refused.
pub fn icd(domain: &Domain, edition: Icd) -> Result<Built, BuildError> {
    let what = match edition {
        Icd::Nine => "ICD-9 codes",
        Icd::Ten => "ICD-10 codes",
    };
    let (rows, others) = known_rows(&values(domain), what, |text| edition.groups(text).map(Vec::from))?;
    finish(&rows, format!("{} by category, block, chapter{others}", edition.name()))
}

struct Chapter {
    range: Range,
    name: &'static str,
    blocks: Vec<Range>,
}

#[derive(Clone, Copy)]
struct Range {
    first: &'static str,
    last: &'static str,
}

impl Range {
    fn of(text: &'static str) -> Range {
        let (first, last) = text.split_once('-').expect("the table has ranges");
        Range { first, last }
    }

    /// Categories of one range are equally long, so their texts compare as they follow each other.
    fn holds(&self, category: &str) -> bool {
        category.len() == self.first.len() && (self.first..=self.last).contains(&category)
    }
}

impl Chapter {
    fn holds(&self, category: &str) -> bool {
        self.range.holds(category)
    }
}

/// Reads a table of ours: a line per chapter, its blocks indented below it.
fn chapters(text: &'static str) -> Vec<Chapter> {
    let mut chapters: Vec<Chapter> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("  "), chapters.last_mut()) {
            (Some(block), Some(chapter)) => chapter.blocks.push(Range::of(block)),
            _ => {
                let (range, name) = line.split_once(' ').expect("a chapter has a name");
                chapters.push(Chapter { range: Range::of(range), name, blocks: Vec::new() });
            }
        }
    }
    chapters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::fixture::domain;

    fn rows(edition: Icd, codes: &[&str]) -> Vec<Vec<String>> {
        icd(&domain(Kind::Text, codes), edition).unwrap().hierarchy.rows()
    }

    #[test]
    fn codes_with_and_without_a_dot_meet() {
        let circulatory = "390-459 circulatory system";
        assert_eq!(
            rows(Icd::Nine, &["410.9", "41071", "4280", "V5866", "e8120", "?"]),
            [
                ["410.9", "410.-", "410-414", circulatory, "*"],
                ["41071", "410.-", "410-414", circulatory, "*"],
                ["4280", "428.-", "420-429", circulatory, "*"],
                ["V5866", "V58.-", "V50-V59", "V01-V91 contact with health services", "*"],
                ["e8120", "E812.-", "E810-E819", "E000-E999 external causes", "*"],
            ]
        );
    }

    #[test]
    fn a_category_is_not_a_code() {
        // Otherwise nobody could tell the value `I21` from the group of all codes that begin with it.
        assert_eq!(rows(Icd::Ten, &["I21", "I21.4"])[0][..2], ["I21", "I21.-"]);
        assert_eq!(rows(Icd::Ten, &["C7A.1"])[0][2], "C7A-C7B");
        assert_eq!(rows(Icd::Ten, &["C78.0"])[0][2], "C76-C80");
        assert_eq!(rows(Icd::Ten, &["C50.1"])[0][1..3], ["C50.-", "C50.-"]);
    }

    #[test]
    fn blood_has_no_blocks() {
        assert_eq!(rows(Icd::Nine, &["280.1"])[0][1..4], ["280.-", "280-289 blood", "280-289 blood"]);
    }

    #[test]
    fn every_block_lies_in_its_chapter_and_no_two_begin_alike() {
        for edition in [Icd::Nine, Icd::Ten] {
            for chapter in edition.chapters() {
                let mut firsts: Vec<&str> = chapter.blocks.iter().map(|block| block.first).collect();
                firsts.sort_unstable();
                assert!(firsts.is_sorted_by(|a, b| a < b), "{}", chapter.name);
                for block in &chapter.blocks {
                    assert!(chapter.holds(block.first) && chapter.holds(block.last), "{}", block.first);
                    assert!(block.first <= block.last, "{}", block.first);
                }
            }
        }
    }

    #[test]
    fn a_column_of_something_else_is_refused() {
        let error = icd(&domain(Kind::Text, &["flu", "cold", "410"]), Icd::Nine).unwrap_err();
        assert!(matches!(error, BuildError::NotKnown { ref value, .. } if value == "cold"), "{error}");
        assert!(icd(&domain(Kind::Text, &[]), Icd::Nine).is_err());
        let built = icd(&domain(Kind::Text, &["410", "411", "none"]), Icd::Nine).unwrap();
        assert!(built.description.contains("1 value"), "{}", built.description);
        assert_eq!(rows(Icd::Nine, &["8.45"])[0][1..3], ["008.-", "001-009"]);
        assert_eq!(built.hierarchy.rows()[2], ["none", "*", "*", "*", "*"]);
    }
}
