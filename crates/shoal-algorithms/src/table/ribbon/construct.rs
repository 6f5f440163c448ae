//! Several cheap ways to start; the best one is taken in each block.

use rayon::prelude::*;

use super::class::{Class, Member, loss};
use super::class_rule::ClassRule;
use super::exact;
use super::ladder::Combination;
use super::looks::Looks;
use super::merge::merge;
use super::order::ribbon;
use super::peel::{Parts, Peeler};
use super::space::{Space, WHOLE};
use super::split::split;
use super::tuning::Tuning;
use crate::Construction;
use crate::table::conditions::Trimming;
use crate::table::mondrian::Block;
use crate::table::points::Points;

/// The classes of one block by each construction that was tried, with its name.
type Started = Vec<(&'static str, Vec<Class>)>;

/// The construction whose classes are Mondrian's own.
const MONDRIAN: &str = "mondrian";

/// Which constructions are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Starts {
    All,
    /// Mondrian's classes alone, to see what the others are good for.
    OnlyMondrian,
}

/// The classes to start with.
pub(super) struct Constructed {
    /// The best ones, and Mondrian's where there is time to improve them as well: in small tables, where rounds change so much that the
    /// start that loses less often ends higher (by 1 % of the loss at CASC Tarragona, k = 10).
    pub(super) starts: Vec<Vec<Class>>,
    /// What each way loses.
    pub(super) constructions: Vec<Construction>,
}

impl Constructed {
    /// What each way loses, and from which one the classes come in the end: the best start, or Mondrian's, which is the second.
    pub(super) fn constructions_of(mut self, start: usize) -> Vec<Construction> {
        if start > 0 {
            self.constructions.iter_mut().for_each(|c| c.won = usize::from(c.name == MONDRIAN));
        }
        self.constructions
    }
}

/// The best start, and what each way would have lost.
pub(super) fn construct(
    space: &Space,
    rule: &ClassRule<'_>,
    points: &Points,
    looks: &Looks<'_>,
    all: &[Combination],
    blocks: &[Block],
    starts: Starts,
) -> Constructed {
    // Everybody has to end in a class.
    let trimming = rule.trimming();
    let most_out = trimming.as_ref().map_or_else(Vec::new, Trimming::nobody);
    let parts = trimming.as_ref().map(|trimming| Parts { trimming, most_out: &most_out, most_out_in_all: 0 });
    let peeler = Peeler { space, rule, points, looks, parts };
    let all = thin_out(all, blocks.iter().map(|block| block.points.len()).max().unwrap_or(0));
    let ways = match blocks.len() {
        0 | 1 => Ways { levels: all, orders: Tuning::COLUMN_ORDERS, split: true },
        _ if starts == Starts::OnlyMondrian => Ways { levels: Vec::new(), orders: 0, split: false },
        _ => best_ways(&peeler, blocks, &all),
    };
    let start = |block: &Block| match starts {
        Starts::All => start(&peeler, block, &ways).0,
        Starts::OnlyMondrian => vec![by_mondrian(space, block)],
    };
    let started: Vec<Started> = blocks.par_iter().map(start).collect();

    // Of each construction what it lost, and the records of the blocks where it was tried.
    let mut tried: Vec<(Construction, u64, u64)> = Vec::new();
    let mut classes = Vec::new();
    let mut second = None;
    let improves_both = blocks.len() == 1 && space.len() <= Tuning::SMALL_POINTS;
    for block in started {
        let records: u64 = block[0].1.iter().map(|class| u64::from(class.size)).sum();
        // The first of equally good ones.
        let best = (0..block.len()).min_by_key(|&at| loss(&block[at].1)).unwrap_or(0);
        for (at, (name, made)) in block.into_iter().enumerate() {
            let known = match tried.iter().position(|(known, ..)| known.name == name) {
                Some(known) => known,
                None => {
                    let fresh = Construction { name, loss: 0.0, won: 0, tried: 0 };
                    tried.push((fresh, 0, 0));
                    tried.len() - 1
                }
            };
            let (construction, lost, of) = &mut tried[known];
            *lost += loss(&made);
            *of += records;
            construction.tried += 1;
            if at == best {
                construction.won += 1;
                classes.extend(made);
            } else if improves_both && name == MONDRIAN {
                second = Some(made);
            }
        }
    }
    let share = |lost: u64, of: u64| lost as f64 / (f64::from(WHOLE) * of.max(1) as f64);
    let tried = tried.into_iter().map(|(c, lost, of)| Construction { loss: share(lost, of), ..c });
    Constructed { starts: [classes].into_iter().chain(second).collect(), constructions: tried.collect() }
}

/// The most points of a block of a table with this many.
pub(super) fn block_points(points: usize) -> usize {
    match points {
        0..=Tuning::ONE_BLOCK_POINTS => Tuning::ONE_BLOCK_POINTS,
        _ => Tuning::BLOCK_POINTS,
    }
}

/// No more combinations than there is time for on a block of this size, evenly spaced. The last one is among them: it
/// takes out whatever is left.
pub(super) fn thin_out(all: &[Combination], points: usize) -> Vec<&Combination> {
    let every = (all.len() * points).div_ceil(Tuning::MAX_POINT_VISITS).max(1);
    let last = all.len() - 1;
    all.iter()
        .enumerate()
        .filter(|(at, _)| (last - at).is_multiple_of(every))
        .map(|(_, levels)| levels)
        .collect()
}

/// The ways to start that are tried in every block. Mondrian's classes are there in any case.
struct Ways<'a> {
    /// The levels to peel with; none where that is not worth it.
    levels: Vec<&'a Combination>,
    /// How many orders of the columns are tried for the ribbon.
    orders: usize,
    split: bool,
}

/// The ways that are worth their time in some of the blocks: what loses clearly more than another way there would hardly ever win. Of the
/// combinations of levels, those that take out most records there.
fn best_ways<'a>(peeler: &Peeler<'_>, blocks: &[Block], all: &[&'a Combination]) -> Ways<'a> {
    let samples = Tuning::SAMPLE_BLOCKS;
    // Evenly spaced among the blocks; one sample is the block in the middle.
    let sampled = (1..=samples).map(|nth| &blocks[nth * blocks.len() / (samples + 1)]);
    let every = Ways { levels: all.to_vec(), orders: Tuning::COLUMN_ORDERS_PER_BLOCK, split: true };
    let mut taken = vec![0; all.len()];
    let mut lost: Vec<(&'static str, u64)> = Vec::new();
    for block in sampled {
        let (started, took) = start(peeler, block, &every);
        taken.iter_mut().zip(took).for_each(|(sum, took)| *sum += took);
        for (name, classes) in started {
            match lost.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += loss(&classes),
                None => lost.push((name, loss(&classes))),
            }
        }
    }
    let least = lost.iter().map(|(_, lost)| *lost).min().unwrap_or(0);
    let most = least + least / Tuning::WORSE_DIVISOR;
    let is_worth = |way: &str| lost.iter().any(|(name, lost)| *name == way && *lost <= most);
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(taken[at]));
    order.truncate(Tuning::COMBINATIONS_PER_BLOCK);
    // The last combination says nothing about any column: all that is left is one crowd.
    order.push(all.len() - 1);
    order.sort_unstable();
    order.dedup();
    Ways {
        levels: if is_worth("peel") { order.into_iter().map(|at| all[at]).collect() } else { Vec::new() },
        orders: if is_worth("ribbon") { every.orders } else { 0 },
        split: is_worth("split"),
    }
}

/// The classes of a block by each way, and how many records each combination of levels took out.
fn start(peeler: &Peeler<'_>, block: &Block, ways: &Ways<'_>) -> (Started, Vec<u64>) {
    let (space, rule) = (peeler.space, peeler.rule);
    let points = sorted(&block.points);
    let members = members(space, &points);
    let records: u64 = members.iter().map(|m| u64::from(m.count)).sum();
    if records <= u64::from(Tuning::EXACT_RECORDS)
        && let Some(best) = exact::best(space, rule, &members)
    {
        return (vec![(exact::NAME, best)], Vec::new());
    }
    let mut started: Started = Vec::new();
    let mut taken = Vec::new();
    if !ways.levels.is_empty() {
        let peeled = peeler.peel(&points, &ways.levels);
        taken = peeled.taken;
        started.push(("peel", peeled.classes));
    }
    // The dynamic program knows sizes only; other conditions would have to be asked of every stretch of records.
    let steps = records * 2 * u64::from(rule.k()) * space.time_factor();
    if ways.orders > 0 && rule.only_size() && steps <= Tuning::MAX_CUT_STEPS {
        started.push(("ribbon", ribbon(space, rule, &members, ways.orders)));
    }
    if points.len() <= Tuning::MERGE_POINTS {
        started.push(("merge", merge(space, rule, &members)));
    }
    if ways.split {
        let mut made = Vec::new();
        split(space, rule, Class::of(space, members), &mut made);
        started.push(("split", made));
    }
    // Last, so that it wins only where it is better than the others.
    started.push(by_mondrian(space, block));
    (started, taken)
}

fn by_mondrian(space: &Space, block: &Block) -> (&'static str, Vec<Class>) {
    let class = |points: &[u32]| Class::of(space, members(space, &sorted(points)));
    (MONDRIAN, block.classes().map(class).collect())
}

/// In the order of the points, which ties depend on.
fn sorted(points: &[u32]) -> Vec<u32> {
    let mut points = points.to_vec();
    points.sort_unstable();
    points
}

fn members(space: &Space, points: &[u32]) -> Vec<Member> {
    points.iter().map(|&point| Member { point, count: space.weight(point) }).collect()
}
