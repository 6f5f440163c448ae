//! Who else could it be, what else could they have, over all releases together?

use std::collections::{HashMap, HashSet};

use shoal_core::{RawColumn, Role, Rule};
use shoal_measure::leaks::look;

use super::identity::{Identity, KnownBy, people};
use super::verdict::{ColumnTogether, Together};
use super::{Class, Current, check_notation, incomparable, person_hash, unknown_people};
use crate::audit::{ClassFile, RecodingFile};
use crate::{Audit, PipelineError};

/// Values, and how many of those who fit have each.
type Mix = Vec<(String, u32)>;

/// By class of the new release, and by which of the earlier ones somebody is in, how often each value of each sensitive column occurs among those who
/// are in exactly these.
type CohortValues<'a> = HashMap<(u32, Vec<bool>), HashMap<&'a str, HashMap<String, u32>>>;

/// A release as the people of the new original are in it.
pub(super) struct Seen {
    pub classes: Vec<Class>,
    /// For each person the classes of their records, ascending; empty for whoever is not in it.
    pub classes_of: Vec<Vec<u32>>,
    /// For each person in how many places of the release they are, a place a row; a class as often as it has their rows.
    places_of: Vec<Vec<u32>>,
    /// How many people each class of an earlier release has; rows, where people are known by what they are like.
    sizes: Vec<usize>,
}

impl Seen {
    /// The new release.
    pub(super) fn now(current: &Current<'_>, people: &Identity) -> Seen {
        let quasi: Vec<String> =
            current.original.quasi_identifiers().iter().map(|column| column.name.clone()).collect();
        let mut classes_of = vec![Vec::new(); people.texts.len()];
        for (&row, &class) in current.origin.iter().zip(current.class_of) {
            classes_of[people.person_of[row as usize] as usize].push(class);
        }
        let classes =
            current.classes.iter().map(|class| Class::of(class, &quasi, current.original)).collect();
        Seen { classes, places_of: classes_of.clone(), classes_of: sorted(classes_of), sizes: Vec::new() }
    }

    /// An earlier one. Its people are recognized by the columns that it knew them by.
    pub(super) fn earlier(
        current: &Current<'_>,
        now: &Identity,
        audit: &Audit,
    ) -> Result<Seen, PipelineError> {
        let RecodingFile::Table { quasi_identifiers, known_by, classes } = &audit.recoding else {
            return Err(incomparable(audit, "it is not the release of a table"));
        };
        check_notation(current.request, audit, known_by)?;
        let Some((texts, person_of)) = people(current.raw, known_by) else {
            return Err(unknown_people(audit, known_by));
        };
        let mut class_of_hash: HashMap<&str, Vec<u32>> = HashMap::new();
        for (number, class) in classes.iter().enumerate() {
            for hash in &class.people {
                class_of_hash.entry(hash).or_default().push(number as u32);
            }
        }
        let key = audit.key().ok_or_else(|| incomparable(audit, "its key is broken"))?;
        let of_text: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| class_of_hash.get(person_hash(&key, text).as_str()).cloned().unwrap_or_default())
            .collect();
        // People as the new release distinguishes them. It may do so by more columns than the earlier one; then several of
        // them are one person there.
        let mut classes_of = vec![Vec::new(); now.texts.len()];
        for (&person, &text) in now.person_of.iter().zip(&person_of) {
            classes_of[person as usize].extend_from_slice(&of_text[text as usize]);
        }
        let size = |class: &ClassFile| match now.known_by {
            KnownBy::QuasiIdentifiers => class.people.len(),
            KnownBy::Person | KnownBy::Identifiers => class.people.iter().collect::<HashSet<_>>().len(),
        };
        let sizes = classes.iter().map(size).collect();
        let classes =
            classes.iter().map(|class| Class::of(class, quasi_identifiers, current.original)).collect();
        // Of each person once, however many records the new original has of them.
        let mut places_of = vec![Vec::new(); now.texts.len()];
        for (person, text) in now.person_of.iter().zip(&person_of).collect::<HashSet<_>>() {
            places_of[*person as usize].extend_from_slice(&of_text[*text as usize]);
        }
        Ok(Seen { classes, classes_of: sorted(classes_of), places_of, sizes })
    }
}

fn sorted(mut lists: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    for list in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    lists
}

/// How many people may fall below the promise before no more are looked for: the release is refused anyway, and a search for
/// the crowd of each of them looks at everybody.
const ENOUGH: usize = 2_000;

/// All releases together.
pub(super) struct Candidates<'a> {
    current: &'a Current<'a>,
    people: &'a Identity,
    /// The new release first.
    seen: &'a [Seen],
    /// The first record of each person, for their quasi-identifiers, and how many people it stands for.
    first: Vec<(usize, usize)>,
    /// The people of each class of the new release.
    members: Vec<Vec<u32>>,
    cohorts: CohortValues<'a>,
    /// What records ask for by themselves.
    personal_k: Option<Vec<u32>>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(current: &'a Current<'a>, people: &'a Identity, seen: &'a [Seen]) -> Candidates<'a> {
        let mut first = vec![(usize::MAX, 0); people.texts.len()];
        for &row in current.origin {
            let (at, count) = &mut first[people.person_of[row as usize] as usize];
            *at = (*at).min(row as usize);
            // Records with equal quasi-identifiers are as many people; those of one name are one.
            *count = if people.known_by == KnownBy::QuasiIdentifiers { *count + 1 } else { 1 };
        }
        let mut members = vec![Vec::new(); current.classes.len()];
        for (person, classes) in seen[0].classes_of.iter().enumerate() {
            classes.iter().for_each(|&class| members[class as usize].push(person as u32));
        }
        let personal_k = current.original.personal_k();
        let mut candidates =
            Candidates { current, people, seen, first, members, cohorts: HashMap::new(), personal_k };
        candidates.cohorts = candidates.values_of_cohorts();
        candidates
    }

    /// By class and cohort, how often each value occurs.
    fn values_of_cohorts(&self) -> CohortValues<'a> {
        let columns = self.current.request.policy().columns_of(Role::Sensitive);
        let looks: Vec<(&'a str, &RawColumn, Vec<String>)> = columns
            .into_iter()
            .filter_map(|name| {
                let column = self.current.raw.column(name)?;
                Some((name, column, column.labels.iter().map(look).collect()))
            })
            .collect();
        let mut cohorts: CohortValues<'a> = HashMap::new();
        for (&row, &class) in self.current.origin.iter().zip(self.current.class_of) {
            let person = self.people.person_of[row as usize] as usize;
            let was: Vec<bool> = (1..self.seen.len()).map(|release| self.was_in(release, person)).collect();
            // Somebody without a name who was there, and is more people now: the others are new.
            let new: Vec<bool> = (1..self.seen.len())
                .map(|release| was[release - 1] && !self.may_be_new(release, person))
                .collect();
            for cohort in [Some(&was), Some(&new).filter(|new| **new != was)].into_iter().flatten() {
                let values = cohorts.entry((class, cohort.clone())).or_default();
                for (name, column, looks) in &looks {
                    let value = looks[column.codes[row as usize] as usize].clone();
                    *values.entry(name).or_default().entry(value).or_default() += 1;
                }
            }
        }
        cohorts
    }

    fn was_in(&self, release: usize, person: usize) -> bool {
        !self.seen[release].classes_of[person].is_empty()
    }

    /// Whether somebody may be new to a release. People who are known by what they are like are new where they are more than before.
    fn may_be_new(&self, release: usize, person: usize) -> bool {
        let before = self.seen[release].places_of[person].len();
        before == 0 || (self.people.known_by == KnownBy::QuasiIdentifiers && self.first[person].1 > before)
    }

    /// Asks for everybody who was in an earlier release.
    pub(super) fn judge(&self, previous: &[Audit]) -> Together {
        let policies = || {
            std::iter::once(self.current.request.policy()).chain(previous.iter().map(|audit| &audit.policy))
        };
        let k = policies().map(|policy| policy.table_promise().k).max().unwrap_or_default();
        let columns = self.current.request.policy().columns_of(Role::Sensitive).into_iter();
        let mut columns: Vec<ColumnTogether> = columns
            .map(|name| {
                let conditions = policies().flat_map(|policy| policy.table_promise().conditions);
                let rules =
                    conditions.filter(|condition| condition.column == name).map(|condition| condition.rule);
                ColumnTogether::new(name, rules.collect())
            })
            .collect();
        let mut together = Together { asked_k: k, ..Together::default() };
        // People who are in the same classes everywhere have the same crowd and the same candidates.
        let mut crowds: HashMap<Vec<&[u32]>, usize> = HashMap::new();
        let mut mixes: HashMap<(usize, Vec<&[u32]>), Mix> = HashMap::new();
        let most = self.personal_k.iter().flatten().max().map_or(k, |&own| k.max(own as usize));
        let in_both = |person: usize| {
            self.was_in(0, person) && (1..self.seen.len()).any(|release| self.was_in(release, person))
        };
        let people = self.people.texts.len();
        // Where nobody is in two releases, there is nothing to compare.
        let judged = 0..if (0..people).any(in_both) { people } else { 0 };
        for person in judged {
            let places: Vec<&[u32]> =
                self.seen.iter().map(|seen| seen.classes_of[person].as_slice()).collect();
            if places[0].is_empty() {
                continue;
            }
            // Whoever is new is asked about, too: those who were there before may be struck out around them.
            let weight = self.first[person].1;
            together.judged += weight;
            together.people += if in_both(person) { weight } else { 0 };
            if together.below_k < ENOUGH {
                let crowd = *crowds.entry(places.clone()).or_insert_with(|| self.crowd(&places, most));
                let own = self.personal_k.as_ref().map(|own| own[self.first[person].0] as usize);
                if crowd < k.max(own.unwrap_or_default()) {
                    together.below_k += weight;
                    together.smallest = Some(together.smallest.map_or(crowd, |least| least.min(crowd)));
                }
            }
            for (number, column) in columns.iter_mut().enumerate() {
                let mix =
                    mixes.entry((number, places.clone())).or_insert_with(|| self.mix(&column.name, &places));
                let own = self.own_value(person, &column.name);
                // Without the person's own value among the candidates the value has changed between the releases, and
                // intersecting them misleads.
                if mix.iter().any(|(value, _)| own.as_deref() == Some(value)) {
                    column.look_at(mix, weight);
                }
            }
        }
        together.columns = columns;
        if self.current.request.earlier.applied {
            match self.current.request.earlier.allow_absent {
                true => together.absent = self.exposed(k),
                false => together.exposed = self.exposed(k),
            }
        }
        together
    }

    /// How many people of earlier releases are not in the new one and are fewer than k in their class there: what they had is the
    /// difference of the two.
    fn exposed(&self, k: usize) -> usize {
        let mut exposed = 0;
        for seen in &self.seen[1..] {
            let mut present = vec![0; seen.classes.len()];
            for (person, places) in seen.places_of.iter().enumerate() {
                // Of several who cannot be told apart as many are still there as the new release has.
                let still = match self.people.known_by {
                    KnownBy::QuasiIdentifiers => self.first[person].1.min(places.len()),
                    KnownBy::Person | KnownBy::Identifiers => {
                        usize::MAX * usize::from(self.first[person].1 > 0)
                    }
                };
                let mut places = places.clone();
                if self.people.known_by != KnownBy::QuasiIdentifiers {
                    places.sort_unstable();
                    places.dedup();
                }
                places.iter().take(still).for_each(|&class| present[class as usize] += 1);
            }
            // A class that is not there at all has no difference to show.
            let absent = seen.sizes.iter().zip(&present).filter(|(_, present)| **present > 0);
            let absent = absent.map(|(size, present)| size.saturating_sub(*present));
            exposed += absent.filter(|&absent| absent < k).sum::<usize>();
        }
        exposed
    }

    /// How many people could be where a person is, in every release that the person is in; counting stops at `enough`.
    fn crowd(&self, places: &[&[u32]], enough: usize) -> usize {
        let fits = |person: usize| {
            self.seen.iter().zip(places).enumerate().all(|(release, (seen, classes))| {
                let own = &seen.classes_of[person];
                // Who is in which release may be known: whoever was in a release that the person is not in is somebody else. Into
                // the others somebody fits who is in the release, too, and is in one of the person's classes or has
                // quasi-identifiers that fit one.
                match classes.is_empty() {
                    true => self.may_be_new(release, person),
                    false => {
                        !own.is_empty()
                            && classes.iter().any(|class| {
                                let row = self.first[person].0;
                                own.binary_search(class).is_ok()
                                    || seen.classes[*class as usize].covers(self.current.original, row)
                            })
                    }
                }
            })
        };
        // Those of the same classes first: mostly they are enough.
        let near: Vec<u32> =
            places[0].iter().flat_map(|&class| self.members[class as usize].iter().copied()).collect();
        let mut counted = vec![false; self.people.texts.len()];
        let all = near.into_iter().chain(0..self.people.texts.len() as u32);
        let mut crowd = 0;
        for person in all {
            if !std::mem::replace(&mut counted[person as usize], true) && fits(person as usize) {
                crowd += self.first[person as usize].1;
                if crowd >= enough {
                    break;
                }
            }
        }
        crowd
    }

    /// The values of a column that occur in the classes of a person in every release, each as often as in the release
    /// where it occurs least often.
    fn mix(&self, column: &str, places: &[&[u32]]) -> Vec<(String, u32)> {
        let mut common: Option<HashMap<String, u32>> = None;
        let cohort: Vec<bool> = places[1..].iter().map(|classes| !classes.is_empty()).collect();
        for (release, (seen, classes)) in self.seen.iter().zip(places).enumerate() {
            let mut here: HashMap<String, u32> = HashMap::new();
            // Of the new release only those who are in the same earlier ones: the others may be struck out. Whose a value in an
            // earlier release was is not known any more.
            let values_of = |class: u32| match release {
                0 => self.cohorts.get(&(class, cohort.clone())).and_then(|values| values.get(column)),
                _ => seen.classes[class as usize].values.get(column),
            };
            for values in classes.iter().filter_map(|&class| values_of(class)) {
                values.iter().for_each(|(value, count)| *here.entry(value.clone()).or_default() += count);
            }
            // A release that the person is not in, or that did not publish the column, says nothing.
            if here.is_empty() {
                continue;
            }
            common = Some(match common {
                None => here,
                Some(before) => {
                    let least = |(value, count): (String, u32)| {
                        let other = *here.get(&value)?;
                        Some((value, count.min(other)))
                    };
                    before.into_iter().filter_map(least).collect()
                }
            });
        }
        let mut mix: Vec<(String, u32)> = common.unwrap_or_default().into_iter().collect();
        mix.sort_unstable();
        mix
    }

    /// The value that a person has in the new original, as it looks.
    fn own_value(&self, person: usize, column: &str) -> Option<String> {
        Some(look(self.current.raw.column(column)?.text(self.first[person].0)))
    }
}

/// Whether values keep a rule among each other; `None` for rules that compare with everybody, which are not asked here.
pub(super) fn keeps(rule: Rule, counts: &[u32]) -> Option<bool> {
    let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let mut falling: Vec<f64> = counts.iter().map(|&count| f64::from(count)).collect();
    falling.sort_unstable_by(|a, b| b.total_cmp(a));
    match rule {
        Rule::Distinct { l } => Some(counts.len() >= l),
        // Small whole numbers, which f64 holds exactly.
        Rule::Frequency { l } => Some(falling.first().is_some_and(|most| *most * l as f64 <= total)),
        Rule::Entropy { l } => {
            let entropy: f64 = falling.iter().map(|count| -(count / total) * (count / total).ln()).sum();
            // What the verifier lets pass on one release must not fail here by rounding alone.
            Some(entropy >= l.ln() - 1e-9)
        }
        Rule::Recursive { l, c } => {
            let rest: f64 = falling.iter().skip(l.saturating_sub(1)).sum();
            Some(falling.first().is_some_and(|most| *most < c * rest))
        }
        Rule::Close { .. } | Rule::Alike(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_by_hand() {
        assert_eq!(keeps(Rule::Distinct { l: 3 }, &[5, 1, 1]), Some(true));
        assert_eq!(keeps(Rule::Distinct { l: 4 }, &[5, 1, 1]), Some(false));
        // Three equally frequent values are as mixed as three, and one that is more frequent makes them less so.
        assert_eq!(keeps(Rule::Entropy { l: 3.0 }, &[2, 2, 2]), Some(true));
        assert_eq!(keeps(Rule::Entropy { l: 3.0 }, &[3, 2, 2]), Some(false));
        // The most frequent, 4, against the second and third together, 3, and twice that.
        assert_eq!(keeps(Rule::Recursive { l: 2, c: 1.0 }, &[4, 2, 1]), Some(false));
        assert_eq!(keeps(Rule::Recursive { l: 2, c: 2.0 }, &[4, 2, 1]), Some(true));
        assert_eq!(keeps(Rule::Recursive { l: 2, c: 1.0 }, &[]), Some(false));
        let close = Rule::Close { t: 0.1, distance: shoal_core::Distance::Equal };
        assert_eq!(keeps(close, &[1]), None);
    }
}
