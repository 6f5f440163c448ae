use super::super::spread::Class;
use super::Values;

/// All values are equally far apart: what a class has too much of must be moved, wherever to.
#[derive(Debug)]
pub(super) struct Equal {
    records: u64,
    totals: Vec<u32>,
}

impl Equal {
    pub(super) fn new(values: &Values<'_>) -> Equal {
        Equal { records: values.pairs(), totals: values.totals.clone() }
    }

    /// ½ Σ |q − p|, which is Σ (q − p) over the values that are too frequent in the class.
    pub(super) fn of(&self, class: &Class<'_>) -> f64 {
        let size = class.pairs();
        let too_much = |&(value, records): &(u32, u32)| {
            let whole = u64::from(self.totals[value as usize]) * size;
            u128::from((u64::from(records) * self.records).saturating_sub(whole))
        };
        let moved: u128 = class.counts.iter().map(too_much).sum();
        moved as f64 / (u128::from(size) * u128::from(self.records)) as f64
    }
}
