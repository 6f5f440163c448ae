//! How frequent a value may be in a part of the people: that depends on how frequent it is among everybody.

use std::collections::{BTreeMap, BTreeSet};

use shoal_core::{Bound, Column, Limit, SameValue, Sequences, SequencesPromise};
use shoal_privacy::refinement::sequences::Lists;

use super::Earlier;
use crate::sequences::load::Complete;

/// The limits as shares. The new release is judged by its own people, all releases together by those of all.
pub(super) fn bounds(
    earlier: &Earlier<'_>,
    complete: &Complete,
    promise: &SequencesPromise,
    is_published: impl Fn(usize) -> bool,
) -> Vec<Limit> {
    let [all, own] = [&earlier.lists[..], &[]]
        .map(|lists| Everybody::count(earlier, lists, complete, &is_published).limits(earlier, promise));
    stricter(&all, &own)
}

/// The lower one of each two bounds. Bounds that could rise again might take turns for ever.
pub(super) fn stricter(asked: &[Limit], found: &[Limit]) -> Vec<Limit> {
    let lower = |asked: &Limit| {
        // A value that nobody shows is in no crowd.
        let folded = |limit: &Limit| -> Option<Vec<SameValue>> {
            Some(limit.values.as_ref()?.iter().map(|value| SameValue::from_text(value)).collect())
        };
        let same = found.iter().find(|found| found.column == asked.column && folded(found) == folded(asked));
        match (asked.bound, same.map(|found| found.bound)) {
            (Bound::Share(one), Some(Bound::Share(other))) => {
                Limit { bound: Bound::Share(one.min(other)), ..asked.clone() }
            }
            _ => asked.clone(),
        }
    };
    asked.iter().map(lower).collect()
}

/// A little stricter still each time, so that a few people less do not ask for one more round.
pub(super) fn tightened(limits: Vec<Limit>, round: usize) -> Vec<Limit> {
    let tighter = |limit: Limit| match limit.bound {
        Bound::Share(share) => Limit { bound: Bound::Share(share * (1.0 - 0.005 * round as f64)), ..limit },
        Bound::Gain(_) => limit,
    };
    limits.into_iter().map(tighter).collect()
}

/// The limits that an algorithm can look at: those of values that the data have, by their spelling there.
pub(super) fn of_data(promise: &SequencesPromise, data: &Sequences) -> SequencesPromise {
    let spelled = |limit: &Limit| {
        let Some(values) = &limit.values else { return Some(limit.clone()) };
        let column = data.events().columns.iter().find(|column| column.name == limit.column)?;
        let looks = |label: &&str| {
            values.iter().any(|value| SameValue::from_text(value) == SameValue::from_text(label))
        };
        let labels = (0..column.domain.len() as u32).map(|code| column.domain.label(code)).filter(looks);
        let values: Vec<String> = labels.map(str::to_owned).collect();
        (!values.is_empty()).then(|| Limit { values: Some(values), ..limit.clone() })
    };
    SequencesPromise { limits: promise.limits.iter().filter_map(spelled).collect(), ..promise.clone() }
}

/// How many people have each value of a column in any appearance, and who everybody is.
#[derive(Default)]
struct Everybody {
    people: BTreeSet<u32>,
    /// By limited column and value, as it looks: as it was first written, and who has it.
    having: BTreeMap<(usize, SameValue), (String, BTreeSet<u32>)>,
}

impl Everybody {
    /// Those of some earlier releases, and of the new one as far as they are published.
    fn count(
        earlier: &Earlier<'_>,
        lists: &[Lists],
        complete: &Complete,
        is_published: impl Fn(usize) -> bool,
    ) -> Everybody {
        let mut all = Everybody::default();
        for (lists, person) in
            lists.iter().flat_map(|lists| lists.people().map(move |person| (lists, person)))
        {
            all.people.insert(person);
            for (_, unchanged) in lists.events_of(person) {
                let values = earlier.limited().map(|at| (at, &unchanged[at]));
                values.for_each(|(at, value)| all.add(person, at, value.as_deref().unwrap_or_default()));
            }
        }
        let columns = &complete.data.events().columns;
        let column = |at: usize| -> Option<(usize, &Column)> {
            Some((at, columns.iter().find(|column| column.name == earlier.unchanged[at])?))
        };
        let limited: Vec<(usize, &Column)> = earlier.limited().filter_map(column).collect();
        for (events, &row) in complete.data.iter().zip(&complete.persons) {
            let person = earlier.people.now[row as usize];
            for event in events.filter(|&event| is_published(event)) {
                all.people.insert(person);
                for (at, column) in &limited {
                    all.add(person, *at, column.domain.label(column.codes[event]));
                }
            }
        }
        all
    }

    fn add(&mut self, person: u32, column: usize, value: &str) {
        let key = (column, SameValue::from_text(value));
        self.having.entry(key).or_insert_with(|| (value.to_owned(), BTreeSet::new())).1.insert(person);
    }

    fn limits(&self, earlier: &Earlier<'_>, promise: &SequencesPromise) -> Vec<Limit> {
        let mut limits = Vec::new();
        for limit in &promise.limits {
            // Where it is said who everybody is, what is published has no part in it.
            if matches!(limit.bound, Bound::Share(_)) || promise.distributions.contains_key(&limit.column) {
                limits.push(limit.clone());
                continue;
            }
            let at = earlier.unchanged.iter().position(|name| *name == limit.column);
            let is_named = |value: &SameValue| {
                let is_it = |named: &String| SameValue::from_text(named) == *value;
                limit.values.as_ref().is_none_or(|values| values.iter().any(is_it))
            };
            let named =
                self.having.iter().filter(|((column, look), _)| Some(*column) == at && is_named(look));
            for (_, (value, having)) in named {
                let allowed = limit.bound.allowed(having.len() as f64 / self.people.len() as f64).min(1.0);
                let (column, values) = (limit.column.clone(), Some(vec![value.clone()]));
                limits.push(Limit { column, values, bound: Bound::Share(allowed) });
            }
        }
        limits
    }
}
