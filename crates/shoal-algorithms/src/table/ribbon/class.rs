//! Some records that publish the same.

use super::space::Space;
use super::tuning::Tuning;

/// Records of one point, or some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The point.
    pub(super) point: u32,
    /// How many of its records.
    pub(super) count: u32,
}

/// A class, or what is to become one. No point is in it twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) members: Vec<Member>,
    /// How many records.
    pub(super) size: u32,
    /// What each of them loses.
    pub(super) cost: u32,
    pub(super) cover: Vec<u64>,
}

impl Class {
    /// The class of some members, at least one.
    pub(super) fn of(space: &Space, members: Vec<Member>) -> Class {
        let mut class = Class { members, size: 0, cost: 0, cover: Vec::with_capacity(space.width()) };
        class.refresh(space);
        class
    }

    /// What all its records lose together.
    pub(super) fn loss(&self) -> u64 {
        u64::from(self.size) * u64::from(self.cost)
    }

    /// How much more is lost in all when `count` records of a point join, if that is less than `least`.
    #[inline]
    pub(super) fn added_below(&self, space: &Space, point: &[u64], count: u32, least: u64) -> Option<u64> {
        let size = u64::from(self.size + count);
        // size × cost − loss < least, solved for the cost.
        let most = least.saturating_add(self.loss()).checked_sub(1)? / size;
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let cost = space.union_cost_within(&self.cover, point, most)?;
        Some(size * u64::from(cost) - self.loss())
    }

    /// How much less is lost in all without `count` records of one member.
    pub(super) fn saved(&self, space: &Space, at: usize, count: u32, scratch: &mut Vec<u64>) -> u64 {
        // Some records of the point stay, so that the cover stays.
        if count < self.members[at].count {
            return u64::from(count) * u64::from(self.cost);
        }
        if self.cost == 0 || self.members.len() == 1 {
            return self.loss();
        }
        if self.is_same_without(space, at) {
            return u64::from(count) * u64::from(self.cost);
        }
        // A cover cannot shrink by one member: what others cover too would be lost. So it is made again.
        let first = usize::from(at == 0);
        scratch.clear();
        scratch.extend_from_slice(space.point(self.members[first].point));
        for (i, m) in self.members.iter().enumerate().skip(first + 1) {
            if i != at {
                space.join(scratch, space.point(m.point));
            }
        }
        self.loss() - u64::from(self.size - count) * u64::from(space.cost(scratch))
    }

    /// Whether the cover is known to stay as it is without one member. Only asked where making the cover again takes long.
    pub(super) fn is_same_without(&self, space: &Space, at: usize) -> bool {
        let others = self.members.iter().enumerate().filter(|(i, _)| *i != at);
        let others = others.map(|(_, m)| space.point(m.point));
        self.members.len() > Tuning::LARGE_CLASS_MEMBERS
            && space.is_same_without(&self.cover, space.point(self.members[at].point), &others)
    }

    /// Takes in some records.
    pub(super) fn add(&mut self, space: &Space, point: u32, count: u32) {
        if self.cover.is_empty() {
            self.cover.extend_from_slice(space.point(point));
        }
        space.join(&mut self.cover, space.point(point));
        self.cost = space.cost(&self.cover);
        self.add_covered(point, count);
    }

    /// Takes in some records that it covers.
    pub(super) fn add_covered(&mut self, point: u32, count: u32) {
        self.size += count;
        match self.members.iter_mut().find(|m| m.point == point) {
            Some(known) => known.count += count,
            None => self.members.push(Member { point, count }),
        }
    }

    /// Takes out some records; [`Class::refresh`] must follow.
    pub(super) fn take(&mut self, point: u32, count: u32) {
        if let Some(at) = self.members.iter().position(|m| m.point == point) {
            self.members[at].count -= count;
            if self.members[at].count == 0 {
                self.members.swap_remove(at);
            }
        }
    }

    /// Covers the members, and no more than them.
    pub(super) fn refresh(&mut self, space: &Space) {
        self.cover.clear();
        if let Some(first) = self.members.first() {
            self.cover.extend_from_slice(space.point(first.point));
            self.members[1..].iter().for_each(|m| space.join(&mut self.cover, space.point(m.point)));
        }
        self.cost = if self.members.is_empty() { 0 } else { space.cost(&self.cover) };
        self.size = self.members.iter().map(|m| m.count).sum();
    }
}

/// What all records of some classes lose.
pub(super) fn loss(classes: &[Class]) -> u64 {
    classes.iter().map(Class::loss).sum()
}

/// Members of several classes as those of one: every point once.
pub(super) fn pooled(mut members: Vec<Member>) -> Vec<Member> {
    members.sort_unstable_by_key(|m| m.point);
    members.dedup_by(|next, kept| {
        let same = kept.point == next.point;
        if same {
            kept.count += next.count;
        }
        same
    });
    members
}

/// The class that loses least in all by taking these records in.
pub(super) fn cheapest(
    space: &Space,
    classes: &[Class],
    m: Member,
    may: impl Fn(usize) -> bool,
) -> Option<(u64, usize)> {
    let at = space.point(m.point);
    let mut best: Option<(u64, usize)> = None;
    for (i, class) in classes.iter().enumerate() {
        if class.size > 0 {
            let least = best.map_or(u64::MAX, |(least, _)| least);
            // `may` last: it can take far longer than the cost. Ties go to the first class.
            if let Some(added) = class.added_below(space, at, m.count, least)
                && may(i)
            {
                best = Some((added, i));
            }
        }
    }
    best
}
