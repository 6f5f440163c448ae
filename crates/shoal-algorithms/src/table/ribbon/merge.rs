//! Bottom-up: of all pairs of groups, the one that adds least loss is merged, as long as one of the two may not be a
//! class yet.

use super::class::{Class, Member, pooled};
use super::class_rule::ClassRule;
use super::space::Space;

/// A group that can still grow, and its nearest other.
struct Group {
    class: Class,
    holds: bool,
    nearest: (u64, usize),
}

/// Classes of some members, which must hold together. Quadratic, so not for many.
pub(super) fn merge(space: &Space, rule: &ClassRule<'_>, members: &[Member]) -> Vec<Class> {
    let group = |&m: &Member| Group {
        class: Class::of(space, vec![m]),
        holds: rule.holds(&[m]),
        nearest: (u64::MAX, 0),
    };
    let mut groups: Vec<Group> = members.iter().map(group).collect();
    let mut alive: Vec<usize> = (0..groups.len()).collect();
    for i in 0..groups.len() {
        rule.check_cancelled();
        groups[i].nearest = nearest(space, &groups, &alive, i);
    }
    loop {
        rule.check_cancelled();
        let open = alive.iter().copied().filter(|&i| !groups[i].holds && groups[i].nearest.0 < u64::MAX);
        let Some(i) = open.min_by_key(|&i| (groups[i].nearest.0, i)) else { break };
        let gone = groups[i].nearest.1;
        let mut joined = std::mem::take(&mut groups[i].class.members);
        joined.append(&mut groups[gone].class.members);
        groups[i].class = Class::of(space, pooled(joined));
        // Not implied by the parts: where people are counted, two groups that hold need not hold together.
        groups[i].holds = rule.holds(&groups[i].class.members);
        alive.retain(|&a| a != gone);
        for &a in &alive {
            if groups[a].holds && a != i {
                continue;
            }
            // Only those whose nearest is gone or has grown look at all others again.
            groups[a].nearest = if a == i || groups[a].nearest.1 == i || groups[a].nearest.1 == gone {
                nearest(space, &groups, &alive, a)
            } else {
                groups[a].nearest.min((added(space, &groups[a].class, &groups[i].class), i))
            };
        }
    }
    let mut keep = vec![false; groups.len()];
    alive.iter().for_each(|&a| keep[a] = true);
    groups.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(group, _)| group.class).collect()
}

fn nearest(space: &Space, groups: &[Group], alive: &[usize], of: usize) -> (u64, usize) {
    if groups[of].holds {
        return (u64::MAX, 0);
    }
    let others = alive.iter().copied().filter(|&other| other != of);
    let added = others.map(|other| (added(space, &groups[of].class, &groups[other].class), other));
    added.min().unwrap_or((u64::MAX, 0))
}

fn added(space: &Space, a: &Class, b: &Class) -> u64 {
    u64::from(a.size + b.size) * u64::from(space.union_cost(&a.cover, &b.cover)) - a.loss() - b.loss()
}
