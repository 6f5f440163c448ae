//! The settings that lose least, for each k.

use super::{Outcome, Row};

/// The cell that loses least among those with the same k.
#[derive(Clone, Debug)]
pub struct Best<'a> {
    /// The k; none where it was not varied.
    pub k: Option<String>,
    /// The cell; none where none of them is feasible.
    pub row: Option<&'a Row>,
}

/// The cell with the least loss for each k, in the order of the rows. Of equal ones the first.
pub fn best<'a>(rows: &[&'a Row]) -> Vec<Best<'a>> {
    let mut all: Vec<Best<'a>> = Vec::new();
    for &row in rows {
        let k = row.cell.value("privacy.k").map(str::to_owned);
        let at = match all.iter().position(|best| best.k == k) {
            Some(at) => at,
            None => {
                all.push(Best { k, row: None });
                all.len() - 1
            }
        };
        let loss = |row: &Row| row.loss().unwrap_or(f64::INFINITY);
        if row.outcome == Outcome::Holds && all[at].row.is_none_or(|other| loss(row) < loss(other)) {
            all[at].row = Some(row);
        }
    }
    all
}
