//! A plan for several sensitive columns at once: records in one bucket differ in each of them.
//!
//! What fills a column of a bucket is one combination of values here. Most urgent combinations first (those whose values
//! are nearest to 1/l of what remains), as many as differ from each other everywhere, and of each as many records as leave
//! the rest eligible: no value of any column in more than 1/l of it. Unlike for one column, that need not come to an end
//! although each column by itself allows it; then there is no plan.

use shoal_core::Progress;

use super::plan::{Plan, Share};

/// Values of all sensitive columns that stand together in some records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Combination {
    /// The code in each column.
    pub(super) codes: Vec<u32>,
    /// How many records.
    pub(super) records: u32,
}

/// The buckets for these combinations; a [`Share`]'s value is the place of a combination. `ls` has the l of each column.
/// None where none was found.
pub(super) fn plan(combinations: &[Combination], ls: &[usize], progress: &dyn Progress) -> Option<Vec<Plan>> {
    // All that can be taken at once makes the largest buckets. Where it leads nowhere, half of it or one may.
    [1, 2, u32::MAX].into_iter().find_map(|part| Planner::new(combinations, ls).plan(part, progress))
}

struct Planner<'a> {
    combinations: &'a [Combination],
    ls: &'a [usize],
    /// What remains of each combination …
    left: Vec<u32>,
    /// … of each value of each column …
    of_value: Vec<Vec<u64>>,
    /// … and in all.
    all: u64,
}

impl<'a> Planner<'a> {
    fn new(combinations: &'a [Combination], ls: &'a [usize]) -> Planner<'a> {
        let left: Vec<u32> = combinations.iter().map(|combination| combination.records).collect();
        let of_column = |column: usize| {
            let values = combinations.iter().map(|c| c.codes[column] as usize + 1).max().unwrap_or(0);
            let mut counts = vec![0; values];
            combinations.iter().for_each(|c| counts[c.codes[column] as usize] += u64::from(c.records));
            counts
        };
        let of_value = (0..ls.len()).map(of_column).collect();
        let all = left.iter().map(|&records| u64::from(records)).sum();
        Planner { combinations, ls, left, of_value, all }
    }

    fn plan(mut self, part: u32, progress: &dyn Progress) -> Option<Vec<Plan>> {
        let mut plans = Vec::new();
        while self.all > 0 {
            progress.check();
            let (chosen, most) = self.choose()?;
            let records = (most / part).max(1);
            for &at in &chosen {
                self.left[at] -= records;
                for (counts, &code) in self.of_value.iter_mut().zip(&self.combinations[at].codes) {
                    counts[code as usize] -= u64::from(records);
                }
            }
            self.all -= chosen.len() as u64 * u64::from(records);
            let columns = chosen.iter().map(|&at| vec![Share { value: at as u32, records }]);
            plans.push(Plan { columns: columns.collect() });
        }
        Some(plans)
    }

    /// Combinations that differ everywhere, at least the greatest l of them, and how many records of each can be taken.
    fn choose(&self) -> Option<(Vec<usize>, u32)> {
        let least = self.ls.iter().copied().max().unwrap_or(0);
        let mut order: Vec<usize> = (0..self.left.len()).filter(|&at| self.left[at] > 0).collect();
        order.sort_by_cached_key(|&at| (std::cmp::Reverse(self.urgency(at)), at));
        let mut taken: Vec<Vec<bool>> =
            self.of_value.iter().map(|counts| vec![false; counts.len()]).collect();
        let mut chosen: Vec<usize> = Vec::new();
        for at in order {
            let codes = &self.combinations[at].codes;
            if taken.iter().zip(codes).any(|(taken, &code)| taken[code as usize]) {
                continue;
            }
            taken.iter_mut().zip(codes).for_each(|(taken, &code)| taken[code as usize] = true);
            chosen.push(at);
            if chosen.len() >= least
                && let Some(records) = self.records(&chosen, &taken)
            {
                return Some((chosen, records));
            }
        }
        None
    }

    /// How near the values of a combination are to what is allowed, the nearest one first.
    fn urgency(&self, at: usize) -> (u64, u64, u32) {
        let codes = &self.combinations[at].codes;
        let columns = self.of_value.iter().zip(self.ls).zip(codes);
        let near: Vec<u64> = columns.map(|((counts, &l), &code)| counts[code as usize] * l as u64).collect();
        (near.iter().copied().max().unwrap_or(0), near.iter().sum(), self.left[at])
    }

    /// The most records of each that can be taken so that what remains is eligible; none where not even one can.
    fn records(&self, chosen: &[usize], taken: &[Vec<bool>]) -> Option<u32> {
        let width = chosen.len() as u64;
        let mut most = chosen.iter().map(|&at| u64::from(self.left[at])).min().unwrap_or(0);
        for ((counts, &l), taken) in self.of_value.iter().zip(self.ls).zip(taken) {
            let l = l as u64;
            for (&count, &taken) in counts.iter().zip(taken) {
                // After c of each: (count − c or count) · l ≤ all − width · c.
                let spare = self.all.checked_sub(count * l)?;
                let shrinks = if taken { width - l } else { width };
                if count > 0 && shrinks > 0 {
                    most = most.min(spare / shrinks);
                }
            }
        }
        u32::try_from(most).ok().filter(|&most| most > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::Silent;

    use super::*;

    fn combinations(codes: &[(u32, u32)]) -> Vec<Combination> {
        let mut sorted = codes.to_vec();
        sorted.sort_unstable();
        let same = sorted.chunk_by(|a, b| a == b);
        same.map(|same| Combination { codes: vec![same[0].0, same[0].1], records: same.len() as u32 })
            .collect()
    }

    proptest! {
        #[test]
        fn records_of_a_bucket_differ_in_every_column_and_nobody_is_left_over(
            codes in prop::collection::vec((0_u32..6, 0_u32..5), 1..60), l in 2_usize..4,
        ) {
            let combinations = combinations(&codes);
            let Some(plans) = plan(&combinations, &[l, 2], &Silent) else { return Ok(()) };
            let mut left: Vec<u32> = combinations.iter().map(|c| c.records).collect();
            for plan in plans {
                prop_assert!(plan.columns.len() >= l);
                let records = plan.columns[0][0].records;
                for column in 0..2 {
                    let code = |share: &Vec<Share>| combinations[share[0].value as usize].codes[column];
                    let mut seen: Vec<u32> = plan.columns.iter().map(code).collect();
                    seen.sort_unstable();
                    seen.dedup();
                    prop_assert_eq!(seen.len(), plan.columns.len());
                }
                for share in plan.columns.iter().flatten() {
                    prop_assert_eq!(share.records, records);
                    left[share.value as usize] -= share.records;
                }
            }
            prop_assert!(left.iter().all(|&left| left == 0));
        }
    }

    #[test]
    fn two_columns_that_do_not_depend_on_each_other_have_a_plan() {
        let codes: Vec<(u32, u32)> = (0..600).map(|n| (n % 7, n / 7 % 5)).collect();
        for l in [2, 3, 4] {
            let plans = plan(&combinations(&codes), &[l, l], &Silent).expect("a plan");
            assert!(plans.len() < 120, "{l}: {}", plans.len());
        }
    }

    #[test]
    fn what_one_column_forbids_has_no_plan() {
        let codes: Vec<(u32, u32)> = (0..6).map(|n| (n, u32::from(n > 3))).collect();
        assert_eq!(plan(&combinations(&codes), &[2, 2], &Silent), None);
    }
}
