//! The best classes of very few records, by trying all partitions: 3^n steps for n records.

use super::class::{Class, Member, pooled};
use super::class_rule::ClassRule;
use super::space::Space;

/// What it is called among the constructions.
pub(super) const NAME: &str = "exact";

/// The classes of some members that lose least; nothing where they do not hold together.
pub(super) fn best(space: &Space, rule: &ClassRule<'_>, members: &[Member]) -> Option<Vec<Class>> {
    let records: Vec<u32> =
        members.iter().flat_map(|m| std::iter::repeat_n(m.point, m.count as usize)).collect();
    let sets = 1_usize << records.len();
    let loss = losses(space, rule, &records);
    // The least loss of each set of records, and the class of its first record in that case.
    let mut least = vec![(u64::MAX, 0_usize); sets];
    least[0].0 = 0;
    for set in 1..sets {
        // The lowest record of a set is in one of its classes; only the sets with it need be tried as the first class.
        let first = set & set.wrapping_neg();
        let others = set ^ first;
        let mut part = others;
        loop {
            let class = part | first;
            let rest = least[set ^ class].0;
            if loss[class] != u64::MAX && rest != u64::MAX && loss[class] + rest < least[set].0 {
                least[set] = (loss[class] + rest, class);
            }
            if part == 0 {
                break;
            }
            // The next smaller subset of `others`.
            part = (part - 1) & others;
        }
    }
    let mut classes = Vec::new();
    let mut set = sets - 1;
    while set != 0 {
        let class = least[set].1;
        if class == 0 {
            return None;
        }
        classes.push(Class::of(space, some(&records, class)));
        set ^= class;
    }
    Some(classes)
}

/// What each set of records would lose as a class, if it may be one.
fn losses(space: &Space, rule: &ClassRule<'_>, records: &[u32]) -> Vec<u64> {
    let width = space.width();
    let sets = 1_usize << records.len();
    let mut covers = vec![0_u64; sets * width];
    let mut loss = vec![u64::MAX; sets];
    for set in 1..sets {
        let rest = set & (set - 1);
        let (before, cover) = covers.split_at_mut(set * width);
        let point = space.point(records[set.trailing_zeros() as usize]);
        cover[..width].copy_from_slice(point);
        if rest != 0 {
            space.join(&mut cover[..width], &before[rest * width..(rest + 1) * width]);
        }
        // Halves of a class of 2k lose no more than it does, so that larger ones need not be tried.
        let size = set.count_ones();
        let sensible = size >= rule.k() && (size < 2 * rule.k() || !rule.only_size());
        if sensible && (rule.only_size() || rule.holds(&some(records, set))) {
            loss[set] = u64::from(size) * u64::from(space.cost(&cover[..width]));
        }
    }
    loss
}

fn some(records: &[u32], set: usize) -> Vec<Member> {
    let inside = records.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
    pooled(inside.map(|(_, &point)| Member { point, count: 1 }).collect())
}
