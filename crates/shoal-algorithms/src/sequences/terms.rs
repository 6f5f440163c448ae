//! The promise in numbers: how large a crowd must be and how much of it may have each sensitive value.

use std::collections::HashMap;

use shoal_core::{Bound, Column, Distribution, Limit, SameValue, Sequences, SequencesPromise, Support};

use super::SequencesError;
use super::blocks::Room;
use super::limited::limited_values;

/// (k,β)^L or (k,C)^L for one data set.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// The size of a crowd.
    pub(super) k: usize,
    /// L: how many values somebody may know.
    pub(super) length: usize,
    /// Who is in a crowd.
    pub(super) support: Support,
    /// For each sensitive value the share of a crowd that may have it.
    most: Vec<f64>,
    /// For each sensitive value its bound; nothing where it is known already what that means for everybody who is published.
    bounds: Vec<Option<Bound>>,
    /// For each sensitive value its column.
    columns: Vec<String>,
    /// Where each person's sensitive values begin in `carried`.
    starts: Vec<u32>,
    carried: Vec<u32>,
    /// For each limit the sensitive value of each event, or [`NO_VALUE`].
    shown: Vec<Vec<u32>>,
}

/// An event without a value that a limit is about.
const NO_VALUE: u32 = u32::MAX;

/// How many people there are, and how many of them have each sensitive value.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) people: usize,
    pub(super) having: Vec<u32>,
}

impl Terms {
    /// Reads the promise of an algorithm of this name.
    pub(super) fn new(
        promise: &SequencesPromise,
        data: &Sequences,
        algorithm: &'static str,
    ) -> Result<Terms, SequencesError> {
        let persons = data.persons();
        let length = promise.length.ok_or(SequencesError::NoLength { algorithm })?;
        if length == 0 {
            return Err(SequencesError::NothingKnown);
        }
        if persons < promise.k {
            return Err(SequencesError::TooFewPersons { k: promise.k, persons });
        }
        let (mut most, mut columns, mut bounds, mut shown) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut having: Vec<Vec<u32>> = vec![Vec::new(); persons];
        for limit in &promise.limits {
            let everybody = promise.distributions.get(&limit.column);
            shown.push(read_limit(limit, data, everybody, &mut most, &mut having)?);
            columns.resize(most.len(), limit.column.clone());
            bounds.resize(most.len(), everybody.is_none().then_some(limit.bound));
        }
        let mut starts = vec![0];
        starts.extend(having.iter().scan(0, |end, values| {
            *end += values.len() as u32;
            Some(*end)
        }));
        let (k, support, carried) = (promise.k.max(1), promise.support, having.concat());
        Ok(Terms { k, length, support, most, bounds, columns, starts, carried, shown })
    }

    /// The same terms for a release of these people, with these values: how frequent a value may be in a crowd depends on
    /// how frequent it is in the file, unless the file is a part of more.
    pub(super) fn for_published(&self, published: &Tally) -> Terms {
        let share = |having: &u32| f64::from(*having) / published.people.max(1) as f64;
        let now = |((bound, having), &most): ((&Option<Bound>, &u32), &f64)| {
            bound.map_or(most, |bound| bound.allowed(share(having)))
        };
        let most = self.bounds.iter().zip(&published.having).zip(&self.most).map(now).collect();
        Terms { most, ..self.clone() }
    }

    /// The sensitive values that some events show, ascending.
    pub(super) fn shown(&self, events: impl Iterator<Item = usize>) -> Vec<u32> {
        let of_event = |event: usize| self.shown.iter().map(move |shown| shown[event]);
        let mut values: Vec<u32> = events.flat_map(of_event).filter(|&value| value != NO_VALUE).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Why nothing can be published: the value that is too frequent among those who are counted, or too few people.
    pub(super) fn infeasible(&self, tally: &Tally) -> SequencesError {
        let Some(value) = self.broken(tally) else {
            return SequencesError::TooFewPersons { k: self.k, persons: tally.people };
        };
        SequencesError::Infeasible {
            k: self.k,
            column: self.columns[value as usize].clone(),
            share: self.most[value as usize],
            sensitive: tally.having[value as usize] as usize,
            persons: tally.people,
        }
    }

    /// An error where a value is too frequent among everybody already: what all people together do not keep, no
    /// part of them can keep without others that break it. Where they are a part of more, a value can be too frequent here
    /// because it is rarer elsewhere; then those who have it can still be left out, where anybody can.
    pub(super) fn check_everybody(&self) -> Result<(), SequencesError> {
        if self.support == Support::Compatible && self.bounds.contains(&None) {
            return Ok(());
        }
        let everybody: Vec<u32> = (0..self.starts.len() as u32 - 1).collect();
        let tally = self.tally(&everybody);
        if self.kept(&tally) { Ok(()) } else { Err(self.infeasible(&tally)) }
    }

    /// The sensitive values of a person, ascending.
    pub(super) fn carried(&self, person: u32) -> &[u32] {
        let person = person as usize;
        &self.carried[self.starts[person] as usize..self.starts[person + 1] as usize]
    }

    /// Whether `having` of the `people` in a crowd may have a sensitive value (condition 2).
    pub(super) fn allows(&self, value: u32, having: u32, people: usize) -> bool {
        f64::from(having) / people as f64 <= self.most[value as usize]
    }

    /// How many sensitive values there are.
    pub(super) fn values(&self) -> usize {
        self.most.len()
    }

    /// Whether this number of people, of whom `having` have each sensitive value, is a crowd that keeps both conditions.
    pub(super) fn hold(&self, people: u32, having: &[u32]) -> bool {
        let kept = |(value, &having): (u32, &u32)| self.allows(value, having, people as usize);
        people as usize >= self.k && (0..).zip(having).all(kept)
    }

    /// Whether a cluster keeps condition 2 as a whole.
    pub(super) fn kept(&self, tally: &Tally) -> bool {
        self.broken(tally).is_none()
    }

    /// The first sensitive value that is too frequent.
    pub(super) fn broken(&self, tally: &Tally) -> Option<u32> {
        (0..self.most.len() as u32).find(|&value| self.is_broken(tally, value))
    }

    /// Whether a sensitive value is too frequent.
    pub(super) fn is_broken(&self, tally: &Tally, value: u32) -> bool {
        let having = tally.having[value as usize];
        having > 0 && !self.allows(value, having, tally.people)
    }

    /// Whether condition 2, which is kept now, is still kept when somebody joins.
    pub(super) fn keeps_with(&self, tally: &Tally, person: u32) -> bool {
        let kept = |&value: &u32| self.allows(value, tally.having[value as usize] + 1, tally.people + 1);
        self.carried(person).iter().all(kept)
    }

    /// Who of some people carries a value that a crowd of so many may not have even once. There is no crowd for them, in
    /// whatever company they are.
    pub(super) fn is_hopeless(&self, person: u32, people: f64) -> bool {
        self.carried(person).iter().any(|&value| self.most[value as usize] * people < 1.0)
    }

    /// Whether some of everybody can be put into crowds by themselves: they are enough, and no value is too frequent among them.
    pub(super) fn leave_room(&self, part: &Tally, everybody: &Tally, room: Room) -> bool {
        let kept = |value: usize| {
            let usual = f64::from(everybody.having[value]) / everybody.people as f64;
            let share = f64::from(part.having[value]) / part.people.max(1) as f64;
            share <= room.most(usual, self.most[value])
        };
        part.people >= room.least_people(self.k) && (0..self.most.len()).all(kept)
    }

    /// How large a crowd must be, about, if `having` of its people may have a value.
    pub(super) fn least_crowd(&self, value: u32, having: u32) -> f64 {
        f64::from(having) / self.most[value as usize]
    }

    /// Nobody.
    pub(super) fn nobody(&self) -> Tally {
        Tally { people: 0, having: vec![0; self.most.len()] }
    }

    /// Adds a person.
    pub(super) fn add(&self, person: u32, tally: &mut Tally) {
        tally.people += 1;
        self.carried(person).iter().for_each(|&value| tally.having[value as usize] += 1);
    }

    /// Counts some people.
    pub(super) fn tally(&self, people: &[u32]) -> Tally {
        let mut tally = self.nobody();
        people.iter().for_each(|&person| self.add(person, &mut tally));
        tally
    }
}

/// Gives every value that a limit is about a number, and its carriers the number. Returns the number of each event's
/// value.
fn read_limit(
    limit: &Limit,
    data: &Sequences,
    everybody: Option<&Distribution>,
    most: &mut Vec<f64>,
    having: &mut [Vec<u32>],
) -> Result<Vec<u32>, SequencesError> {
    let name = || limit.column.clone();
    match limit.bound {
        Bound::Gain(beta) if beta.is_nan() || beta <= 0.0 => {
            return Err(SequencesError::NotAGain { column: name(), beta });
        }
        Bound::Share(share) if !(0.0..=1.0).contains(&share) => {
            return Err(SequencesError::NotAShare { column: name(), share });
        }
        Bound::Gain(_) | Bound::Share(_) => {}
    }
    let (column, named) = limited_values(limit, data.events(), everybody.is_some())?;
    let first = most.len() as u32;
    let numbers: Vec<Option<u32>> = named
        .iter()
        .scan(first, |next, &named| {
            let number = named.then_some(*next);
            *next += u32::from(named);
            Some(number)
        })
        .collect();
    let mut counts = vec![0_u32; numbers.iter().flatten().count()];
    for (events, own) in data.iter().zip(having) {
        let start = own.len();
        // Somebody who has a value in several events has it once.
        own.extend(column.codes[events].iter().filter_map(|&code| numbers[code as usize]));
        own[start..].sort_unstable();
        own.dedup();
        own[start..].iter().for_each(|&value| counts[(value - first) as usize] += 1);
    }
    let own = counts.iter().map(|&count| f64::from(count) / data.persons() as f64);
    let shares = match everybody {
        Some(everybody) => shares(everybody, column, &named),
        None => own.collect(),
    };
    most.extend(shares.into_iter().map(|p| limit.bound.allowed(p)));
    Ok(column.codes.iter().map(|&code| numbers[code as usize].unwrap_or(NO_VALUE)).collect())
}

/// The share of everybody that has each value that a limit is about, 0 for those that nobody has: they must not be
/// published at all.
fn shares(everybody: &Distribution, column: &Column, named: &[bool]) -> Vec<f64> {
    let domain = &column.domain;
    let mut count_of: HashMap<SameValue, u64> = HashMap::new();
    for (text, count) in everybody.counts() {
        *count_of.entry(SameValue::from_text(text)).or_default() += u64::from(*count);
    }
    let share = |code: u32| {
        let text = if domain.missing() == Some(code) { "" } else { domain.label(code) };
        let found = count_of
            .get(&SameValue::from_text(text))
            .or_else(|| count_of.get(&SameValue::from_text(domain.label(code))));
        let count = found.copied().unwrap_or_default().min(everybody.members());
        count as f64 / everybody.members().max(1) as f64
    };
    (0..).zip(named).filter(|(_, named)| **named).map(|(code, _)| share(code)).collect()
}
