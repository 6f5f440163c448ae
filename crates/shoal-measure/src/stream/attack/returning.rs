use std::collections::{BTreeMap, BTreeSet, HashMap};

use shoal_core::PersonKey;
use shoal_core::stream::StreamLine;

use super::StreamTarget;
use crate::attack::{Attack, Attacks};

/// Intersects the values of the lines of people who return with the same value: whoever knows that an illness lasts keeps
/// only what all lines of somebody hold.
pub(super) fn attack(target: &StreamTarget<'_>, l: usize, found: &mut Attacks) {
    let Some(shown) = target.shown else { return };
    if shown.iter().all(|tuple| tuple.person.is_none()) {
        let why = "people who return: the policy does not say whose a tuple is (data.person), so they get other values each time";
        found.not_tried.push(why.to_owned());
        return;
    }
    let mut slots: HashMap<u64, BTreeSet<&str>> = HashMap::new();
    for line in target.lines {
        if let StreamLine::Slot { group, value, .. } = line {
            slots.entry(*group).or_default().insert(value);
        }
    }
    let sets = target.lines.iter().filter_map(|line| match line {
        StreamLine::Set { values, .. } => Some(values.iter().map(|value| &**value).collect()),
        StreamLine::Member { group, .. } => Some(slots.get(group).cloned().unwrap_or_default()),
        StreamLine::Slot { .. } | StreamLine::Row { .. } => None,
    });
    // What is left of somebody with a value, how often they came, and where first.
    let mut left: BTreeMap<(PersonKey, &str), (BTreeSet<&str>, u64, u64)> = BTreeMap::new();
    for (tuple, set) in shown.iter().zip(sets) {
        let Some(person) = &tuple.person else { continue };
        let key = (PersonKey::from_text(person), &*tuple.value);
        match left.get_mut(&key) {
            Some((left, times, _)) => {
                left.retain(|value| set.contains(value));
                *times += 1;
            }
            None => {
                left.insert(key, (set, 1, tuple.position));
            }
        }
    }
    let returning = || left.values().filter(|(left, times, _)| *times > 1 && !left.is_empty());
    let Some((least, _, first)) = returning().min_by_key(|(left, _, _)| left.len()) else {
        found.notes.push("nobody returns with the same value".to_owned());
        return;
    };
    let people = returning().count();
    let mean = returning().map(|(left, _, _)| 1.0 / left.len() as f64).sum::<f64>() / people as f64;
    let short = returning().filter(|(left, _, _)| left.len() < l).count();
    let question = "Whoever knows which lines are of one person, whose value has not changed, keeps the values that all of them hold.";
    let words = format!(
        "{} values are left of one; {short} of {people} who return have fewer than {l} left",
        least.len()
    );
    let attack = Attack::exact("returning people", question, 1.0 / least.len() as f64).mean(mean);
    found.attacks.push(attack.promised(1.0 / l as f64).worst(words, Some(*first as u32)));
}
