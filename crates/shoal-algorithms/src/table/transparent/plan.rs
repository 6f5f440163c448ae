//! Which values fill which columns, planned from their frequencies alone.
//!
//! The line of all records, value by value, is cut into columns of length q = ⌊n / l⌋ that lie above each other (McNaughton's
//! wrap-around rule for preemptive scheduling: values are jobs, columns are machines, a place in a column is a moment). No
//! value has more than q records, so one that is cut stands at the end of a column and at the beginning of the next, and
//! never twice at the same place. Cutting all columns across at a few places therefore gives buckets whose columns share
//! no value. There are l columns, and l + 1 or more up to the place where the last one ends, so that nobody is left over.

use std::collections::BTreeSet;

/// Some records of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The value.
    pub(super) value: u32,
    /// How many of its records.
    pub(super) records: u32,
}

/// What fills a bucket: columns with equally many records, of which no two share a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// The values of each column.
    pub(super) columns: Vec<Vec<Share>>,
}

/// The buckets for values with these numbers of records, none of which is more than 1/l of all. Values without a record
/// are skipped.
pub(super) fn plan(shares: &[Share], l: usize) -> Vec<Plan> {
    let records: u64 = shares.iter().map(|share| u64::from(share.records)).sum();
    let length = (records / l as u64) as u32;
    if length == 0 {
        return Vec::new();
    }
    let Laid { columns, cut } = lay(shares, length);
    // The last column may be shorter; where it ends, there is one column less.
    let last = columns.last().map_or(0, |column| column.last().map_or(0, |piece| piece.end));
    let places = places(&cut, length, if last < length { last } else { 0 });
    let mut starts = vec![0];
    starts.extend(places);
    let ends = starts[1..].iter().copied().chain([length]);
    starts.iter().zip(ends).map(|(&start, end)| between(&columns, start, end)).collect()
}

/// A part of a column that one value fills.
#[derive(Clone, Copy, Debug)]
struct Piece {
    value: u32,
    start: u32,
    end: u32,
}

/// All records in columns, and the values that were cut.
struct Laid {
    columns: Vec<Vec<Piece>>,
    /// For each value that was cut: where its part in the later column ends, and where that in the earlier one begins.
    cut: Vec<(u32, u32)>,
}

/// Fills column after column, always with the most frequent value that fits. Into the gap that remains goes a part of the
/// rarest one: then the places at which its two parts can be told apart are many.
fn lay(shares: &[Share], length: u32) -> Laid {
    let present = shares.iter().filter(|share| share.records > 0);
    let mut rest: BTreeSet<(u32, u32)> = present.map(|share| (share.records, share.value)).collect();
    let mut laid = Laid { columns: Vec::new(), cut: Vec::new() };
    let mut carried: Option<Share> = None;
    while carried.is_some() || !rest.is_empty() {
        let mut column = Vec::new();
        let mut at = 0;
        if let Some(Share { value, records }) = carried.take() {
            column.push(Piece { value, start: 0, end: records });
            at = records;
        }
        // The most frequent that fits; else the rarest, which is longer than the gap and is cut.
        while at < length {
            if let Some(&(records, value)) = rest.range(..=(length - at, u32::MAX)).next_back() {
                rest.remove(&(records, value));
                column.push(Piece { value, start: at, end: at + records });
                at += records;
            } else if let Some((records, value)) = rest.pop_first() {
                let beyond = records - (length - at);
                column.push(Piece { value, start: at, end: length });
                laid.cut.push((beyond, at));
                carried = Some(Share { value, records: beyond });
                at = length;
            } else {
                break;
            }
        }
        laid.columns.push(column);
    }
    laid
}

/// Where all columns are cut across: at `always` unless it is 0, and so that each value that was cut has a place between
/// its two parts. As few places as possible, and near an end: one bucket should have nearly all records, since the
/// larger a bucket is, the nearer are the records that it brings together.
fn places(cut: &[(u32, u32)], length: u32, always: u32) -> Vec<u32> {
    let mut places = Vec::new();
    if always > 0 {
        places.push(always);
    }
    let parts = |place: u32, &(from, to): &(u32, u32)| (from..=to).contains(&place);
    let mut open: Vec<(u32, u32)> =
        cut.iter().filter(|value| !places.iter().any(|&place| parts(place, value))).copied().collect();
    open.sort_unstable_by_key(|&(from, to)| (to, from));
    while let Some(&(_, first_end)) = open.first() {
        let last_start = open.iter().map(|&(from, _)| from).max().unwrap_or(0);
        // One place for all that are open, if there is one: the first or the last of them, whichever is nearer to an end.
        let one = last_start <= first_end;
        let place = if one && last_start <= length - first_end { last_start } else { first_end };
        places.push(place);
        open.retain(|value| !parts(place, value));
    }
    places.sort_unstable();
    places.dedup();
    places
}

/// The bucket between two places.
fn between(columns: &[Vec<Piece>], start: u32, end: u32) -> Plan {
    let share = |piece: &Piece| {
        let (from, to) = (piece.start.max(start), piece.end.min(end));
        (from < to).then(|| Share { value: piece.value, records: to - from })
    };
    let filled = columns.iter().map(|column| column.iter().filter_map(share).collect::<Vec<_>>());
    Plan { columns: filled.filter(|column| !column.is_empty()).collect() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn shares(counts: &[u32]) -> Vec<Share> {
        (0..).zip(counts).map(|(value, &records)| Share { value, records }).collect()
    }

    proptest! {
        #[test]
        fn everybody_is_in_a_column_and_no_bucket_has_a_value_in_two(
            counts in prop::collection::vec(0_u32..40, 1..14), l in 2_usize..6,
        ) {
            let all: u32 = counts.iter().sum();
            prop_assume!(all >= l as u32);
            prop_assume!(counts.iter().all(|&count| count as usize * l <= all as usize));
            let mut found: BTreeMap<u32, u32> = BTreeMap::new();
            for bucket in plan(&shares(&counts), l) {
                prop_assert!(bucket.columns.len() >= l, "{:?}", bucket);
                let length = |column: &Vec<Share>| column.iter().map(|share| share.records).sum::<u32>();
                let lengths: BTreeSet<u32> = bucket.columns.iter().map(length).collect();
                prop_assert_eq!(lengths.len(), 1);
                let mut values: Vec<u32> =
                    bucket.columns.iter().flatten().map(|share| share.value).collect();
                let many = values.len();
                values.sort_unstable();
                values.dedup();
                prop_assert_eq!(values.len(), many, "{:?}", bucket);
                for share in bucket.columns.iter().flatten() {
                    *found.entry(share.value).or_default() += share.records;
                }
            }
            let expected = shares(&counts).into_iter().filter(|share| share.records > 0);
            prop_assert_eq!(found, expected.map(|share| (share.value, share.records)).collect());
        }
    }

    /// 14 occupations of 30,162 people.
    #[test]
    fn nearly_everybody_is_in_one_bucket() {
        let occupations = [4038, 4030, 3992, 3721, 3584, 3212, 1966, 1572, 1350, 989, 912, 644, 143, 9];
        let all: u32 = occupations.iter().sum();
        // 99.6, 98.7 and 87.3 % of them.
        for (l, least) in [(2_usize, 0.99), (3, 0.98), (5, 0.87)] {
            let size =
                |bucket: &Plan| bucket.columns.iter().flatten().map(|share| share.records).sum::<u32>();
            let most = plan(&shares(&occupations), l).iter().map(size).max().unwrap();
            assert!(f64::from(most) > least * f64::from(all), "{l}: {most} of {all}");
        }
    }

    #[test]
    fn values_that_are_exactly_one_in_l_fill_columns_of_their_own() {
        let plan = plan(&shares(&[4, 4, 4]), 3);
        assert_eq!(plan.len(), 1);
        assert!(plan[0].columns.iter().all(|column| column.len() == 1));
    }
}
