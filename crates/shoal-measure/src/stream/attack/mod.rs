//! Adversaries of a published stream.
//!
//! - *Sets* (hardened): whoever believes the shares that the design is made for; whoever learns the shares from the lines; whoever
//!   also learns how values go with the cells ([`Sightings`]); whoever intersects the sets of people who return (`returning`).
//! - *Groups* (paper): the same, and whoever knows that a tuple joins an open group whenever it can (`joining`).
//! - *Crowds* (castle): the adversaries of tables on the lines (`rows`), and whoever knows who came when (`order`).

mod joining;
mod order;
mod returning;
mod rows;

use shoal_core::Progress;
use shoal_core::stream::{SetDesign, StreamDesign, StreamLine, StreamPromise, StreamTuple};
use shoal_privacy::stream::GateColumn;

use super::{Guess, STOPS_ABOVE, Sightings, StreamMeasureError};
use crate::attack::{Attack, Attacks, BestGuess, PersonRisk};

/// What is attacked.
#[derive(Clone, Copy, Debug)]
pub struct StreamTarget<'a> {
    /// The published columns beside the sensitive value.
    pub columns: &'a [GateColumn],
    /// What is promised.
    pub promise: StreamPromise,
    /// The published lines.
    pub lines: &'a [StreamLine<'static>],
    /// From which sets of values lines are drawn, where that is known: it is public.
    pub design: Option<&'a StreamDesign>,
    /// The original.
    pub tuples: &'a [StreamTuple<'static>],
    /// The tuples of the original that lines show, in their order, where that is known. Success is measured by them.
    pub shown: Option<&'a [StreamTuple<'static>]>,
    /// What the sensitive column is called, for the people's file.
    pub sensitive: &'a str,
}

/// Plays the adversaries.
pub fn attack_stream(
    target: &StreamTarget<'_>,
    progress: &dyn Progress,
) -> Result<Attacks, StreamMeasureError> {
    progress.stage("attacking", 0);
    let mut found = Attacks::default();
    match target.promise {
        StreamPromise::Crowds { k, l, .. } => {
            rows::attack(target, k, l, progress, &mut found);
            order::attack(target, k, &mut found);
        }
        StreamPromise::Sets { l } => match target.design {
            Some(design) => {
                let seen = Sightings::of_sets(target.columns, target.lines, design)?;
                guess_sets(target, design, &seen, l, &mut found);
                returning::attack(target, l, &mut found);
            }
            None => {
                let why = "anything about the sets: the values and shares of the design are not known here; give them with  --set \
                           algorithm.prior-file=…  (prior.csv in the state folder)";
                found.not_tried.push(why.to_owned());
                returning::attack(target, l, &mut found);
            }
        },
        StreamPromise::Groups { l, .. } => {
            let (seen, labels) = Sightings::of_groups(target.columns, target.lines)?;
            guess_groups(target, &seen, &labels, l, &mut found);
            joining::attack(target, &labels, l, &mut found);
            returning::attack(target, l, &mut found);
        }
    }
    found
        .not_tried
        .push("times: when a line left, and how long after its tuple came, is not in the file".to_owned());
    Ok(found)
}

/// What cannot be measured where lines and tuples do not belong together.
const NOT_PAIRED: &str = "whether guesses are right: the original does not belong to these lines tuple by tuple (other tuples, or dead \
                          letters between them)";

fn guess_sets(
    target: &StreamTarget<'_>,
    design: &StreamDesign,
    seen: &Sightings,
    l: usize,
    found: &mut Attacks,
) {
    let Some(shown) = target.shown else {
        found.not_tried.push(NOT_PAIRED.to_owned());
        return;
    };
    let labels = design.labels();
    let bound = 1.0 / l as f64;
    let question =
        "Whoever believes of everybody the shares that the design is made for guesses a value of each line.";
    let right = (0..target.lines.len())
        .filter(|&line| by_design(target, design, line) == code(labels, &shown[line]))
        .count();
    let attack = Attack::sampled("belief of the design", question, right as u64, shown.len() as u64);
    found.attacks.push(attack.promised(bound).worst(words(right, shown.len()), None));

    let guesses = seen.without_cells().guess();
    let right = count_right(&guesses, labels, shown);
    let question = format!(
        "Whoever learns the shares of the values from the lines guesses the value of each line that has grown most. A stream stops \
         where its values have drifted so far that {STOPS_ABOVE}/l is reached."
    );
    let attack = Attack::sampled("shares learned from the lines", question, right, shown.len() as u64);
    found.attacks.push(attack.promised(STOPS_ABOVE * bound).worst(words(right as usize, shown.len()), None));

    let guesses = seen.guess();
    let right = count_right(&guesses, labels, shown);
    // Where lines show nothing but the stratum that the design knows, there is nothing more to learn; otherwise nobody promised it.
    let covered = design.shows_strata() && target.columns.iter().all(|column| column.quasi);
    let question = "Whoever learns from the lines how values go with the other columns (naive Bayes, fitted by expectation \
                    maximization) guesses the value of each line.";
    let attack = Attack::sampled("values learned from the cells", question, right, shown.len() as u64);
    let attack = if covered { attack.promised(STOPS_ABOVE * bound) } else { attack.compared(bound) };
    found.attacks.push(attack.worst(words(right as usize, shown.len()), None));
    if !covered {
        found.notes.push(format!(
            "1/{l} is promised against a belief that is the same for everybody; what lines teach about values that go with the other \
             columns is compared with it and not promised (prior = \"conditional\" with publish = \"stratum\" leaves nothing to learn)"
        ));
    }
    found.people = people(target, seen, &guesses, labels, shown);
}

fn guess_groups(
    target: &StreamTarget<'_>,
    seen: &Sightings,
    labels: &[String],
    l: usize,
    found: &mut Attacks,
) {
    let Some(shown) = target.shown else {
        found.not_tried.push(NOT_PAIRED.to_owned());
        return;
    };
    let guesses = seen.guess();
    let right = count_right(&guesses, labels, shown);
    let question = "Whoever learns from the groups how values go with the other columns (naive Bayes, fitted by expectation \
                    maximization) guesses the value of each member.";
    let attack = Attack::sampled("values learned from the cells", question, right, shown.len() as u64);
    found.attacks.push(attack.promised(1.0 / l as f64).worst(words(right as usize, shown.len()), None));
    found.people = people(target, seen, &guesses, labels, shown);
}

/// The guess of somebody who takes the design's shares for true: in a calibrated set every value is as likely as any, so the most
/// frequent one is as good a guess; under a uniform design one is drawn.
fn by_design(target: &StreamTarget<'_>, design: &StreamDesign, line: usize) -> Option<u32> {
    let StreamLine::Set { cells, values } = &target.lines[line] else { return None };
    let stratum = design.stratum_of_line(cells)?;
    let codes: Vec<u32> = values.iter().filter_map(|value| design.code(value)).collect();
    match design.sets(stratum) {
        SetDesign::Uniform { .. } => {
            codes.get(shoal_core::mix(line as u64) as usize % codes.len().max(1)).copied()
        }
        SetDesign::Calibrated(sets) => {
            codes.into_iter().max_by_key(|&code| (sets.counts()[code as usize], std::cmp::Reverse(code)))
        }
    }
}

fn code(labels: &[String], tuple: &StreamTuple<'_>) -> Option<u32> {
    labels.binary_search_by(|label| label.as_str().cmp(&tuple.value)).ok().map(|code| code as u32)
}

fn count_right(guesses: &[Guess], labels: &[String], shown: &[StreamTuple<'_>]) -> u64 {
    let is_right = |(guess, tuple): &(&Guess, &StreamTuple<'_>)| code(labels, tuple) == Some(guess.value);
    guesses.iter().zip(shown).filter(is_right).count() as u64
}

fn words(right: usize, all: usize) -> String {
    format!("{right} of {all} guesses are right")
}

fn people(
    target: &StreamTarget<'_>,
    seen: &Sightings,
    guesses: &[Guess],
    labels: &[String],
    shown: &[StreamTuple<'_>],
) -> Vec<PersonRisk> {
    let risk = |((tuple, guess), left): ((&StreamTuple<'_>, &Guess), usize)| PersonRisk {
        record: tuple.position as u32,
        crowd: left as u64,
        guesses: vec![BestGuess {
            column: target.sensitive.to_owned(),
            value: labels[guess.value as usize].clone(),
            probability: guess.confidence,
        }],
    };
    shown.iter().zip(guesses).zip(seen.values_left()).map(risk).collect()
}
