use super::super::spread::Class;
use super::Values;

/// Values are as far apart as their ranks: what is too much or too little up to a value passes on to the next one.
#[derive(Debug)]
pub(super) struct Ordered {
    records: u64,
    /// How many records of the file have a value up to this one.
    up_to: Vec<u64>,
    /// The sum of `up_to` over all values before this one; at the end over all. It cannot overflow: there are no
    /// more values than records, and fewer records than 2^32.
    sums: Vec<u64>,
}

impl Ordered {
    pub(super) fn new(values: &Values<'_>) -> Ordered {
        let sum = |total: &mut u64, next: u64| {
            *total += next;
            Some(*total)
        };
        let up_to: Vec<u64> = values.totals.iter().map(|&total| total.into()).scan(0, sum).collect();
        let sums = std::iter::once(0).chain(up_to.iter().copied().scan(0, sum)).collect();
        Ordered { records: values.pairs(), up_to, sums }
    }

    /// Σ |Q − P| / (m − 1) over the m values, Q and P being the shares of the class and of the file up to a value.
    pub(super) fn of(&self, class: &Class<'_>) -> f64 {
        let steps = self.up_to.len().saturating_sub(1);
        if steps == 0 {
            return 0.0;
        }
        let (mut from, mut own, mut moved) = (0, 0, 0);
        for &(value, records) in class.counts {
            moved += self.run(class, from, value as usize, own);
            (from, own) = (value as usize, own + u64::from(records));
        }
        moved += self.run(class, from, self.up_to.len(), own);
        let weight = u128::from(class.pairs()) * u128::from(self.records);
        moved as f64 / (weight as f64 * steps as f64)
    }

    /// Σ |Q − P| over a run of values up to each of which the class has `own` records. P rises, so there is one place
    /// where it passes Q.
    fn run(&self, class: &Class<'_>, from: usize, to: usize, own: u64) -> u128 {
        let size = class.pairs();
        // Both sides multiplied out, so that shares compare as whole numbers.
        let level = own * self.records;
        let passed = from + self.up_to[from..to].partition_point(|&whole| whole * size <= level);
        let area = |from: usize, to: usize| {
            let whole = u128::from(self.sums[to] - self.sums[from]) * u128::from(size);
            (whole, (to - from) as u128 * u128::from(level))
        };
        let ((whole_before, own_before), (whole_behind, own_behind)) = (area(from, passed), area(passed, to));
        (own_before - whole_before) + (whole_behind - own_behind)
    }
}
