//! The finest release of transactions.
//!
//! - The *refined image* of an item is what each release publishes for it: `(a,b)` in the first and `(a,b,c)` in
//!   the second. A finest line holds the refined images of one transaction.
//! - Files do not say which lines of two releases are one transaction. Each line of a person goes with the line of
//!   theirs in every other release that shares most with it; see `lines`.
//! - People who are in exactly the same releases are a cell. In each cell, what an attacker may know of a
//!   transaction of somebody, k people have in one of their finest lines.
//!
//! Why a crowd of k is a crowd of k for the attacker, who knows up to m items that a person *has* in a transaction
//! (each of them at some of the times when it was published), and who is in which release:
//!
//! 1. What is known is true of everybody whose finest line has the images that these items have in those releases.
//! 2. Exchange all lines of the person with all lines of somebody of whom it is true and who is in the same
//!    releases. All files stay as they are, and so does what is known, and what the judge says.
//! 3. So in at most one of k such worlds, which are equally likely, a published line is the person's.
//!
//! Two things are no knowledge here, as in a single release (README, *Transactions*):
//!
//! - *What a person lacks.* k^m is about items that somebody has: the crowd of `(a,b)`-then-nothing is everybody
//!   with `(a,b)`, and 1 holds for it. An item that is known from the first release only is less than the same item
//!   known from both, so a line also has every image that says less and is somebody's own.
//! - *Items of several transactions at once.* They would be one record only for an attacker who can tell which lines
//!   are one person's. United lines would also make crowds larger: somebody with `a` and `b` in two transactions
//!   would hide who has both in one.

mod crowds;
mod known;
mod lines;

use std::collections::{BTreeMap, HashMap};

use shoal_core::{Progress, Transactions, TransactionsBuilder};

use self::lines::{Image, Reading};
use crate::transactions::{Meaning, verify_transactions_file};
use crate::{BrokenPromise, ItemsetParamError, TransactionsViolation, Unverifiable};

pub use known::KnownItems;

/// A release, and whose its transactions are.
#[derive(Clone, Debug)]
pub struct ItemRelease<'a> {
    /// The published transactions.
    pub published: &'a Transactions,
    /// What its texts stand for.
    pub meaning: &'a Meaning,
    /// The person of each transaction; a number is the same person in all releases.
    pub persons: &'a [u32],
}

/// People who are in exactly the same releases, by their finest lines.
#[derive(Debug)]
pub struct ItemCell {
    /// In which of the releases they are.
    pub was_in: Vec<bool>,
    /// Whose each line is.
    persons: Vec<u32>,
    /// The refined images of each line, as numbers, without what says less than another one.
    own: Vec<Vec<u32>>,
    /// The same with all that says less, ascending.
    held: Vec<Vec<u32>>,
    images: Vec<Image>,
    /// The items that each refined image may be, by name.
    names: Vec<Vec<String>>,
    /// What each refined image looks like in the releases.
    texts: Vec<String>,
}

/// The finest release, cell by cell.
pub fn refine(releases: &[ItemRelease<'_>]) -> Vec<ItemCell> {
    let mut lines_of: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    for (at, release) in releases.iter().enumerate() {
        for (line, &person) in (0..).zip(release.persons) {
            lines_of.entry(person).or_insert_with(|| vec![Vec::new(); releases.len()])[at].push(line);
        }
    }
    let reading = Reading::new(releases);
    let mut cells: BTreeMap<Vec<bool>, Vec<(u32, Vec<Image>)>> = BTreeMap::new();
    for (person, lines) in lines_of {
        let cell = cells.entry(lines.iter().map(|lines| !lines.is_empty()).collect()).or_default();
        cell.extend(reading.finest(&lines).into_iter().map(|line| (person, line)));
    }
    cells.into_iter().map(|(was_in, lines)| ItemCell::new(was_in, lines, &reading)).collect()
}

/// Why a cell could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum RefinementError {
    /// The promise cannot be checked on this cell.
    #[error(transparent)]
    Unverifiable(#[from] Unverifiable),
    /// The promise promises nothing.
    #[error(transparent)]
    Promise(#[from] ItemsetParamError),
}

impl ItemCell {
    fn new(was_in: Vec<bool>, lines: Vec<(u32, Vec<Image>)>, reading: &Reading<'_>) -> ItemCell {
        let (mut images, mut number_of): (Vec<Image>, HashMap<Image, u32>) = Default::default();
        let mut number = |image: Image| {
            *number_of.entry(image).or_insert_with_key(|image| {
                images.push(image.clone());
                images.len() as u32 - 1
            })
        };
        let (persons, own): (Vec<u32>, Vec<Vec<u32>>) = lines
            .into_iter()
            .map(|(person, line)| (person, line.into_iter().map(&mut number).collect()))
            .unzip();
        let less: Vec<Vec<u32>> = images
            .iter()
            .map(|image| lines::parts(image).filter_map(|part| number_of.get(&part).copied()).collect())
            .collect();
        let with_less = |line: &Vec<u32>| {
            let mut held: Vec<u32> = line.iter().flat_map(|&image| &less[image as usize]).copied().collect();
            held.sort_unstable();
            held.dedup();
            held
        };
        let held = own.iter().map(with_less).collect();
        let names = images.iter().map(|image| reading.names(image)).collect();
        let texts = images.iter().map(|image| reading.text(image)).collect();
        ItemCell { was_in, persons, own, held, images, names, texts }
    }

    /// Whether the people of the cell keep the promise among themselves, and what breaks it.
    pub fn judge(
        &self,
        k: u32,
        known: &KnownItems,
        progress: &dyn Progress,
    ) -> Result<Vec<BrokenPromise<TransactionsViolation>>, RefinementError> {
        let mut builder = TransactionsBuilder::default();
        for line in known.lines(self).iter() {
            line.iter().for_each(|image| builder.item(&image.to_string()));
            builder.end();
        }
        let lines = builder.finish().0.with_persons(self.persons.clone());
        let model = known.model(self, k)?;
        let mut broken = verify_transactions_file(&lines, None, None, &[model], progress)?.broken;
        let items = broken.iter_mut().flat_map(|broken| &mut broken.violations.worst);
        for item in items.flat_map(|violation| &mut violation.items) {
            let text = item.parse().ok().and_then(|image: usize| self.texts.get(image));
            text.into_iter().for_each(|text| item.clone_from(text));
        }
        Ok(broken)
    }

    /// People whom one of their releases shows with an item that another one does not.
    pub fn changed(&self) -> Vec<u32> {
        let has_no_place = |&image: &u32| {
            self.was_in.iter().zip(&self.images[image as usize]).any(|(in_it, text)| *in_it && text.is_none())
        };
        let changed = self.persons.iter().zip(&self.own).filter(|(_, own)| own.iter().any(has_no_place));
        changed.map(|(&person, _)| person).collect()
    }
}

#[cfg(test)]
mod tests;
