//! All that can be known, listed and looked up one by one.

use std::collections::BTreeSet;

use shoal_core::{Bound, Cell, Hierarchy, NodeId, Sequences, SequencesPromise, SequencesRecoding};

/// An item: a quasi-identifier and a node below the root of its hierarchy.
pub(super) type Item = (usize, NodeId);
/// Something known: the items of each event, in order.
pub(super) type Pattern = Vec<Vec<Item>>;

/// What is published, as nodes: people, events, quasi-identifiers. `*` is the root.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) data: &'a Sequences,
    pub(super) people: Vec<Vec<Vec<NodeId>>>,
}

impl<'a> View<'a> {
    /// The data as they are.
    pub(super) fn original(data: &'a Sequences) -> View<'a> {
        let quasi = data.events().quasi_identifiers();
        let node = |q: usize, event: usize| {
            let bound = quasi[q].hierarchy.as_ref().unwrap();
            bound.tree().leaf_node(bound.leaf_of(quasi[q].codes[event]))
        };
        let event = |event: usize| (0..quasi.len()).map(|q| node(q, event)).collect();
        View { data, people: data.iter().map(|events| events.map(event).collect()).collect() }
    }

    /// The data as an algorithm publishes them.
    pub(super) fn published(data: &'a Sequences, recoding: &SequencesRecoding) -> View<'a> {
        let node = |cell: &Cell| match cell {
            Cell::Node(node) => *node,
            Cell::Suppressed => NodeId(0),
            other => panic!("{other:?} is not a node"),
        };
        let class = |event: usize| &recoding.events.classes[recoding.events.class_of[event] as usize];
        let event = |event: usize| class(event).cells.iter().map(node).collect();
        View { data, people: data.iter().map(|events| events.map(event).collect()).collect() }
    }

    pub(super) fn tree(&self, quasi: usize) -> &'a Hierarchy {
        self.data.events().quasi_identifiers()[quasi].hierarchy.as_ref().unwrap().tree()
    }

    /// Who supports a pattern.
    pub(super) fn support(&self, pattern: &[Vec<Item>]) -> BTreeSet<usize> {
        (0..self.people.len()).filter(|&person| self.fits(&self.people[person], pattern)).collect()
    }

    fn fits(&self, events: &[Vec<NodeId>], pattern: &[Vec<Item>]) -> bool {
        let Some((first, others)) = pattern.split_first() else { return true };
        let event = |event: &[NodeId]| first.iter().all(|&(q, item)| self.is_below(q, event[q], item));
        (0..events.len()).any(|at| event(&events[at]) && self.fits(&events[at + 1..], others))
    }

    fn is_below(&self, quasi: usize, node: NodeId, above: NodeId) -> bool {
        let tree = self.tree(quasi);
        std::iter::successors(Some(node), |&node| tree.parent(node)).any(|node| node == above)
    }

    /// All patterns of up to `length` items that somebody supports, with their supports.
    pub(super) fn patterns(&self, length: usize) -> Vec<(Pattern, BTreeSet<usize>)> {
        let mut items: BTreeSet<Item> = BTreeSet::new();
        for (q, &node) in self.people.iter().flatten().flat_map(|event| event.iter().enumerate()) {
            let tree = self.tree(q);
            let path = std::iter::successors(Some(node), |&node| tree.parent(node));
            items.extend(path.filter(|&node| node != tree.root()).map(|node| (q, node)));
        }
        let mut all = Vec::new();
        self.extend(&items, &mut Vec::new(), length, &mut all);
        all
    }

    fn extend(
        &self,
        items: &BTreeSet<Item>,
        pattern: &mut Pattern,
        left: usize,
        all: &mut Vec<(Pattern, BTreeSet<usize>)>,
    ) {
        if left == 0 {
            return;
        }
        for &item in items {
            let last = pattern.last().and_then(|event| event.last()).map(|&(q, _)| q);
            if last.is_some_and(|last| last < item.0) {
                let at = pattern.len() - 1;
                pattern[at].push(item);
                self.visit(items, pattern, left, all);
                pattern[at].pop();
            }
            pattern.push(vec![item]);
            self.visit(items, pattern, left, all);
            pattern.pop();
        }
    }

    fn visit(
        &self,
        items: &BTreeSet<Item>,
        pattern: &mut Pattern,
        left: usize,
        all: &mut Vec<(Pattern, BTreeSet<usize>)>,
    ) {
        let support = self.support(pattern);
        if !support.is_empty() {
            all.push((pattern.clone(), support));
            self.extend(items, pattern, left - 1, all);
        }
    }

    /// Whether some people are a crowd that keeps the promise.
    pub(super) fn keeps(&self, people: &BTreeSet<usize>, promise: &SequencesPromise) -> bool {
        let share = |column: &shoal_core::Column, code: u32, people: &mut dyn Iterator<Item = usize>| {
            let (mut having, mut all) = (0, 0);
            for person in people {
                all += 1;
                having += usize::from(column.codes[self.data.events_of(person)].contains(&code));
            }
            having as f64 / all as f64
        };
        people.len() >= promise.k
            && promise.limits.iter().all(|limit| {
                let column =
                    self.data.events().columns.iter().find(|column| column.name == limit.column).unwrap();
                (0..column.domain.len() as u32).all(|code| {
                    let named = limit.values.as_ref();
                    if named
                        .is_some_and(|named| !named.iter().any(|value| value == column.domain.label(code)))
                    {
                        return true;
                    }
                    let q = share(column, code, &mut people.iter().copied());
                    let own = share(column, code, &mut (0..self.people.len()));
                    // Everybody are these people, or who is said to be everybody.
                    let p = promise.distributions.get(&limit.column).map_or(own, |everybody| {
                        let label = column.domain.label(code);
                        let of_value = everybody.counts().iter().find(|(text, _)| text == label);
                        of_value.map_or(0.0, |(_, count)| f64::from(*count) / everybody.members() as f64)
                    });
                    match limit.bound {
                        Bound::Gain(beta) => q <= (1.0 + beta.min(-p.ln())) * p,
                        Bound::Share(most) => q <= most,
                    }
                })
            })
    }

    /// The first pattern that breaks the promise.
    pub(super) fn broken(&self, promise: &SequencesPromise) -> Option<(Pattern, BTreeSet<usize>)> {
        let patterns = self.patterns(promise.length.unwrap());
        patterns.into_iter().find(|(_, support)| !self.keeps(support, promise))
    }
}
