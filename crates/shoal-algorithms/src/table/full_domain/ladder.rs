use std::collections::HashMap;

use shoal_core::{BoundHierarchy, Cell, NodeId};

/// The steps that the values of one quasi-identifier can climb together.
///
/// Step 0 publishes every value as it is, the last step publishes the root for all of them. The steps are
/// the levels of the hierarchy file, less those that group the column's values just as the level below
/// does: such a level would only coarsen the labels and bring no two records together.
///
/// A file may let two values part again on a higher level (`a;X;X;*` and `b;X;*;*` agree on level 1, not
/// on level 2). Steps never do: whoever shares a group stays together, below the highest of the nodes that
/// the file has for its members. Otherwise a more general node could hold smaller groups.
pub(crate) struct Ladder {
    steps: Vec<Step>,
    root_leaves: u32,
}

struct Step {
    level: usize,
    group_of: Vec<u32>,
    cells: Vec<Cell>,
    /// Leaves below each group's node, 0 where there is only one: the numerator of its NCP.
    leaves: Vec<u32>,
}

impl Ladder {
    /// The steps of a column with this hierarchy.
    pub(crate) fn new(hierarchy: &BoundHierarchy) -> Ladder {
        let tree = hierarchy.tree();
        let leaves = hierarchy.leaves();
        let exact: Vec<NodeId> = leaves.iter().map(|&leaf| tree.leaf_node(leaf)).collect();
        let mut steps = vec![Step::new(0, &exact, hierarchy)];
        for level in 1..tree.level_count() {
            let below = &steps[steps.len() - 1];
            let mut top_of: Vec<Option<NodeId>> = vec![None; below.cells.len()];
            for (&group, &leaf) in below.group_of.iter().zip(leaves) {
                let node = tree.ancestor(leaf, level);
                let top = top_of[group as usize].get_or_insert(node);
                if tree.depth(node) < tree.depth(*top) {
                    *top = node;
                }
            }
            let nodes: Vec<NodeId> = below
                .group_of
                .iter()
                .map(|&group| top_of[group as usize].expect("every group has a member"))
                .collect();
            let step = Step::new(level, &nodes, hierarchy);
            if step.cells.len() < below.cells.len() {
                steps.push(step);
            }
        }
        Ladder { steps, root_leaves: tree.leaf_count() }
    }

    /// How many steps there are, at least one.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The last step, on which all values are one group.
    pub(crate) fn top(&self) -> usize {
        self.steps.len() - 1
    }

    /// The level of the hierarchy file that a step stands for.
    pub(crate) fn level(&self, step: usize) -> usize {
        self.steps[step].level
    }

    /// How many groups a step has.
    pub(crate) fn groups(&self, step: usize) -> usize {
        self.steps[step].cells.len()
    }

    /// The group of each value on a step, by code.
    pub(crate) fn group_of(&self, step: usize) -> &[u32] {
        &self.steps[step].group_of
    }

    /// What a value is published as on a step.
    pub(crate) fn cell(&self, step: usize, code: u32) -> &Cell {
        let step = &self.steps[step];
        &step.cells[step.group_of[code as usize] as usize]
    }

    /// The leaves below what a value is published as, 0 where there is only one.
    pub(crate) fn leaves(&self, step: usize, code: u32) -> u32 {
        let step = &self.steps[step];
        step.leaves[step.group_of[code as usize] as usize]
    }

    /// The leaves of the whole hierarchy.
    pub(crate) fn root_leaves(&self) -> u32 {
        self.root_leaves
    }
}

impl Step {
    /// The step on which the value `code` is published as `nodes[code]`. Groups are numbered in the order of
    /// their least code.
    fn new(level: usize, nodes: &[NodeId], hierarchy: &BoundHierarchy) -> Step {
        let tree = hierarchy.tree();
        let mut number: HashMap<NodeId, u32> = HashMap::new();
        let mut step =
            Step { level, group_of: Vec::with_capacity(nodes.len()), cells: vec![], leaves: vec![] };
        for (code, &node) in nodes.iter().enumerate() {
            let group = *number.entry(node).or_insert_with(|| {
                let exact = tree.is_leaf(node);
                step.cells.push(if exact { Cell::Exact(code as u32) } else { Cell::Node(node) });
                step.leaves.push(match tree.leaves_below(node).len() {
                    1 => 0,
                    leaves => leaves as u32,
                });
                step.cells.len() as u32 - 1
            });
            step.group_of.push(group);
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Hierarchy, Kind, Role};

    use super::*;
    use crate::fixture;

    fn ladder(file: &str, missing: &[&str]) -> (Ladder, BoundHierarchy) {
        let lines: Vec<Vec<&str>> = file.split_whitespace().map(|line| line.split(';').collect()).collect();
        let values: Vec<&str> = lines.iter().map(|line| line[0]).chain(missing.iter().copied()).collect();
        let tree = Hierarchy::from_rows(&lines).unwrap();
        let column = fixture::column("c", Role::QuasiIdentifier, Kind::Text, &values, Some(tree));
        let bound = column.hierarchy.unwrap();
        (Ladder::new(&bound), bound)
    }

    #[test]
    fn levels_that_group_alike_are_no_steps() {
        // Level 1 renames the values, level 3 renames level 2.
        let (ladder, _) = ladder("a;A;AB;X;* b;B;AB;X;* c;C;C2;Y;*", &[]);
        let levels: Vec<usize> = (0..ladder.len()).map(|step| ladder.level(step)).collect();
        assert_eq!(levels, [0, 2, 4]);
        assert_eq!(ladder.group_of(1), [0, 0, 1]);
        assert_eq!(ladder.groups(ladder.top()), 1);
    }

    #[test]
    fn values_that_share_a_group_never_part_again() {
        let (ladder, bound) = ladder("a;X;X;Y;* b;X;Y;Y;* c;c;Y;Y;* d;d;d;Z;*", &[]);
        let y = bound.tree().node("Y").unwrap();
        // On level 2 the file has X for a and Y for b and c; all three go to Y.
        assert_eq!(ladder.group_of(1), [0, 0, 1, 2]);
        assert_eq!(ladder.group_of(2), [0, 0, 0, 1]);
        assert_eq!(ladder.cell(2, 0), &Cell::Node(y));
        assert_eq!((ladder.len(), ladder.level(2), ladder.level(3)), (4, 2, 4));
    }

    #[test]
    fn leaves_stay_exact_on_higher_steps_and_cost_nothing() {
        let (ladder, bound) = ladder("a;AB;* b;AB;*", &["?"]);
        assert_eq!(ladder.cell(1, 2), &Cell::Exact(2));
        assert_eq!(ladder.leaves(1, 2), 0);
        assert_eq!(ladder.cell(1, 0), &Cell::Node(bound.tree().node("AB").unwrap()));
        assert_eq!((ladder.leaves(1, 0), ladder.root_leaves()), (2, 3));
        assert_eq!(ladder.cell(2, 2), &Cell::Node(bound.tree().root()));
    }

    #[test]
    fn one_value_makes_one_step() {
        let (ladder, _) = ladder("a;A;*", &[]);
        assert_eq!((ladder.len(), ladder.top(), ladder.groups(0)), (1, 0, 1));
    }
}
