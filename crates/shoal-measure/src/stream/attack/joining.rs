//! The adversary who knows how the paper's algorithm decides: a tuple joins an open group with its value whenever there is one that
//! does not hold its quasi-identifiers yet. So a tuple that opens a group had no open slot of its value anywhere.
//!
//! Nobody outside knows which slots are open, but how likely each is can be kept up to date from line to line: a slot of value v is open
//! as far as no member of its group is thought to have v. For a tuple that opens a group, each value of the group is weighed with
//! the probability that no slot of it was open; for one that joins, with how likely its slot there was open, how frequent the value is,
//! and how many slots of it there were to choose from. Slots are taken to be independent, and what a line says about the
//! tuples before it is used for their slots and not for the guesses that were already made: the figure is a lower bound of
//! what can be known.

use std::collections::HashMap;

use shoal_core::stream::StreamLine;

use super::{StreamTarget, code, words};
use crate::attack::{Attack, Attacks};

/// A slot that is less likely open than that is forgotten: it changes nothing any more, and lists stay short.
const FORGOTTEN: f64 = 1e-3;
/// The least probability that a slot is taken, so that a mistake about one slot does not rule a value out for good.
const DOUBT: f64 = 1e-3;

/// Guesses the value of each member, in the order of the lines.
pub(super) fn attack(target: &StreamTarget<'_>, labels: &[String], l: usize, found: &mut Attacks) {
    let Some(shown) = target.shown else { return };
    let guesses = guess(target.lines, labels);
    let right = guesses
        .iter()
        .zip(shown)
        .filter(|(guess, tuple)| guess.is_some() && **guess == code(labels, tuple))
        .count();
    let question = "Whoever knows that a tuple joins an open group with its value whenever it can excludes the values of tuples that did \
                    not join.";
    let attack = Attack::sampled("joining or not", question, right as u64, guesses.len() as u64);
    found.attacks.push(attack.promised(1.0 / l as f64).worst(words(right, guesses.len()), None));
}

/// The groups as the adversary thinks they are.
struct Groups<'a> {
    /// By group the values of its slots, and for each how many of them are likely open.
    slots: HashMap<u64, Vec<(u32, f64)>>,
    /// The groups that may have an open slot of each value.
    by_value: Vec<Vec<u64>>,
    /// The groups in which somebody with these cells is.
    holding: HashMap<&'a [std::borrow::Cow<'static, str>], Vec<u64>>,
    /// How many tuples are thought to have each value.
    frequency: Vec<f64>,
}

fn guess(lines: &[StreamLine<'static>], labels: &[String]) -> Vec<Option<u32>> {
    let mut values_of: HashMap<u64, Vec<(u32, f64)>> = HashMap::new();
    for line in lines {
        if let StreamLine::Slot { group, value, count } = line {
            let value = labels.partition_point(|label| label.as_str() < &**value) as u32;
            values_of.entry(*group).or_default().push((value, *count as f64));
        }
    }
    let mut groups = Groups {
        slots: HashMap::new(),
        by_value: vec![Vec::new(); labels.len()],
        holding: HashMap::new(),
        frequency: vec![1.0; labels.len()],
    };
    let mut guesses = Vec::new();
    for line in lines {
        let StreamLine::Member { group, cells } = line else { continue };
        let posterior = match groups.slots.contains_key(group) {
            true => groups.joined(*group),
            false => groups.opened(*group, cells, values_of.get(group).map_or(&[], Vec::as_slice)),
        };
        groups.holding.entry(cells).or_default().push(*group);
        let best = posterior.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        guesses.push(best.map(|(value, _)| value));
    }
    guesses
}

impl Groups<'_> {
    /// A tuple with these cells opened a group with these values and their counts.
    fn opened(
        &mut self,
        group: u64,
        cells: &[std::borrow::Cow<'static, str>],
        values: &[(u32, f64)],
    ) -> Vec<(u32, f64)> {
        let holding = self.holding.get(cells).map_or(&[][..], Vec::as_slice);
        let none_open = |value: u32| -> f64 {
            let elsewhere = self.by_value[value as usize].iter().filter(|group| !holding.contains(group));
            elsewhere.map(|group| (1.0 - open(&self.slots, *group, value)).clamp(DOUBT, 1.0).ln()).sum()
        };
        let posterior = normalized(values.iter().map(|&(value, _)| (value, none_open(value))).collect());
        for &(value, share) in &posterior {
            // If the tuple has the value, no slot of it was open anywhere; otherwise nothing is known.
            for other in &self.by_value[value as usize] {
                if let Some(slot) = self.slots.get_mut(other).and_then(|slots| find(slots, value)) {
                    slot.1 *= 1.0 - share;
                }
            }
            let slots = &self.slots;
            self.by_value[value as usize].retain(|group| open(slots, *group, value) > FORGOTTEN);
            self.by_value[value as usize].push(group);
            self.frequency[value as usize] += share;
        }
        let taken =
            |(&(value, count), &(_, share)): (&(u32, f64), &(u32, f64))| (value, (count - share).max(0.0));
        self.slots.insert(group, values.iter().zip(&posterior).map(taken).collect());
        posterior
    }

    /// A tuple joined a group.
    fn joined(&mut self, group: u64) -> Vec<(u32, f64)> {
        let slots = self.slots[&group].clone();
        let weight = |&(value, open_here): &(u32, f64)| {
            let all: f64 =
                self.by_value[value as usize].iter().map(|group| open(&self.slots, *group, value)).sum();
            let log = open_here.max(DOUBT * DOUBT).ln() + self.frequency[value as usize].ln()
                - all.max(open_here).max(DOUBT).ln();
            (value, log)
        };
        let posterior = normalized(slots.iter().map(weight).collect());
        if let Some(slots) = self.slots.get_mut(&group) {
            for (slot, &(_, share)) in slots.iter_mut().zip(&posterior) {
                slot.1 = (slot.1 - share).max(0.0);
            }
        }
        posterior.iter().for_each(|&(value, share)| self.frequency[value as usize] += share);
        posterior
    }
}

fn open(slots: &HashMap<u64, Vec<(u32, f64)>>, group: u64, value: u32) -> f64 {
    let slot = slots.get(&group).and_then(|slots| slots.iter().find(|(slot, _)| *slot == value));
    slot.map_or(0.0, |(_, open)| *open)
}

fn find(slots: &mut [(u32, f64)], value: u32) -> Option<&mut (u32, f64)> {
    slots.iter_mut().find(|(slot, _)| *slot == value)
}

/// From logarithms to probabilities.
fn normalized(mut logs: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let most = logs.iter().map(|&(_, log)| log).fold(f64::NEG_INFINITY, f64::max);
    logs.iter_mut().for_each(|(_, log)| *log = (*log - most).exp());
    let total: f64 = logs.iter().map(|&(_, share)| share).sum();
    logs.iter_mut().for_each(|(_, share)| *share /= total);
    logs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_join_has_the_other_value() {
        let slot = |group, value: &'static str| StreamLine::Slot { group, value: value.into(), count: 1 };
        let member = |group, cell: &'static str| StreamLine::Member { group, cells: vec![cell.into()] };
        let labels = ["A", "B", "C"].map(str::to_owned);
        let lines = [member(0, "x"), slot(0, "A"), slot(0, "B"), member(1, "y"), slot(1, "A"), slot(1, "C")];
        // With the value A it would have joined the first group half of the time.
        assert_eq!(guess(&lines, &labels)[1], Some(2));
        // The same cells cannot meet in a group, so that not joining says nothing; of equals the first is taken.
        let lines = [member(0, "x"), slot(0, "A"), slot(0, "B"), member(1, "x"), slot(1, "A"), slot(1, "C")];
        assert_eq!(guess(&lines, &labels)[1], Some(0));
    }
}
