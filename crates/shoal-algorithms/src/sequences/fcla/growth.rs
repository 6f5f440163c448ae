//! How a group grows around its first member.
//!
//! A sensitive value that is too frequent is diluted: the group takes in the nearest people without it. Where that would
//! take many more people than a crowd needs, those who have the value are *hidden* instead: they stay in the group,
//! but publish `*` only. Nobody can be looked up by what is not there, so they cost their own data and
//! no one else's.

use super::groups::Far;
use crate::sequences::terms::{Tally, Terms};

/// How many times k a group may grow to dilute a value; beyond that its carriers are hidden instead.
pub(super) const MOST_CROWDS: f64 = 4.0;

/// People who stand together.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Those who publish something, the first one first.
    pub(super) people: Vec<u32>,
    /// Those who publish nothing.
    pub(super) hidden: Vec<u32>,
}

impl Group {
    /// Everybody.
    pub(super) fn everybody(&self) -> impl Iterator<Item = u32> + '_ {
        self.people.iter().chain(&self.hidden).copied()
    }
}

/// What became of a group.
#[derive(Clone, Debug)]
pub(super) enum Grown {
    /// It keeps the terms.
    Group(Group),
    /// Too few fit.
    TooFew,
    /// Those who are still farther away are needed to know.
    NeedsMore,
}

/// A person with the k − 1 nearest of a row, and more until the terms are kept. The row begins with the nearest ones, and may
/// end with them where it is not all there are. It is put into another order.
pub(super) fn grow(first: u32, row: &mut [Far], is_all: bool, terms: &Terms) -> Grown {
    // The first one is at distance 0, as are equals, but must not be left out.
    let order = |&(far, person): &Far| (person != first, far, person);
    if row.len() > terms.k {
        row.select_nth_unstable_by_key(terms.k, order);
        row[..terms.k].sort_unstable_by_key(order);
    }
    let mut taken = vec![false; row.len()];
    let mut growing = Growing { tally: terms.nobody(), group: Group::default() };
    for (&(_, person), taken) in row.iter().zip(&mut taken).take(terms.k) {
        growing.add(person, terms);
        *taken = true;
    }
    if terms.kept(&growing.tally) {
        return Grown::Group(growing.group);
    }
    row.sort_unstable_by_key(order);
    // Each turn takes somebody in or hides carriers of a value, so the loop ends.
    while let Some(value) = terms.broken(&growing.tally) {
        let needed = terms.least_crowd(value, growing.tally.having[value as usize]);
        let next = if needed <= MOST_CROWDS * terms.k as f64 {
            let dilutes =
                |person: u32| !terms.carried(person).iter().any(|&own| terms.is_broken(&growing.tally, own));
            let next = (0..row.len()).find(|&at| !taken[at] && dilutes(row[at].1));
            if next.is_none() && !is_all {
                return Grown::NeedsMore;
            }
            next
        } else {
            None
        };
        match next {
            Some(at) => {
                growing.add(row[at].1, terms);
                taken[at] = true;
            }
            None => growing.hide(value, terms),
        }
    }
    // Hiding may have left fewer than k. Whoever does not fit is passed over for good.
    let mut rest = (0..row.len()).filter(|&at| !taken[at]);
    while growing.group.people.len() < terms.k {
        let Some(at) = rest.find(|&at| terms.keeps_with(&growing.tally, row[at].1)) else {
            return if is_all { Grown::TooFew } else { Grown::NeedsMore };
        };
        growing.add(row[at].1, terms);
    }
    Grown::Group(growing.group)
}

struct Growing {
    group: Group,
    tally: Tally,
}

impl Growing {
    fn add(&mut self, person: u32, terms: &Terms) {
        self.group.people.push(person);
        terms.add(person, &mut self.tally);
    }

    /// Hides those who have a value.
    fn hide(&mut self, value: u32, terms: &Terms) {
        let (hidden, shown) = std::mem::take(&mut self.group.people)
            .into_iter()
            .partition(|&person| terms.carried(person).contains(&value));
        self.group.people = shown;
        self.group.hidden.extend::<Vec<u32>>(hidden);
        self.tally = terms.tally(&self.group.people);
    }
}
