//! People who publish the same sequence.

use super::costs::Costs;
use super::limits::{Carriers, Limits};
use super::matching::Pair;

/// Some people, and the sequence that all of them publish: their representative.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// Who.
    pub(super) members: Vec<u32>,
    /// The codes of the representative's values, event by event.
    pub(super) events: Vec<u32>,
    /// The height of each event of the representative.
    pub(super) heights: Vec<u32>,
    /// For each member and each event of the representative the member's own event that is published as it.
    pub(super) survivors: Vec<u32>,
    /// For each limit those members who show a highly sensitive value.
    pub(super) carriers: Vec<Carriers>,
}

impl Cluster {
    /// People whose sequences have the same values.
    pub(super) fn alike(
        members: Vec<u32>,
        events_of: &[std::ops::Range<usize>],
        costs: &Costs,
        limits: &Limits,
    ) -> Cluster {
        let first = events_of[members[0] as usize].clone();
        let survivors = members
            .iter()
            .flat_map(|&person| events_of[person as usize].clone().map(|event| event as u32))
            .collect();
        Cluster::new(members, costs.values(first).to_vec(), survivors, costs, limits)
    }

    /// Two clusters as one: of each pair both events are published as the least that covers them, all other
    /// events are suppressed.
    pub(super) fn merged(
        older: &Cluster,
        younger: &Cluster,
        pairs: &[Pair],
        costs: &Costs,
        limits: &Limits,
    ) -> Cluster {
        let quasi = costs.quasi();
        let mut events = Vec::with_capacity(pairs.len() * quasi);
        for &(left, right) in pairs {
            let values = older.event(left as usize, quasi).iter().zip(younger.event(right as usize, quasi));
            events.extend(values.map(|(&a, &b)| costs.lowest_common(a, b)));
        }
        let mut survivors = Vec::with_capacity((older.size() + younger.size()) * pairs.len());
        for own in older.survivors.chunks_exact(older.len().max(1)) {
            survivors.extend(pairs.iter().map(|&(left, _)| own[left as usize]));
        }
        for own in younger.survivors.chunks_exact(younger.len().max(1)) {
            survivors.extend(pairs.iter().map(|&(_, right)| own[right as usize]));
        }
        let members = older.members.iter().chain(&younger.members).copied().collect();
        Cluster::new(members, events, survivors, costs, limits)
    }

    /// The cluster without one of its members, who is not the only one. The others keep the events that they publish, as the least that still
    /// covers them.
    pub(super) fn without(&self, at: usize, costs: &Costs, limits: &Limits) -> Cluster {
        let len = self.len();
        let members = [&self.members[..at], &self.members[at + 1..]].concat();
        let survivors = [&self.survivors[..at * len], &self.survivors[(at + 1) * len..]].concat();
        let covering = |(position, &highest): (usize, &u32)| {
            let (event, q) = (position / costs.quasi(), position % costs.quasi());
            let value = |&own: &u32| costs.values(own as usize..own as usize + 1)[q];
            let mut values = survivors[event..].iter().step_by(len).map(value);
            let first = values.next().unwrap_or(highest);
            // The others cannot need more than what covered everybody, so the fold ends when it gets there.
            let lower = |node: u32, value| (node != highest).then(|| costs.lowest_common(node, value));
            values.try_fold(first, lower).unwrap_or(highest)
        };
        let events = self.events.iter().enumerate().map(covering).collect();
        Cluster::new(members, events, survivors, costs, limits)
    }

    fn new(
        members: Vec<u32>,
        events: Vec<u32>,
        survivors: Vec<u32>,
        costs: &Costs,
        limits: &Limits,
    ) -> Cluster {
        let heights: Vec<u32> =
            events.chunks_exact(costs.quasi()).map(|event| costs.event_height(event)).collect();
        let carriers = limits.carriers(&survivors, heights.len());
        Cluster { members, events, heights, survivors, carriers }
    }

    /// How many people there are.
    pub(super) fn size(&self) -> usize {
        self.members.len()
    }

    /// How many events the representative has.
    pub(super) fn len(&self) -> usize {
        self.heights.len()
    }

    /// The values of one event of the representative.
    pub(super) fn event(&self, at: usize, quasi: usize) -> &[u32] {
        &self.events[at * quasi..(at + 1) * quasi]
    }

    /// What suppressing the cheapest of the events costs all members together.
    pub(super) fn cheapest_suppression(&self, costs: &Costs) -> i64 {
        let highest = self.heights.iter().copied().max().unwrap_or(costs.suppressed());
        i64::from(costs.suppressed() - highest) * self.size() as i64
    }
}
