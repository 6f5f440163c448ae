//! How many records may be suppressed.

use shoal_core::Table;

use super::TableView;
use crate::promise::Answer;
use crate::{Figure, Outcome, Promise, TableViolation, Violations};

/// A limit of the records that an algorithm may suppress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuppressionLimit {
    /// The greatest share of all input records.
    pub share: f64,
    /// How many records the policy leaves out because a value is missing. They do not count. No more are
    /// believed than there are input records with a missing value.
    pub incomplete: usize,
    /// Whether suppressed records are published as `*`, so that records of nothing but `*` count as well.
    pub starred: bool,
}

impl SuppressionLimit {
    /// Whether the limit is kept by a file that lacks `left_out` records of the original. An input without records
    /// keeps it.
    pub(super) fn answer(
        self,
        view: &TableView<'_>,
        original: &Table,
        left_out: usize,
    ) -> Answer<TableViolation> {
        let starred = if self.starred { view.starred() } else { 0 };
        let suppressed = (left_out + starred).saturating_sub(self.incomplete.min(incomplete(original)));
        let found = suppressed as f64 / original.rows.max(1) as f64;
        Answer {
            promise: Promise::MaxSuppressed { share: self.share },
            column: None,
            outcome: Outcome {
                found: Figure::Number(found),
                // Written so that a share that is not a number allows nothing.
                holds: suppressed == 0 || found <= self.share,
                violations: Violations { total: 0, worst: Vec::new(), all: Vec::new() },
            },
        }
    }
}

/// How many records have a missing value.
fn incomplete(original: &Table) -> usize {
    let mut is_incomplete = vec![false; original.rows];
    for column in &original.columns {
        if let Some(missing) = column.domain.missing() {
            let lacks = column.codes.iter().map(|&code| code == missing);
            is_incomplete.iter_mut().zip(lacks).for_each(|(is, lacks)| *is |= lacks);
        }
    }
    is_incomplete.into_iter().filter(|is| *is).count()
}
