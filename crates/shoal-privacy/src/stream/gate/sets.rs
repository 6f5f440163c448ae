//! delay-free, hardened: every tuple with exactly l values, in order, its own among them. Where the design is known, the
//! set is one that it can draw for the stratum that the line shows, and the stratum is the tuple's.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use shoal_core::SameValue;
use shoal_core::stream::{StreamDesign, StreamLine};

use super::{Shown, Step, alien, take_turn};
use crate::stream::StreamViolation;
use crate::stream::possible::PossibleSets;

/// Whose turn it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sets {
    next: u64,
}

impl Sets {
    pub(super) fn start_at(&mut self, position: u64) {
        self.next = position;
    }

    pub(super) fn admit(
        &mut self,
        step: &Step<'_>,
        l: usize,
        possible: Option<&PossibleSets>,
    ) -> Result<(), StreamViolation> {
        let mut tuples = step.tuples.iter();
        for (line, content) in step.numbered() {
            let StreamLine::Set { cells, values } = content else { return Err(alien(line, content)) };
            let tuple = tuples.next().expect("checked: a tuple for each line");
            take_turn(&mut self.next, tuple.position)?;
            let shown = Shown { line, tuple };
            match possible.filter(|possible| possible.design().shows_strata()) {
                None => step.check_unchanged(cells, &shown)?,
                Some(possible) => check_stratum(step, cells, &shown, possible.design())?,
            }
            check_set(values, &shown, l)?;
            if let Some(why) = possible.and_then(|possible| possible.problem(cells, values)) {
                return Err(StreamViolation::Impossible { line, why });
            }
        }
        Ok(())
    }
}

/// A line that carries its stratum says nothing finer of the quasi-identifiers, and what it says is true of the tuple.
fn check_stratum(
    step: &Step<'_>,
    cells: &[Cow<'_, str>],
    shown: &Shown<'_>,
    design: &StreamDesign,
) -> Result<(), StreamViolation> {
    let columns = design.strata().columns();
    for (at, (column, text, original)) in step.pairs(cells, shown)?.enumerate() {
        let (line, position, name) = (shown.line, shown.tuple.position, column.name.clone());
        match (column.quasi, columns.iter().any(|stratum| stratum.cell == at)) {
            (false, _) if text != original => return Err(shown.changed(&column.name, text)),
            (true, false) if text != "*" => {
                return Err(StreamViolation::NotWithheld { line, column: name });
            }
            (true, true) if !column.covers(text, original) => {
                return Err(StreamViolation::NotCovered {
                    line,
                    position,
                    column: name,
                    text: text.to_owned(),
                });
            }
            (false | true, _) => {}
        }
    }
    Ok(())
}

fn check_set(values: &[Cow<'_, str>], shown: &Shown<'_>, l: usize) -> Result<(), StreamViolation> {
    let line = shown.line;
    if values.len() != l {
        return Err(StreamViolation::SetSize { line, values: values.len(), l });
    }
    if let Some(pair) = values.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(StreamViolation::SetOrder { line, value: pair[1].to_string() });
    }
    // Values that look alike are one, and then the line shows fewer than it promises.
    let distinct: BTreeSet<SameValue> = values.iter().map(|value| SameValue::from_text(value)).collect();
    if distinct.len() != l {
        return Err(StreamViolation::SetSize { line, values: distinct.len(), l });
    }
    if values.binary_search(&shown.tuple.value).is_err() {
        return Err(StreamViolation::NotInSet { line, position: shown.tuple.position });
    }
    Ok(())
}
