//! The best classes of very few records, by going through all of them.

use super::class::{Class, Member, pooled};
use super::law::Law;
use super::space::Space;

/// The most records that this is for: there are 3^n ways to go through.
pub(super) const FEW: u32 = 12;

/// What it is called among the constructions.
pub(super) const NAME: &str = "exact";

/// The classes of some members that lose least; nothing where they do not hold together.
pub(super) fn best(space: &Space, law: &Law<'_>, members: &[Member]) -> Option<Vec<Class>> {
    let records: Vec<u32> =
        members.iter().flat_map(|m| std::iter::repeat_n(m.point, m.count as usize)).collect();
    let sets = 1_usize << records.len();
    let loss = losses(space, law, &records);
    // The least loss of each set of records, and the class of its first record in that case.
    let mut least = vec![(u64::MAX, 0_usize); sets];
    least[0].0 = 0;
    for set in 1..sets {
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
fn losses(space: &Space, law: &Law<'_>, records: &[u32]) -> Vec<u64> {
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
        let sensible = size >= law.k() && (size < 2 * law.k() || !law.only_size());
        if sensible && (law.only_size() || law.holds(&some(records, set))) {
            loss[set] = u64::from(size) * u64::from(space.cost(&cover[..width]));
        }
    }
    loss
}

fn some(records: &[u32], set: usize) -> Vec<Member> {
    let inside = records.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
    pooled(inside.map(|(_, &point)| Member { point, count: 1 }).collect())
}
