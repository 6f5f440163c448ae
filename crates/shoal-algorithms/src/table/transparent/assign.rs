//! Which records fill a column: drawn at random, blind to quasi-identifiers. And the last place where values are known: what
//! leaves here are columns in an order that does not tell which is which.

use super::plan::Plan;
use crate::stream::delay_free::Draws;

/// A bucket with its records. Every column has equally many.
pub(super) struct Bucket {
    /// In the order of their points, and at random where these are the same: whoever is given the points learns nothing
    /// about the values.
    pub(super) columns: Vec<Column>,
}

/// The records of one column, by their points.
pub(super) struct Column {
    /// The point of each record, ascending.
    pub(super) points: Vec<u32>,
    /// The records. Those with the same point stand in a random order: the column may have several values, and which of
    /// these goes to which class must not follow from the values.
    pub(super) rows: Vec<u32>,
}

/// Fills the plans. `rows_of` are the records of each value, `point_of` the point of each record.
///
/// Every way to fill the columns is equally likely, whatever the order of the records.
pub(super) fn assign(
    plans: &[Plan],
    mut rows_of: Vec<Vec<u32>>,
    point_of: &[u32],
    draws: &mut dyn Draws,
) -> Vec<Bucket> {
    let mut columns: Vec<Vec<Vec<u32>>> =
        plans.iter().map(|plan| vec![Vec::new(); plan.columns.len()]).collect();
    for (value, slots) in slots(plans, rows_of.len()).into_iter().enumerate() {
        let rows = &mut rows_of[value];
        // The same draw must choose the same records whoever wrote the file in which order.
        rows.sort_unstable_by_key(|&row| (point_of[row as usize], row));
        for (nth, slot) in slots.iter().enumerate() {
            let column = &mut columns[slot.bucket][slot.column];
            // The last and largest one takes what the others leave.
            if nth + 1 == slots.len() {
                column.append(rows);
                break;
            }
            for _ in 0..slot.records {
                let at = draws.below(rows.len() as u64) as usize;
                column.push(rows.swap_remove(at));
            }
        }
    }
    columns.into_iter().map(|columns| bucket(columns, point_of, draws)).collect()
}

/// A place where records of a value go.
struct Slot {
    records: u32,
    bucket: usize,
    column: usize,
}

/// The places of each value, the one with most records last.
fn slots(plans: &[Plan], values: usize) -> Vec<Vec<Slot>> {
    let mut slots: Vec<Vec<Slot>> = (0..values).map(|_| Vec::new()).collect();
    for (bucket, plan) in plans.iter().enumerate() {
        for (column, shares) in plan.columns.iter().enumerate() {
            for share in shares {
                slots[share.value as usize].push(Slot { records: share.records, bucket, column });
            }
        }
    }
    slots.iter_mut().for_each(|slots| slots.sort_by_key(|slot| slot.records));
    slots
}

fn bucket(columns: Vec<Vec<u32>>, point_of: &[u32], draws: &mut dyn Draws) -> Bucket {
    let mut columns: Vec<Column> = columns
        .into_iter()
        .map(|mut rows| {
            let point = |row: &u32| point_of[*row as usize];
            rows.sort_unstable_by_key(point);
            for same in rows.chunk_by_mut(|a, b| point(a) == point(b)) {
                shuffle(same, draws);
            }
            Column { points: rows.iter().map(point).collect(), rows }
        })
        .collect();
    columns.sort_by(|a, b| a.points.cmp(&b.points));
    for same in columns.chunk_by_mut(|a, b| a.points == b.points) {
        shuffle(same, draws);
    }
    Bucket { columns }
}

/// Every order is equally likely.
fn shuffle<T>(things: &mut [T], draws: &mut dyn Draws) {
    for last in (1..things.len()).rev() {
        let other = draws.below(last as u64 + 1) as usize;
        things.swap(last, other);
    }
}
