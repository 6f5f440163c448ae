//! What records lose in their classes, and what they would lose elsewhere.

use rayon::prelude::*;

use super::class::{Class, Member};
use super::space::{Space, WHOLE};

/// Some records of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) member: Member,
    pub(super) class: u32,
    /// What each of them loses there.
    pub(super) cost: u32,
    /// What each would lose in the cheapest other class that covers it already; everything where there is none.
    pub(super) elsewhere: u32,
    /// That class, if there is one.
    other: Option<u32>,
}

/// All records with their prices.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prices {
    /// By class, as `starts` says.
    pub(super) entries: Vec<Entry>,
    /// Where the entries of each class begin.
    starts: Vec<usize>,
    /// What is lost in all when a class is given up and each of its records goes elsewhere.
    pub(super) give_up: Vec<i64>,
}

impl Prices {
    /// Prices all records.
    pub(super) fn of(space: &Space, classes: &[Class]) -> Prices {
        let finder = Finder::of(space, classes);
        let entries = (0..classes.len()).into_par_iter().map(|class| finder.of_class(class));
        Prices::from(classes, &entries.collect::<Vec<_>>())
    }

    /// The same after some classes have changed or are new, without looking at all classes for every record.
    pub(super) fn after(self, space: &Space, classes: &[Class], changed: &[u32]) -> Prices {
        let finder = Finder::of(space, classes);
        let mut is_changed = vec![false; classes.len()];
        changed.iter().for_each(|&class| is_changed[class as usize] = true);
        let changed: Vec<u32> =
            finder.by_cost.iter().copied().filter(|&class| is_changed[class as usize]).collect();
        let again = |entry: &Entry| {
            let own = entry.class as usize;
            if entry.other.is_some_and(|other| is_changed[other as usize]) {
                let (elsewhere, other) = finder.cheapest(&finder.by_cost, own, entry.member.point);
                return Entry { elsewhere, other, ..*entry };
            }
            // The class that was the cheapest is as it was, so that only a changed one can be cheaper. Of equal ones the first counts.
            let (elsewhere, other) = finder.cheapest(&changed, own, entry.member.point);
            let is_before =
                (elsewhere, other.unwrap_or(u32::MAX)) < (entry.elsewhere, entry.other.unwrap_or(u32::MAX));
            if is_before { Entry { elsewhere, other, ..*entry } } else { *entry }
        };
        let entries = (0..classes.len()).into_par_iter().map(|class| match is_changed[class] {
            true => finder.of_class(class),
            false => self.entries[self.starts[class]..self.starts[class + 1]].iter().map(again).collect(),
        });
        Prices::from(classes, &entries.collect::<Vec<_>>())
    }

    fn from(classes: &[Class], of_class: &[Vec<Entry>]) -> Prices {
        let mut starts = vec![0];
        let mut give_up = Vec::with_capacity(classes.len());
        for (class, entries) in classes.iter().zip(of_class) {
            starts.push(starts[starts.len() - 1] + entries.len());
            let lost: i64 = entries.iter().map(|e| i64::from(e.member.count) * i64::from(e.elsewhere)).sum();
            give_up.push(lost - class.loss() as i64);
        }
        Prices { entries: of_class.concat(), starts, give_up }
    }
}

/// Finds the cheapest class that covers a point.
struct Finder<'a> {
    space: &'a Space,
    classes: &'a [Class],
    /// The classes that are not empty, the cheapest first: the first that covers a point is the one.
    by_cost: Vec<u32>,
}

impl<'a> Finder<'a> {
    fn of(space: &'a Space, classes: &'a [Class]) -> Finder<'a> {
        let mut by_cost: Vec<u32> =
            (0..classes.len() as u32).filter(|&class| classes[class as usize].size > 0).collect();
        by_cost.sort_by_key(|&class| (classes[class as usize].cost, class));
        Finder { space, classes, by_cost }
    }

    fn of_class(&self, own: usize) -> Vec<Entry> {
        let entry = |&member: &Member| {
            let (elsewhere, other) = self.cheapest(&self.by_cost, own, member.point);
            Entry { member, class: own as u32, cost: self.classes[own].cost, elsewhere, other }
        };
        self.classes[own].members.iter().map(entry).collect()
    }

    fn cheapest(&self, candidates: &[u32], own: usize, point: u32) -> (u32, Option<u32>) {
        let point = self.space.point(point);
        let covers = |&&other: &&u32| {
            let class = &self.classes[other as usize];
            other as usize != own && self.space.union_cost_within(&class.cover, point, class.cost).is_some()
        };
        let found = candidates.iter().find(covers);
        (found.map_or(WHOLE, |&other| self.classes[other as usize].cost), found.copied())
    }
}
