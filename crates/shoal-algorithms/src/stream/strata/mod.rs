//! How people are parted into strata, inside each of which a calibrated design hides values.
//!
//! It starts with one stratum for everybody and cuts it in two, again and again. A cut goes through one column: between two
//! numbers or dates (bands), between two children of a node of the hierarchy, or, in a column of texts without a hierarchy,
//! between the more and the less frequent texts. A cut is allowed where, on both sides, no value's share reaches 1/l and
//! there are enough people. Among the allowed cuts of all columns the one is made that says most about the value
//! (information gain): what the value goes with is what an observer could learn, so strata should follow it. Where no cut is
//! allowed, the stratum stays: everything below is merged into it.
//!
//! A refinement of a cut is never allowed where the cut is not: both conditions of two parts hold for their union, since
//! people add up and a share of the union lies between those of the parts. So nothing is missed by stopping there.
//!
//! The result depends on the counts alone, not on their order. **Cost**: a stratum of n rows costs n plus, for each column,
//! at most `CUTS` times the number of values.

#[cfg(test)]
mod tests;
mod units;

use shoal_core::stream::StrataColumn;
use thiserror::Error;

use self::units::{Blocks, Part, Units};

/// People that a stratum must hold at least, for each sensitive value there is: the shares of values are then known to a
/// tenth of themselves, taken over all values. A design that is calibrated to chance does not hide what is true: with n people
/// and d values, somebody who knows the true shares is right about 1 + √(d/n) times as often as promised.
const PEOPLE_PER_VALUE: u64 = 100;
/// And at least this many, however few values there are.
const LEAST_PEOPLE: u64 = 500;

/// People that a stratum must hold at least, where there are this many values.
pub fn least_people(values: usize) -> u64 {
    LEAST_PEOPLE.max(PEOPLE_PER_VALUE * values as u64)
}

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
            // From left to right, block by block: the counts of both sides follow from those of the cut before.
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
        // A value that nobody here has may come, and counts as one person in the design.
        let floored = |count: &u64| (*count).max(1);
        let total: u64 = counts.iter().map(floored).sum();
        counts.iter().sum::<u64>() >= self.least_people
            // Below 1/l, not at it: a value with a share of exactly 1/l would stand in every set.
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

/// Σ c·log(c/n): the larger for the two sides of a cut, the more the cut says about the value.
fn information(counts: &[u64]) -> f64 {
    let total = counts.iter().sum::<u64>() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| *count as f64 * (*count as f64 / total).ln()).sum()
}
