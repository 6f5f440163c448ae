//! The values of a column as strata can be cut from them, and what a stratum publishes of the column.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use shoal_core::stream::{StrataColumn, one_of};
use shoal_core::{Hierarchy, Kind, NodeId};

use super::{OutsideHierarchy, PriorRow};

/// Places where a column of numbers may be cut, at most; spread evenly over people where there would be more.
const CUTS: usize = 64;

/// The values of a column as they can be cut.
pub(super) struct Units {
    /// The unit of each row.
    pub(super) of_row: Vec<u32>,
    form: Form,
}

enum Form {
    /// Numbers or dates, ascending, then the texts that are none.
    Ranks { labels: Vec<String>, positions: Vec<f64>, kind: Kind },
    /// Leaves of a tree.
    Leaves { tree: Arc<Hierarchy>, children: HashMap<NodeId, Vec<NodeId>> },
    /// Texts, ascending.
    Texts(Vec<String>),
}

/// What of a column is in a stratum.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Ranks(Range<u32>),
    Nodes(Vec<NodeId>),
    Texts(Vec<u32>),
}

/// Neighbouring units that a cut does not part, in the order in which it may cut between them.
pub(super) type Blocks = Vec<Part>;

impl Units {
    pub(super) fn of(column: &StrataColumn, at: usize, rows: &[PriorRow]) -> Result<Units, OutsideHierarchy> {
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
    pub(super) fn whole(&self) -> Part {
        match &self.form {
            Form::Ranks { labels, .. } => Part::Ranks(0..labels.len() as u32),
            Form::Leaves { tree, .. } => Part::Nodes(vec![tree.root()]),
            Form::Texts(labels) => Part::Texts((0..labels.len() as u32).collect()),
        }
    }

    /// The blocks between which a part may be cut.
    pub(super) fn blocks(&self, part: &Part, members: &[usize], rows: &[PriorRow]) -> Blocks {
        let mut people: BTreeMap<u32, u64> = BTreeMap::new();
        for member in members {
            *people.entry(self.of_row[*member]).or_default() += rows[*member].count;
        }
        match (&self.form, part) {
            (Form::Ranks { positions, .. }, Part::Ranks(range)) => {
                let numbers = positions.len() as u32;
                // A text that is not a number lies in no band: such texts are cut off the numbers first, and never again.
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
    pub(super) fn block_of<'b>(&'b self, blocks: &'b Blocks) -> impl Fn(u32) -> usize + 'b {
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
    pub(super) fn text(&self, part: &Part) -> String {
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
    pub(super) fn of_blocks(blocks: &[Part]) -> Part {
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
