//! How far the values of some records are distributed from those of everybody (N. Li, T. Li,
//! S. Venkatasubramanian, *t-Closeness*, ICDE 2007, §4).
//!
//! All shares have one denominator, the records of both times each other, so that everything up to the last
//! division is done in whole numbers and the distance of everybody from themselves is exactly 0. Only the
//! values that the records have are looked at, however many the column has.

use shoal_core::{BoundHierarchy, Column, Distance, NodeId};

use super::tally::Present;
use crate::table::TableError;

/// A distance with what it has to know of everybody.
pub(super) struct Spread {
    everybody: u64,
    kind: Kind,
}

enum Kind {
    Equal {
        /// How often each value occurs.
        counts: Vec<u32>,
    },
    Ordered {
        /// The rank of each value among those that occur.
        ranks: Vec<u32>,
        /// How many records have a value of each rank or of a lower one, and the same added up.
        up_to: Vec<u64>,
        area: Vec<u64>,
    },
    Tree(Tree),
}

/// Nodes by their numbers; no node has a lower one than the node above it.
struct Tree {
    node_of: Vec<u32>,
    above: Vec<u32>,
    /// Records below each node.
    records: Vec<u64>,
    heights: Vec<u32>,
}

impl Spread {
    /// The distance from records with these frequencies of the values of a column, and from so many others `beyond`, whose values
    /// the column does not have. Fails where the column lacks the order or the hierarchy that it is asked for.
    pub(super) fn new(
        column: &Column,
        distance: Distance,
        counts: &[u32],
        beyond: u64,
    ) -> Result<Spread, TableError> {
        let lacks = |lacking| TableError::NoDistance { column: column.name.clone(), lacking };
        let kind = match distance {
            Distance::Equal => Kind::Equal { counts: counts.to_vec() },
            Distance::Ordered if column.domain.is_ordered() => ordered(counts),
            Distance::Ordered => return Err(lacks("order")),
            Distance::Hierarchical => {
                let bound = column.hierarchy.as_ref().ok_or_else(|| lacks("hierarchy"))?;
                Kind::Tree(Tree::new(bound, counts))
            }
        };
        Ok(Spread { everybody: beyond + counts.iter().map(|&count| u64::from(count)).sum::<u64>(), kind })
    }

    /// How many records, or pairs of a person and a value, everybody has.
    pub(super) fn everybody(&self) -> u64 {
        self.everybody
    }

    /// Whether all values are equally far apart.
    pub(super) fn is_equal(&self) -> bool {
        matches!(self.kind, Kind::Equal { .. })
    }

    /// The distance of a number of records with these values, from 0 to 1.
    pub(super) fn of(&self, records: u64, present: Present<'_>) -> f64 {
        let (over, times) = match &self.kind {
            Kind::Equal { counts } => (self.equal(records, present, counts), 1),
            Kind::Ordered { ranks, up_to, area } => {
                let steps = up_to.len().saturating_sub(1).max(1);
                (self.ordered(records, present, ranks, up_to, area), steps as u64)
            }
            Kind::Tree(tree) => (self.tree(records, present, tree), u64::from(tree.heights[0].max(1))),
        };
        over as f64 / (u128::from(records) * u128::from(self.everybody) * u128::from(times)) as f64
    }

    /// What is too much in some values is too little in others: to add up the one is enough.
    fn equal(&self, records: u64, present: Present<'_>, counts: &[u32]) -> u128 {
        let over = |(code, count): (u32, u32)| {
            let (own, fair) = (u64::from(count) * self.everybody, u64::from(counts[code as usize]) * records);
            u128::from(own.saturating_sub(fair))
        };
        present.map(over).sum()
    }

    /// From one value that occurs to the next, the records' share up to here stays as it is and that of
    /// everybody grows: it is below on one side of some rank, and above on the other.
    fn ordered(
        &self,
        records: u64,
        present: Present<'_>,
        ranks: &[u32],
        up_to: &[u64],
        area: &[u64],
    ) -> u128 {
        let last = up_to.len().saturating_sub(1);
        let mut sum = 0;
        let mut add = |from: usize, to: usize, own: u64| {
            let own = own * self.everybody;
            let cross = from + up_to[from..to].partition_point(|&all| all * records <= own);
            let all = |from: usize, to: usize| u128::from(area[to] - area[from]) * u128::from(records);
            let owns = |from: usize, to: usize| (to - from) as u128 * u128::from(own);
            sum += owns(from, cross) - all(from, cross) + all(cross, to) - owns(cross, to);
        };
        let (mut from, mut own) = (0, 0);
        for (code, count) in present {
            let rank = (ranks[code as usize] as usize).min(last);
            add(from, rank, own);
            from = rank;
            own += u64::from(count);
        }
        add(from, last, own);
        sum
    }

    /// Node by node, from the leaves upwards: what can be balanced among the children of a node is, at its
    /// height, and what cannot goes up.
    fn tree(&self, records: u64, present: Present<'_>, tree: &Tree) -> u128 {
        // Own records below each node, and what is too much in its children.
        let mut nodes = vec![(0_u64, 0_u64); tree.above.len()];
        for (code, count) in present {
            nodes[tree.node_of[code as usize] as usize].0 = u64::from(count);
        }
        let mut sum = 0;
        for node in (0..nodes.len()).rev() {
            let (own, over) = nodes[node];
            if own == 0 {
                continue;
            }
            let (own_share, fair) = (own * self.everybody, tree.records[node] * records);
            // What is too little in the children: over + fair − own_share.
            let under = (u128::from(over) + u128::from(fair)).saturating_sub(u128::from(own_share));
            sum += u128::from(tree.heights[node]) * under.min(u128::from(over));
            if node > 0 {
                let above = &mut nodes[tree.above[node] as usize];
                above.0 += own;
                above.1 += own_share.saturating_sub(fair);
            }
        }
        sum
    }
}

fn ordered(counts: &[u32]) -> Kind {
    let (mut ranks, mut up_to, mut area) = (Vec::with_capacity(counts.len()), Vec::new(), vec![0]);
    let (mut all, mut sum) = (0, 0);
    for &count in counts {
        ranks.push(up_to.len() as u32);
        if count > 0 {
            all += u64::from(count);
            sum += all;
            up_to.push(all);
            area.push(sum);
        }
    }
    Kind::Ordered { ranks, up_to, area }
}

impl Tree {
    fn new(bound: &BoundHierarchy, counts: &[u32]) -> Tree {
        let tree = bound.tree();
        let nodes = tree.node_count();
        let node_of: Vec<u32> = bound.leaves().iter().map(|&leaf| tree.leaf_node(leaf).0).collect();
        let above: Vec<u32> =
            (0..nodes as u32).map(|node| tree.parent(NodeId(node)).map_or(0, |n| n.0)).collect();
        let mut records = vec![0_u64; nodes];
        let mut heights = vec![0; nodes];
        node_of.iter().zip(counts).for_each(|(&node, &count)| records[node as usize] = u64::from(count));
        for node in (1..nodes).rev() {
            let parent = above[node] as usize;
            records[parent] += records[node];
            heights[parent] = heights[parent].max(heights[node] + 1);
        }
        Tree { node_of, above, records, heights }
    }
}
