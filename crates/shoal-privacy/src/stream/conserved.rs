//! A published stream against the tuples it shows.
//!
//! Delay-free streams keep the order of their tuples, so line and tuple are compared one by one. Castle does not, and
//! its lines do not say whose they are. There a tuple for every row is asked for, class by class: among the tuples
//! with the row's sensitive value and insensitive cells, a class must cover at least as many as it has rows. (That each
//! row has a tuple of its own is more than that; the gate has seen it when the row left.)

use std::borrow::Cow;
use std::collections::HashMap;

use shoal_core::stream::{StreamLine, StreamTuple};

use super::gate::{Shown, Step, alien, is_suppressed};
use super::{GateColumn, StreamViolation};

/// Checks that every tuple is shown exactly once, and that what is shown is true of it. `tuples` are in the order in
/// which they arrived.
pub fn conserved(
    columns: &[GateColumn],
    tuples: &[StreamTuple<'_>],
    lines: &[StreamLine<'_>],
) -> Result<(), StreamViolation> {
    let step = Step::of(columns, lines, tuples);
    step.check_pairs()?;
    if lines.iter().any(|line| matches!(line, StreamLine::Row { .. })) {
        return check_rows(&step);
    }
    let mut places = places(lines);
    let mut next = tuples.iter();
    for (line, content) in step.numbered() {
        let (StreamLine::Set { cells, .. } | StreamLine::Member { cells, .. }) = content else { continue };
        let tuple = next.next().expect("checked: a tuple for each line");
        let shown = Shown { line, tuple };
        step.check_unchanged(cells, &shown)?;
        let position = tuple.position;
        match content {
            StreamLine::Set { values, .. } if !values.contains(&tuple.value) => {
                return Err(StreamViolation::NotInSet { line, position });
            }
            StreamLine::Member { group, .. } => match places.get_mut(&(*group, &*tuple.value)) {
                Some(free) if *free > 0 => *free -= 1,
                _ => return Err(StreamViolation::NoFreeSlot { line, position, group: *group }),
            },
            _ => {}
        }
    }
    Ok(())
}

/// How many members of each group may have each value.
fn places<'s>(lines: &'s [StreamLine<'s>]) -> HashMap<(u64, &'s str), u64> {
    let mut places = HashMap::new();
    for line in lines {
        if let StreamLine::Slot { group, value, count } = line {
            *places.entry((*group, &**value)).or_default() += count;
        }
    }
    places
}

/// What of a tuple is published as it is: the insensitive cells and the value.
type Plain<'s> = Vec<&'s str>;

fn check_rows(step: &Step<'_>) -> Result<(), StreamViolation> {
    let mut originals: HashMap<Plain<'_>, Vec<&StreamTuple<'_>>> = HashMap::new();
    for tuple in step.tuples {
        originals.entry(step.plain(&tuple.cells, &tuple.value)).or_default().push(tuple);
    }
    let mut alike: HashMap<(&[Cow<'_, str>], &str), Alike> = HashMap::new();
    for (line, content) in step.numbered() {
        let StreamLine::Row { cells, value } = content else { return Err(alien(line, content)) };
        if cells.len() != step.columns.len() {
            let (position, columns) = (line - 1, step.columns.len());
            return Err(StreamViolation::Ragged { line, position, cells: cells.len(), columns });
        }
        if !is_suppressed(cells, value) {
            alike.entry((cells, value)).or_insert(Alike { line, rows: 0 }).rows += 1;
        }
    }
    let untrue = alike.into_iter().filter_map(|((cells, value), Alike { line, rows })| {
        let candidates = originals.get(&step.plain(cells, value)).map_or(&[][..], Vec::as_slice);
        let tuples = candidates.iter().filter(|tuple| step.covers(cells, tuple)).take(rows).count();
        (tuples < rows).then_some((line, StreamViolation::Untrue { line, rows, tuples }))
    });
    // The first line, whatever the order of the map.
    untrue.min_by_key(|(line, _)| *line).map_or(Ok(()), |(_, violation)| Err(violation))
}

/// Rows that say the same.
struct Alike {
    line: u64,
    rows: usize,
}
