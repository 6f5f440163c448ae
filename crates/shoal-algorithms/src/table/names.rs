//! An order for names, which have none of their own.

use std::cmp::Reverse;

use shoal_core::Column;

/// The place of each value by falling frequency; of equals the one with the lower code is first. A cut near the median of this order
/// separates few frequent names from many rare ones, so that the frequent ones become exact soon and the rare ones share
/// their sets.
pub(crate) fn ranks_by_frequency(column: &Column) -> Vec<u32> {
    let mut counts = vec![0_u32; column.domain.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    order.sort_unstable_by_key(|&code| (Reverse(counts[code as usize]), code));
    let mut ranks = vec![0; order.len()];
    for (rank, code) in order.into_iter().enumerate() {
        ranks[code as usize] = rank as u32;
    }
    ranks
}
