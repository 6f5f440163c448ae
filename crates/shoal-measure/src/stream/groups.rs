//! Counting in a stream of groups.
//!
//! A group of S places, c of them with the value, has a members that are asked about. The adversary's view is also the
//! analyst's: any a of the places may be theirs. Then the number of them with the value is hypergeometric, with mean
//! a·c/S and variance a·(c/S)·(1 − c/S)·(S − a)/(S − 1); groups are independent. The estimate is the sum of the means,
//! the standard error the root of the sum of the variances. It is exact (and its standard error 0) where all places of
//! a group are taken and asked about. The algorithm does not place people at random, so the estimate is not
//! unbiased: until its counterfeits find somebody, a group counts its first member's value too low.

use std::collections::{BTreeMap, HashMap};

use shoal_core::stream::StreamLine;

use super::count::{Ask, Sums};
use super::{StreamMeasureError, WindowCounts};

/// Counts in a stream of groups.
pub(super) struct GroupCounts<'q> {
    ask: &'q Ask<'q>,
    numbers: HashMap<&'q str, usize>,
    groups: HashMap<u64, Group>,
}

/// A group as far as it matters.
struct Group {
    places: u64,
    members: u64,
    /// The counts of the values that are asked for, by their number in the question.
    counts: Vec<(usize, u64)>,
    /// Its members that are asked about, by window.
    asked: BTreeMap<i64, u64>,
}

impl<'q> GroupCounts<'q> {
    pub(super) fn new(ask: &'q Ask<'q>) -> GroupCounts<'q> {
        let numbers = ask.question.values.iter().map(String::as_str).zip(0..).collect();
        GroupCounts { ask, numbers, groups: HashMap::new() }
    }

    pub(super) fn count<'l>(
        mut self,
        lines: impl Iterator<Item = (u64, StreamLine<'l>)>,
    ) -> Result<Vec<WindowCounts>, StreamMeasureError> {
        let mut sums = Sums::new(self.ask.question.values.len());
        let mut number = 0;
        for (line, content) in lines {
            match content {
                StreamLine::Slot { group, value, count } => self.slot(group, &value, count),
                StreamLine::Member { group: id, cells } => {
                    let window = self.ask.window(number, &cells);
                    number += 1;
                    let Some(group) = self.groups.get_mut(&id) else {
                        return Err(StreamMeasureError::UnknownGroup { line, group: id });
                    };
                    group.members += 1;
                    if let Some(window) = window {
                        *group.asked.entry(window).or_default() += 1;
                    }
                    if group.members >= group.places
                        && let Some(full) = self.groups.remove(&id)
                    {
                        full.add_to(&mut sums);
                    }
                }
                StreamLine::Set { .. } | StreamLine::Row { .. } => {
                    return Err(StreamMeasureError::Alien { line });
                }
            }
        }
        // In the order of their numbers, so that sums are the same to the last bit.
        let mut open: Vec<(u64, Group)> = self.groups.into_iter().collect();
        open.sort_unstable_by_key(|(id, _)| *id);
        open.iter().for_each(|(_, group)| group.add_to(&mut sums));
        Ok(sums.finish())
    }

    fn slot(&mut self, id: u64, value: &str, count: u64) {
        let group = self.groups.entry(id).or_insert_with(|| Group {
            places: 0,
            members: 0,
            counts: Vec::new(),
            asked: BTreeMap::new(),
        });
        group.places += count;
        group.counts.extend(self.numbers.get(value).map(|number| (*number, count)));
    }
}

impl Group {
    fn add_to(&self, sums: &mut Sums) {
        let places = self.places as f64;
        for (window, asked) in &self.asked {
            let asked = *asked as f64;
            let sums = sums.add(*window, asked);
            for (number, count) in &self.counts {
                let share = *count as f64 / places;
                sums[*number].count += asked * share;
                if places > 1.0 {
                    let left = ((places - asked) / (places - 1.0)).max(0.0);
                    sums[*number].variance += asked * share * (1.0 - share) * left;
                }
            }
        }
    }
}
