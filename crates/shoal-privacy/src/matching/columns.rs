//! What a published text may stand for, column by column.

use shoal_core::{Column, PublishedValue, RawColumn, RawTable, Role, Table};

use crate::TableConservationError;
use crate::table::conservation::{pair_columns, read_texts};

/// A quasi-identifier of a published file beside the original: which texts are true of which values.
#[derive(Debug)]
pub(super) struct Quasi<'a> {
    /// The published codes.
    pub to: &'a RawColumn,
    /// The original codes.
    pub from: &'a Column,
    /// For each published text a bit per original value.
    covered: Vec<u64>,
    words: usize,
}

impl<'a> Quasi<'a> {
    fn new(from: &'a Column, to: &'a RawColumn) -> Result<Quasi<'a>, TableConservationError> {
        let values = read_texts(from, to)?;
        let words = from.domain.len().div_ceil(64);
        let mut covered = vec![0; words * values.len()];
        for (text, value) in values.iter().enumerate() {
            let row = &mut covered[text * words..(text + 1) * words];
            let is_true = |code: u32| {
                let same_text =
                    to.null != Some(text as u32) && to.labels.get(text as u32) == from.domain.label(code);
                same_text || covers(value, code, from)
            };
            for code in (0..from.domain.len() as u32).filter(|&code| is_true(code)) {
                row[code as usize / 64] |= 1 << (code % 64);
            }
        }
        Ok(Quasi { to, from, covered, words })
    }

    /// Whether a published text is true of an original value.
    pub(super) fn is_true(&self, text: u32, code: u32) -> bool {
        self.covered[text as usize * self.words + code as usize / 64] >> (code % 64) & 1 == 1
    }

    /// The original values of which a published text is true, ascending.
    pub(super) fn values(&self, text: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.from.domain.len() as u32).filter(move |&code| self.is_true(text, code))
    }
}

fn covers(value: &PublishedValue, code: u32, from: &Column) -> bool {
    value.covers(code, &from.domain, from.hierarchy.as_ref())
}

/// The columns of a published file beside the original's.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    pub quasi: Vec<Quasi<'a>>,
    /// Columns that are published as they were.
    pub untouched: Vec<Untouched>,
}

/// A column that is published as it was, in one set of codes for both sides.
#[derive(Debug)]
pub(super) struct Untouched {
    /// The code of each published record; a text that the original does not have is a code of nobody.
    pub to: Vec<u32>,
    /// The code of each original.
    pub from: Vec<u32>,
}

impl<'a> Pairs<'a> {
    /// Pairs all columns that may be published; a column of `pseudonyms` stands beside them.
    pub(super) fn new(
        original: &'a Table,
        published: &'a RawTable,
        pseudonyms: Option<&str>,
    ) -> Result<Pairs<'a>, TableConservationError> {
        let mut pairs = Pairs { quasi: Vec::new(), untouched: Vec::new() };
        for (from, to) in pair_columns(original, published, pseudonyms)? {
            match from.role {
                Role::QuasiIdentifier => pairs.quasi.push(Quasi::new(from, to)?),
                // Other roles are published as they are or, which `pair_columns` has seen to, not at all.
                Role::Sensitive | Role::Insensitive | Role::Identifier | Role::PersonalK => {
                    pairs.untouched.push(untouched(from, to));
                }
            }
        }
        Ok(pairs)
    }
}

fn untouched(from: &Column, to: &RawColumn) -> Untouched {
    let unknown = from.domain.len() as u32;
    // Where null is the missing value, the empty text can be a value beside it under the same label. A reader cannot tell
    // the two apart, so they are one value here.
    let twin = |code: u32| match from.domain.missing() {
        Some(missing) if code == missing => {
            (0..unknown).find(|&other| from.domain.label(other) == from.domain.label(missing)).unwrap_or(code)
        }
        _ => code,
    };
    let of_text = |text: u32| {
        let code = if to.null == Some(text) {
            from.domain.missing()
        } else {
            from.domain.code_of(to.labels.get(text))
        };
        code.map_or(unknown, twin)
    };
    let of_text: Vec<u32> = (0..to.labels.len() as u32).map(of_text).collect();
    let of_code: Vec<u32> = (0..unknown).map(twin).collect();
    Untouched {
        to: to.codes.iter().map(|&text| of_text[text as usize]).collect(),
        from: from.codes.iter().map(|&code| of_code[code as usize]).collect(),
    }
}
