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

/// The classes in the end, and how they came about.
pub(super) struct Improved {
    pub(super) classes: Vec<Class>,
    /// What each round gained on the way to them.
    pub(super) rounds: Vec<Round>,
    /// From which of the starts.
    pub(super) start: usize,
}

/// The classes that come of one start, round by round.
struct Track<'a> {
    classes: Vec<Class>,
    opener: Option<Opener<'a>>,
    rounds: Vec<Round>,
}

/// Improves the classes of each start, and takes those that lose least in the end: a start that loses less may end higher. At least one start
/// must be given. All of them have the same number of rounds; a time limit is one for all of them together.
pub(super) fn improve(
    space: &Space,
    rule: &ClassRule<'_>,
    params: &RibbonParams,
    starts: Vec<Vec<Class>>,
    opener: &Option<Opener<'_>>,
    progress: &dyn Progress,
) -> Improved {
    let (usual, most) = (usual_rounds(space), most_rounds(space, params));
    progress.stage("improving", if params.until_deadline { 0 } else { u64::from(most) });
    let track = |classes| Track { classes, opener: opener.clone(), rounds: Vec::new() };
    let mut tracks: Vec<Track<'_>> = starts.into_iter().map(track).collect();
    let mut done = 0;
    let mut idle = 0;
    // With a time limit there are never fewer rounds than without one.
    let idle_at_most = usual.max(Tuning::IDLE_ROUNDS);
    while done < most && !(params.until_deadline && (idle >= idle_at_most || !progress.go_on())) {
        if tracks.iter().any(|track| loss(&track.classes) == 0) {
            break;
        }
        let seed = mix(params.seed.wrapping_add(1 + u64::from(done)));
        // Beyond the usual rounds, which have found most of what they can.
        let is_beyond = done >= usual;
        let found = tracks.par_iter_mut().map(|track| track.improve(space, rule, seed, is_beyond));
        // Not `any`, which would leave out tracks once it knows.
        idle = if found.map(u32::from).sum::<u32>() > 0 { 0 } else { idle + 1 };
        done += 1;
        progress.advance(1);
    }
    // The first of equally good ones.
    let start = (0..tracks.len()).min_by_key(|&at| loss(&tracks[at].classes)).unwrap_or(0);
    let Track { classes, rounds, .. } = tracks.swap_remove(start);
    Improved { classes, rounds, start }
}

impl Track<'_> {
    /// One round more. Returns whether it found something.
    fn improve(&mut self, space: &Space, rule: &ClassRule<'_>, seed: u64, is_beyond: bool) -> bool {
        let classes = &mut self.classes;
        let records: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
        let share = |lost: i64| lost as f64 / (f64::from(WHOLE) * records.max(1) as f64);
        let before = loss(classes) as i64;
        let mut opener = self.opener.as_mut().filter(|opener| is_beyond && opener.suits(classes));
        let opened = opener.as_mut().map(|opener| opener.open(classes));
        let gains = round(space, rule, classes, seed);
        let chained =
            opener.filter(|opener| opener.suits(classes)).map(|opener| opener.move_along_chains(classes));
        let after = loss(classes) as i64;
        let mut gains = vec![
            ("moved", share(gains.moved)),
            ("swapped", share(gains.swapped)),
            ("recreated", share(gains.recreated)),
            ("reformed", share(gains.reformed)),
        ];
        gains.extend(opened.map(|opened| ("opened", share(opened))));
        gains.extend(chained.map(|chained| ("chained", share(chained))));
        self.rounds.push(Round { gains, loss: share(after) });
        share(before - after) >= Tuning::NEGLIGIBLE_GAIN * share(before)
    }
}

/// Whether more rounds are asked for than usual, in which classes are opened.
pub(super) fn goes_beyond_usual(space: &Space, params: &RibbonParams) -> bool {
    most_rounds(space, params) > usual_rounds(space)
}

fn most_rounds(space: &Space, params: &RibbonParams) -> u32 {
    params.rounds.unwrap_or(if params.until_deadline { u32::MAX } else { usual_rounds(space) })
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
