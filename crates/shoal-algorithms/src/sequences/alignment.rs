//! Needleman–Wunsch: the matching of two sequences, in order, that loses least.
//!
//! Three moves: publish an event of each as the least that covers both, suppress one of the left, suppress one
//! of the right. What the members of a cluster have lost before is taken off, so that all costs are added losses.

use super::cluster::Cluster;
use super::costs::Costs;
use super::matching::{Matching, Numbered, Pair, Query};

/// The best alignment. Of equally good moves, looked at from the end of the sequences, it prefers to
/// generalize, then to suppress in the older cluster, then in the younger.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aligned;

impl Matching for Aligned {
    fn distance(
        &self,
        younger: &Query<'_>,
        older: Numbered<'_>,
        costs: &Costs,
        limit: i64,
        line: &mut Vec<i64>,
    ) -> Option<i64> {
        distance(younger, older.cluster, costs, limit, line)
    }

    fn pairs(&self, older: Numbered<'_>, younger: Numbered<'_>, costs: &Costs) -> Vec<Pair> {
        trace(older.cluster, younger.cluster, costs)
    }
}

/// The loss of the best alignment, one row of the table at a time and only the cells of a band, given up as soon as a whole
/// row is above the limit.
fn distance(
    query: &Query<'_>,
    other: &Cluster,
    costs: &Costs,
    limit: i64,
    line: &mut Vec<i64>,
) -> Option<i64> {
    if query.cluster.len() == other.len() {
        let paired = query.event_by_event(other, costs);
        // Every other way leaves an event of each side without a partner. Most neighbours of short sequences are nearer than that.
        let gaps = query.cluster.cheapest_suppression(costs) + other.cheapest_suppression(costs);
        if paired <= gaps || gaps > limit {
            return Some(paired).filter(|&loss| loss <= limit);
        }
    }
    let band = Band::new(query.cluster, other, costs, limit)?;
    let suppressed = i64::from(costs.suppressed());
    let (size, other_size) = (query.cluster.size() as i64, other.size() as i64);
    let both = size + other_size;
    // The first row: none of the query's events, so all events of the other so far are suppressed. What lies behind the
    // band of a row is not reached; the band moves on by one column a row, so these cells are still so when it comes there.
    line.clear();
    line.push(0);
    for &height in &other.heights[..band.columns(0).1] {
        line.push(line[line.len() - 1] + other_size * (suppressed - i64::from(height)));
    }
    line.resize(other.len() + 1, OUTSIDE);
    for (at, &height) in query.cluster.heights.iter().enumerate() {
        let heights = query.heights(at);
        let before = size * i64::from(height);
        let gap = size * suppressed - before;
        let (first, end) = band.columns(at + 1);
        // What stands before the first cell of the band: the first column, where all events so far are suppressed, or a
        // cell that no good alignment passes.
        let from = first.max(1);
        let mut diagonal = line[from - 1];
        let mut left = if first == 0 { diagonal + gap } else { OUTSIDE };
        let mut least = left;
        if first == 0 {
            line[0] = left;
        }
        let events =
            other.events[(from - 1) * costs.quasi()..end * costs.quasi()].chunks_exact(costs.quasi());
        let others = events.zip(&other.heights[from - 1..end]);
        for ((event, &other_height), cell) in others.zip(&mut line[from..=end]) {
            let together: u32 = event.iter().map(|&code| heights[code as usize]).sum();
            let other_before = other_size * i64::from(other_height);
            let matched = diagonal + both * i64::from(together) - before - other_before;
            diagonal = *cell;
            left = matched.min(diagonal + gap).min(left + other_size * suppressed - other_before);
            least = least.min(left);
            *cell = left;
        }
        // Every way through the table crosses this row, and from here on costs only grow.
        if least > limit {
            return None;
        }
    }
    line.last().copied().filter(|&loss| loss <= limit)
}

/// In a cell that no alignment within the limit passes. There is room above for all that is added to it.
const OUTSIDE: i64 = i64::MAX / 4;

/// The cells of the table that an alignment within a limit can pass.
///
/// A way that passes a cell in row r and column c has suppressed at least r − c events of the query, or c − r of
/// the other, and the rest of it suppresses what the rest of one has more than that of the other. With the cheapest event of
/// each side that is a bound for all ways through the cell. Between the diagonals of the beginning and of the end it is the
/// same everywhere, what the longer one has more; each step away from them costs an event of each side.
struct Band {
    /// How far row and column may be apart, in either direction.
    rows_ahead: usize,
    columns_ahead: usize,
    columns: usize,
}

impl Band {
    /// Nothing where the lengths alone are above the limit.
    fn new(query: &Cluster, other: &Cluster, costs: &Costs, limit: i64) -> Option<Band> {
        let (rows, columns) = (query.len(), other.len());
        let (own, others) = (query.cheapest_suppression(costs), other.cheapest_suppression(costs));
        let (more, fewer) = (rows.saturating_sub(columns), columns.saturating_sub(rows));
        let left = limit - own * more as i64 - others * fewer as i64;
        if left < 0 {
            return None;
        }
        // Costs of 0 leave all cells in.
        let steps = left.checked_div(own + others).map_or(usize::MAX / 2, |steps| steps as usize);
        let steps = steps.min(rows + columns);
        Some(Band { rows_ahead: more + steps, columns_ahead: fewer + steps, columns })
    }

    /// The first and the last column of a row that are in the band.
    fn columns(&self, row: usize) -> (usize, usize) {
        (row.saturating_sub(self.rows_ahead).min(self.columns), (row + self.columns_ahead).min(self.columns))
    }
}

/// The pairs of the best alignment.
fn trace(older: &Cluster, younger: &Cluster, costs: &Costs) -> Vec<Pair> {
    let (rows, columns) = (older.len(), younger.len());
    let (left_size, right_size) = (older.size() as i64, younger.size() as i64);
    let gap = |size: i64, height: u32| size * i64::from(costs.suppressed() - height);
    let matched = |row: usize, column: usize| {
        let quasi = costs.quasi();
        let values = older.event(row, quasi).iter().zip(younger.event(column, quasi));
        let together: u32 = values.map(|(&a, &b)| costs.height(costs.lowest_common(a, b))).sum();
        left_size * i64::from(together - older.heights[row])
            + right_size * i64::from(together - younger.heights[column])
    };
    let width = columns + 1;
    let mut table = vec![0; (rows + 1) * width];
    for column in 0..columns {
        table[column + 1] = table[column] + gap(right_size, younger.heights[column]);
    }
    for row in 0..rows {
        let start = (row + 1) * width;
        table[start] = table[start - width] + gap(left_size, older.heights[row]);
        for column in 0..columns {
            let cell = start + column + 1;
            table[cell] = (table[cell - width - 1] + matched(row, column))
                .min(table[cell - width] + gap(left_size, older.heights[row]))
                .min(table[cell - 1] + gap(right_size, younger.heights[column]));
        }
    }
    // Back from the end. The order of these tests is the order of ties, on which what is published depends.
    let (mut row, mut column) = (rows, columns);
    let mut pairs = Vec::with_capacity(rows.min(columns));
    while row > 0 && column > 0 {
        let cell = row * width + column;
        if table[cell] == table[cell - width - 1] + matched(row - 1, column - 1) {
            (row, column) = (row - 1, column - 1);
            pairs.push((row as u32, column as u32));
        } else if table[cell] == table[cell - width] + gap(left_size, older.heights[row - 1]) {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    pairs.reverse();
    pairs
}
