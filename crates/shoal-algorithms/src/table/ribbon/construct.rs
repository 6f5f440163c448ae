//! Several cheap ways to start; the best one is taken in each block.

use rayon::prelude::*;

use super::class::{Class, Member, loss};
use super::exact;
use super::ladder::{Ladder, combinations};
use super::law::Law;
use super::merge::merge;
use super::neighbours::Neighbours;
use super::order::ribbon;
use super::peel::Peeler;
use super::space::{Space, WHOLE};
use super::split::split;
use crate::Construction;
use crate::table::points::Points;

/// A block has at most so many points.
const BLOCK: usize = 24_000;

/// Where there are several blocks, the combinations of levels are tried on some, and so many of the best on the
/// others.
const LEAN: usize = 160;

/// So often a point of a block is looked at in all. More than a block of the usual size needs: others cannot be cut
/// where what is promised does not allow it.
const VISITS: usize = 400_000_000;

/// How many blocks all combinations are tried on.
const PILOTS: usize = 1;

/// So many orders of the columns are tried for the ribbon, fewer where there are several blocks.
const ORDERS: usize = 6;

/// Up to this many steps the ribbon is cut by dynamic programming; it has 2k for each record.
const CUT_STEPS: u64 = 4_000_000;

/// Up to this many points are merged pair by pair.
const MERGED: usize = 600;

type Started = Vec<(&'static str, Vec<Class>)>;

/// The best start, and what each way would have lost.
pub(super) fn construct(
    space: &Space,
    law: &Law<'_>,
    points: &Points,
    ladders: &[Ladder],
    seed: u64,
) -> (Vec<Class>, Vec<Construction>) {
    let blocks = blocks(space, law, seed);
    let peeler = Peeler { space, law, points, ladders };
    let all = thinned(combinations(ladders), blocks.iter().map(Vec::len).max().unwrap_or(0));
    let levels = if blocks.len() > 1 { lean(&peeler, &blocks, &all) } else { all };
    let orders = if blocks.len() > 1 { 2 } else { ORDERS };
    let started: Vec<Started> =
        blocks.par_iter().map(|block| start(&peeler, block, &levels, orders)).collect();

    let mut account: Vec<(Construction, u64, u64)> = Vec::new();
    let mut classes = Vec::new();
    for block in started {
        let records: u64 = block[0].1.iter().map(|class| u64::from(class.size)).sum();
        let best = (0..block.len()).min_by_key(|&at| loss(&block[at].1)).unwrap_or(0);
        for (at, (name, made)) in block.into_iter().enumerate() {
            let known = match account.iter().position(|(known, ..)| known.name == name) {
                Some(known) => known,
                None => {
                    let fresh = Construction { name, loss: 0.0, won: 0, tried: 0 };
                    account.push((fresh, 0, 0));
                    account.len() - 1
                }
            };
            let (construction, lost, of) = &mut account[known];
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
    let account = account.into_iter().map(|(c, lost, of)| Construction { loss: share(lost, of), ..c });
    (classes, account.collect())
}

/// Points that are near to each other, in blocks that hold.
fn blocks(space: &Space, law: &Law<'_>, seed: u64) -> Vec<Vec<u32>> {
    let mut items: Vec<u32> = (0..space.len() as u32).collect();
    let near = Neighbours {
        space,
        cover: |point| space.point(point),
        may: |points: &[u32]| {
            law.check_wanted();
            law.holds(&members(space, points))
        },
        most: BLOCK,
    };
    let sizes = near.group(&mut items, seed);
    let mut rest = &items[..];
    let cut = |size: usize| {
        let (block, after) = rest.split_at(size);
        rest = after;
        let mut block = block.to_vec();
        block.sort_unstable();
        block
    };
    sizes.into_iter().map(cut).collect()
}

/// No more combinations than a block of this size has time for, the last one among them.
fn thinned(all: Vec<Vec<u8>>, points: usize) -> Vec<Vec<u8>> {
    let every = (all.len() * points).div_ceil(VISITS).max(1);
    let last = all.len() - 1;
    all.into_iter()
        .enumerate()
        .filter(|(at, _)| (last - at).is_multiple_of(every))
        .map(|(_, levels)| levels)
        .collect()
}

/// The combinations that take out most records in some of the blocks, in their order.
fn lean(peeler: &Peeler<'_>, blocks: &[Vec<u32>], all: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let pilots = (1..=PILOTS).map(|nth| &blocks[nth * blocks.len() / (PILOTS + 1)]);
    let mut taken = vec![0; all.len()];
    for pilot in pilots {
        let peeled = peeler.peel(pilot, all);
        taken.iter_mut().zip(peeled.taken).for_each(|(sum, taken)| *sum += taken);
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(taken[at]));
    order.truncate(LEAN);
    order.push(all.len() - 1);
    order.sort_unstable();
    order.dedup();
    order.into_iter().map(|at| all[at].clone()).collect()
}

fn start(peeler: &Peeler<'_>, block: &[u32], levels: &[Vec<u8>], orders: usize) -> Started {
    let (space, law) = (peeler.space, peeler.law);
    let members = members(space, block);
    let records: u64 = members.iter().map(|m| u64::from(m.count)).sum();
    if records <= u64::from(exact::FEW)
        && let Some(best) = exact::best(space, law, &members)
    {
        return vec![(exact::NAME, best)];
    }
    let mut started: Started = vec![("peel", peeler.peel(block, levels).classes)];
    if law.only_size() && records * 2 * u64::from(law.k()) * space.heaviness() <= CUT_STEPS {
        started.push(("ribbon", ribbon(space, law, &members, orders)));
    }
    if block.len() <= MERGED {
        started.push(("merge", merge(space, law, &members)));
    }
    let mut made = Vec::new();
    split(space, law, Class::of(space, members), &mut made);
    started.push(("split", made));
    started
}

fn members(space: &Space, points: &[u32]) -> Vec<Member> {
    points.iter().map(|&point| Member { point, count: space.weight(point) }).collect()
}
