//! Which classes cover a point, as a set of classes.
//!
//! A class covers a point if it covers its value in each column. So there is a set of classes for each value of each column, and a point is covered by
//! those that are in all sets of its values: a few words to look at instead of every class.

use rayon::prelude::*;

use super::class::Class;
use super::class_rule::ClassRule;
use super::looks::Looks;
use super::space::Space;

/// The values of the columns, each with a point that has it.
#[derive(Clone)]
pub(super) struct Values<'a> {
    space: &'a Space,
    looks: &'a Looks<'a>,
    /// Column by column, by code; nothing for values that no point has.
    examples: Vec<Vec<Option<u32>>>,
}

/// The sets of classes.
pub(super) struct Coverage<'a> {
    values: &'a Values<'a>,
    words: usize,
    /// Column by column, `words` for each code: a bit for each class, by its place in the order.
    sets: Vec<Vec<u64>>,
    order: Vec<u32>,
}

impl<'a> Values<'a> {
    /// The values of all points.
    pub(super) fn of(space: &'a Space, looks: &'a Looks<'a>) -> Values<'a> {
        let mut examples: Vec<Vec<Option<u32>>> = vec![Vec::new(); space.dims()];
        for point in 0..space.len() as u32 {
            for (of_column, &code) in examples.iter_mut().zip(looks.codes(point)) {
                let code = code as usize;
                of_column.resize(of_column.len().max(code + 1), None);
                of_column[code].get_or_insert(point);
            }
        }
        Values { space, looks, examples }
    }

    /// For each value of a column of names the set of those covers that have it. From the covers, which have few of all names, instead of from the values.
    fn classes_with_names(&self, column: usize, covers: &[&[u64]], words: usize) -> Vec<u64> {
        let names = |cover| self.space.names_in(column, cover).into_iter().flatten();
        // A point has one name in each column, by which the column knows what this module knows by a code.
        let mut code_of: Vec<Option<usize>> = Vec::new();
        for (code, example) in self.examples[column].iter().enumerate() {
            for name in example.iter().flat_map(|&example| names(self.space.point(example))) {
                code_of.resize(code_of.len().max(name + 1), None);
                code_of[name] = Some(code);
            }
        }
        let mut sets = vec![0_u64; self.examples[column].len() * words];
        for (place, &cover) in covers.iter().enumerate() {
            for code in names(cover).filter_map(|name| code_of[name]) {
                sets[code * words + place / 64] |= 1 << (place % 64);
            }
        }
        sets
    }

    /// How many words the sets of so many classes take.
    pub(super) fn words(&self, classes: usize) -> usize {
        self.examples.iter().map(Vec::len).sum::<usize>() * classes.div_ceil(64)
    }
}

impl<'a> Coverage<'a> {
    /// The sets of some classes. Those that cover a point are listed in this order; classes that are not in it are in no set.
    ///
    /// A class covers a name that it has. In other columns it covers whatever it can take in at the same cost: within a tree that is everything below its node. Both
    /// are such that a class that covers several points covers them together.
    pub(super) fn of(
        values: &'a Values<'a>,
        classes: &[Class],
        order: Vec<u32>,
        rule: &ClassRule<'_>,
    ) -> Coverage<'a> {
        let words = order.len().div_ceil(64);
        let covers: Vec<&[u64]> = order.iter().map(|&class| &classes[class as usize].cover[..]).collect();
        let sets = values.examples.iter().enumerate().map(|(column, examples)| {
            match values.space.is_names(column) {
                true => values.classes_with_names(column, &covers, words),
                false => {
                    let costs: Vec<u32> =
                        covers.iter().map(|cover| values.space.cost_in(column, cover)).collect();
                    let mut sets = vec![0_u64; examples.len() * words];
                    sets.par_chunks_exact_mut(words.max(1)).zip(examples).for_each(|(set, example)| {
                        rule.check_cancelled();
                        let Some(example) = *example else { return };
                        let point = values.space.point(example);
                        for (place, (cover, &cost)) in covers.iter().zip(&costs).enumerate() {
                            let is_covered = values.space.union_cost_in(column, cover, point) == cost;
                            set[place / 64] |= u64::from(is_covered) << (place % 64);
                        }
                    });
                    sets
                }
            }
        });
        Coverage { values, words, sets: sets.collect(), order }
    }

    /// The classes that cover a point, in order.
    pub(super) fn covering(&self, point: u32) -> impl Iterator<Item = u32> {
        let codes = self.values.looks.codes(point);
        let word_at = move |at: usize| {
            let mut word = u64::MAX;
            for (set, &code) in self.sets.iter().zip(codes) {
                word &= set[code as usize * self.words + at];
                if word == 0 {
                    break;
                }
            }
            word
        };
        (0..self.words).flat_map(move |at| {
            let mut word = word_at(at);
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(self.order[at * 64 + bit as usize])
            })
        })
    }
}
