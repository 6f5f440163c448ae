//! Improvement in rounds: neighbouring classes in pieces, other pieces each round, the pieces in parallel.

use rayon::prelude::*;
use shoal_core::{Progress, mix};

use super::class::{Class, loss, pooled};
use super::dice::Dice;
use super::law::Law;
use super::neighbours::Neighbours;
use super::params::RibbonParams;
use super::piece::{Gains, Piece};
use super::space::{Space, WHOLE};
use crate::Round;

/// A piece has at most so many classes; fewer where there are very many points and so little time for each, and
/// where there are few and so many attempts that a class is better off with its nearest neighbours.
const PIECE: usize = 96;

/// Up to so many points are few.
const FEW: usize = 5000;

/// So many are very many.
const MANY: usize = 200_000;

/// An attempt looks at all records of its piece, and takes its time besides, more of it for larger classes …
const ALWAYS: u64 = 400;

/// … A round may look at so many in all …
const LOOKS: u64 = 4_000_000;

/// … and at so many more for each record of the table.
const LOOKS_PER_RECORD: u64 = 6;

/// There are at most so many attempts for each class.
const PER_CLASS: u64 = 20;

/// A round that gains less than this share of the loss has found nothing.
const NEGLIGIBLE: f64 = 1e-4;

/// Where there is time, rounds go on until at least so many, one after the other, have found nothing.
const IDLE: u32 = 4;

/// Improves the classes and says what each round has gained.
pub(super) fn improve(
    space: &Space,
    law: &Law<'_>,
    params: &RibbonParams,
    classes: &mut Vec<Class>,
    progress: &dyn Progress,
) -> Vec<Round> {
    let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
    let share = |lost: i64| lost as f64 / (f64::from(WHOLE) * records.max(1) as f64);
    let usual = usual_rounds(space.len());
    let most = params.rounds.unwrap_or(if params.patient { u32::MAX } else { usual });
    progress.stage("improving", if params.patient { 0 } else { u64::from(most) });
    let mut rounds: Vec<Round> = Vec::new();
    let mut idle = 0;
    // Who has more time than usual gets no less than usual.
    let idle_at_most = usual.max(IDLE);
    while (rounds.len() as u32) < most && !(params.patient && (idle >= idle_at_most || !progress.go_on())) {
        let before = loss(classes) as i64;
        if before == 0 {
            break;
        }
        let seed = mix(params.seed.wrapping_add(1 + rounds.len() as u64));
        let gains = round(space, law, classes, seed);
        let after = loss(classes) as i64;
        idle = if share(before - after) < NEGLIGIBLE * share(before) { idle + 1 } else { 0 };
        rounds.push(Round {
            gains: vec![
                ("moved", share(gains.moved)),
                ("swapped", share(gains.swapped)),
                ("recreated", share(gains.recreated)),
                ("reformed", share(gains.reformed)),
            ],
            loss: share(after),
        });
        progress.advance(1);
    }
    rounds
}

/// Fewer where a round takes longer.
fn usual_rounds(points: usize) -> u32 {
    if points <= FEW {
        64
    } else if points < MANY {
        4
    } else {
        1
    }
}

fn round(space: &Space, law: &Law<'_>, classes: &mut Vec<Class>, seed: u64) -> Gains {
    unite(space, law, classes);
    let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
    let most = match space.len() {
        0..=FEW => PIECE / 4,
        MANY.. => PIECE / 3,
        _ => PIECE,
    };
    let (order, sizes) = {
        let cover = |class: u32| &classes[class as usize].cover[..];
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        let may = |_: &[u32]| {
            law.check_wanted();
            true
        };
        let sizes = Neighbours { space, cover, may, most }.group(&mut order, seed);
        (order, sizes)
    };
    arrange(classes, &order);
    let mut rest = std::mem::take(classes).into_iter();
    let pieces: Vec<Vec<Class>> = sizes.iter().map(|&size| rest.by_ref().take(size).collect()).collect();
    let looks = (LOOKS + LOOKS_PER_RECORD * records) / space.heaviness() / pieces.len().max(1) as u64;
    let improved: Vec<(Vec<Class>, Gains)> = pieces
        .into_par_iter()
        .enumerate()
        .map(|(number, classes)| {
            let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
            let per_attempt = (records + ALWAYS) * (1 + u64::from(law.k()) / 50);
            let mut piece = Piece {
                space,
                law,
                classes,
                dice: Dice::new(seed, number as u64),
                patience: 0,
                scratch: Vec::new(),
            };
            let attempts = looks.div_ceil(per_attempt).min(PER_CLASS * piece.classes.len() as u64);
            let gains = piece.improve(attempts as usize);
            (piece.classes, gains)
        })
        .collect();
    let mut all = Gains::default();
    for (piece, gains) in improved {
        classes.extend(piece);
        all.moved += gains.moved;
        all.swapped += gains.swapped;
        all.recreated += gains.recreated;
        all.reformed += gains.reformed;
    }
    all
}

/// Makes one of classes that cover the same: that costs nothing, and then they have more to spare. Where that does not
/// hold they stay apart, for a round to part them anew.
fn unite(space: &Space, law: &Law<'_>, classes: &mut Vec<Class>) {
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    order.par_sort_by(|&a, &b| classes[a as usize].cover.cmp(&classes[b as usize].cover));
    arrange(classes, &order);
    classes.dedup_by(|next, kept| {
        law.check_wanted();
        if next.cover != kept.cover {
            return false;
        }
        let members = pooled([&kept.members[..], &next.members].concat());
        if !law.unions_hold() && !law.holds(&members) {
            return false;
        }
        kept.members = members;
        kept.refresh(space);
        true
    });
}

/// Puts classes in an order.
fn arrange(classes: &mut Vec<Class>, order: &[u32]) {
    let nothing = || Class { members: Vec::new(), size: 0, cost: 0, cover: Vec::new() };
    *classes = order.iter().map(|&at| std::mem::replace(&mut classes[at as usize], nothing())).collect();
}
