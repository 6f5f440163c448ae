//! Opens classes that no single place leads to: a crowd that looks alike on one level for each column, with records of many classes.
//!
//! A piece sees some dozens of classes and grows new ones from a record. That finds less and less the larger k is, since a new class then needs records
//! of many others. Here all crowds of a combination of levels are priced at once by what their records lose at present (`prices`), and what
//! promises a gain (`plan`) is tried on the classes themselves; what gains nothing there is undone. On Adult at k = 50 and 100 this gains
//! several times as much per second as rounds on pieces do, and it finds classes long after they have come to an end.
//!
//! Only where k is all that is asked for.

use rayon::prelude::*;
use shoal_core::mix;

use super::chains::{by_cost, move_along_chains};
use super::class::{Class, Member, cheapest, loss, pooled};
use super::class_rule::ClassRule;
use super::coverage::{Coverage, Values};
use super::ladder::{Combination, Ladder};
use super::looks::Looks;
use super::plan::Plan;
use super::prices::Prices;
use super::space::Space;
use super::tuning::Tuning;

/// Finds crowds that are worth a class.
#[derive(Clone)]
pub(super) struct Opener<'a> {
    space: &'a Space,
    rule: &'a ClassRule<'a>,
    looks: &'a Looks<'a>,
    values: &'a Values<'a>,
    ladders: &'a [Ladder],
    /// The combinations of levels that may have crowds, in a random order, and the next one to be tried.
    combinations: Vec<&'a Combination>,
    next: usize,
    /// How many combinations in a row have gained nothing, and what was lost then.
    fruitless: (usize, u64),
}

/// Buffers of a thread.
#[derive(Default)]
struct Scratch {
    hashes: Vec<u64>,
    /// By the first bits of a hash: how many records, then the number of the crowd.
    slots: Vec<u32>,
    crowd_of: Vec<u32>,
}

/// Records that look alike.
struct Crowd {
    hash: u64,
    /// What a record loses at most in a class of such records.
    cost: u32,
    /// What its records would gain if all could leave their classes.
    bound: u64,
    /// Entries of the prices, by class.
    entries: Vec<u32>,
}

/// Marks a slot that has the number of a crowd instead of a count.
const IS_CROWD: u32 = 1 << 31;

/// Stands for no crowd.
const NONE: u32 = u32::MAX;

/// What is known of the classes while crowds are priced.
struct Market<'a> {
    /// The classes that cover a point, the cheapest first.
    coverage: Coverage<'a>,
    prices: Prices,
}

impl<'a> Market<'a> {
    fn of(values: &'a Values<'a>, classes: &[Class], rule: &ClassRule<'_>) -> Market<'a> {
        let coverage = Coverage::of(values, classes, by_cost(classes), rule);
        let prices = Prices::of(&coverage, classes);
        Market { coverage, prices }
    }
}

impl<'a> Opener<'a> {
    /// For some points and all their combinations of levels.
    pub(super) fn new(
        space: &'a Space,
        rule: &'a ClassRule<'a>,
        looks: &'a Looks<'a>,
        values: &'a Values<'a>,
        ladders: &'a [Ladder],
        all: &'a [Combination],
        seed: u64,
    ) -> Opener<'a> {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| (mix(seed ^ mix(at as u64 + 1)), at));
        let combinations = order.into_iter().map(|at| &all[at]).collect();
        Opener { space, rule, looks, values, ladders, combinations, next: 0, fruitless: (0, 0) }
    }

    /// Whether it may be tried on so many classes in reasonable time and memory.
    pub(super) fn suits(&self, classes: &[Class]) -> bool {
        self.rule.only_size()
            && classes.len() <= Tuning::OPEN_CLASSES
            && self.values.words(classes.len()) <= Tuning::OPEN_SET_WORDS
    }

    /// Moves records along chains of classes. Returns what was gained.
    pub(super) fn move_along_chains(&self, classes: &mut [Class]) -> i64 {
        move_along_chains(self.space, self.values, self.rule, classes)
    }

    /// Tries the crowds of the next combinations. Returns what was gained.
    pub(super) fn open(&mut self, classes: &mut Vec<Class>) -> i64 {
        let lost = loss(classes);
        if self.fruitless.1 != lost {
            self.fruitless = (0, lost);
        }
        // Once all combinations were tried on the same classes there is nothing more to find.
        if self.fruitless.0 >= self.combinations.len() {
            return 0;
        }
        let mut left =
            (Tuning::OPEN_VISITS / self.space.len().max(1)).clamp(1, self.combinations.len().max(1));
        let slack = (lost / classes.len().max(1) as u64 / Tuning::OPEN_SLACK_DIVISOR) as i64;
        let mut market = Market::of(self.values, classes, self.rule);
        while left > 0 && self.fruitless.0 < self.combinations.len() {
            self.rule.check_cancelled();
            let from = if self.next < self.combinations.len() { self.next } else { 0 };
            let to = (from + left.min(Tuning::OPEN_BATCH)).min(self.combinations.len());
            left -= to - from;
            let found: Vec<Option<Vec<Plan>>> = self.combinations[from..to]
                .par_iter()
                .map_init(Scratch::default, |scratch, combination| {
                    self.plans(combination, &market.prices, classes, slack, scratch)
                })
                .collect();
            // A combination without crowds among all records never has one.
            let mut is_worth = found.iter().map(Option::is_some);
            let mut at = 0;
            self.combinations.retain(|_| {
                at += 1;
                !(from..to).contains(&(at - 1)) || is_worth.next().unwrap_or(true)
            });
            let worth = found.iter().flatten().count();
            self.next = from + worth;
            let mut plans: Vec<Plan> = found.into_iter().flatten().flatten().collect();
            // A stable sort: ties go to the first combination.
            plans.sort_by_key(|plan| std::cmp::Reverse(plan.gain));
            self.fruitless.0 += worth;
            if self.carry_out(&plans, &market, classes) {
                // Nobody knows the classes by their numbers here: prices are made anew.
                classes.retain(|class| class.size > 0);
                // It may have opened more than there is memory for.
                if !self.suits(classes) {
                    break;
                }
                self.move_along_chains(classes);
                self.fruitless = (0, loss(classes));
                market = Market::of(self.values, classes, self.rule);
            }
        }
        lost as i64 - loss(classes) as i64
    }

    /// The crowds of a combination that nearly promise a gain; nothing where it has no crowds at all.
    fn plans(
        &self,
        combination: &Combination,
        prices: &Prices,
        classes: &[Class],
        slack: i64,
        scratch: &mut Scratch,
    ) -> Option<Vec<Plan>> {
        self.rule.check_cancelled();
        let plan = |crowd: &Crowd| Plan::of(self.rule.k(), &crowd.entries, crowd.cost, prices, classes);
        let crowds = self.crowds(combination, prices, scratch)?;
        Some(crowds.iter().filter_map(plan).filter(|plan| plan.gain > -slack).collect())
    }

    /// The crowds of a combination some of whose records lose more at present; nothing where it has no crowds at all.
    fn crowds(
        &self,
        combination: &Combination,
        prices: &Prices,
        scratch: &mut Scratch,
    ) -> Option<Vec<Crowd>> {
        let k = self.rule.k();
        let bits = (self.space.len() * Tuning::SLOTS_PER_POINT).next_power_of_two().trailing_zeros();
        let shift = 64 - bits;
        let Scratch { hashes, slots, crowd_of } = scratch;
        slots.clear();
        slots.resize(1 << bits, 0);
        let view = self.looks.on(&combination.levels);
        hashes.clear();
        hashes.extend(prices.entries.iter().map(|entry| view.hash(entry.member.point)));
        let mut most = 0;
        for (entry, &hash) in prices.entries.iter().zip(&*hashes) {
            let slot = &mut slots[(hash >> shift) as usize];
            *slot += entry.member.count;
            most = most.max(*slot);
        }
        if most < k {
            return None;
        }
        let mut crowds: Vec<Crowd> = Vec::new();
        crowd_of.clear();
        for (entry, &hash) in prices.entries.iter().zip(&*hashes) {
            let slot = &mut slots[(hash >> shift) as usize];
            if *slot < k {
                crowd_of.push(NONE);
                continue;
            }
            if *slot & IS_CROWD == 0 {
                *slot = IS_CROWD | crowds.len() as u32;
                let cost = self.cost_on(&combination.levels, entry.member.point);
                crowds.push(Crowd { hash, cost, bound: 0, entries: Vec::new() });
            }
            // Of crowds that share a slot only the first one is seen; on other levels they share it with others.
            let number = *slot & !IS_CROWD;
            let crowd = &mut crowds[number as usize];
            if crowd.hash == hash {
                crowd.bound +=
                    u64::from(entry.member.count) * u64::from(entry.cost.saturating_sub(crowd.cost));
                crowd_of.push(number);
            } else {
                crowd_of.push(NONE);
            }
        }
        for (at, &number) in crowd_of.iter().enumerate() {
            if number != NONE && crowds[number as usize].bound > 0 {
                crowds[number as usize].entries.push(at as u32);
            }
        }
        crowds.retain(|crowd| crowd.bound > 0);
        Some(crowds)
    }

    /// What a record loses at most among those that look like a point.
    fn cost_on(&self, levels: &[u8], point: u32) -> u32 {
        let columns = self.ladders.iter().zip(levels).zip(self.looks.codes(point));
        columns.map(|((ladder, &level), &code)| ladder.cost(level, code)).sum()
    }

    /// Carries out plans, as long as no class that they need has changed. Returns whether any gained something. Classes that were given up stay, empty, so
    /// that the others keep their numbers.
    fn carry_out(&self, plans: &[Plan], market: &Market<'_>, classes: &mut Vec<Class>) -> bool {
        let mut is_changed = vec![false; classes.len()];
        let mut any = false;
        for plan in plans {
            self.rule.check_cancelled();
            let needs = plan.needs();
            if needs.iter().any(|&class| is_changed[class as usize]) {
                continue;
            }
            if let Some(changed) = self.try_plan(plan, &needs, market, classes) {
                any = true;
                is_changed.resize(classes.len(), true);
                changed.iter().for_each(|&class| is_changed[class] = true);
            }
        }
        any
    }

    /// Carries a plan out; undone where it does not gain. Returns the classes that it has changed, without the new one at the end.
    fn try_plan(
        &self,
        plan: &Plan,
        needs: &[u32],
        market: &Market<'_>,
        classes: &mut Vec<Class>,
    ) -> Option<Vec<usize>> {
        let known = classes.len();
        let mut before: Vec<(usize, Class)> =
            needs.iter().map(|&class| (class as usize, classes[class as usize].clone())).collect();
        plan.taken.iter().for_each(|&(class, m)| classes[class as usize].take(m.point, m.count));
        let mut unassigned: Vec<Member> = Vec::new();
        plan.given_up.iter().for_each(|&class| unassigned.append(&mut classes[class as usize].members));
        needs.iter().for_each(|&class| classes[class as usize].refresh(self.space));
        let taken = plan.taken.iter().map(|(_, member)| *member).collect();
        classes.push(Class::of(self.space, pooled(taken)));
        for m in pooled(unassigned) {
            // There is one in any case: the new class.
            let Some(class) = self.place(m, market, classes) else { continue };
            if class < known && !before.iter().any(|(saved, _)| *saved == class) {
                before.push((class, classes[class].clone()));
            }
            classes[class].add(self.space, m.point, m.count);
        }
        let lost: u64 = before.iter().map(|(_, class)| class.loss()).sum();
        let loses = before.iter().map(|(at, _)| classes[*at].loss()).sum::<u64>() + classes[known].loss();
        if loses < lost {
            return Some(before.into_iter().map(|(at, _)| at).collect());
        }
        classes.truncate(known);
        before.into_iter().for_each(|(at, class)| classes[at] = class);
        None
    }

    /// The class that loses least by some records more: the new one at the end or one that covers them; any where none does. To let another class grow for
    /// them although one covers them was never better on Adult, and took most of the time.
    fn place(&self, m: Member, market: &Market<'_>, classes: &[Class]) -> Option<usize> {
        let point = self.space.point(m.point);
        // It may have shrunk or been given up since.
        let covers = |class: &usize| {
            let class = &classes[*class];
            class.size > 0 && self.space.union_cost_within(&class.cover, point, class.cost).is_some()
        };
        let covering = market.coverage.covering(m.point).map(|class| class as usize).filter(covers);
        let Some(best) = covering.min_by_key(|&class| (classes[class].cost, class)) else {
            return cheapest(self.space, classes, m, |_| true).map(|(_, class)| class);
        };
        let least = u64::from(m.count) * u64::from(classes[best].cost);
        let new = classes.len() - 1;
        Some(if classes[new].added_below(self.space, point, m.count, least).is_some() { new } else { best })
    }
}
