//! From a figure for each class to an answer.

use super::Spread;
use super::spread::Class;
use crate::{Figure, Outcome, Violations};

/// A condition that asks every class for a figure.
pub(super) trait Judge: Sync {
    /// How bad a class is: the greater, the worse.
    fn badness(&self, class: &Class<'_>) -> f64;

    /// Whether a class may be that bad.
    fn allows(&self, badness: f64) -> bool;

    /// What is found in a class, for a report.
    fn found(&self, class: &Class<'_>) -> Figure;

    /// What is wrong with a class that may not be as it is.
    fn why(&self, class: &Class<'_>) -> String;
}

/// Whether all classes are as they may be. The figure of the worst one is what is found.
pub(super) fn judge(spread: &Spread<'_>, judge: &impl Judge) -> Outcome {
    // A class of which nobody has a value says nothing about it.
    let badness = |class: &Class<'_>| if class.size == 0 { f64::NEG_INFINITY } else { judge.badness(class) };
    let badness = spread.each_class(badness);
    let at = |class: u32| badness[class as usize];
    let speaks = |class: u32| at(class) > f64::NEG_INFINITY;
    let worst = (0..badness.len() as u32)
        .filter(|&class| speaks(class))
        .max_by(|&one, &two| at(one).total_cmp(&at(two)));
    // A stable sort, so that equally bad classes stay in the order of the file.
    let mut bad: Vec<u32> =
        (0..badness.len() as u32).filter(|&class| speaks(class) && !judge.allows(at(class))).collect();
    bad.sort_by(|&one, &two| at(two).total_cmp(&at(one)));
    let describe = |class| spread.of_class(class, |class| (judge.found(class), Some(judge.why(class))));
    Outcome {
        found: worst.map_or(Figure::Nothing, |class| spread.of_class(class, |class| judge.found(class))),
        holds: bad.is_empty(),
        violations: Violations::name(spread.view, &bad, describe),
    }
}
