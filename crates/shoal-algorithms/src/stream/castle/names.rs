//! Which classes name a value: an index, so that most classes need not be looked at.

use std::collections::HashMap;

use super::region::RegionView;
use super::space::Space;

/// For each value of each column that names values, the classes whose box holds it, a bit for each class. A class that covers
/// a tuple holds all of its values, so only the classes that all of them have in common are looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct NameIndex {
    columns: Vec<HashMap<u32, Holders>>,
}

/// The classes that hold a value.
#[derive(Clone, Debug, Default)]
struct Holders {
    bits: Vec<u64>,
    /// How many there are; a value that no class holds any more is forgotten.
    count: usize,
}

impl NameIndex {
    /// The index of these classes; `None` where no column names values.
    pub(super) fn of<'a>(space: &Space, classes: impl Iterator<Item = RegionView<'a>>) -> Option<NameIndex> {
        if space.named_columns() == 0 {
            return None;
        }
        let mut index = NameIndex { columns: vec![HashMap::new(); space.named_columns()] };
        classes.enumerate().for_each(|(at, region)| index.insert(space, at, region));
        Some(index)
    }

    pub(super) fn insert(&mut self, space: &Space, at: usize, region: RegionView<'_>) {
        space.each_name(region, |column, code| {
            let holders = self.columns[column].entry(code).or_default();
            if holders.bits.len() <= at / 64 {
                holders.bits.resize(at / 64 + 1, 0);
            }
            holders.bits[at / 64] |= 1 << (at % 64);
            holders.count += 1;
        });
    }

    /// Forgets a class, which is still the one that was inserted.
    pub(super) fn remove(&mut self, space: &Space, at: usize, region: RegionView<'_>) {
        space.each_name(region, |column, code| {
            let Some(holders) = self.columns[column].get_mut(&code) else { return };
            holders.bits[at / 64] &= !(1 << (at % 64));
            holders.count -= 1;
            if holders.count == 0 {
                self.columns[column].remove(&code);
            }
        });
    }

    /// The classes that hold all of these values, a value for each column, ascending.
    pub(super) fn holding(&self, names: impl Iterator<Item = u32>) -> Vec<usize> {
        let mut common: Option<Vec<u64>> = None;
        for (column, code) in self.columns.iter().zip(names) {
            let Some(holders) = column.get(&code) else { return Vec::new() };
            match &mut common {
                None => common = Some(holders.bits.clone()),
                Some(common) => {
                    common.truncate(holders.bits.len());
                    common.iter_mut().zip(&holders.bits).for_each(|(common, bits)| *common &= bits);
                }
            }
        }
        let mut classes = Vec::new();
        for (word, mut bits) in common.unwrap_or_default().into_iter().enumerate() {
            while bits != 0 {
                classes.push(word * 64 + bits.trailing_zeros() as usize);
                // Without its lowest bit.
                bits &= bits - 1;
            }
        }
        classes
    }
}
