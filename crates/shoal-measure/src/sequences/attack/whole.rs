use std::collections::HashMap;

use rayon::prelude::*;
use shoal_core::{Bound, Limit, Progress};

use super::SequencesTarget;
use super::forms::{Forms, Sensitive};
use crate::attack::{Attack, Attacks, BestGuess, PersonRisk};

/// The adversary who knows all quasi-identifiers of somebody's events.
pub(super) fn attack(
    target: &SequencesTarget<'_>,
    forms: &Forms,
    progress: &dyn Progress,
    found: &mut Attacks,
) {
    let covers = Covers::of(target, forms);
    // A quasi-identifier that the file does not have tells nothing.
    let mut quasi = target.original.events().quasi_identifiers();
    quasi.retain(|column| target.published.column(&column.name).is_some());
    // Whoever has the same events is one case.
    let mut cases: HashMap<Vec<Vec<u32>>, usize> = HashMap::new();
    let mut case_of = Vec::with_capacity(target.original.persons());
    for events in target.original.iter() {
        let known: Vec<Vec<u32>> =
            events.map(|event| quasi.iter().map(|column| column.codes[event]).collect()).collect();
        let next = cases.len();
        case_of.push(*cases.entry(known).or_insert(next));
    }
    let mut known: Vec<Vec<Vec<u32>>> = vec![Vec::new(); cases.len()];
    cases.into_iter().for_each(|(events, case)| known[case] = events);
    let fitting: Vec<Vec<u32>> = known
        .par_iter()
        .map(|events| {
            progress.check();
            let fits = |form: &u32| covers.fit(&forms.events[*form as usize], events);
            (0..forms.events.len() as u32).filter(fits).collect()
        })
        .collect();
    let crowds: Vec<u64> = fitting.iter().map(|fitting| forms.crowd(fitting)).collect();
    found.attacks.push(link(target, &case_of, &crowds));
    for sensitive in &forms.sensitive {
        let shares: Vec<Option<(u32, f64)>> = fitting
            .iter()
            .zip(&crowds)
            .map(|(fitting, &crowd)| {
                let counts = sensitive.tally(fitting);
                let best = counts.iter().max_by_key(|&&(value, count)| (count, std::cmp::Reverse(value)))?;
                Some((best.0, best.1 as f64 / crowd as f64))
            })
            .collect();
        found.attacks.push(best_guess(target, sensitive, &case_of, &shares));
        for limit in target.promise.limits.iter().filter(|limit| limit.column == sensitive.name) {
            found.attacks.extend(confidence(target, sensitive, limit, &case_of, &fitting, &crowds));
        }
        for (person, &case) in case_of.iter().enumerate() {
            let guess = shares[case].map(|(value, probability)| BestGuess {
                column: sensitive.name.clone(),
                value: sensitive.labels[value as usize].clone(),
                probability,
            });
            if found.people.len() <= person {
                found.people.push(PersonRisk {
                    record: target.source_rows[person],
                    crowd: crowds[case],
                    guesses: Vec::new(),
                });
            }
            found.people[person].guesses.extend(guess);
        }
    }
    if found.people.is_empty() {
        let risk = |(&case, &record): (&usize, &u32)| PersonRisk {
            record,
            crowd: crowds[case],
            guesses: Vec::new(),
        };
        found.people = case_of.iter().zip(target.source_rows).map(risk).collect();
    }
    found.people.sort_by_key(|risk| risk.record);
}

/// Which published texts cover which values.
pub(super) struct Covers {
    /// By quasi-identifier, text and value.
    of: Vec<Vec<Vec<bool>>>,
}

impl Covers {
    pub(super) fn of(target: &SequencesTarget<'_>, forms: &Forms) -> Covers {
        let published = target.published;
        let quasi = target.original.events().quasi_identifiers();
        let columns = quasi.into_iter().filter(|column| published.column(&column.name).is_some());
        let of = columns.zip(&forms.cells).map(|(column, cells)| {
            let covered = |cell: &Option<shoal_core::PublishedValue>| {
                let values = 0..column.domain.len() as u32;
                let covers = |code| {
                    cell.as_ref()
                        .is_some_and(|cell| cell.covers(code, &column.domain, column.hierarchy.as_ref()))
                };
                values.map(covers).collect()
            };
            cells.iter().map(covered).collect()
        });
        Covers { of: of.collect() }
    }

    /// Whether every event of a form covers another one of the known events, in order. The earliest one that fits is as good as any.
    pub(super) fn fit(&self, form: &[Vec<u32>], known: &[Vec<u32>]) -> bool {
        let mut left = known.iter();
        form.iter().all(|cells| left.any(|known| self.covers(cells, known)))
    }

    /// Whether the cells of an event are true of a known one.
    pub(super) fn covers(&self, cells: &[u32], known: &[u32]) -> bool {
        let mut all = cells.iter().zip(known).zip(&self.of);
        all.all(|((&cell, &value), covers)| covers[cell as usize][value as usize])
    }
}

fn link(target: &SequencesTarget<'_>, case_of: &[usize], crowds: &[u64]) -> Attack {
    let k = target.promise.k;
    let question = "Whoever knows all quasi-identifiers of somebody's events, in order, picks one of the published people who fit.";
    let found = case_of.iter().enumerate().filter(|(_, case)| crowds[**case] > 0);
    let Some((person, &case)) = found.clone().min_by_key(|(_, case)| crowds[**case]) else {
        let attack = Attack::exact("linkage", question, 0.0).promised(1.0 / k as f64);
        return attack.worst("no published person fits anybody of the original", None);
    };
    let shares: Vec<f64> = found.map(|(_, case)| 1.0 / crowds[*case] as f64).collect();
    Attack::exact("linkage", question, 1.0 / crowds[case] as f64)
        .mean(shares.iter().sum::<f64>() / shares.len() as f64)
        .promised(1.0 / k as f64)
        .worst(
            format!("{} published people fit this person's events", crowds[case]),
            Some(target.source_rows[person]),
        )
}

fn best_guess(
    target: &SequencesTarget<'_>,
    sensitive: &Sensitive,
    case_of: &[usize],
    shares: &[Option<(u32, f64)>],
) -> Attack {
    let column = &sensitive.name;
    let question = format!(
        "Whoever knows all quasi-identifiers of somebody's events guesses the value of `{column}` that most of those have who fit."
    );
    let share = |case: usize| shares[case].map_or(0.0, |(_, share)| share);
    let worst =
        case_of.iter().enumerate().max_by(|(a, x), (b, y)| share(**x).total_cmp(&share(**y)).then(b.cmp(a)));
    let mean = case_of.iter().map(|&case| share(case)).sum::<f64>() / case_of.len().max(1) as f64;
    let (person, success) = worst.map_or((0, 0.0), |(person, &case)| (person, share(case)));
    let words = format!("{:.1} % of those who fit have one value", 100.0 * success);
    let record = target.source_rows.get(person).copied();
    Attack::exact("best guess", question, success).of_column(column).mean(mean).worst(words, record)
}

/// Whether too many of those who fit have one of the highly sensitive values.
fn confidence(
    target: &SequencesTarget<'_>,
    sensitive: &Sensitive,
    limit: &Limit,
    case_of: &[usize],
    fitting: &[Vec<u32>],
    crowds: &[u64],
) -> Option<Attack> {
    let Bound::Share(c) = limit.bound else { return None };
    let wanted = sensitive.named(limit.values.as_deref());
    let has_one = |values: &&Vec<u32>| values.iter().any(|&value| wanted[value as usize]);
    let by_form: Vec<u64> =
        sensitive.people.iter().map(|people| people.iter().filter(has_one).count() as u64).collect();
    let shares: Vec<f64> = fitting
        .iter()
        .zip(crowds)
        .map(|(fitting, &crowd)| {
            let with: u64 = fitting.iter().map(|&form| by_form[form as usize]).sum();
            if crowd == 0 { 0.0 } else { with as f64 / crowd as f64 }
        })
        .collect();
    let (person, &case) = case_of
        .iter()
        .enumerate()
        .max_by(|(a, x), (b, y)| shares[**x].total_cmp(&shares[**y]).then(b.cmp(a)))?;
    let column = &sensitive.name;
    let question = format!(
        "Whoever knows all quasi-identifiers of somebody's events guesses that they have one of the highly sensitive values of `{column}`."
    );
    let mean = case_of.iter().map(|&case| shares[case]).sum::<f64>() / case_of.len() as f64;
    let words = format!("{:.1} % of those who fit have one", 100.0 * shares[case]);
    let attack =
        Attack::exact("highly sensitive values", question, shares[case]).of_column(column).mean(mean);
    Some(attack.promised(c).worst(words, Some(target.source_rows[person])))
}
