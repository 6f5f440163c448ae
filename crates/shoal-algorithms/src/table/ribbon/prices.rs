//! What records lose in their classes, and what they would lose elsewhere.

use rayon::prelude::*;

use super::class::{Class, Member};
use super::coverage::Coverage;
use super::space::WHOLE;

/// Some records of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) member: Member,
    pub(super) class: u32,
    /// What each of them loses there.
    pub(super) cost: u32,
    /// What each would lose in the cheapest other class that covers it already; everything where there is none.
    pub(super) elsewhere: u32,
}

/// All records with their prices.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prices {
    /// By class.
    pub(super) entries: Vec<Entry>,
    /// What is lost in all when a class is given up and each of its records goes elsewhere.
    pub(super) give_up: Vec<i64>,
}

impl Prices {
    /// Prices all records. The coverage must list the cheapest classes first.
    pub(super) fn of(coverage: &Coverage<'_>, classes: &[Class]) -> Prices {
        let of_class = |own: usize| -> Vec<Entry> {
            let class = &classes[own];
            let entry = |&member: &Member| {
                let other = coverage.covering(member.point).find(|&other| other as usize != own);
                let elsewhere = other.map_or(WHOLE, |other| classes[other as usize].cost);
                Entry { member, class: own as u32, cost: class.cost, elsewhere }
            };
            class.members.iter().map(entry).collect()
        };
        let of_class: Vec<Vec<Entry>> = (0..classes.len()).into_par_iter().map(of_class).collect();
        let give_up = classes.iter().zip(&of_class).map(|(class, entries)| {
            let lost: i64 = entries.iter().map(|e| i64::from(e.member.count) * i64::from(e.elsewhere)).sum();
            lost - class.loss() as i64
        });
        Prices { give_up: give_up.collect(), entries: of_class.concat() }
    }
}
