/// How often each value was seen: a Fenwick tree, from which values are drawn in proportion to their counts.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    counts: Vec<u64>,
    /// `sums[i]` is the sum of the counts that end with number `i` and are as many as the lowest set bit of `i + 1`.
    sums: Vec<u64>,
    total: u64,
}

impl Pool {
    /// A pool with these counts; `None` if they add up to so much that there is no room for the stream's own.
    pub(super) fn new(counts: &[u64]) -> Option<Pool> {
        let sum = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        sum.filter(|sum| *sum <= u64::MAX / 2)?;
        let mut pool = Pool { counts: vec![0; counts.len()], sums: vec![0; counts.len()], total: 0 };
        for (value, count) in counts.iter().enumerate() {
            pool.add(value as u32, *count);
        }
        Some(pool)
    }

    /// The counts.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many values were seen at all.
    pub(super) fn known(&self) -> usize {
        self.counts.iter().filter(|count| **count > 0).count()
    }

    /// Counts a value once more; a value beyond the last makes the pool larger.
    pub(super) fn count(&mut self, value: u32) {
        self.grow(value as usize + 1);
        self.add(value, 1);
    }

    /// Draws `count` values other than `value`, without replacement, each in proportion to its count among those that
    /// are left, and adds them to `drawn`. There must be as many.
    pub(super) fn draw_others(
        &mut self,
        value: u32,
        count: usize,
        draws: &mut impl super::Draws,
        drawn: &mut Vec<u32>,
    ) {
        let first = drawn.len();
        let own = self.take(value);
        for _ in 0..count {
            let other = self.at(draws.below(self.total));
            self.take(other);
            drawn.push(other);
        }
        for other in &drawn[first..] {
            self.put_back(*other, self.counts[*other as usize]);
        }
        self.put_back(value, own);
    }

    /// The value that owns this point below `total`, when values lie side by side, each as wide as its count.
    fn at(&self, point: u64) -> u32 {
        let (mut start, mut left) = (0, point);
        let mut width = (self.sums.len() + 1).next_power_of_two();
        while width > 0 {
            if let Some(sum) = self.sums.get(start + width - 1)
                && *sum <= left
            {
                left -= sum;
                start += width;
            }
            width /= 2;
        }
        start as u32
    }

    /// Takes a value out of the tree while its count is remembered; says what it was.
    fn take(&mut self, value: u32) -> u64 {
        let count = self.counts.get(value as usize).copied().unwrap_or(0);
        self.total -= count;
        self.walk(value, |sum| *sum -= count);
        count
    }

    fn put_back(&mut self, value: u32, count: u64) {
        self.total += count;
        self.walk(value, |sum| *sum += count);
    }

    fn add(&mut self, value: u32, count: u64) {
        self.counts[value as usize] += count;
        self.put_back(value, count);
    }

    fn walk(&mut self, value: u32, mut change: impl FnMut(&mut u64)) {
        let mut at = value as usize;
        while let Some(sum) = self.sums.get_mut(at) {
            change(sum);
            at |= at + 1;
        }
    }

    /// New numbers get the sum of what they span, which is already there.
    fn grow(&mut self, values: usize) {
        for at in self.sums.len()..values {
            let first = at & (at + 1);
            let mut sum = 0;
            let mut end = at;
            while end > first {
                sum += self.sums[end - 1];
                end &= end - 1;
            }
            self.counts.push(0);
            self.sums.push(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Draws, KeyedDraws};
    use super::*;

    /// Counts in a list, always scanned.
    fn draw_slowly(counts: &[u64], value: u32, count: usize, draws: &mut impl Draws) -> Vec<u32> {
        let mut left = counts.to_vec();
        if let Some(own) = left.get_mut(value as usize) {
            *own = 0;
        }
        let mut drawn = Vec::new();
        for _ in 0..count {
            let mut point = draws.below(left.iter().sum());
            let other = left.iter().position(|count| {
                let here = point < *count;
                point -= if here { 0 } else { *count };
                here
            });
            let other = other.unwrap();
            left[other] = 0;
            drawn.push(other as u32);
        }
        drawn
    }

    proptest! {
        #[test]
        fn the_tree_draws_what_a_scanned_list_draws(
            mut counts in prop::collection::vec(0_u64..9, 0..40),
            seen in prop::collection::vec(0_u32..70, 1..40),
            seed in any::<u64>(),
        ) {
            let mut pool = Pool::new(&counts).unwrap();
            for (round, value) in seen.iter().enumerate() {
                pool.count(*value);
                counts.resize(counts.len().max(*value as usize + 1), 0);
                counts[*value as usize] += 1;
                prop_assert_eq!(pool.counts(), &counts[..]);
                prop_assert_eq!(pool.total, counts.iter().sum::<u64>());
                let others = pool.known() - 1;
                let mut fast = KeyedDraws::of_position(&[3; 32], seed ^ round as u64);
                let mut slow = KeyedDraws::of_position(&[3; 32], seed ^ round as u64);
                let mut drawn = vec![99];
                pool.draw_others(*value, others.min(round), &mut fast, &mut drawn);
                prop_assert_eq!(&drawn[1..], &draw_slowly(&counts, *value, others.min(round), &mut slow)[..]);
            }
        }

        #[test]
        fn every_point_belongs_to_the_value_it_lies_in(counts in prop::collection::vec(0_u64..5, 1..40)) {
            let pool = Pool::new(&counts).unwrap();
            let points = counts.iter().enumerate().flat_map(|(v, n)| (0..*n).map(move |_| v as u32));
            for (point, value) in points.enumerate() {
                prop_assert_eq!(pool.at(point as u64), value);
            }
        }
    }

    #[test]
    fn counts_that_leave_no_room_are_refused() {
        assert!(Pool::new(&[u64::MAX, 1]).is_none());
        assert!(Pool::new(&[u64::MAX / 2, 1]).is_none());
        assert!(Pool::new(&[u64::MAX / 2]).is_some());
    }
}
