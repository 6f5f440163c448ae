//! Several cheap ways to start; the best one is taken in each block.

use rayon::prelude::*;

use super::class::{Class, Member, loss};
use super::class_rule::ClassRule;
use super::exact;
use super::ladder::{Combination, Ladder, combinations};
use super::merge::merge;
use super::neighbours::Neighbours;
use super::order::ribbon;
use super::peel::{Parts, Peeler};
use super::space::{Space, WHOLE};
use super::split::split;
use super::tuning::Tuning;
use crate::Construction;
use crate::table::conditions::Trimming;
use crate::table::points::Points;

/// The classes of one block by each construction that was tried, with its name.
type Started = Vec<(&'static str, Vec<Class>)>;

/// The best start, and what each way would have lost.
pub(super) fn construct(
    space: &Space,
    rule: &ClassRule<'_>,
    points: &Points,
    ladders: &[Ladder],
    seed: u64,
) -> (Vec<Class>, Vec<Construction>) {
    let blocks = blocks(space, rule, seed);
    // Everybody has to end in a class.
    let trimming = rule.trimming();
    let most_out = trimming.as_ref().map_or_else(Vec::new, Trimming::nobody);
    let parts = trimming.as_ref().map(|trimming| Parts { trimming, most_out: &most_out, most_out_in_all: 0 });
    let peeler = Peeler { space, rule, points, ladders, parts };
    let all = combinations(ladders);
    let all = thin_out(&all, blocks.iter().map(Vec::len).max().unwrap_or(0));
    let (levels, orders) = match blocks.len() {
        0 | 1 => (all, Tuning::COLUMN_ORDERS),
        _ => (best_combinations(&peeler, &blocks, &all), Tuning::COLUMN_ORDERS_PER_BLOCK),
    };
    let started: Vec<Started> =
        blocks.par_iter().map(|block| start(&peeler, block, &levels, orders)).collect();

    // Of each construction what it lost, and the records of the blocks where it was tried.
    let mut tried: Vec<(Construction, u64, u64)> = Vec::new();
    let mut classes = Vec::new();
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
            }
        }
    }
    let share = |lost: u64, of: u64| lost as f64 / (f64::from(WHOLE) * of.max(1) as f64);
    let tried = tried.into_iter().map(|(c, lost, of)| Construction { loss: share(lost, of), ..c });
    (classes, tried.collect())
}

/// Points that are near to each other, in blocks that hold.
fn blocks(space: &Space, rule: &ClassRule<'_>, seed: u64) -> Vec<Vec<u32>> {
    let mut items: Vec<u32> = (0..space.len() as u32).collect();
    let near = Neighbours {
        space,
        cover: |point| space.point(point),
        may: |points: &[u32]| {
            rule.check_cancelled();
            rule.holds(&members(space, points))
        },
        most: match space.len() {
            0..=Tuning::ONE_BLOCK_POINTS => Tuning::ONE_BLOCK_POINTS,
            _ => Tuning::BLOCK_POINTS,
        },
    };
    let sizes = near.group(&mut items, seed);
    let mut rest = &items[..];
    let cut = |size: usize| {
        let (block, after) = rest.split_at(size);
        rest = after;
        let mut block = block.to_vec();
        // In the order of the points again, which ties below depend on.
        block.sort_unstable();
        block
    };
    sizes.into_iter().map(cut).collect()
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

/// The combinations that take out most records in some of the blocks, in their order; none where peeling loses clearly more there than
/// splitting does, as in tables with so many columns that hardly any records look alike in most of them.
fn best_combinations<'a>(
    peeler: &Peeler<'_>,
    blocks: &[Vec<u32>],
    all: &[&'a Combination],
) -> Vec<&'a Combination> {
    let samples = Tuning::SAMPLE_BLOCKS;
    // Evenly spaced among the blocks; one sample is the block in the middle.
    let sampled = (1..=samples).map(|nth| &blocks[nth * blocks.len() / (samples + 1)]);
    let mut taken = vec![0; all.len()];
    let (mut by_peeling, mut by_splitting) = (0, 0);
    for block in sampled {
        let peeled = peeler.peel(block, all);
        taken.iter_mut().zip(peeled.taken).for_each(|(sum, taken)| *sum += taken);
        by_peeling += loss(&peeled.classes);
        let mut made = Vec::new();
        let whole = Class::of(peeler.space, members(peeler.space, block));
        split(peeler.space, peeler.rule, whole, &mut made);
        by_splitting += loss(&made);
    }
    if by_peeling > by_splitting + by_splitting / Tuning::PEEL_WORSE_DIVISOR {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(taken[at]));
    order.truncate(Tuning::COMBINATIONS_PER_BLOCK);
    // The last combination says nothing about any column: all that is left is one crowd.
    order.push(all.len() - 1);
    order.sort_unstable();
    order.dedup();
    order.into_iter().map(|at| all[at]).collect()
}

fn start(peeler: &Peeler<'_>, block: &[u32], levels: &[&Combination], orders: usize) -> Started {
    let (space, rule) = (peeler.space, peeler.rule);
    let members = members(space, block);
    let records: u64 = members.iter().map(|m| u64::from(m.count)).sum();
    if records <= u64::from(Tuning::EXACT_RECORDS)
        && let Some(best) = exact::best(space, rule, &members)
    {
        return vec![(exact::NAME, best)];
    }
    let mut started: Started = Vec::new();
    if !levels.is_empty() {
        started.push(("peel", peeler.peel(block, levels).classes));
    }
    // The dynamic program knows sizes only; other conditions would have to be asked of every stretch of records.
    if rule.only_size() && records * 2 * u64::from(rule.k()) * space.time_factor() <= Tuning::MAX_CUT_STEPS {
        started.push(("ribbon", ribbon(space, rule, &members, orders)));
    }
    if block.len() <= Tuning::MERGE_POINTS {
        started.push(("merge", merge(space, rule, &members)));
    }
    let mut made = Vec::new();
    split(space, rule, Class::of(space, members), &mut made);
    started.push(("split", made));
    started
}

fn members(space: &Space, points: &[u32]) -> Vec<Member> {
    points.iter().map(|&point| Member { point, count: space.weight(point) }).collect()
}
