//! The adversary who knows who came when, and gives the lines of a crowd to its members in the order of their arrival.
//!
//! A crowd is a run of lines with the same cells. Where its lines stand in the order of what they say, their order says nothing.
//! Otherwise the members are looked for in the original: for each line the earliest tuple that fits and has its value. Only lines whose
//! value nobody else in the crowd has are counted, because only these can be told right from wrong: by chance, one of n is right.

use std::collections::{HashMap, VecDeque};

use shoal_core::hierarchy::BoundHierarchy;
use shoal_core::stream::StreamLine;
use shoal_core::{Domain, Interner, PublishedValue};

use super::StreamTarget;
use crate::attack::{Attack, Attacks};

type Cells = [std::borrow::Cow<'static, str>];

/// Links lines by their place.
pub(super) fn attack(target: &StreamTarget<'_>, k: usize, found: &mut Attacks) {
    let rows: Vec<(&Cells, &str)> = target
        .lines
        .iter()
        .filter_map(|line| match line {
            StreamLine::Row { cells, value } => Some((cells.as_slice(), &**value)),
            _ => None,
        })
        .collect();
    let says_nothing =
        |(cells, value): &(&Cells, &str)| *value == "*" && cells.iter().all(|cell| cell == "*");
    let quasi = |cells: &Cells| -> Vec<String> {
        let columns = target.columns.iter().zip(cells).filter(|(column, _)| column.quasi);
        columns.map(|(_, cell)| cell.to_string()).collect()
    };
    let crowds: Vec<&[(&Cells, &str)]> =
        rows.chunk_by(|a, b| quasi(a.0) == quasi(b.0)).filter(|crowd| !says_nothing(&crowd[0])).collect();
    if crowds.iter().all(|crowd| crowd.len() > 1 && crowd.is_sorted()) {
        found.notes.push(
            "the lines of every crowd stand in the order of what they say, which links nobody".to_owned(),
        );
        return;
    }
    let mut fits = Fitting::of(target);
    let mut waiting: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (at, tuple) in target.tuples.iter().enumerate() {
        waiting.entry(&tuple.value).or_default().push_back(at);
    }
    let (mut right, mut tried, mut lone) = (0_u64, 0_u64, 0_u64);
    for crowd in crowds {
        let mut members: Vec<Option<usize>> = Vec::with_capacity(crowd.len());
        for (cells, value) in crowd {
            let member = waiting.get_mut(value).and_then(|tuples| {
                let at = tuples.iter().position(|&tuple| fits.fit(target, cells, tuple))?;
                tuples.remove(at)
            });
            members.push(member);
        }
        let mut by_arrival: Vec<usize> = members.iter().flatten().copied().collect();
        // Whoever fits nothing is not in the original, and nothing can be told about this crowd.
        if by_arrival.len() < crowd.len() {
            continue;
        }
        by_arrival.sort_unstable();
        lone += u64::from(crowd.len() == 1);
        for ((place, member), (_, value)) in members.iter().enumerate().zip(crowd) {
            if crowd.iter().filter(|(_, other)| other == value).count() == 1 {
                tried += 1;
                right += u64::from(*member == by_arrival.get(place).copied());
            }
        }
    }
    if tried == 0 {
        found
            .not_tried
            .push("the order of lines within a crowd: no line has a value that tells its tuple".to_owned());
        return;
    }
    let question = "Whoever knows who came when gives the lines of each crowd to its members in the order of their arrival.";
    let words = format!("{right} of {tried} lines that can be told are linked; {lone} lines left alone");
    let attack = Attack::sampled("order of arrival", question, right, tried);
    found.attacks.push(attack.promised(1.0 / k as f64).worst(words, None));
}

/// The values of a column, its hierarchy, and the value of each tuple.
type TupleValues = (Domain, Option<BoundHierarchy>, Vec<u32>);

/// Whether cells cover tuples, each text read once.
struct Fitting {
    /// By column; none for one that is published as it is, or that cannot be read.
    domains: Vec<Option<TupleValues>>,
    read: HashMap<(usize, String), Option<PublishedValue>>,
}

impl Fitting {
    fn of(target: &StreamTarget<'_>) -> Fitting {
        let domain = |(at, gate): (usize, &shoal_privacy::stream::GateColumn)| {
            // Columns that are published as they are say nothing about whom a cell covers.
            gate.quasi.then(|| {
                let mut texts = Interner::default();
                let codes: Vec<u32> =
                    target.tuples.iter().map(|tuple| texts.intern(&tuple.cells[at])).collect();
                let raw = shoal_core::RawColumn {
                    name: gate.name.clone(),
                    labels: texts.into_labels(),
                    first_seen: Vec::new(),
                    null: None,
                    codes: codes.clone(),
                };
                let (domain, code_of) = Domain::of(&raw, gate.parser.clone(), &[String::new()]).ok()?;
                let tree = gate
                    .hierarchy
                    .as_ref()
                    .map(|tree| BoundHierarchy::new(tree, &domain))
                    .transpose()
                    .ok()?;
                let codes = codes.iter().map(|&code| code_of[code as usize]).collect();
                Some((domain, tree, codes))
            })?
        };
        Fitting { domains: target.columns.iter().enumerate().map(domain).collect(), read: HashMap::new() }
    }

    fn fit(&mut self, target: &StreamTarget<'_>, cells: &Cells, tuple: usize) -> bool {
        cells.iter().enumerate().all(|(at, text)| match &self.domains[at] {
            None => target.columns[at].quasi || *text == target.tuples[tuple].cells[at],
            Some((domain, tree, codes)) => {
                let parse = || PublishedValue::parse(text, domain, tree.as_ref()).ok();
                let value = self.read.entry((at, text.to_string())).or_insert_with(parse);
                value.as_ref().is_some_and(|value| value.covers(codes[tuple], domain, tree.as_ref()))
            }
        })
    }
}
