use std::collections::HashMap;
use std::ops::Range;

use super::HierarchyError;

/// A node of one [`Hierarchy`]. Node 0 is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A rooted tree over the values of a column.
///
/// Leaves are numbered in the order of a depth-first traversal of the tree, so that the leaves below any node are a
/// range of numbers and the least node above a set of leaves is the least node above its first and its
/// last one. That one is found in constant time: the deepest common node of two leaves is the shallowest
/// of the nodes in which neighbouring leaves between them meet, and a sparse table answers such
/// range-minimum questions.
///
/// A tree also has *levels*: level 0 are the leaves, and every line of its file names one node per level.
/// Where a line is shorter than others, its top stands for the levels that it does not have.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    /// Leaf number → node.
    leaves: Vec<NodeId>,
    /// `levels[level][leaf]`.
    levels: Vec<Vec<NodeId>>,
    by_label: HashMap<String, NodeId>,
    /// `meet[j][i]`: the shallowest node where two neighbours among the leaves i ..= i + 2^j meet.
    meet: Vec<Vec<NodeId>>,
}

#[derive(Clone, Debug)]
struct Node {
    label: String,
    parent: Option<NodeId>,
    depth: u32,
    leaves: Range<u32>,
}

impl Hierarchy {
    /// Builds the tree from lines, each from a leaf to the top. Equal labels that follow each other in a
    /// line are one node that is on several levels.
    pub fn from_rows<S: AsRef<str>>(rows: &[Vec<S>]) -> Result<Hierarchy, HierarchyError> {
        let cells = |row: &Vec<S>| row.iter().map(|cell| cell.as_ref().to_owned()).collect();
        let lines: Vec<(usize, Vec<String>)> =
            rows.iter().enumerate().map(|(number, row)| (number + 1, cells(row))).collect();
        Hierarchy::from_lines(&lines)
    }

    /// The same, with the number of each line in its file, for errors.
    pub(super) fn from_lines(lines: &[(usize, Vec<String>)]) -> Result<Hierarchy, HierarchyError> {
        let lines: Vec<Line<'_>> = lines
            .iter()
            .map(|(number, cells)| Line {
                number: *number,
                cells: cells.iter().map(String::as_str).collect(),
            })
            .collect();
        check_lines(&lines, MOST_LINES)?;
        let parents = parents(&lines)?;
        let children = children(&lines);
        let top = *lines[0].cells.last().expect("checked: no line is empty");

        let mut tree = Hierarchy {
            nodes: Vec::new(),
            leaves: Vec::new(),
            levels: Vec::new(),
            by_label: HashMap::new(),
            meet: Vec::new(),
        };
        tree.grow(top, None, 0, &children);
        debug_assert_eq!(tree.nodes.len(), parents.len() + 1);
        tree.levels = tree.levels_of(&lines);
        tree.meet = tree.meeting_points();
        Ok(tree)
    }

    /// The same tree with one more leaf directly below a root labelled `*`: how a missing value joins a
    /// hierarchy that does not know it.
    pub fn with_leaf(&self, label: &str) -> Result<Hierarchy, HierarchyError> {
        let mut rows = self.rows();
        let starred = self.label(self.root()) == "*";
        // The new leaf repeats on every level below `*`, so that it lies directly below it and the tree keeps its
        // height.
        let depth = self.levels.len() - usize::from(starred);
        if !starred {
            rows.iter_mut().for_each(|row| row.push("*".to_owned()));
        }
        let mut row = vec![label.to_owned(); depth.max(1)];
        row.push("*".to_owned());
        rows.push(row);
        Hierarchy::from_rows(&rows)
    }

    /// The lines of the tree, one per leaf, a label per level.
    pub fn rows(&self) -> Vec<Vec<String>> {
        (0..self.leaves.len())
            .map(|leaf| self.levels.iter().map(|level| self.label(level[leaf]).to_owned()).collect())
            .collect()
    }

    /// The node above all others.
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> u32 {
        self.leaves.len() as u32
    }

    /// How many levels there are, the leaves being the first.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// The text of a node.
    pub fn label(&self, node: NodeId) -> &str {
        &self.nodes[node.0 as usize].label
    }

    /// The node directly above.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.nodes[node.0 as usize].parent
    }

    /// How many steps a node lies below the root.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.nodes[node.0 as usize].depth
    }

    /// The node with this text.
    pub fn node(&self, label: &str) -> Option<NodeId> {
        self.by_label.get(label).copied()
    }

    /// The number of the leaf with this text.
    pub fn leaf(&self, label: &str) -> Option<u32> {
        let node = self.node(label)?;
        self.is_leaf(node).then(|| self.nodes[node.0 as usize].leaves.start)
    }

    /// The node of a leaf.
    pub fn leaf_node(&self, leaf: u32) -> NodeId {
        self.leaves[leaf as usize]
    }

    /// Whether nothing lies below the node.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        self.leaf_node(self.nodes[node.0 as usize].leaves.start) == node
    }

    /// The leaves below a node (a leaf lies below itself).
    pub fn leaves_below(&self, node: NodeId) -> Range<u32> {
        self.nodes[node.0 as usize].leaves.clone()
    }

    /// The node that stands for a leaf on a level; levels above the last are the last.
    pub fn ancestor(&self, leaf: u32, level: usize) -> NodeId {
        self.levels[level.min(self.levels.len() - 1)][leaf as usize]
    }

    /// The lowest node above both leaves, and so above all leaves between them. Constant time.
    pub fn lowest_common(&self, a: u32, b: u32) -> NodeId {
        let (lo, hi) = (a.min(b), a.max(b));
        if lo == hi {
            return self.leaf_node(lo);
        }
        // Two ranges of 2^power neighbours, from the left and from the right, cover all between `lo` and `hi`. They
        // may overlap: that does not change a minimum.
        let power = (hi - lo).ilog2();
        let row = &self.meet[power as usize];
        let (left, right) = (row[lo as usize], row[hi as usize - (1 << power)]);
        if self.depth(left) <= self.depth(right) { left } else { right }
    }

    fn grow(&mut self, label: &str, parent: Option<NodeId>, depth: u32, children: &Children<'_>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let first = self.leaves.len() as u32;
        self.nodes.push(Node { label: label.to_owned(), parent, depth, leaves: first..first });
        self.by_label.insert(label.to_owned(), id);
        match children.get(label) {
            None => self.leaves.push(id),
            Some(below) => below.iter().for_each(|child| {
                self.grow(child, Some(id), depth + 1, children);
            }),
        }
        self.nodes[id.0 as usize].leaves.end = self.leaves.len() as u32;
        id
    }

    fn levels_of(&self, lines: &[Line<'_>]) -> Vec<Vec<NodeId>> {
        let height = lines.iter().map(|line| line.cells.len()).max().unwrap_or(1);
        // Where a line is shorter than the longest one, its upper levels stay the root.
        let mut levels = vec![vec![self.root(); self.leaves.len()]; height];
        for line in lines {
            let leaf = self.leaf(line.cells[0]).expect("every line starts with a leaf") as usize;
            for (level, label) in line.cells.iter().enumerate() {
                levels[level][leaf] = self.by_label[*label];
            }
        }
        levels
    }

    fn meeting_points(&self) -> Vec<Vec<NodeId>> {
        let leaves = self.leaves.len();
        let shallower = |a: NodeId, b: NodeId| if self.depth(a) <= self.depth(b) { a } else { b };
        let mut meet: Vec<Vec<NodeId>> = Vec::new();
        let neighbours = (1..leaves as u32).map(|leaf| self.meet_by_climbing(leaf - 1, leaf)).collect();
        meet.push(neighbours);
        // Doubling: what 2^j neighbours meet in follows from the two halves of the range.
        let mut reach = 2;
        while reach < leaves {
            let below = &meet[meet.len() - 1];
            let half = reach / 2;
            meet.push((0..leaves - reach).map(|i| shallower(below[i], below[i + half])).collect());
            reach *= 2;
        }
        meet
    }

    fn meet_by_climbing(&self, a: u32, b: u32) -> NodeId {
        let (mut a, mut b) = (self.leaf_node(a), self.leaf_node(b));
        while a != b {
            // The deeper one goes up, so both arrive at the same node at the same depth.
            let deeper = if self.depth(a) >= self.depth(b) { &mut a } else { &mut b };
            *deeper = self.parent(*deeper).expect("only the root has no parent, and it is above both");
        }
        a
    }
}

/// Also what keeps the recursion of `grow` far from the end of the stack.
pub(super) const MOST_LEVELS: usize = 256;

/// Some tables of a tree have an entry per leaf and level or doubling: about 1 GiB for this many leaves.
pub(super) const MOST_LINES: usize = 5_000_000;

/// One line of a hierarchy file, from a leaf to the top.
struct Line<'a> {
    number: usize,
    cells: Vec<&'a str>,
}

type Children<'a> = HashMap<&'a str, Vec<&'a str>>;

fn check_lines(lines: &[Line<'_>], most: usize) -> Result<(), HierarchyError> {
    if lines.is_empty() {
        return Err(HierarchyError::Empty);
    }
    if lines.len() > most {
        return Err(HierarchyError::TooManyLines { lines: lines.len(), most });
    }
    let mut leaf_line = HashMap::with_capacity(lines.len());
    for &Line { number, ref cells } in lines {
        if cells.is_empty() {
            return Err(HierarchyError::Blank { line: number, column: 1 });
        }
        if cells.len() > MOST_LEVELS {
            return Err(HierarchyError::TooDeep { line: number, levels: cells.len(), most: MOST_LEVELS });
        }
        // The leaf may be blank, also on several levels: the empty text is a value like any other.
        let named = cells.iter().position(|label| !label.is_empty()).unwrap_or(1);
        if let Some(column) = cells.iter().skip(named).position(|label| label.is_empty()) {
            return Err(HierarchyError::Blank { line: number, column: column + named + 1 });
        }
        leaf_line.entry(cells[0]).or_insert(number);
    }
    let top = |line: &Line<'_>| (line.cells[line.cells.len() - 1].to_owned(), line.number);
    let mut path = Vec::new();
    for line in lines {
        steps(&line.cells, &mut path);
        for (at, label) in path.iter().enumerate() {
            // Repeated labels in a row are one step (`steps`), so a label that comes again later would be above
            // itself.
            if path[..at].contains(label) {
                return Err(HierarchyError::Cycle { line: line.number, label: (*label).to_owned() });
            }
            if at > 0
                && let Some(&leaf_line) = leaf_line.get(label)
            {
                let label = (*label).to_owned();
                return Err(HierarchyError::LeafIsGroup { label, leaf_line, group_line: line.number });
            }
        }
        if lines[0].cells.last() != line.cells.last() {
            let ((first, first_line), (second, second_line)) = (top(&lines[0]), top(line));
            return Err(HierarchyError::TwoTops { first, first_line, second, second_line });
        }
    }
    Ok(())
}

fn parents<'a>(lines: &[Line<'a>]) -> Result<HashMap<&'a str, (&'a str, usize)>, HierarchyError> {
    let mut parents: HashMap<&str, (&str, usize)> = HashMap::with_capacity(lines.len());
    let mut path = Vec::new();
    for line in lines {
        steps(&line.cells, &mut path);
        for pair in path.windows(2) {
            let (first, first_line) = *parents.entry(pair[0]).or_insert((pair[1], line.number));
            if first != pair[1] {
                return Err(HierarchyError::TwoParents {
                    label: pair[0].to_owned(),
                    first: first.to_owned(),
                    first_line,
                    second: pair[1].to_owned(),
                    second_line: line.number,
                });
            }
        }
    }
    Ok(parents)
}

/// Children of each label in order of their first line, so that the tree keeps the file's order.
fn children<'a>(lines: &[Line<'a>]) -> Children<'a> {
    let mut seen = std::collections::HashSet::with_capacity(lines.len());
    let mut children: Children<'a> = HashMap::new();
    let mut path = Vec::new();
    for line in lines {
        steps(&line.cells, &mut path);
        for pair in path.windows(2) {
            if seen.insert(pair[0]) {
                children.entry(pair[1]).or_default().push(pair[0]);
            }
        }
    }
    children
}

/// A line without the labels that repeat the one before. The path is the caller's, since a file has millions of lines.
fn steps<'a>(line: &[&'a str], path: &mut Vec<&'a str>) {
    path.clear();
    path.extend_from_slice(line);
    path.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<Vec<&str>> {
        text.split_whitespace().map(|line| line.split(';').collect()).collect()
    }

    fn tree(text: &str) -> Hierarchy {
        Hierarchy::from_rows(&rows(text)).unwrap()
    }

    #[test]
    fn lowest_common_agrees_with_walking_up() {
        // Lines out of tree order on purpose, one of them short, one with a repeated label.
        let tree = tree("a;A;AB;* c;C;C;* b;B;AB;* d;D;* a2;A;AB;* c2;C;C;* b2;B;AB;* e;E;DE2;*");
        for a in 0..tree.leaf_count() {
            for b in 0..tree.leaf_count() {
                assert_eq!(tree.lowest_common(a, b), tree.meet_by_climbing(a, b), "{a} {b}");
            }
        }
        let ab = tree.node("AB").unwrap();
        assert_eq!(tree.leaves_below(ab).len(), 4);
        assert!(tree.leaves_below(ab).contains(&tree.leaf("b2").unwrap()));
        assert_eq!(tree.leaf("A"), None);
    }

    #[test]
    fn levels_follow_the_columns_of_the_file() {
        let tree = tree("a;A;* b;*");
        let (a, b) = (tree.leaf("a").unwrap(), tree.leaf("b").unwrap());
        assert_eq!(tree.level_count(), 3);
        assert_eq!(tree.label(tree.ancestor(a, 1)), "A");
        assert_eq!(tree.label(tree.ancestor(b, 1)), "*");
        assert_eq!(tree.label(tree.ancestor(b, 9)), "*");
    }

    #[test]
    fn a_missing_value_joins_below_the_star() {
        // The empty text, too, on as many levels as the tree has.
        let blank = tree("a;A;* b;B;*").with_leaf("").unwrap();
        assert_eq!(blank.parent(blank.node("").unwrap()), Some(blank.root()));
        let with = tree("a;A;* b;B;*").with_leaf("?").unwrap();
        assert_eq!(with.leaf_count(), 3);
        assert_eq!(with.label(with.ancestor(with.leaf("?").unwrap(), 1)), "?");
        let topped = tree("a;Any b;Any").with_leaf("?").unwrap();
        assert_eq!(topped.label(topped.root()), "*");
        assert_eq!(topped.leaves_below(topped.node("Any").unwrap()).len(), 2);
    }

    #[test]
    fn broken_hierarchies_say_where() {
        let broken = |text: &str| Hierarchy::from_rows(&rows(text)).unwrap_err();
        assert!(matches!(broken(""), HierarchyError::Empty));
        assert!(matches!(
            broken("a;A;* b;A;* a;B;*"),
            HierarchyError::TwoParents { first_line: 1, second_line: 3, .. }
        ));
        assert!(matches!(
            broken("a;A;* b;A;+"),
            HierarchyError::TwoTops { second_line: 2, .. } | HierarchyError::TwoParents { .. }
        ));
        assert!(matches!(
            broken("a;b;* b;*"),
            HierarchyError::LeafIsGroup { leaf_line: 2, group_line: 1, .. }
        ));
        assert!(matches!(broken("a;A;B;A;*"), HierarchyError::Cycle { line: 1, .. }));
        assert!(matches!(broken("a;;*"), HierarchyError::Blank { line: 1, column: 2 }));
        let lines = ["a", "b", "c"].map(|leaf| Line { number: 1, cells: vec![leaf, "*"] });
        assert!(check_lines(&lines, 3).is_ok());
        assert_eq!(check_lines(&lines, 2), Err(HierarchyError::TooManyLines { lines: 3, most: 2 }));
    }
}
