//! How people are parted into strata, inside each of which a calibrated design hides values.
//!
//! It starts with one stratum for everybody and cuts it in two, again and again. A cut goes through one column: between two
//! numbers or dates (bands), between two children of a node of the hierarchy, or, in a column of texts without a hierarchy,
//! between the more and the less frequent texts. A cut is allowed where, on both sides, no value's share reaches 1/l and
//! there are enough people. Among the allowed cuts of all columns the one is made that tells most about the value
//! (information gain): what the value goes with is what an observer could learn, so strata should follow it. Where no cut is
//! allowed, the stratum stays: everything below is merged into it.
//!
//! A refinement of a cut is never allowed where the cut is not: both conditions of two parts hold for their union, since
//! people add up and a share of the union lies between those of the parts. So nothing is missed by stopping there.
//!
//! The result depends on the counts alone, not on their order. **Cost**: a stratum of n rows costs n plus, for each column,
//! at most `CUTS` times the number of values.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use shoal_core::stream::{StrataColumn, one_of};
use shoal_core::{Hierarchy, Kind, NodeId};
use thiserror::Error;

/// People that a stratum must hold at least, for each sensitive value there is: the shares of values are then known to a
/// tenth of themselves, taken over all values. A design that is calibrated to chance does not hide what is true: with n people
/// and d values, somebody who knows the true shares is right about 1 + √(d/n) times as often as promised.
const PEOPLE_PER_VALUE: u64 = 100;
/// And at least so many, however few values there are.
const LEAST_PEOPLE: u64 = 500;

/// People that a stratum must hold at least, where there are so many values.
pub fn least_people(values: usize) -> u64 {
    LEAST_PEOPLE.max(PEOPLE_PER_VALUE * values as u64)
}

/// Places where a column of numbers may be cut, at most; spread evenly over people where there would be more.
const CUTS: usize = 64;

/// People with the same cells and value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorRow {
    /// A text per column of the strata.
    pub cells: Vec<String>,
    /// The code of their sensitive value.
    pub value: u32,
    /// How many they are.
    pub count: u64,
}

/// A value that cannot be in a stratum.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{column}` holds `{text}`, which is not in its hierarchy")]
pub struct OutsideHierarchy {
    /// The column.
    pub column: String,
    /// The value.
    pub text: String,
}

/// Parts people into strata; a text per column for each. `values` is the number of sensitive values; each of them counts as
/// one person at least in every stratum, and so does the caller's design count it.
pub fn part_people(
    columns: &[StrataColumn],
    rows: &[PriorRow],
    values: usize,
    l: usize,
    least_people: u64,
) -> Result<Vec<Vec<String>>, OutsideHierarchy> {
    let units = columns
        .iter()
        .enumerate()
        .map(|(at, column)| Units::of(column, at, rows))
        .collect::<Result<Vec<_>, _>>()?;
    let parter = Parter { rows, units, values, l: l as u64, least_people };
    let whole: Vec<Part> = parter.units.iter().map(Units::whole).collect();
    let mut texts = Vec::new();
    let mut open = vec![((0..rows.len()).collect::<Vec<usize>>(), whole)];
    while let Some((members, parts)) = open.pop() {
        match parter.best_cut(&members, &parts) {
            Some(cut) => open.extend(parter.cut(&members, &parts, &cut)),
            None => {
                texts.push(parter.units.iter().zip(&parts).map(|(units, part)| units.text(part)).collect());
            }
        }
    }
    Ok(texts)
}

/// The values of a column as they can be cut.
struct Units {
    /// The unit of each row.
    of_row: Vec<u32>,
    form: Form,
}

enum Form {
    /// Numbers or dates, ascending, then the texts that are none.
    Ranks { labels: Vec<String>, positions: Vec<f64>, kind: Kind },
    /// Leaves of a tree.
    Leaves { tree: std::sync::Arc<Hierarchy>, children: HashMap<NodeId, Vec<NodeId>> },
    /// Texts, ascending.
    Texts(Vec<String>),
}

/// What of a column is in a stratum.
#[derive(Clone, Debug)]
enum Part {
    Ranks(Range<u32>),
    Nodes(Vec<NodeId>),
    Texts(Vec<u32>),
}

/// Neighbouring units that a cut does not part, in the order in which it may cut between them.
type Blocks = Vec<Part>;

/// Where to cut: in a column, before a block.
struct Cut {
    column: usize,
    blocks: Blocks,
    before: usize,
}

struct Parter<'p> {
    rows: &'p [PriorRow],
    units: Vec<Units>,
    values: usize,
    l: u64,
    least_people: u64,
}

impl Parter<'_> {
    fn best_cut(&self, members: &[usize], parts: &[Part]) -> Option<Cut> {
        let mut best: Option<(f64, Cut)> = None;
        for (column, (units, part)) in self.units.iter().zip(parts).enumerate() {
            let blocks = units.blocks(part, members, self.rows);
            if blocks.len() < 2 {
                continue;
            }
            let mut by_block = vec![vec![0_u64; self.values]; blocks.len()];
            let block_of = units.block_of(&blocks);
            for member in members {
                let row = &self.rows[*member];
                by_block[block_of(units.of_row[*member])][row.value as usize] += row.count;
            }
            let mut right = sum(&by_block, self.values);
            let mut left = vec![0; self.values];
            for before in 1..blocks.len() {
                for (value, count) in by_block[before - 1].iter().enumerate() {
                    left[value] += count;
                    right[value] -= count;
                }
                if !(self.is_hidden(&left) && self.is_hidden(&right)) {
                    continue;
                }
                let gain = information(&left) + information(&right);
                // The first of equals, so that the result does not depend on rounding elsewhere.
                if best.as_ref().is_none_or(|(most, _)| gain > *most) {
                    best = Some((gain, Cut { column, blocks: blocks.clone(), before }));
                }
            }
        }
        best.map(|(_, cut)| cut)
    }

    /// Whether values can be hidden among people with these counts, and there are enough of them.
    fn is_hidden(&self, counts: &[u64]) -> bool {
        let floored = |count: &u64| (*count).max(1);
        let total: u64 = counts.iter().map(floored).sum();
        counts.iter().sum::<u64>() >= self.least_people
            && counts.iter().map(floored).all(|count| count.saturating_mul(self.l) < total)
    }

    fn cut(&self, members: &[usize], parts: &[Part], cut: &Cut) -> [(Vec<usize>, Vec<Part>); 2] {
        let units = &self.units[cut.column];
        let block_of = units.block_of(&cut.blocks);
        let (left, right) = members.iter().partition(|member| block_of(units.of_row[**member]) < cut.before);
        let with = |part: Part| {
            let mut parts = parts.to_vec();
            parts[cut.column] = part;
            parts
        };
        [
            (left, with(Part::of_blocks(&cut.blocks[..cut.before]))),
            (right, with(Part::of_blocks(&cut.blocks[cut.before..]))),
        ]
    }
}

fn sum(by_block: &[Vec<u64>], values: usize) -> Vec<u64> {
    (0..values).map(|value| by_block.iter().map(|counts| counts[value]).sum()).collect()
}

/// Σ c·log(c/n): the larger for the two sides of a cut, the more the cut tells about the value.
fn information(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| *count as f64 * (*count as f64 / total).ln()).sum()
}

impl Units {
    fn of(column: &StrataColumn, at: usize, rows: &[PriorRow]) -> Result<Units, OutsideHierarchy> {
        let texts = || rows.iter().map(|row| row.cells[at].as_str());
        if let Some(tree) = &column.hierarchy {
            let leaf = |text: &str| {
                tree.leaf(text)
                    .ok_or_else(|| OutsideHierarchy { column: column.name.clone(), text: text.to_owned() })
            };
            let mut children: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
            for node in (0..tree.node_count() as u32).map(NodeId) {
                if let Some(parent) = tree.parent(node) {
                    children.entry(parent).or_default().push(node);
                }
            }
            // In the order of the leaves, so that neighbours in the file are neighbours in a cut.
            children.values_mut().for_each(|nodes| nodes.sort_by_key(|node| tree.leaves_below(*node).start));
            let of_row = texts().map(leaf).collect::<Result<_, _>>()?;
            return Ok(Units { of_row, form: Form::Leaves { tree: tree.clone(), children } });
        }
        if column.parser.kind().is_ordered() {
            let mut numbers: Vec<(f64, &str)> = Vec::new();
            let mut others: BTreeSet<&str> = BTreeSet::new();
            for text in texts().collect::<BTreeSet<&str>>() {
                match column.parser.position(text) {
                    Some(position) => numbers.push((position, text)),
                    None => drop(others.insert(text)),
                }
            }
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
            // 7 and 7.0 are one number.
            numbers.dedup_by(|a, b| a.0 == b.0);
            let positions: Vec<f64> = numbers.iter().map(|(position, _)| *position).collect();
            let rank = |text: &str| match column.parser.position(text) {
                Some(position) => positions.partition_point(|known| *known < position),
                None => positions.len() + others.iter().position(|other| *other == text).unwrap_or_default(),
            };
            let of_row = texts().map(|text| rank(text) as u32).collect();
            let labels = numbers.iter().map(|(_, text)| *text).chain(others.iter().copied());
            let labels = labels.map(str::to_owned).collect();
            return Ok(Units { of_row, form: Form::Ranks { labels, positions, kind: column.parser.kind() } });
        }
        let labels: Vec<String> =
            texts().collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect();
        let place = |text: &str| labels.partition_point(|label| label.as_str() < text) as u32;
        Ok(Units { of_row: texts().map(place).collect(), form: Form::Texts(labels) })
    }

    /// The part that holds everything.
    fn whole(&self) -> Part {
        match &self.form {
            Form::Ranks { labels, .. } => Part::Ranks(0..labels.len() as u32),
            Form::Leaves { tree, .. } => Part::Nodes(vec![tree.root()]),
            Form::Texts(labels) => Part::Texts((0..labels.len() as u32).collect()),
        }
    }

    /// The blocks between which a part may be cut.
    fn blocks(&self, part: &Part, members: &[usize], rows: &[PriorRow]) -> Blocks {
        let mut people: BTreeMap<u32, u64> = BTreeMap::new();
        for member in members {
            *people.entry(self.of_row[*member]).or_default() += rows[*member].count;
        }
        match (&self.form, part) {
            (Form::Ranks { positions, .. }, Part::Ranks(range)) => {
                let numbers = positions.len() as u32;
                // What is no number lies in no band: it has to be parted from the numbers first.
                if range.start < numbers && numbers < range.end {
                    return vec![Part::Ranks(range.start..numbers), Part::Ranks(numbers..range.end)];
                }
                if range.start >= numbers {
                    return Vec::new();
                }
                let starts = cuts(&people, range);
                let ends = starts.iter().skip(1).copied().chain([range.end]);
                starts.iter().copied().zip(ends).map(|(start, end)| Part::Ranks(start..end)).collect()
            }
            (Form::Leaves { children, .. }, Part::Nodes(nodes)) => {
                let nodes = match nodes.as_slice() {
                    [one] => children.get(one).map_or(&[][..], Vec::as_slice),
                    several => several,
                };
                nodes.iter().map(|node| Part::Nodes(vec![*node])).collect()
            }
            (Form::Texts(_), Part::Texts(texts)) => {
                let mut texts = texts.clone();
                // The most frequent first; codes ascend with their texts.
                texts.sort_by_key(|text| (std::cmp::Reverse(people.get(text).copied().unwrap_or(0)), *text));
                texts.into_iter().map(|text| Part::Texts(vec![text])).collect()
            }
            _ => unreachable!("a part has the form of its column"),
        }
    }

    /// Finds the block of a unit.
    fn block_of<'b>(&'b self, blocks: &'b Blocks) -> impl Fn(u32) -> usize + 'b {
        let mut places = HashMap::new();
        for (at, block) in blocks.iter().enumerate() {
            match (block, &self.form) {
                (Part::Ranks(range), _) => places.extend(range.clone().map(|rank| (rank, at))),
                (Part::Nodes(nodes), Form::Leaves { tree, .. }) => {
                    let leaves = nodes.iter().flat_map(|node| tree.leaves_below(*node));
                    places.extend(leaves.map(|leaf| (leaf, at)));
                }
                (Part::Nodes(_), _) => unreachable!("a part has the form of its column"),
                (Part::Texts(texts), _) => places.extend(texts.iter().map(|text| (*text, at))),
            }
        }
        move |unit| places[&unit]
    }

    /// What is published of a part.
    fn text(&self, part: &Part) -> String {
        match (&self.form, part) {
            (Form::Ranks { labels, .. }, Part::Ranks(range)) if *range == (0..labels.len() as u32) => {
                "*".to_owned()
            }
            (Form::Ranks { labels, positions, kind }, Part::Ranks(range)) => {
                let (start, end) = (range.start as usize, range.end as usize);
                if start >= positions.len() {
                    return one_of(&labels[start..end].iter().map(String::as_str).collect::<Vec<_>>());
                }
                // A band reaches to where the next one starts, so that no number falls between the two.
                let hi = match positions.get(end) {
                    Some(next) if *kind == Kind::Integer => format!("{}", next - 1.0),
                    Some(_) => labels[end].clone(),
                    None => labels[end - 1].clone(),
                };
                if hi == labels[start] { hi } else { format!("[{}, {hi}]", labels[start]) }
            }
            (Form::Leaves { tree, .. }, Part::Nodes(nodes)) if nodes == &[tree.root()] => "*".to_owned(),
            (Form::Leaves { tree, .. }, Part::Nodes(nodes)) => {
                one_of(&nodes.iter().map(|node| tree.label(*node)).collect::<Vec<_>>())
            }
            (Form::Texts(labels), Part::Texts(texts)) if texts.len() == labels.len() => "*".to_owned(),
            (Form::Texts(labels), Part::Texts(texts)) => {
                let mut texts: Vec<&str> = texts.iter().map(|text| labels[*text as usize].as_str()).collect();
                texts.sort_unstable();
                one_of(&texts)
            }
            _ => unreachable!("a part has the form of its column"),
        }
    }
}

impl Part {
    fn of_blocks(blocks: &[Part]) -> Part {
        match &blocks[0] {
            Part::Ranks(first) => match &blocks[blocks.len() - 1] {
                Part::Ranks(last) => Part::Ranks(first.start..last.end),
                Part::Nodes(_) | Part::Texts(_) => unreachable!("blocks are alike"),
            },
            Part::Nodes(_) => Part::Nodes(
                blocks
                    .iter()
                    .flat_map(|block| if let Part::Nodes(nodes) = block { nodes.clone() } else { Vec::new() })
                    .collect(),
            ),
            Part::Texts(_) => Part::Texts(
                blocks
                    .iter()
                    .flat_map(|block| if let Part::Texts(texts) = block { texts.clone() } else { Vec::new() })
                    .collect(),
            ),
        }
    }
}

/// The first ranks of the blocks of a range: every rank that somebody has, or as many as there may be cuts, with about
/// equally many people in each.
fn cuts(people: &BTreeMap<u32, u64>, range: &Range<u32>) -> Vec<u32> {
    let mut starts = vec![range.start];
    let total: u64 = people.values().sum();
    let every = if people.len() <= CUTS { 0 } else { total / CUTS as u64 };
    let mut since = 0;
    for (rank, count) in people {
        if since > every && *rank > range.start {
            starts.push(*rank);
            since = 0;
        }
        since += count;
    }
    starts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::stream::Strata;
    use shoal_core::{DateFormat, ValueParser};

    use super::*;

    fn column(name: &str, cell: usize, kind: Kind, tree: Option<Hierarchy>) -> StrataColumn {
        let parser = ValueParser::new(kind, DateFormat::default());
        StrataColumn { name: name.to_owned(), cell, parser, hierarchy: tree.map(std::sync::Arc::new) }
    }

    fn columns() -> Vec<StrataColumn> {
        let city = ["a x *", "b x *", "c y *", "d y *", "e y *"];
        let city: Vec<Vec<&str>> = city.iter().map(|line| line.split(' ').collect()).collect();
        vec![
            column("age", 0, Kind::Integer, None),
            column("sex", 1, Kind::Text, None),
            column("city", 2, Kind::Text, Some(Hierarchy::from_rows(&city).unwrap())),
            column("dose", 3, Kind::Decimal, None),
        ]
    }

    fn people() -> impl Strategy<Value = Vec<PriorRow>> {
        let person = (0..6_u32, 0..3_usize, 0..5_usize, 0..5_usize, 0..5_u32, 1..9_u64);
        let row = |(age, sex, city, dose, value, count): (u32, usize, usize, usize, u32, u64)| PriorRow {
            cells: vec![
                (20 + 7 * age).to_string(),
                ["F", "M", "x, y"][sex].to_owned(),
                ["a", "b", "c", "d", "e"][city].to_owned(),
                ["0.5", "1.25", "", "7", "9.5"][dose].to_owned(),
            ],
            value,
            count,
        };
        prop::collection::vec(person.prop_map(row), 1..60)
    }

    /// Counts by stratum and value.
    fn counted(strata: &Strata, rows: &[PriorRow]) -> Vec<Vec<u64>> {
        let mut counts = vec![vec![0; 5]; strata.len()];
        for row in rows {
            let stratum = strata.of_tuple(&row.cells).expect("everybody of the prior is in a stratum");
            counts[stratum][row.value as usize] += row.count;
        }
        counts
    }

    proptest! {
        #[test]
        fn everybody_is_in_one_stratum_that_hides_values(rows in people(), l in 2_usize..4, least in 1_u64..60) {
            let texts = part_people(&columns(), &rows, 5, l, least).unwrap();
            let strata = Strata::new(columns(), texts.clone()).unwrap();
            if strata.len() > 1 {
                for counts in counted(&strata, &rows) {
                    let total: u64 = counts.iter().map(|count| (*count).max(1)).sum();
                    prop_assert!(counts.iter().sum::<u64>() >= least);
                    prop_assert!(counts.iter().all(|count| (*count).max(1) * (l as u64) < total));
                }
            }
            // Whatever the order of the rows.
            let mut other = rows;
            other.reverse();
            let mut again = part_people(&columns(), &other, 5, l, least).unwrap();
            let mut texts = texts;
            texts.sort();
            again.sort();
            prop_assert_eq!(texts, again);
        }

        #[test]
        fn nothing_is_cut_too_little(rows in people(), l in 2_usize..4, least in 1_u64..60) {
            // One column of numbers: every band that is left is tried at every place.
            let columns = vec![column("age", 0, Kind::Integer, None)];
            let strata = Strata::new(columns.clone(), part_people(&columns, &rows, 5, l, least).unwrap()).unwrap();
            let fine = |rows: &[&PriorRow]| {
                let mut counts = [0_u64; 5];
                rows.iter().for_each(|row| counts[row.value as usize] += row.count);
                let total: u64 = counts.iter().map(|count| (*count).max(1)).sum();
                counts.iter().sum::<u64>() >= least && counts.iter().all(|count| (*count).max(1) * (l as u64) < total)
            };
            for stratum in 0..strata.len() {
                let members: Vec<&PriorRow> =
                    rows.iter().filter(|row| strata.of_tuple(&row.cells) == Some(stratum)).collect();
                for age in 0..90 {
                    let (left, right): (Vec<&PriorRow>, Vec<&PriorRow>) =
                        members.iter().partition(|row| row.cells[0].parse::<u32>().unwrap() < age);
                    prop_assert!(!(fine(&left) && fine(&right)), "{:?} at {age}", strata.texts(stratum));
                }
            }
        }
    }

    #[test]
    fn strata_follow_what_the_value_goes_with() {
        // The value goes with sex; age has nothing to do with it.
        let row = |sex: &str, age: u32, value: u32| PriorRow {
            cells: vec![age.to_string(), sex.to_owned(), "a".to_owned(), "1".to_owned()],
            value,
            count: 10,
        };
        let rows: Vec<PriorRow> = (20..60)
            .flat_map(|age| {
                [("F", 0), ("F", 1), ("F", 2), ("M", 2), ("M", 3), ("M", 4)].map(|(sex, v)| row(sex, age, v))
            })
            .collect();
        let texts = part_people(&columns(), &rows, 5, 2, 1000).unwrap();
        assert_eq!(texts, [["*", "M", "*", "*"], ["*", "F", "*", "*"]]);
        let wrong = [PriorRow { cells: ["1", "F", "q", "1"].map(String::from).to_vec(), value: 0, count: 1 }];
        assert!(part_people(&columns(), &wrong, 5, 2, 1).is_err());
    }
}
