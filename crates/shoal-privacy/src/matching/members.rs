//! Origins that fit what is known of who is in which class.
//!
//! Every person takes as many rows of a class as it is said, so that a flow between places (a class, a person) and the person's
//! records finds a first assignment. It need not hand out the columns that nobody touches as the file does: a class
//! may get one `flu` too many and one `gout` too few. Such a pair is moved along a chain of people who have records in two
//! classes and can exchange them, until it meets its opposite. To keep both counts at once is a three-dimensional
//! matching, which no fast method solves always; where the chains do not, nothing is claimed.

use std::collections::{HashMap, HashSet, VecDeque};

use shoal_core::Progress;

use super::columns::Pairs;
use super::flow::{Demand, assign};
use super::table::Sides;

/// Who is said to be in which class of a published file. It is a hint where to look for origins and is believed by nobody.
#[derive(Clone, Debug, Default)]
pub struct Membership {
    /// For each published row its class: rows with equal quasi-identifiers.
    pub class_of: Vec<u32>,
    /// For each original its person.
    pub person_of: Vec<u32>,
    /// A class, a person and how many rows of the class are the person's; no pair twice.
    pub members: Vec<(u32, u32, u32)>,
}

/// What a membership leads to.
#[derive(Debug)]
pub(super) enum Found {
    /// For each published row its original, by its place among the usable ones.
    Origins(Vec<u32>),
    /// No assignment was found, and there may be one.
    Unknown,
    /// There is none.
    Contradicted,
}

/// How many exchanges are looked at before the search for chains is given up; some seconds.
const BUDGET: usize = 50_000_000;

/// From how many first assignments the search starts. In random tables of 4 to 40 records a first one is not always enough.
const STARTS: u32 = 32;

/// Looks for origins with as many rows of each class for each person as `membership` says. `sides` has the originals of each
/// person in groups of their own; `person_of` are the persons of these groups.
pub(super) fn find(
    pairs: &Pairs<'_>,
    sides: &Sides,
    person_of: &[u32],
    membership: &Membership,
    progress: &dyn Progress,
) -> Found {
    let mut places = Places::new(pairs, sides, person_of, membership);
    let mut rows = vec![0; places.rows_of_class.len()];
    membership.members.iter().for_each(|&(class, _, count)| {
        if let Some(rows) = rows.get_mut(class as usize) {
            *rows += count;
        }
    });
    // Exactly the rows of each class, or it is about another file.
    if rows != places.rows_of_class {
        return Found::Contradicted;
    }
    let mut demand = Demand {
        published: membership.members.iter().map(|member| member.2).collect(),
        originals: sides.originals.sizes.clone(),
        fits: std::mem::take(&mut places.fits),
    };
    let mut budget = BUDGET;
    for start in 0..STARTS {
        // Another order of the same records leads to another first assignment.
        let order = |group: &u32| (if start == 0 { 0 } else { scattered(start, *group) }, *group);
        demand.fits.iter_mut().for_each(|fits| fits.sort_unstable_by_key(order));
        let Ok(taken) = assign(&demand, progress) else { return Found::Contradicted };
        places.fits.clone_from(&demand.fits);
        places.take(taken, sides);
        if places.settle(&mut budget, progress) {
            return Found::Origins(places.origins(sides));
        }
    }
    Found::Unknown
}

/// A number that has nothing to do with the order of groups.
fn scattered(start: u32, group: u32) -> u32 {
    (group ^ start.wrapping_mul(0x9e37_79b9))
        .wrapping_mul(0x85eb_ca6b)
        .rotate_left(15)
        .wrapping_mul(0xc2b2_ae35)
}

/// The places of a file and who takes them. A member is a class and a person; a slot is a class and what its rows say in the
/// columns that nobody touches, hence a group of published rows.
struct Places<'a> {
    members: &'a [(u32, u32, u32)],
    members_of_class: Vec<Vec<u32>>,
    members_of_person: HashMap<u32, Vec<u32>>,
    rows_of_class: Vec<u32>,
    /// By class and part the group of published rows.
    slots: HashMap<(u32, u32), u32>,
    part_of: &'a [u32],
    /// For each member the groups of originals that may be theirs.
    fits: Vec<Vec<u32>>,
    /// How many of each are, in the order of `fits`.
    taken: Vec<Vec<u32>>,
    free: Vec<u32>,
    /// For each group of published rows how many originals it has beyond its rows.
    excess: Vec<i64>,
}

/// A member gives one original away for another one of the same person: that of another member, or one that is free.
struct Exchange {
    member: u32,
    gives: u32,
    gets: u32,
    from: Option<u32>,
}

impl<'a> Places<'a> {
    fn new(pairs: &Pairs<'_>, sides: &'a Sides, person_of: &[u32], membership: &'a Membership) -> Places<'a> {
        let classes = membership.class_of.iter().max().map_or(0, |&last| last as usize + 1);
        let first = sides.published.first_rows();
        let mut rows_of_class = vec![0; classes];
        let (mut slots, mut row_of_class) = (HashMap::new(), vec![0; classes]);
        for (group, &row) in first.iter().enumerate() {
            let class = membership.class_of[row as usize];
            slots.insert((class, sides.published_parts[group]), group as u32);
            rows_of_class[class as usize] += sides.published.sizes[group];
            row_of_class[class as usize] = row as usize;
        }
        let mut groups_of: HashMap<u32, Vec<u32>> = HashMap::new();
        for (group, &person) in (0..).zip(person_of) {
            groups_of.entry(person).or_default().push(group);
        }
        let mut members_of_class = vec![Vec::new(); classes];
        let mut members_of_person: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut fits = Vec::with_capacity(membership.members.len());
        for (member, &(class, person, _)) in (0..).zip(&membership.members) {
            let is_true = |&group: &u32| {
                let at = group as usize;
                let mut columns = pairs.quasi.iter().zip(&sides.points);
                slots.contains_key(&(class, sides.original_parts[at]))
                    && columns.all(|(column, codes)| {
                        column.is_true(column.to.codes[row_of_class[class as usize]], codes[at])
                    })
            };
            let own = groups_of.get(&person).map_or(&[][..], Vec::as_slice);
            fits.push(
                own.iter().copied().filter(|group| (class as usize) < classes && is_true(group)).collect(),
            );
            if let Some(members) = members_of_class.get_mut(class as usize) {
                members.push(member);
            }
            members_of_person.entry(person).or_default().push(member);
        }
        Places {
            members: &membership.members,
            members_of_class,
            members_of_person,
            rows_of_class,
            slots,
            part_of: &sides.original_parts,
            fits,
            taken: Vec::new(),
            free: Vec::new(),
            excess: Vec::new(),
        }
    }

    fn take(&mut self, taken: Vec<Vec<u32>>, sides: &Sides) {
        self.free = sides.originals.sizes.clone();
        self.excess = sides.published.sizes.iter().map(|&size| -i64::from(size)).collect();
        for (member, taken) in taken.iter().enumerate() {
            for (&group, &amount) in self.fits[member].iter().zip(taken) {
                self.free[group as usize] -= amount;
                let slot = self.slot(member as u32, group);
                self.excess[slot] += i64::from(amount);
            }
        }
        self.taken = taken;
    }

    fn class(&self, member: u32) -> u32 {
        self.members[member as usize].0
    }

    /// The group of published rows in which a member publishes an original.
    fn slot(&self, member: u32, group: u32) -> usize {
        self.slots[&(self.class(member), self.part_of[group as usize])] as usize
    }

    /// Moves originals until every slot has as many as it has rows. Says whether that was reached.
    fn settle(&mut self, budget: &mut usize, progress: &dyn Progress) -> bool {
        let mut tired = HashSet::new();
        loop {
            progress.check();
            let open = self.open_pairs();
            if open.is_empty() {
                return true;
            }
            let Some(&pair) = open.iter().find(|pair| !tired.contains(*pair)) else { return false };
            match self.chain(pair, budget) {
                Some(chain) => {
                    chain.iter().for_each(|exchange| self.apply(exchange));
                    tired.clear();
                }
                None if *budget == 0 => return false,
                None => {
                    tired.insert(pair);
                }
            }
        }
    }

    /// Each class with a part that it has too often and one that it has too rarely.
    fn open_pairs(&self) -> Vec<(u32, u32, u32)> {
        let mut open: HashMap<u32, (Vec<u32>, Vec<u32>)> = HashMap::new();
        for (&(class, part), &slot) in &self.slots {
            match self.excess[slot as usize] {
                0 => {}
                more if more > 0 => open.entry(class).or_default().0.push(part),
                _ => open.entry(class).or_default().1.push(part),
            }
        }
        let pairs = |(class, (often, rarely)): (u32, (Vec<u32>, Vec<u32>))| {
            let pair = move |often: u32| rarely.clone().into_iter().map(move |rare| (class, often, rare));
            often.into_iter().flat_map(pair).collect::<Vec<_>>()
        };
        let mut pairs: Vec<(u32, u32, u32)> = open.into_iter().flat_map(pairs).collect();
        // A map has no order of its own, and the answer must not depend on it.
        pairs.sort_unstable();
        pairs
    }

    /// The shortest chain of exchanges that takes one `often` too many and one `rare` too few away from a class.
    fn chain(&self, (class, often, rare): (u32, u32, u32), budget: &mut usize) -> Option<Vec<Exchange>> {
        let mut reached: HashMap<u32, Option<Exchange>> = HashMap::from([(class, None)]);
        let mut queue = VecDeque::from([class]);
        while let Some(class) = queue.pop_front() {
            for exchange in self.exchanges(class, often, rare, budget) {
                let next = exchange.from.map(|from| self.class(from));
                match next {
                    Some(next) if reached.contains_key(&next) => {}
                    Some(next) if !self.is_opposite(next, often, rare) => {
                        reached.insert(next, Some(exchange));
                        queue.push_back(next);
                    }
                    _ => return Some(self.way_to(class, exchange, reached)),
                }
            }
        }
        None
    }

    /// Whether it does a class good to get an `often` for a `rare`, or at least no harm.
    fn is_opposite(&self, class: u32, often: u32, rare: u32) -> bool {
        let excess = |part| self.slots.get(&(class, part)).map_or(0, |&slot| self.excess[slot as usize]);
        excess(often) < 0 || excess(rare) > 0
    }

    /// What members of a class can give an `often` away for a `rare`.
    fn exchanges(&self, class: u32, often: u32, rare: u32, budget: &mut usize) -> Vec<Exchange> {
        let mut exchanges = Vec::new();
        for &member in &self.members_of_class[class as usize] {
            let own = self.fits[member as usize].iter().zip(&self.taken[member as usize]);
            let gives = own.filter(|(group, amount)| **amount > 0 && self.part_of[**group as usize] == often);
            for (&gives, _) in gives {
                let wanted = self.fits[member as usize].iter().copied();
                for gets in wanted.filter(|&gets| self.part_of[gets as usize] == rare) {
                    if self.free[gets as usize] > 0 {
                        exchanges.push(Exchange { member, gives, gets, from: None });
                    }
                    let person = self.members[member as usize].1;
                    for &other in &self.members_of_person[&person] {
                        *budget = budget.saturating_sub(1);
                        let takes = |group| self.taken_by(other, group);
                        if other != member && takes(gets).is_some_and(|n| n > 0) && takes(gives).is_some() {
                            exchanges.push(Exchange { member, gives, gets, from: Some(other) });
                        }
                    }
                }
            }
            if *budget == 0 {
                return Vec::new();
            }
        }
        exchanges
    }

    /// How many of a group of originals a member takes; none where it is not true of them.
    fn taken_by(&self, member: u32, group: u32) -> Option<u32> {
        let at = self.fits[member as usize].iter().position(|&own| own == group)?;
        Some(self.taken[member as usize][at])
    }

    fn way_to(
        &self,
        mut class: u32,
        last: Exchange,
        mut reached: HashMap<u32, Option<Exchange>>,
    ) -> Vec<Exchange> {
        let mut way = vec![last];
        while let Some(Some(exchange)) = reached.remove(&class) {
            class = self.class(exchange.member);
            way.push(exchange);
        }
        way
    }

    fn apply(&mut self, &Exchange { member, gives, gets, from }: &Exchange) {
        // Both are given away before they are taken, so that no count goes below zero in between.
        self.change(member, gives, -1);
        if let Some(from) = from {
            self.change(from, gets, -1);
            self.change(from, gives, 1);
        }
        self.change(member, gets, 1);
    }

    fn change(&mut self, member: u32, group: u32, by: i32) {
        let at = self.fits[member as usize].iter().position(|&own| own == group);
        let Some(at) = at else { return };
        let amount = &mut self.taken[member as usize][at];
        *amount = amount.saturating_add_signed(by);
        let free = &mut self.free[group as usize];
        *free = free.saturating_add_signed(-by);
        let slot = self.slot(member, group);
        self.excess[slot] += i64::from(by);
    }

    /// For each published row one of the originals that its class takes, by their place among the usable ones.
    fn origins(&self, sides: &Sides) -> Vec<u32> {
        let (rows_of, originals_of) = (sides.published.gather(), sides.originals.gather());
        let mut next_row = vec![0; sides.published.len()];
        let mut next_original = vec![0; sides.originals.len()];
        let mut origin = vec![0; sides.published.class_of.len()];
        for (member, taken) in (0..).zip(&self.taken) {
            for (&group, &amount) in self.fits[member as usize].iter().zip(taken) {
                let slot = self.slot(member, group);
                for _ in 0..amount {
                    let row = rows_of.of(slot)[next_row[slot]];
                    origin[row as usize] = originals_of.of(group as usize)[next_original[group as usize]];
                    next_row[slot] += 1;
                    next_original[group as usize] += 1;
                }
            }
        }
        origin
    }
}
