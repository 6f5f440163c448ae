//! The algorithm written down as it is defined: every pair is aligned anew before every merge, hierarchies are
//! walked node by node, clusters remember whole sequences. It shares no code with the real one.

use std::collections::HashMap;

use shoal_algorithms::sequences::Remainder;
use shoal_core::{
    Bound, Cell, Class, Hierarchy, NodeId, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding,
    TableRecoding,
};

/// How events find each other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    Best,
    Drawn { seed: u64 },
}

#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) id: u64,
    /// Who, and which events of theirs survive.
    pub(crate) members: Vec<(usize, Vec<usize>)>,
    pub(crate) shown: Vec<Vec<NodeId>>,
}

type Pairs = Vec<(usize, usize)>;

pub(crate) struct Slow<'a> {
    pub(crate) data: &'a Sequences,
    pub(crate) promise: &'a SequencesPromise,
    how: How,
    trees: Vec<(&'a Hierarchy, f64)>,
    /// Per limit the share and whether each event is highly sensitive.
    limits: Vec<(f64, Vec<bool>)>,
}

impl<'a> Slow<'a> {
    pub(crate) fn new(data: &'a Sequences, promise: &'a SequencesPromise, how: How) -> Self {
        let quasi = data.events().quasi_identifiers();
        let heaviest = quasi.iter().map(|column| column.weight).fold(0.0, f64::max);
        let trees = quasi
            .iter()
            .map(|column| (column.hierarchy.as_ref().unwrap().tree(), column.weight / heaviest * 1_048_576.0))
            .collect();
        let limits = promise
            .limits
            .iter()
            .map(|limit| {
                let Bound::Share(share) = limit.bound else { panic!("a share") };
                let column = data.events().columns.iter().find(|c| c.name == limit.column).unwrap();
                let labels = column.codes.iter().map(|&code| column.domain.label(code).to_owned());
                (share, labels.map(|label| limit.values.as_ref().unwrap().contains(&label)).collect())
            })
            .collect();
        Slow { data, promise, how, trees, limits }
    }

    /// `None` when nothing can be published.
    pub(crate) fn run(&self, remainder: Remainder, improve: bool) -> Option<SequencesRecoding> {
        let (mut active, mut frozen): (Vec<Group>, Vec<Group>) = (Vec::new(), Vec::new());
        let mut next = 0;
        for mut group in self.start() {
            group.id = next;
            next += 1;
            if self.satisfied(&group) { frozen.push(group) } else { active.push(group) }
        }
        while active.len() > 1 {
            let (mut of_allowed, mut of_all) = (None, None);
            for (a, older) in active.iter().enumerate() {
                for (b, younger) in active.iter().enumerate().filter(|(_, y)| y.id > older.id) {
                    let key = (self.distance(older, younger), younger.id, older.id, a, b);
                    let union = self.union(older, younger, 0);
                    if self.limits_kept(&union) && of_allowed.is_none_or(|least| key < least) {
                        of_allowed = Some(key);
                    }
                    if of_all.is_none_or(|least| key < least) {
                        of_all = Some(key);
                    }
                }
            }
            let (.., a, b) = of_allowed.or(of_all).unwrap();
            let union = self.union(&active[a], &active[b], next);
            next += 1;
            let (first, second) = (a.max(b), a.min(b));
            active.remove(first);
            active.remove(second);
            if self.satisfied(&union) { frozen.push(union) } else { active.push(union) }
        }
        if frozen.is_empty() {
            return None;
        }
        if let (Remainder::Nearest, Some(left)) = (remainder, active.pop()) {
            self.join(&left, &mut frozen, next);
        }
        if improve {
            self.improve(&mut frozen, next);
        }
        Some(self.publish(frozen))
    }

    fn start(&self) -> Vec<Group> {
        let person = |person: usize| self.single(person, 0);
        let mut groups: Vec<Group> = Vec::new();
        let mut done = vec![false; self.data.persons()];
        for first in 0..self.data.persons() {
            if done[first] {
                continue;
            }
            let same: Vec<usize> =
                (first..self.data.persons()).filter(|&p| person(p).shown == person(first).shown).collect();
            same.iter().for_each(|&p| done[p] = true);
            let free =
                |p: &&usize| (0..self.limits.len()).all(|limit| self.carriers(&person(**p), limit) == 0);
            let mut order: Vec<usize> = same.iter().filter(free).copied().collect();
            let mut together = Group { id: 0, members: Vec::new(), shown: person(first).shown };
            let unfree: Vec<usize> = same.iter().filter(|p| !free(p)).copied().collect();
            let free_ones = order.len();
            order.extend(unfree);
            for (at, &p) in order.iter().enumerate() {
                together.members.push(person(p).members[0].clone());
                if at >= free_ones && !self.limits_kept(&together) {
                    together.members.pop();
                    groups.push(person(p));
                }
            }
            together.members.sort();
            if !together.members.is_empty() {
                groups.push(together);
            }
        }
        groups.sort_by_key(|group| group.members[0].0);
        groups
    }

    pub(crate) fn single(&self, person: usize, id: u64) -> Group {
        let events: Vec<usize> = self.data.events_of(person).collect();
        let quasi = self.data.events().quasi_identifiers();
        let shown = events
            .iter()
            .map(|&event| {
                let node = |column: &&shoal_core::Column| {
                    let bound = column.hierarchy.as_ref().unwrap();
                    bound.tree().node(column.domain.label(column.codes[event])).unwrap()
                };
                quasi.iter().map(node).collect()
            })
            .collect();
        Group { id, members: vec![(person, events)], shown }
    }

    fn carriers(&self, group: &Group, limit: usize) -> usize {
        let sensitive = &self.limits[limit].1;
        group.members.iter().filter(|(_, events)| events.iter().any(|&event| sensitive[event])).count()
    }

    fn limits_kept(&self, group: &Group) -> bool {
        (0..self.limits.len()).all(|limit| {
            self.carriers(group, limit) as f64 / group.members.len() as f64 <= self.limits[limit].0
        })
    }

    pub(crate) fn satisfied(&self, group: &Group) -> bool {
        group.members.len() >= self.promise.k && self.limits_kept(group)
    }

    /// Heights as the real one defines them: rounded once per node.
    fn height(&self, q: usize, node: NodeId) -> i64 {
        let (tree, weight) = self.trees[q];
        (weight * tree.leaves_below(node).len() as f64 / f64::from(tree.leaf_count())).round() as i64
    }

    pub(crate) fn generalizing(&self, from: &[NodeId], to: &[NodeId]) -> i64 {
        (0..from.len()).map(|q| self.height(q, to[q]) - self.height(q, from[q])).sum()
    }

    pub(crate) fn suppressing(&self, event: &[NodeId]) -> i64 {
        let full = |q: usize| self.trees[q].1.round() as i64 + self.height(q, self.trees[q].0.leaf_node(0));
        (0..event.len()).map(|q| full(q) - self.height(q, event[q])).sum()
    }

    pub(crate) fn covering(&self, a: &[NodeId], b: &[NodeId]) -> Vec<NodeId> {
        let line = |q: usize, node: NodeId| {
            std::iter::successors(Some(node), move |&node| self.trees[q].0.parent(node)).collect::<Vec<_>>()
        };
        (0..a.len())
            .map(|q| *line(q, a[q]).iter().find(|node| line(q, b[q]).contains(node)).unwrap())
            .collect()
    }

    fn pair_loss(&self, older: &Group, younger: &Group, i: usize, j: usize) -> i64 {
        let (a, b) = (&older.shown[i], &younger.shown[j]);
        let both = self.covering(a, b);
        older.members.len() as i64 * self.generalizing(a, &both)
            + younger.members.len() as i64 * self.generalizing(b, &both)
    }

    /// What these pairs lose, everything else suppressed.
    fn loss(&self, older: &Group, younger: &Group, pairs: &Pairs) -> i64 {
        let matched: i64 = pairs.iter().map(|&(i, j)| self.pair_loss(older, younger, i, j)).sum();
        let gone = |group: &Group, kept: Vec<usize>| {
            let lost = (0..group.shown.len()).filter(|at| !kept.contains(at));
            group.members.len() as i64 * lost.map(|at| self.suppressing(&group.shown[at])).sum::<i64>()
        };
        matched
            + gone(older, pairs.iter().map(|pair| pair.0).collect())
            + gone(younger, pairs.iter().map(|pair| pair.1).collect())
    }

    pub(crate) fn distance(&self, older: &Group, younger: &Group) -> i64 {
        self.loss(older, younger, &self.pairs(older, younger))
    }

    fn pairs(&self, older: &Group, younger: &Group) -> Pairs {
        let (left, right) = (older.shown.len(), younger.shown.len());
        match self.how {
            How::Best => self.best_alignment(older, younger, left, right, &mut HashMap::new()).1,
            How::Drawn { seed } => {
                let longer = left.max(right);
                let kept = draw(seed, older.id, younger.id, longer, left.abs_diff(right));
                let in_turn = kept.into_iter().enumerate();
                in_turn
                    .map(|(short, long)| if left >= right { (long, short) } else { (short, long) })
                    .collect()
            }
        }
    }

    /// The least loss of the first `i` events of one and the first `j` of the other, and how.
    fn best_alignment(
        &self,
        older: &Group,
        younger: &Group,
        i: usize,
        j: usize,
        known: &mut HashMap<(usize, usize), (i64, Pairs)>,
    ) -> (i64, Pairs) {
        if (i, j) == (0, 0) {
            return (0, Vec::new());
        }
        if let Some(found) = known.get(&(i, j)) {
            return found.clone();
        }
        let mut ways = Vec::new();
        if i > 0 && j > 0 {
            let (loss, mut pairs) = self.best_alignment(older, younger, i - 1, j - 1, known);
            pairs.push((i - 1, j - 1));
            ways.push((loss + self.pair_loss(older, younger, i - 1, j - 1), pairs));
        }
        if i > 0 {
            let (loss, pairs) = self.best_alignment(older, younger, i - 1, j, known);
            ways.push((loss + older.members.len() as i64 * self.suppressing(&older.shown[i - 1]), pairs));
        }
        if j > 0 {
            let (loss, pairs) = self.best_alignment(older, younger, i, j - 1, known);
            ways.push((loss + younger.members.len() as i64 * self.suppressing(&younger.shown[j - 1]), pairs));
        }
        // The first of the least.
        let best = ways.into_iter().min_by_key(|way| way.0).unwrap();
        known.insert((i, j), best.clone());
        best
    }

    pub(crate) fn union(&self, older: &Group, younger: &Group, id: u64) -> Group {
        let pairs = self.pairs(older, younger);
        let shown = pairs.iter().map(|&(i, j)| self.covering(&older.shown[i], &younger.shown[j])).collect();
        let mut members = Vec::new();
        for (person, events) in &older.members {
            members.push((*person, pairs.iter().map(|pair| events[pair.0]).collect()));
        }
        for (person, events) in &younger.members {
            members.push((*person, pairs.iter().map(|pair| events[pair.1]).collect()));
        }
        Group { id, members, shown }
    }

    fn join(&self, left: &Group, frozen: &mut [Group], next: u64) {
        let mut people: Vec<usize> = left.members.iter().map(|(person, _)| *person).collect();
        people.sort_unstable();
        for person in people {
            let alone = self.single(person, next + person as u64);
            let fits = |group: &&mut Group| self.limits_kept(&self.union(group, &alone, 0));
            let nearest =
                frozen.iter_mut().filter(fits).min_by_key(|group| (self.distance(group, &alone), group.id));
            if let Some(group) = nearest {
                *group = self.union(group, &alone, group.id);
            }
        }
    }

    fn publish(&self, mut frozen: Vec<Group>) -> SequencesRecoding {
        frozen.sort_by_key(|group| group.members.iter().map(|member| member.0).min());
        let mut cluster_of = vec![SUPPRESSED; self.data.persons()];
        let mut class_of = vec![SUPPRESSED; self.data.events().rows];
        let mut classes = Vec::new();
        for (number, group) in frozen.iter().enumerate() {
            for (person, events) in &group.members {
                cluster_of[*person] = number as u32;
                events.iter().enumerate().for_each(|(at, &e)| class_of[e] = (classes.len() + at) as u32);
            }
            let class = |event: &Vec<NodeId>| Class { cells: event.iter().map(|&n| Cell::Node(n)).collect() };
            classes.extend(group.shown.iter().map(class));
        }
        SequencesRecoding { cluster_of, events: TableRecoding { class_of, classes } }
    }
}

/// Who stays when some of the events are drawn by Knuth's selection sampling from SplitMix64.
fn draw(seed: u64, older: u64, younger: u64, of: usize, mut drop: usize) -> Vec<usize> {
    let golden = 0x9e37_79b9_7f4a_7c15_u64;
    let mix = |x: u64| {
        let x = x.wrapping_add(golden);
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    let mut state = mix(mix(mix(seed) ^ older) ^ younger);
    let mut kept = Vec::new();
    for at in 0..of {
        state = state.wrapping_add(golden);
        if mix(state) % (of - at) as u64 >= drop as u64 {
            kept.push(at);
        } else {
            drop -= 1;
        }
    }
    kept
}
