//! Which counts are asked for: "how many people have an event with …, and later an event with …?"
//!
//! A query is drawn from a random person with two events or more, so that what people have in common is asked
//! about more often than what is rare. Two of their events are drawn, and in each one or two
//! quasi-identifiers. Half of the predicates ask for the very value of the event. The others ask for what lies
//! around it, since otherwise nearly every count would be 1: the node above it in the column's hierarchy, unless that is
//! the root; in a column of numbers or dates without a hierarchy the tenth of the values that it lies in. Where
//! there is nothing around a value, all predicates ask for the value itself.

use std::ops::Range;

use rand::{Rng, RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use shoal_core::{Column, Sequences};

use super::leaves::leaf;

/// Into how many parts the values of a column are cut that has an order and no hierarchy.
const PARTS: usize = 10;

/// How many people have an event that is as the first predicates say, and later one as the second say?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Of the earlier event; each for another column, at least one.
    pub first: Vec<Predicate>,
    /// Of the later event; each for another column, at least one.
    pub later: Vec<Predicate>,
}

/// That the value of one column is among some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The column, counted among the quasi-identifiers.
    pub column: usize,
    /// The values: leaves of the column's hierarchy where it has one, else codes.
    pub leaves: Range<u32>,
}

/// Draws `count` queries; none where nobody has two events or there is no quasi-identifier.
pub fn draw(original: &Sequences, count: usize, seed: u64) -> Vec<Query> {
    let people: Vec<Range<usize>> = original.iter().filter(|events| events.len() >= 2).collect();
    let quasi = original.events().quasi_identifiers();
    if people.is_empty() || quasi.is_empty() {
        return Vec::new();
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let query = |_| {
        let events = people[random.random_range(0..people.len())].clone();
        let (one, other) = two_of(events, &mut random);
        Query {
            first: predicates(&quasi, one.min(other), &mut random),
            later: predicates(&quasi, one.max(other), &mut random),
        }
    };
    (0..count).map(query).collect()
}

/// Two different numbers of a range of at least two, all pairs alike.
fn two_of(range: Range<usize>, random: &mut impl Rng) -> (usize, usize) {
    let one = random.random_range(range.clone());
    let other = random.random_range(range.start..range.end - 1);
    // `other` is drawn from one number less; where it is the one that is taken, the last number takes its place.
    (one, if other == one { range.end - 1 } else { other })
}

/// One or two predicates that are true of an event.
fn predicates(quasi: &[&Column], event: usize, random: &mut impl Rng) -> Vec<Predicate> {
    let columns = match quasi.len() {
        2.. if random.random_bool(0.5) => {
            let (one, other) = two_of(0..quasi.len(), random);
            vec![one, other]
        }
        all => vec![random.random_range(0..all)],
    };
    let predicate = |column: usize| {
        let (of, code) = (quasi[column], quasi[column].codes[event]);
        let leaves = if random.random_bool(0.5) { leaf(code, of) } else { around(code, of) };
        Predicate { column, leaves }
    };
    columns.into_iter().map(predicate).collect()
}

/// The leaves around a value, itself included.
fn around(code: u32, column: &Column) -> Range<u32> {
    let positions = column.domain.positions().len();
    match &column.hierarchy {
        Some(bound) => {
            let (tree, own) = (bound.tree(), bound.leaf_of(code));
            let above = tree.parent(tree.leaf_node(own)).filter(|&above| above != tree.root());
            above.map_or(own..own + 1, |above| tree.leaves_below(above))
        }
        // A missing value has no position.
        None if (code as usize) < positions => {
            // `start` is the inverse of this division: the least code that falls into a part. With fewer than ten
            // values a part is one value.
            let part = code as usize * PARTS / positions;
            let start = |part: usize| (part * positions).div_ceil(PARTS) as u32;
            start(part)..start(part + 1)
        }
        None => code..code + 1,
    }
}
