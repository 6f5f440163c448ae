use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::FullDomain;
use crate::table::conditions::Tally;

/// The groups of records that agree on a node: how many there are and how large each one is.
///
/// A group is known by one of its points. Whatever a more general node publishes for that point, it
/// publishes for the whole group, so a frequency set can be rolled up without the data it came from.
pub(crate) struct FrequencySet {
    groups: Vec<Group>,
    /// A tally for each group; none where nothing counts but sizes.
    tallies: Vec<Tally>,
}

/// Records that agree on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The first of its points.
    pub(crate) point: u32,
    /// How many records it has.
    pub(crate) records: u32,
}

impl FrequencySet {
    /// The groups. Their order depends on the data and the way here alone, never on chance or threads.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The tally of each group; none where nothing counts but sizes.
    pub(super) fn tallies(&self) -> &[Tally] {
        &self.tallies
    }
}

impl FullDomain<'_> {
    /// The frequency set of the data as they are: every point is a group.
    pub(crate) fn finest(&self) -> FrequencySet {
        let group = |point: usize| Group { point: point as u32, records: self.points.weight(point) };
        let tally = |point: usize| self.conditions.tally_of(self.points.rows(point));
        let tallied = if self.conditions.only_size() { 0 } else { self.points.len() };
        FrequencySet {
            groups: (0..self.points.len()).map(group).collect(),
            tallies: (0..tallied).map(tally).collect(),
        }
    }

    /// The frequency set of a node from that of a more specific one.
    pub(crate) fn roll_up(&self, finer: &FrequencySet, node: &[usize]) -> FrequencySet {
        let (keys, range) = self.keys(finer, node);
        if !finer.tallies.is_empty() {
            return hash_tallies(finer, &keys);
        }
        // A table of counters beats hashing until most of it would stay empty.
        let groups = if range <= 32 * keys.len() as u64 {
            count(&finer.groups, &keys, range as usize)
        } else {
            hash(&finer.groups, &keys)
        };
        FrequencySet { groups, tallies: Vec::new() }
    }

    /// How many distinct values of one column, standing on this step, a frequency set holds.
    pub(crate) fn distinct(&self, set: &FrequencySet, dim: usize, step: usize) -> usize {
        let ladder = &self.ladders[dim];
        let mut seen = vec![false; ladder.groups(step)];
        for group in &set.groups {
            let code = self.points.point(group.point as usize)[dim];
            seen[ladder.group_of(step)[code as usize] as usize] = true;
        }
        seen.into_iter().filter(|&seen| seen).count()
    }

    /// A number for each group, below the returned bound, that is the same for two of them if and only if a
    /// node publishes the same for both; they are ordered as the groups of its steps are, column by column.
    pub(super) fn keys(&self, set: &FrequencySet, node: &[usize]) -> (Vec<u64>, u64) {
        let steps = self.ladders.iter().zip(node).enumerate();
        let digits: Vec<Digit<'_>> = steps
            .map(|(dim, (ladder, &step))| Digit {
                dim,
                radix: ladder.groups(step) as u64,
                group_of: ladder.group_of(step),
            })
            .filter(|digit| digit.radix > 1)
            .collect();
        let mut keys = vec![0u64; set.groups.len()];
        let mut range = 1u64;
        let mut rest = &digits[..];
        while !rest.is_empty() {
            if range > 1 {
                range = renumber(&mut keys);
            }
            let (now, later) = rest.split_at(how_many_fit(range, rest));
            for (key, group) in keys.iter_mut().zip(&set.groups) {
                let codes = self.points.point(group.point as usize);
                *key = now.iter().fold(*key, |key, digit| {
                    key * digit.radix + u64::from(digit.group_of[codes[digit.dim] as usize])
                });
            }
            range *= now.iter().map(|digit| digit.radix).product::<u64>();
            rest = later;
        }
        (keys, range)
    }
}

/// What one column adds to a key.
struct Digit<'a> {
    dim: usize,
    radix: u64,
    group_of: &'a [u32],
}

/// How many of the digits find room in 64 bits above keys below `range`.
fn how_many_fit(range: u64, digits: &[Digit<'_>]) -> usize {
    let mut room = u64::MAX / range;
    digits
        .iter()
        .take_while(|digit| {
            room /= digit.radix;
            room > 0
        })
        .count()
}

/// Makes keys dense without changing their order, so that further columns find room in 64 bits: there are
/// fewer than 2^32 points, and fewer than 2^32 groups on a step.
fn renumber(keys: &mut [u64]) -> u64 {
    let mut distinct = keys.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    for key in keys {
        *key = distinct.partition_point(|smaller| smaller < key) as u64;
    }
    distinct.len() as u64
}

fn count(finer: &[Group], keys: &[u64], range: usize) -> Vec<Group> {
    let mut table = vec![Group { point: 0, records: 0 }; range];
    for (group, &key) in finer.iter().zip(keys) {
        let slot = &mut table[key as usize];
        if slot.records == 0 {
            slot.point = group.point;
        }
        slot.records += group.records;
    }
    table.retain(|group| group.records > 0);
    table
}

fn hash(finer: &[Group], keys: &[u64]) -> Vec<Group> {
    let mut number: HashMap<u64, u32, FixedState> = HashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    for (group, &key) in finer.iter().zip(keys) {
        let at = *number.entry(key).or_insert(groups.len() as u32) as usize;
        match groups.get_mut(at) {
            Some(known) => known.records += group.records,
            None => groups.push(*group),
        }
    }
    groups
}

fn hash_tallies(finer: &FrequencySet, keys: &[u64]) -> FrequencySet {
    let mut number: HashMap<u64, u32, FixedState> = HashMap::default();
    let mut set = FrequencySet { groups: Vec::new(), tallies: Vec::new() };
    for ((group, tally), &key) in finer.groups.iter().zip(&finer.tallies).zip(keys) {
        let at = *number.entry(key).or_insert(set.groups.len() as u32) as usize;
        match set.groups.get_mut(at) {
            Some(known) => {
                known.records += group.records;
                set.tallies[at].merge(tally);
            }
            None => {
                set.groups.push(*group);
                set.tallies.push(tally.clone());
            }
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_and_hashing_agree() {
        let finer: Vec<Group> = (0..40).map(|i| Group { point: i, records: i % 3 + 1 }).collect();
        let keys: Vec<u64> = (0..40).map(|i| i * 7 % 11).collect();
        let mut counted = count(&finer, &keys, 11);
        counted.sort_unstable_by_key(|group| group.point);
        assert_eq!(counted, hash(&finer, &keys));
    }

    #[test]
    fn renumbering_keeps_order_and_equality() {
        let mut keys = vec![9, u64::MAX, 3, 9];
        assert_eq!(renumber(&mut keys), 3);
        assert_eq!(keys, [1, 2, 0, 1]);
    }
}
