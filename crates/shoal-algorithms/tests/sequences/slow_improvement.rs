//! The improvement of finished crowds written down as it is defined: every possible change is made, and what is lost
//! then is counted anew from the original events.

use std::collections::BTreeSet;

use crate::slow::{Group, Slow};

const PASSES: usize = 4;
const SMALL: usize = 8;
const LARGE: usize = 4;
const CANDIDATES: usize = 8;

impl Slow<'_> {
    pub(crate) fn improve(&self, crowds: &mut Vec<Group>, mut next: u64) {
        let k = self.promise.k;
        let mut changed: BTreeSet<u64> = crowds.iter().map(|crowd| crowd.id).collect();
        for _ in 0..PASSES {
            for id in changed.clone() {
                let crowd = find(crowds, id).unwrap().clone();
                if (2 * k..=SMALL).contains(&crowd.members.len())
                    && let Some(parts) = self.recut(&[&crowd])
                {
                    replace(crowds, &mut changed, &mut next, &[id], parts);
                }
            }
            let mut wishes = Vec::new();
            crowds.sort_by_key(|crowd| crowd.id);
            for crowd in crowds.iter().filter(|crowd| changed.contains(&crowd.id)) {
                if self.lost(crowd) == 0 || crowd.members.len() > LARGE * k {
                    continue;
                }
                for (person, _) in &crowd.members {
                    let alone = self.single(*person, u64::MAX);
                    let others = crowds.iter().filter(|other| other.id != crowd.id);
                    let nearest = others.map(|other| (self.distance(other, &alone), other.id)).min();
                    wishes.extend(nearest.map(|(_, other)| (*person, crowd.id, other)));
                }
            }
            changed.clear();
            let mut tried = BTreeSet::new();
            for (person, one, two) in wishes {
                let (Some(a), Some(b)) = (find(crowds, one), find(crowds, two)) else { continue };
                let better = if a.members.len() + b.members.len() > SMALL {
                    self.exchange(person, a, b)
                } else if tried.insert((one.min(two), one.max(two))) {
                    self.recut(&[a, b])
                } else {
                    None
                };
                if let Some(better) = better {
                    replace(crowds, &mut changed, &mut next, &[one, two], better);
                }
            }
        }
    }

    /// What everybody has lost, event by event.
    fn lost(&self, crowd: &Group) -> i64 {
        let of_member = |(person, survivors): &(usize, Vec<usize>)| {
            let own = self.single(*person, 0);
            let of_event = |(event, from): (usize, &Vec<_>)| match survivors.iter().position(|&e| e == event)
            {
                Some(at) => self.generalizing(from, &crowd.shown[at]),
                None => self.suppressing(from),
            };
            self.data.events_of(*person).zip(&own.shown).map(of_event).sum::<i64>()
        };
        crowd.members.iter().map(of_member).sum()
    }

    fn without(&self, crowd: &Group, at: usize) -> Group {
        let mut members = crowd.members.clone();
        members.remove(at);
        let own_event = |(person, survivors): &(usize, Vec<usize>), event: usize| {
            let events: Vec<usize> = self.data.events_of(*person).collect();
            let position = events.iter().position(|&e| e == survivors[event]).unwrap();
            self.single(*person, 0).shown[position].clone()
        };
        let shown = (0..crowd.shown.len())
            .map(|event| {
                let all = members.iter().map(|member| own_event(member, event));
                all.reduce(|a, b| self.covering(&a, &b)).unwrap()
            })
            .collect();
        Group { id: crowd.id, members, shown }
    }

    fn exchange(&self, person: usize, one: &Group, two: &Group) -> Option<Vec<Group>> {
        let at = one.members.iter().position(|(member, _)| *member == person)?;
        if one.members.len() == 1 {
            return None;
        }
        let (stay, goes) = (self.without(one, at), self.single(person, 0));
        let mut ways = vec![vec![stay.clone(), self.union(two, &goes, 0)]];
        if two.members.len() > 1 && two.members.len() <= LARGE * self.promise.k {
            let mut loose: Vec<usize> = (0..two.members.len()).collect();
            loose.sort_by_key(|&at| self.lost(&self.without(two, at)));
            for &at in loose.iter().take(CANDIDATES) {
                let comes = self.single(two.members[at].0, 0);
                ways.push(vec![self.union(&stay, &comes, 0), self.union(&self.without(two, at), &goes, 0)]);
            }
        }
        self.best(ways, &[one, two])
    }

    fn recut(&self, crowds: &[&Group]) -> Option<Vec<Group>> {
        let mut people: Vec<usize> =
            crowds.iter().flat_map(|crowd| &crowd.members).map(|(person, _)| *person).collect();
        people.sort_unstable();
        let crowd_of = |set: &usize| {
            let members = (0..people.len()).filter(|at| set >> at & 1 == 1);
            let singles = members.map(|at| self.single(people[at], 0));
            singles.reduce(|crowd, person| self.union(&crowd, &person, 0)).unwrap()
        };
        let mut cuts = all_cuts((1 << people.len()) - 1);
        cuts.retain(|cut| cut.iter().all(|set| set.count_ones() as usize >= self.promise.k));
        cuts.sort();
        self.best(cuts.iter().map(|cut| cut.iter().map(crowd_of).collect()).collect(), crowds)
    }

    /// The first of the ways with the least loss, if all crowds keep the promise and it is less than before.
    fn best(&self, mut ways: Vec<Vec<Group>>, before: &[&Group]) -> Option<Vec<Group>> {
        let now: i64 = before.iter().map(|crowd| self.lost(crowd)).sum();
        let loss = |way: &Vec<Group>| way.iter().map(|crowd| self.lost(crowd)).sum::<i64>();
        ways.retain(|way| way.iter().all(|crowd| self.satisfied(crowd)) && loss(way) < now);
        ways.into_iter().min_by_key(loss)
    }
}

fn find(crowds: &[Group], id: u64) -> Option<&Group> {
    crowds.iter().find(|crowd| crowd.id == id)
}

fn replace(
    crowds: &mut Vec<Group>,
    changed: &mut BTreeSet<u64>,
    next: &mut u64,
    before: &[u64],
    after: Vec<Group>,
) {
    crowds.retain(|crowd| !before.contains(&crowd.id));
    changed.retain(|id| !before.contains(id));
    for (at, mut crowd) in after.into_iter().enumerate() {
        crowd.id = before.get(at).copied().unwrap_or(*next);
        *next += u64::from(at >= before.len());
        changed.insert(crowd.id);
        crowds.push(crowd);
    }
}

/// All ways to cut a set, each as its parts: the one with the highest bit, then the one with the highest of the rest, ….
fn all_cuts(set: usize) -> Vec<Vec<usize>> {
    if set == 0 {
        return vec![Vec::new()];
    }
    let last = 1 << set.ilog2();
    let parts = (1..=set).filter(|part| part & !set == 0 && part & last > 0);
    let with = |part: usize| {
        all_cuts(set & !part).into_iter().map(move |rest| [vec![part], rest].concat()).collect::<Vec<_>>()
    };
    parts.flat_map(with).collect()
}
