//! What can be known of a cell, and which published cells fit what is known.
//!
//! An *item* is a node of a quasi-identifier's hierarchy other than the root. Cells at or below an item fit it; where
//! everybody counts who may be the one, so do cells above it. Then values that no cell names can be known as well.
//! They differ only in which published cells lie above them, so one of them stands for all that have the same nearest
//! cell above. A value that the tree does not know, a missing one among them, hangs directly below `*`.

use std::collections::HashMap;
use std::sync::Arc;

use shoal_core::{Hierarchy, NodeId, RawColumn, Support};

/// The items that matter in a file, numbered quasi-identifier by quasi-identifier.
#[derive(Debug, Default)]
pub(super) struct Items {
    known: Vec<Item>,
    columns: Vec<Cells>,
    /// The items that a cell fits, ascending, by the item that stands for the cell.
    fits: Vec<Vec<u32>>,
}

#[derive(Debug)]
struct Item {
    quasi: u32,
    text: String,
    /// The item itself and those above it.
    upwards: Vec<u32>,
}

/// The published cells of one column, by code.
#[derive(Debug)]
struct Cells {
    /// The item that stands for a cell: the most special one that it names. For `*` it is the item of all values that no
    /// other cell is above, where such values count, otherwise nothing.
    own: Vec<Option<u32>>,
    /// The item that stands for `*`.
    star: Option<u32>,
}

/// What makes two items of a column one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    Node(NodeId),
    /// A text that the tree does not know.
    Text(u32),
    /// Values that no cell names, below this node and no published cell nearer to them.
    Unnamed(NodeId),
    /// Values above which there is no published cell but `*`.
    Outside,
}

impl Items {
    /// The items of the published columns, each with its tree.
    pub(super) fn new(columns: &[(&RawColumn, &Arc<Hierarchy>)], support: Support) -> Items {
        let mut items = Items::default();
        for (column, tree) in columns {
            match support {
                Support::Compatible => items.read_compatible(column, tree),
                Support::Paper => items.read_paper(column, tree),
            }
        }
        items
    }

    /// Only what the cells say can be known, and a cell fits what it says.
    fn read_paper(&mut self, column: &RawColumn, tree: &Hierarchy) {
        let own = self.name(column, tree, says_something(column, tree), &mut HashMap::new());
        let new = self.known[self.fits.len()..].iter();
        self.fits.extend(new.map(|item| ascending(item.upwards.clone())));
        self.columns.push(Cells { own, star: None });
    }

    /// Everything in the tree can be known, and a value outside it. A cell also fits what lies below it.
    fn read_compatible(&mut self, column: &RawColumn, tree: &Hierarchy) {
        let first = self.known.len() as u32;
        let mut numbers = HashMap::new();
        // The top of a tree is not above a value outside it, so it says something unless it is `*` itself.
        let mut own = self.name(column, tree, tree.label(tree.root()) != "*", &mut numbers);
        let below = self.below(first);
        let nearest = nearest_cells(column, tree);
        for (node, leaf) in nearest.unnamed {
            // The root has no number where it is `*`. Where nothing is named below a node, that is enough.
            let Some(&item) = numbers.get(&Meaning::Node(node)) else { continue };
            if below[(item - first) as usize].len() > 1 {
                let mut above = self.upwards(item).to_vec();
                self.add(&mut numbers, Meaning::Unnamed(node), tree.label(leaf), &mut above);
            }
        }
        let star = own.contains(&None).then(|| {
            let text = nearest.outside.map_or(OUTSIDE, |leaf| tree.label(leaf));
            self.add(&mut numbers, Meaning::Outside, text, &mut Vec::new())
        });
        own.iter_mut().for_each(|own| *own = own.or(star));
        let below = self.below(first);
        let all = first..self.known.len() as u32;
        let fits = |own: u32| match Some(own) == star {
            true => all.clone().collect(),
            false => ascending([self.upwards(own), &below[(own - first) as usize]].concat()),
        };
        let fits: Vec<Vec<u32>> = all.clone().map(fits).collect();
        self.fits.extend(fits);
        self.columns.push(Cells { own, star });
    }

    /// For each item from the first one on, the item itself and those below it.
    fn below(&self, first: u32) -> Vec<Vec<u32>> {
        let mut below = vec![Vec::new(); self.known.len() - first as usize];
        for item in first..self.known.len() as u32 {
            self.upwards(item).iter().for_each(|above| below[(above - first) as usize].push(item));
        }
        below
    }

    /// Numbers the items that the cells of a column name; for each code the most special one.
    fn name(
        &mut self,
        column: &RawColumn,
        tree: &Hierarchy,
        top_is_known: bool,
        numbers: &mut HashMap<Meaning, u32>,
    ) -> Vec<Option<u32>> {
        let mut own = |code: u32| {
            let mut above: Vec<u32> = Vec::new();
            // From the top down, so that an item knows what lies above it.
            for (meaning, text) in meanings(column, tree, code, top_is_known).into_iter().rev() {
                self.add(numbers, meaning, text, &mut above);
            }
            above.first().copied()
        };
        (0..column.labels.len() as u32).map(&mut own).collect()
    }

    /// Puts an item in front of those above it, and numbers it if it is new.
    fn add(
        &mut self,
        numbers: &mut HashMap<Meaning, u32>,
        meaning: Meaning,
        text: &str,
        above: &mut Vec<u32>,
    ) -> u32 {
        let (next, quasi) = (self.known.len() as u32, self.columns.len() as u32);
        let item = *numbers.entry(meaning).or_insert(next);
        above.insert(0, item);
        if item == next {
            self.known.push(Item { quasi, text: text.to_owned(), upwards: above.clone() });
        }
        item
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// How many quasi-identifiers there are.
    pub(super) fn quasi_identifiers(&self) -> u32 {
        self.columns.len() as u32
    }

    /// The quasi-identifier of an item.
    pub(super) fn quasi(&self, item: u32) -> u32 {
        self.known[item as usize].quasi
    }

    /// How an item is written.
    pub(super) fn text(&self, item: u32) -> &str {
        &self.known[item as usize].text
    }

    /// An item and all items above it.
    pub(super) fn upwards(&self, item: u32) -> &[u32] {
        &self.known[item as usize].upwards
    }

    /// The item that stands for a published text, if it says anything.
    pub(super) fn own(&self, quasi: usize, code: u32) -> Option<u32> {
        self.columns[quasi].own[code as usize]
    }

    /// The items that a cell fits, ascending; the cell is given by the item that stands for it.
    pub(super) fn fits(&self, own: u32) -> &[u32] {
        &self.fits[own as usize]
    }

    /// Whether everything that fits one cell fits another one of its column, which lies at or above it. Both are given
    /// by the items that stand for them.
    pub(super) fn is_at_or_above(&self, above: u32, below: u32) -> bool {
        let star = self.columns[self.quasi(above) as usize].star;
        self.upwards(below).contains(&above) || star == Some(above)
    }
}

/// How a value that is not in the tree is written where every value in it is named.
const OUTSIDE: &str = "(a value that the hierarchy does not know)";

fn ascending(mut items: Vec<u32>) -> Vec<u32> {
    items.sort_unstable();
    items.dedup();
    items
}

/// Which values of a tree no cell names.
struct Nearest {
    /// A published node and a leaf below it, itself excepted, to which it is the nearest.
    unnamed: Vec<(NodeId, NodeId)>,
    /// A leaf with no published node above it.
    outside: Option<NodeId>,
}

/// Finds for every leaf the lowest published node at or above it.
fn nearest_cells(column: &RawColumn, tree: &Hierarchy) -> Nearest {
    let is_text = |code: &u32| column.null != Some(*code);
    let texts = (0..column.labels.len() as u32).filter(is_text).map(|code| column.labels.get(code));
    let mut nodes: Vec<NodeId> = texts.filter_map(|text| tree.node(text)).collect();
    // Lower ones come later and take their leaves from those above.
    nodes.sort_by_key(|&node| (tree.depth(node), node.0));
    let mut nearest = vec![None; tree.leaf_count() as usize];
    for &node in &nodes {
        nearest[as_places(tree.leaves_below(node))].fill(Some(node));
    }
    let unnamed = |&node: &NodeId| {
        let mut leaves = tree.leaves_below(node);
        let leaf = leaves.find(|&leaf| nearest[leaf as usize] == Some(node) && tree.leaf_node(leaf) != node);
        leaf.map(|leaf| (node, tree.leaf_node(leaf)))
    };
    let is_free = |leaf: &u32| {
        let node = nearest[*leaf as usize];
        node.is_none() || (node == Some(tree.root()) && tree.label(tree.root()) == "*")
    };
    let outside = (0..tree.leaf_count()).find(is_free).map(|leaf| tree.leaf_node(leaf));
    Nearest { unnamed: nodes.iter().filter_map(unnamed).collect(), outside }
}

fn as_places(leaves: std::ops::Range<u32>) -> std::ops::Range<usize> {
    leaves.start as usize..leaves.end as usize
}

/// A text and what it lies below, short of the root. A text that the tree does not know hangs directly below the
/// root; so does a null, of which the tree may know nothing but what lies above the empty text.
fn meanings<'a>(
    column: &'a RawColumn,
    tree: &'a Hierarchy,
    code: u32,
    top_is_known: bool,
) -> Vec<(Meaning, &'a str)> {
    let text = column.labels.get(code);
    let mut meanings = Vec::new();
    let mut node = tree.node(text);
    if column.null == Some(code) {
        node = node.and_then(|node| tree.parent(node));
        meanings.push((Meaning::Text(code), text));
    } else if node.is_none() && text != "*" {
        meanings.push((Meaning::Text(code), text));
    }
    while let Some(at) = node {
        if at != tree.root() || top_is_known {
            meanings.push((Meaning::Node(at), tree.label(at)));
        }
        node = tree.parent(at);
    }
    meanings
}

/// Whether the top of a tree says something: where it is not called `*` and other texts hang beside it, it says
/// that the value is none of those.
fn says_something(column: &RawColumn, tree: &Hierarchy) -> bool {
    let is_strange = |text: &str| text != "*" && tree.node(text).is_none();
    tree.label(tree.root()) != "*" && column.labels.iter().any(is_strange)
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::super::tests::tree;
    use super::*;

    /// The items of a column with these cells, and for each cell the texts that it fits.
    fn fits(cells: &[&str], lines: &[&str], support: Support) -> Vec<Vec<String>> {
        let rows: Vec<Vec<&str>> = cells.iter().map(|cell| vec![*cell]).collect();
        let file = RawTable::from_rows(&["place"], &rows);
        let column = &file.columns[0];
        let items = Items::new(&[(column, &tree(lines))], support);
        let texts = |code: &u32| {
            let fits = items.own(0, *code).map(|own| items.fits(own)).unwrap_or_default();
            let mut texts: Vec<String> = fits.iter().map(|&item| items.text(item).to_owned()).collect();
            texts.sort();
            texts
        };
        column.codes.iter().map(texts).collect()
    }

    const PLACES: [&str; 5] = ["a ab *", "b ab *", "c cd *", "d cd *", "e e *"];

    #[test]
    fn by_the_papers_count_a_cell_fits_what_it_says() {
        let found = fits(&["a", "ab", "*", "zebra"], &PLACES, Support::Paper);
        assert_eq!(found, [vec!["a", "ab"], vec!["ab"], vec![], vec!["zebra"]]);
    }

    #[test]
    fn a_cell_fits_what_lies_above_and_below_it() {
        let found = fits(&["a", "ab"], &PLACES, Support::Compatible);
        // b is named by nobody and stands for all values below ab but a.
        assert_eq!(found, [vec!["a", "ab"], vec!["a", "ab", "b"]]);
        // Where nothing is published below ab, ab stands for its values.
        assert_eq!(fits(&["ab"], &PLACES, Support::Compatible), [vec!["ab"]]);
        let found = fits(&["a", "b", "ab"], &PLACES, Support::Compatible);
        assert_eq!(found, [vec!["a", "ab"], vec!["ab", "b"], vec!["a", "ab", "b"]]);
    }

    #[test]
    fn a_star_fits_everything_and_somebody_may_know_what_nobody_names() {
        let found = fits(&["a", "*", "zebra"], &PLACES, Support::Compatible);
        assert_eq!(found, [vec!["a", "ab"], vec!["a", "ab", "b", "zebra"], vec!["zebra"]]);
        // All values of the tree are named: a missing one may still be known.
        let found = fits(&["x", "y", "*"], &["x *", "y *"], Support::Compatible);
        assert_eq!(found, [vec!["x"], vec!["y"], vec![OUTSIDE, "x", "y"]]);
        // The top of a tree that is not called `*` is not above what the tree does not know.
        let found = fits(&["x", "any", "*"], &["x any", "y any"], Support::Compatible);
        assert_eq!(found, [vec!["any", "x"], vec!["any", "x", "y"], vec![OUTSIDE, "any", "x", "y"]]);
        assert_eq!(fits(&["*"], &PLACES, Support::Compatible), [vec!["a"]]);
    }

    /// Whoever knows that somebody was at any place of the tree knows that it was not the zebra.
    #[test]
    fn by_the_papers_count_the_top_of_a_tree_says_something_beside_what_it_does_not_hold() {
        let lines = ["x any", "y any"];
        let found = fits(&["x", "any", "zebra"], &lines, Support::Paper);
        assert_eq!(found, [vec!["any", "x"], vec!["any"], vec!["zebra"]]);
        // Beside nothing but `*` everybody may be below it.
        assert_eq!(fits(&["x", "any", "*"], &lines, Support::Paper), [vec!["x"], vec![], vec![]]);
    }
}
