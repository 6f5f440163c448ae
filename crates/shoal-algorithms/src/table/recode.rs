//! What a set of members publishes in each column, and what that costs.
//!
//! A [`Cover`] is the least that says "all of these": it grows value by value and knows its cost at any
//! time. The cost is the normalized certainty penalty: the share of the domain that a reader must
//! consider possible, 0 for an exact value and 1 for nothing at all.

use shoal_core::{BoundHierarchy, Cell, Class, Column, Domain};

/// The columns of a table as an algorithm recodes them.
pub(crate) struct Recoder<'a> {
    scales: Vec<Scale<'a>>,
    /// Adding up to 1.
    shares: Vec<f64>,
}

impl<'a> Recoder<'a> {
    /// Prepares the columns.
    pub(crate) fn new(quasi: &[&'a Column]) -> Self {
        let total: f64 = quasi.iter().map(|c| c.weight).sum();
        Recoder {
            scales: quasi.iter().map(|column| Scale::of(column)).collect(),
            shares: quasi.iter().map(|c| c.weight / total).collect(),
        }
    }

    /// The cover of no members.
    pub(crate) fn nothing(&self) -> Vec<Cover> {
        self.scales.iter().map(Scale::nothing).collect()
    }

    /// Lets a cover grow by one member.
    pub(crate) fn add(&self, covers: &mut [Cover], point: &[u32]) {
        for ((scale, cover), &code) in self.scales.iter().zip(covers).zip(point) {
            scale.add(cover, code);
        }
    }

    /// What one member of the class loses, in [0, 1]: the mean over the columns, by their weights.
    pub(crate) fn cost(&self, covers: &[Cover]) -> f64 {
        self.mean(covers.iter().zip(&self.scales).map(|(cover, scale)| scale.cost(cover)))
    }

    /// The same if `point` were one more member.
    pub(crate) fn cost_with(&self, covers: &[Cover], point: &[u32]) -> f64 {
        let cells = covers.iter().zip(&self.scales).zip(point);
        self.mean(cells.map(|((cover, scale), &code)| scale.cost_with(cover, code)))
    }

    /// What the members publish.
    pub(crate) fn class(&self, covers: &[Cover]) -> Class {
        Class { cells: covers.iter().zip(&self.scales).map(|(cover, scale)| scale.cell(cover)).collect() }
    }

    fn mean(&self, costs: impl Iterator<Item = f64>) -> f64 {
        costs.zip(&self.shares).map(|(cost, share)| cost * share).sum()
    }
}

/// How the values of one column are put together.
pub(crate) enum Scale<'a> {
    /// Numbers and dates: ranges.
    Line(Line<'a>),
    /// Names: sets.
    Names {
        /// How many values the domain has.
        values: u32,
    },
    /// Anything with a hierarchy: nodes.
    Tree(Tree<'a>),
}

/// The values of one column that some members have.
#[derive(Clone, Debug)]
pub(crate) enum Cover {
    /// Lines and trees: the least and the greatest, as codes or as leaves.
    Span {
        /// The least.
        lo: u32,
        /// The greatest.
        hi: u32,
    },
    /// Names: a bit for each code.
    Set {
        /// The bits.
        bits: Vec<u64>,
        /// How many are set.
        count: u32,
    },
}

impl<'a> Scale<'a> {
    /// The scale of a column: its hierarchy where it has one, else by its kind.
    pub(crate) fn of(column: &'a Column) -> Self {
        match &column.hierarchy {
            Some(bound) => Scale::Tree(Tree::of(bound)),
            None if column.domain.is_ordered() => Scale::Line(Line::of(&column.domain)),
            None => Scale::Names { values: column.domain.len() as u32 },
        }
    }

    fn nothing(&self) -> Cover {
        match self {
            Scale::Line(_) | Scale::Tree(_) => Cover::Span { lo: u32::MAX, hi: 0 },
            Scale::Names { values } => Cover::Set { bits: vec![0; values.div_ceil(64) as usize], count: 0 },
        }
    }

    fn add(&self, cover: &mut Cover, code: u32) {
        match cover {
            Cover::Span { lo, hi } => {
                let at = self.at(code);
                *lo = at.min(*lo);
                *hi = at.max(*hi);
            }
            Cover::Set { bits, count } => {
                let (word, bit) = (&mut bits[code as usize / 64], 1 << (code % 64));
                *count += u32::from(*word & bit == 0);
                *word |= bit;
            }
        }
    }

    fn cost(&self, cover: &Cover) -> f64 {
        match cover {
            Cover::Span { lo, hi } => self.span_cost(*lo, *hi),
            Cover::Set { count, .. } => self.set_cost(*count),
        }
    }

    fn cost_with(&self, cover: &Cover, code: u32) -> f64 {
        match cover {
            Cover::Span { lo, hi } => {
                let at = self.at(code);
                self.span_cost(at.min(*lo), at.max(*hi))
            }
            Cover::Set { bits, count } => {
                let known = bits[code as usize / 64] >> (code % 64) & 1;
                self.set_cost(count + 1 - known as u32)
            }
        }
    }

    fn cell(&self, cover: &Cover) -> Cell {
        match (self, cover) {
            (Scale::Line(line), &Cover::Span { lo, hi }) => line.cell(lo, hi),
            (Scale::Tree(tree), &Cover::Span { lo, hi }) => tree.cell(lo, hi),
            (_, Cover::Set { bits, .. }) => set_cell(bits),
            (Scale::Names { .. }, Cover::Span { .. }) => unreachable!("names are covered by sets"),
        }
    }

    /// Where a value stands on the scale: its leaf in a tree, else its code.
    pub(crate) fn at(&self, code: u32) -> u32 {
        match self {
            Scale::Tree(tree) => tree.bound.leaf_of(code),
            Scale::Line(_) | Scale::Names { .. } => code,
        }
    }

    /// The cost of covering all from `lo` to `hi`.
    pub(crate) fn span_cost(&self, lo: u32, hi: u32) -> f64 {
        match self {
            Scale::Line(line) => line.cost(lo, hi),
            Scale::Tree(tree) => tree.cost(lo, hi),
            Scale::Names { .. } => self.set_cost(hi - lo + 1),
        }
    }

    /// The cost of a set of `count` names.
    pub(crate) fn set_cost(&self, count: u32) -> f64 {
        match self {
            Scale::Names { values } if count > 1 => f64::from(count) / f64::from(*values),
            _ => 0.0,
        }
    }
}

/// Values on a line; the missing one, if any, stands beside it.
pub(crate) struct Line<'a> {
    positions: &'a [f64],
    missing: Option<u32>,
    span: f64,
    /// 1, or less where the span would be beyond all numbers.
    shrink: f64,
}

impl<'a> Line<'a> {
    /// The line of an ordered domain.
    pub(crate) fn of(domain: &'a Domain) -> Self {
        let positions = domain.positions();
        let shrink = if domain.span().is_finite() { 1.0 } else { 0.25 };
        let ends = positions.first().zip(positions.last());
        let span = ends.map_or(0.0, |(first, last)| last * shrink - first * shrink);
        Line { positions, missing: domain.missing(), span, shrink }
    }

    /// The share of the line from one code to a greater one; 1 from any value to the missing one.
    pub(crate) fn cost(&self, lo: u32, hi: u32) -> f64 {
        if lo == hi {
            0.0
        } else if self.missing == Some(hi) {
            1.0
        } else if self.span == 0.0 {
            0.0
        } else {
            let at = |code: u32| self.positions[code as usize] * self.shrink;
            (at(hi) - at(lo)) / self.span
        }
    }

    fn cell(&self, lo: u32, hi: u32) -> Cell {
        if lo == hi {
            Cell::Exact(lo)
        } else if self.missing == Some(hi) {
            // No range holds the missing value, so nothing can be said that is true of all.
            Cell::Suppressed
        } else {
            Cell::Range { lo, hi }
        }
    }
}

/// A hierarchy with the cost of each of its nodes.
pub(crate) struct Tree<'a> {
    /// The hierarchy.
    pub(crate) bound: &'a BoundHierarchy,
    code_of_leaf: Vec<u32>,
    cost_of_node: Vec<f64>,
}

impl<'a> Tree<'a> {
    fn of(bound: &'a BoundHierarchy) -> Self {
        let tree = bound.tree();
        let mut code_of_leaf = vec![u32::MAX; tree.leaf_count() as usize];
        for (code, &leaf) in bound.leaves().iter().enumerate() {
            code_of_leaf[leaf as usize] = code as u32;
        }
        let cost = |node| match tree.leaves_below(shoal_core::NodeId(node)).len() {
            1 => 0.0,
            leaves => leaves as f64 / f64::from(tree.leaf_count()),
        };
        let cost_of_node = (0..tree.node_count() as u32).map(cost).collect();
        Tree { bound, code_of_leaf, cost_of_node }
    }

    fn cost(&self, lo: u32, hi: u32) -> f64 {
        self.cost_of_node[self.bound.tree().lowest_common(lo, hi).0 as usize]
    }

    fn cell(&self, lo: u32, hi: u32) -> Cell {
        if lo == hi {
            Cell::Exact(self.code_of_leaf[lo as usize])
        } else {
            Cell::Node(self.bound.tree().lowest_common(lo, hi))
        }
    }
}

fn set_cell(bits: &[u64]) -> Cell {
    let mut codes = Vec::new();
    for (word, &bits) in bits.iter().enumerate() {
        let mut rest = bits;
        while rest != 0 {
            codes.push(word as u32 * 64 + rest.trailing_zeros());
            rest &= rest - 1;
        }
    }
    match codes[..] {
        [only] => Cell::Exact(only),
        _ => Cell::Set(codes),
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Hierarchy, Kind, Role};

    use super::*;
    use crate::fixture;

    fn column(kind: Kind, values: &[&str], tree: Option<&[Vec<&str>]>) -> Column {
        let tree = tree.map(|lines| Hierarchy::from_rows(lines).unwrap());
        fixture::column("c", Role::QuasiIdentifier, kind, values, tree)
    }

    /// The cell of members given by their labels and its cost, which `cost_with` must have predicted.
    fn cover(column: &Column, members: &[&str]) -> (String, f64) {
        let recoder = Recoder::new(&[column]);
        let mut covers = recoder.nothing();
        let mut predicted = 0.0;
        for (nth, label) in members.iter().enumerate() {
            let code = [column.domain.code_of(label).unwrap()];
            if nth > 0 {
                predicted = recoder.cost_with(&covers, &code);
            }
            recoder.add(&mut covers, &code);
            assert_eq!(recoder.cost(&covers), predicted, "{label}");
        }
        (column.render(&recoder.class(&covers).cells[0]), predicted)
    }

    #[test]
    fn numbers_become_ranges_and_missing_ones_nothing() {
        let ages = column(Kind::Integer, &["10", "25", "40", "100", "?"], None);
        assert_eq!(cover(&ages, &["25"]), ("25".into(), 0.0));
        assert_eq!(cover(&ages, &["40", "25", "25"]), ("[25, 40]".into(), 15.0 / 90.0));
        assert_eq!(cover(&ages, &["?", "?"]), ("?".into(), 0.0));
        assert_eq!(cover(&ages, &["25", "?"]), ("*".into(), 1.0));
    }

    #[test]
    fn a_domain_of_one_point_or_beyond_all_numbers_costs_what_is_possible() {
        let same = column(Kind::Integer, &["7", "007"], None);
        assert_eq!(cover(&same, &["7", "007"]), ("[007, 7]".into(), 0.0));
        let wide = column(Kind::Decimal, &["-1.7e308", "0", "1.7e308"], None);
        assert_eq!(cover(&wide, &["0", "1.7e308"]).1, 0.5);
        assert_eq!(cover(&wide, &["-1.7e308", "1.7e308"]).1, 1.0);
    }

    #[test]
    fn names_become_sets_and_a_missing_name_is_one_of_them() {
        let many: Vec<String> = (0..99).map(|i| format!("n{i:02}")).chain(["?".to_owned()]).collect();
        let names = column(Kind::Text, &many.iter().map(String::as_str).collect::<Vec<_>>(), None);
        assert_eq!(cover(&names, &["n70", "n70"]), ("n70".into(), 0.0));
        assert_eq!(cover(&names, &["n70", "n03", "?", "n70"]), ("{?, n03, n70}".into(), 0.03));
    }

    #[test]
    fn hierarchies_give_the_lowest_node_above_all() {
        let tree: &[Vec<&str>] =
            &[vec!["c", "C", "*"], vec!["a", "AB", "*"], vec!["b", "AB", "*"], vec!["unused", "AB", "*"]];
        let letters = column(Kind::Text, &["a", "b", "c"], Some(tree));
        assert_eq!(cover(&letters, &["b", "b"]), ("b".into(), 0.0));
        assert_eq!(cover(&letters, &["b", "a"]), ("AB".into(), 0.75));
        assert_eq!(cover(&letters, &["b", "a", "c"]), ("*".into(), 1.0));
    }

    #[test]
    fn columns_count_by_their_weights() {
        let mut heavy = column(Kind::Integer, &["0", "1", "2"], None);
        heavy.weight = 3.0;
        let light = column(Kind::Text, &["a", "b"], None);
        let recoder = Recoder::new(&[&heavy, &light]);
        let mut covers = recoder.nothing();
        recoder.add(&mut covers, &[0, 0]);
        recoder.add(&mut covers, &[1, 1]);
        assert_eq!(recoder.cost(&covers), 0.75 * 0.5 + 0.25 * 1.0);
    }
}
