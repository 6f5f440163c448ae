//! Improvement in rounds: neighbouring classes in pieces, other pieces each round, the pieces in parallel.

use rayon::prelude::*;
use shoal_core::{Progress, mix};

use super::class::{Class, loss, pooled};
use super::class_rule::ClassRule;
use super::neighbours::Neighbours;
use super::open::Opener;
use super::params::RibbonParams;
use super::piece::{Gains, Piece};
use super::rng::Rng;
use super::space::{Space, WHOLE};
use super::tuning::Tuning;
use crate::Round;

/// Improves the classes and returns what each round gained.
pub(super) fn improve(
    space: &Space,
    rule: &ClassRule<'_>,
    params: &RibbonParams,
    classes: &mut Vec<Class>,
    mut opener: Option<Opener<'_>>,
    progress: &dyn Progress,
) -> Vec<Round> {
    let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
    let share = |lost: i64| lost as f64 / (f64::from(WHOLE) * records.max(1) as f64);
    let usual = usual_rounds(space);
    let most = params.rounds.unwrap_or(if params.until_deadline { u32::MAX } else { usual });
    progress.stage("improving", if params.until_deadline { 0 } else { u64::from(most) });
    let mut rounds: Vec<Round> = Vec::new();
    let mut idle = 0;
    // With a time limit there are never fewer rounds than without one.
    let idle_at_most = usual.max(Tuning::IDLE_ROUNDS);
    while (rounds.len() as u32) < most
        && !(params.until_deadline && (idle >= idle_at_most || !progress.go_on()))
    {
        let before = loss(classes) as i64;
        if before == 0 {
            break;
        }
        let seed = mix(params.seed.wrapping_add(1 + rounds.len() as u64));
        // Beyond the usual rounds, which have found most of what they can.
        let beyond = (rounds.len() as u32).checked_sub(usual);
        let opener = opener.as_mut().filter(|opener| beyond.is_some() && opener.suits(classes));
        let opened = opener.map(|opener| opener.open(classes));
        // Pieces are left alone in most rounds while opening classes gains something, which is faster.
        let is_opening = opened.is_some_and(|gained| gained > 0);
        let gains = match beyond {
            Some(beyond) if is_opening && !beyond.is_multiple_of(Tuning::OPENINGS_PER_ROUND) => {
                Gains::default()
            }
            _ => round(space, rule, classes, seed),
        };
        let after = loss(classes) as i64;
        idle = if share(before - after) < Tuning::NEGLIGIBLE_GAIN * share(before) { idle + 1 } else { 0 };
        let mut gains = vec![
            ("moved", share(gains.moved)),
            ("swapped", share(gains.swapped)),
            ("recreated", share(gains.recreated)),
            ("reformed", share(gains.reformed)),
        ];
        gains.extend(opened.map(|opened| ("opened", share(opened))));
        rounds.push(Round { gains, loss: share(after) });
        progress.advance(1);
    }
    rounds
}

/// Fewer where a round takes longer.
fn usual_rounds(space: &Space) -> u32 {
    match space.len() {
        0..=Tuning::SMALL_POINTS => Tuning::ROUNDS_SMALL,
        Tuning::LARGE_POINTS.. if space.dims() as u64 > Tuning::EVALUATION_COLUMNS => {
            Tuning::ROUNDS_LARGE_WIDE
        }
        Tuning::LARGE_POINTS.. => Tuning::ROUNDS_LARGE,
        _ => Tuning::ROUNDS_MEDIUM,
    }
}

fn round(space: &Space, rule: &ClassRule<'_>, classes: &mut Vec<Class>, seed: u64) -> Gains {
    merge_equal_covers(space, rule, classes);
    let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
    let most = match space.len() {
        0..=Tuning::SMALL_POINTS => Tuning::PIECE_CLASSES_SMALL,
        Tuning::LARGE_POINTS.. => Tuning::PIECE_CLASSES_LARGE,
        _ => Tuning::PIECE_CLASSES,
    };
    let (order, sizes) = {
        let cover = |class: u32| &classes[class as usize].cover[..];
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        let may = |_: &[u32]| {
            rule.check_cancelled();
            true
        };
        let sizes = Neighbours { space, cover, may, most }.group(&mut order, seed);
        (order, sizes)
    };
    reorder(classes, &order);
    let mut rest = std::mem::take(classes).into_iter();
    let pieces: Vec<Vec<Class>> = sizes.iter().map(|&size| rest.by_ref().take(size).collect()).collect();
    // Work is counted and not timed, so that the result does not depend on the machine.
    let is_small = space.len() <= Tuning::SMALL_POINTS;
    let per_record = match rule.only_size() && !is_small {
        true => Tuning::EVALUATIONS_PER_RECORD,
        false => Tuning::EVALUATIONS_PER_RECORD_ASKED,
    };
    // A small table has the time for all its columns.
    let columns = match is_small {
        true => Tuning::EVALUATION_COLUMNS,
        false => (space.dims() as u64).max(Tuning::EVALUATION_COLUMNS),
    };
    let evaluations = (Tuning::EVALUATIONS_PER_ROUND + per_record * records) * Tuning::EVALUATION_COLUMNS
        / columns
        / space.time_factor()
        / pieces.len().max(1) as u64;
    let improved: Vec<(Vec<Class>, Gains)> = pieces
        .into_par_iter()
        .enumerate()
        .map(|(number, classes)| {
            let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
            let per_attempt =
                (records + Tuning::EVALUATIONS_PER_ATTEMPT) * (1 + u64::from(rule.k()) / Tuning::ATTEMPT_K);
            let mut piece = Piece {
                space,
                rule,
                classes,
                rng: Rng::new(seed, number as u64),
                tolerance: 0,
                quick: false,
                scratch: Vec::new(),
            };
            let most = Tuning::ATTEMPTS_PER_CLASS * piece.classes.len() as u64;
            let attempts = evaluations.div_ceil(per_attempt).min(most);
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

/// Merges classes with equal covers: that costs nothing, and a larger class has more records to spare. Where the merged
/// class would not hold they stay apart; a round splits the merged ones again.
fn merge_equal_covers(space: &Space, rule: &ClassRule<'_>, classes: &mut Vec<Class>) {
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    order.par_sort_by(|&a, &b| classes[a as usize].cover.cmp(&classes[b as usize].cover));
    reorder(classes, &order);
    classes.dedup_by(|next, kept| {
        rule.check_cancelled();
        if next.cover != kept.cover {
            return false;
        }
        let members = pooled([&kept.members[..], &next.members].concat());
        if !rule.unions_hold() && !rule.holds(&members) {
            return false;
        }
        kept.members = members;
        kept.refresh(space);
        true
    });
}

/// Puts classes in an order.
fn reorder(classes: &mut Vec<Class>, order: &[u32]) {
    let nothing = || Class { members: Vec::new(), size: 0, cost: 0, cover: Vec::new() };
    *classes = order.iter().map(|&at| std::mem::replace(&mut classes[at as usize], nothing())).collect();
}
