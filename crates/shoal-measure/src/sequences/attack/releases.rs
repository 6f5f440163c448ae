//! Two releases of the same people, whose histories may have grown between them.
//!
//! Whoever knows all quasi-identifiers of somebody's events has the lines of each release that fit, and asks of every two of them, one of each release,
//! whether both can be of that person: whether the events of both can be laid onto the known ones, in order, so that an event that both have shows
//! the same sensitive and insensitive values in both. A line that goes with none of the other release is not the person's. What is left in each release
//! must be a crowd, in which no more have a highly sensitive value than was promised.
//!
//! Whoever knows up to L values does not know what else there is, so that any two lines that fit them can be of one person: there it is enough, and
//! asked, that both releases have a crowd.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use shoal_core::{Bound, Progress, RawTable, Role, SameValue};

use super::SequencesTarget;
use super::forms::Forms;
use super::known::Knowable;
use super::partial::{drawn_cases, exact_cases};
use super::whole::Covers;
use crate::attack::{Attack, ROUNDING};

/// An earlier release.
#[derive(Clone, Copy, Debug)]
pub struct EarlierSequences<'a> {
    /// What was published, in the layout of the new release.
    pub published: &'a RawTable,
    /// For each person of the new original whether they are in both releases; everybody may be where that is not known.
    pub in_both: Option<&'a [bool]>,
}

/// What an adversary with two releases has achieved.
#[derive(Clone, Debug)]
pub struct Together {
    /// The attack on the person for whom it is worst.
    pub attack: Attack,
    /// The people of the new original of whom a promise is broken, ascending.
    pub broken: Vec<u32>,
}

/// As many different histories are all tried; of more, this many are drawn.
const MOST_PEOPLE: usize = 3_000;

/// Attacks a release together with an earlier one.
pub fn attack_sequences_together(
    target: &SequencesTarget<'_>,
    earlier: &EarlierSequences<'_>,
    progress: &dyn Progress,
) -> Together {
    match target.promise.length {
        None => whole(target, earlier, progress),
        Some(length) => partial(target, earlier, length, progress),
    }
}

/// The adversary who knows all quasi-identifiers.
fn whole(target: &SequencesTarget<'_>, earlier: &EarlierSequences<'_>, progress: &dyn Progress) -> Together {
    let before = SequencesTarget { published: earlier.published, ..*target };
    let mut values = Values::of(target, earlier);
    let releases = [Release::read(&before, &mut values), Release::read(target, &mut values)];
    let mut quasi = target.original.events().quasi_identifiers();
    // A quasi-identifier that one of the files does not have tells nothing there; the same columns are asked in both.
    quasi.retain(|column| {
        target.published.column(&column.name).is_some() && earlier.published.column(&column.name).is_some()
    });
    let mut cases: BTreeMap<Vec<Vec<u32>>, Vec<u32>> = BTreeMap::new();
    for (person, events) in target.original.iter().enumerate() {
        if earlier.in_both.is_none_or(|in_both| in_both[person]) {
            let known =
                events.map(|event| quasi.iter().map(|column| column.codes[event]).collect()).collect();
            cases.entry(known).or_default().push(person as u32);
        }
    }
    let mut cases: Vec<(Vec<Vec<u32>>, Vec<u32>)> = cases.into_iter().collect();
    let is_all = cases.len() <= MOST_PEOPLE;
    if !is_all {
        let mut random = ChaCha8Rng::seed_from_u64(target.seed);
        for place in 0..MOST_PEOPLE {
            let other = random.random_range(place..cases.len());
            cases.swap(place, other);
        }
        cases.truncate(MOST_PEOPLE);
    }
    let left = cases.into_par_iter().map(|(known, people)| {
        progress.check();
        left(target, &releases, &known, people)
    });
    let question = "Whoever has two releases and knows all quasi-identifiers of somebody who is in both keeps the lines of each that fit and go with a line of \
                    the other.";
    together(target, &left.collect::<Vec<Left>>(), ["several releases, linkage", question], is_all)
}

/// The adversary who knows up to `length` values.
fn partial(
    target: &SequencesTarget<'_>,
    earlier: &EarlierSequences<'_>,
    length: usize,
    progress: &dyn Progress,
) -> Together {
    let before = SequencesTarget { published: earlier.published, ..*target };
    let forms = [Forms::read(&before), Forms::read(target)];
    let knowable = [Knowable::of(&before, &forms[0]), Knowable::of(target, &forms[1])];
    let (mut cases, is_all) = exact_cases(target, &knowable[1], length);
    cases.extend(drawn_cases(target, &knowable[1], length));
    cases.retain(|case| earlier.in_both.is_none_or(|in_both| in_both[case.person as usize]));
    let left = cases.par_iter().map(|case| {
        progress.check();
        let crowd = |at: usize| {
            let fits = |form: &&Vec<Vec<u32>>| knowable[at].fit(form, &case.known);
            let fitting = forms[at].events.iter().zip(&forms[at].count).filter(|(form, _)| fits(form));
            fitting.map(|(_, count)| count).sum::<u64>()
        };
        Left { people: vec![case.person], crowd: crowd(0).min(crowd(1)), excess: 0.0 }
    });
    let question = format!(
        "Whoever has two releases and knows up to {length} values of somebody who is in both looks for the people of each who fit."
    );
    let names = ["several releases, some values in order", &question];
    together(target, &left.collect::<Vec<Left>>(), names, is_all)
}

/// What is left for people of whom the same is known.
struct Left {
    people: Vec<u32>,
    /// The smaller of the two crowds; 0 where nothing fits, since then what is known is not true of the files.
    crowd: u64,
    /// By how much a share of highly sensitive values is above what is promised.
    excess: f64,
}

fn together(
    target: &SequencesTarget<'_>,
    left: &[Left],
    [name, question]: [&str; 2],
    is_all: bool,
) -> Together {
    let k = target.promise.k as u64;
    let fitting = || left.iter().filter(|left| left.crowd > 0);
    let is_broken = |left: &&Left| left.crowd < k || left.excess > ROUNDING;
    let mut broken: Vec<u32> = fitting().filter(is_broken).flat_map(|left| left.people.clone()).collect();
    broken.sort_unstable();
    broken.dedup();
    let worst = fitting().min_by_key(|left| (left.crowd, left.people[0]));
    let mut attack = match worst {
        None => Attack::exact(name, question, 0.0)
            .worst("no line of the two releases may be of anybody who is in both", None),
        Some(Left { people, crowd, .. }) => {
            let mut words = format!("{crowd} lines are left in one of the releases");
            if fitting().any(|left| left.excess > ROUNDING) {
                words.push_str(
                    "; and too many of those that are left for somebody have a highly sensitive value",
                );
            }
            let record = target.source_rows[people[0] as usize];
            Attack::exact(name, question, 1.0 / *crowd as f64).worst(words, Some(record))
        }
    };
    attack = attack.promised(1.0 / k as f64);
    attack.beaten |= !broken.is_empty();
    if !is_all {
        attack = attack.searched(fitting().filter(is_broken).count() as u64, fitting().count() as u64);
    }
    Together { attack, broken }
}

/// The lines of a release that fit, and go with one of the other.
fn left(target: &SequencesTarget<'_>, releases: &[Release; 2], known: &[Vec<u32>], people: Vec<u32>) -> Left {
    let [first, second] = releases;
    let fitting = releases.each_ref().map(|release| release.fitting(known));
    let mut lines = [BTreeSet::new(), BTreeSet::new()];
    for &before in &fitting[0] {
        for &now in &fitting[1] {
            let is_new = !lines[0].contains(&before) || !lines[1].contains(&now);
            if is_new && go_together(first, before as usize, second, now as usize, known) {
                lines[0].insert(before);
                lines[1].insert(now);
            }
        }
    }
    let crowd = lines[0].len().min(lines[1].len()) as u64;
    let mut excess: f64 = 0.0;
    for (release, lines) in releases.iter().zip(&lines).filter(|_| crowd > 0) {
        for (limit, has) in target.promise.limits.iter().zip(&release.limited) {
            if let Bound::Share(c) = limit.bound {
                let having = lines.iter().filter(|&&line| has[line as usize]).count();
                excess = excess.max(having as f64 / lines.len() as f64 - c);
            }
        }
    }
    Left { people, crowd, excess }
}

/// Whether two lines can be of a person with these events.
///
/// Each event of a line is one of the known events, in order; one that both lines have shows the same values in both. `reach[i][j]` says whether the first
/// i events of one line and the first j of the other can be laid onto the events so far.
fn go_together(first: &Release, a: usize, second: &Release, b: usize, known: &[Vec<u32>]) -> bool {
    let (one, other) = (first.events(a), second.events(b));
    let (n, m) = (one.len(), other.len());
    let mut reach = vec![false; (n + 1) * (m + 1)];
    reach[0] = true;
    for event in known {
        // From behind, so that an event is used once.
        for i in (0..=n).rev() {
            for j in (0..=m).rev() {
                if reach[i * (m + 1) + j] {
                    continue;
                }
                let by_one = i > 0 && first.covers.covers(&one[i - 1], event);
                let by_other = j > 0 && second.covers.covers(&other[j - 1], event);
                let same = by_one && by_other && first.values[a][i - 1] == second.values[b][j - 1];
                reach[i * (m + 1) + j] = (by_one && reach[(i - 1) * (m + 1) + j])
                    || (by_other && reach[i * (m + 1) + j - 1])
                    || (same && reach[(i - 1) * (m + 1) + j - 1]);
            }
        }
    }
    reach[n * (m + 1) + m]
}

/// A release, line by line.
struct Release {
    forms: Forms,
    covers: Covers,
    /// The lines of each form.
    lines: Vec<Vec<u32>>,
    form_of: Vec<u32>,
    /// For each line and event, what it shows beside the quasi-identifiers.
    values: Vec<Vec<u32>>,
    /// For each limit and line, whether it shows one of the limited values.
    limited: Vec<Vec<bool>>,
}

impl Release {
    fn read(target: &SequencesTarget<'_>, values: &mut Values) -> Release {
        let published = target.published;
        let forms = Forms::read(target);
        let covers = Covers::of(target, &forms);
        let quasi: Vec<&[u32]> = target
            .original
            .events()
            .quasi_identifiers()
            .into_iter()
            .filter_map(|column| Some(published.column(&column.name)?.codes.as_slice()))
            .collect();
        let mut rows_of: Vec<Vec<usize>> = Vec::new();
        if let Some(ids) = published.column(target.id) {
            rows_of.resize(ids.labels.len(), Vec::new());
            ids.codes.iter().enumerate().for_each(|(row, &id)| rows_of[id as usize].push(row));
        }
        let number_of: HashMap<&Vec<Vec<u32>>, u32> = forms.events.iter().zip(0..).collect();
        let mut lines = vec![Vec::new(); forms.events.len()];
        let mut form_of = Vec::with_capacity(rows_of.len());
        for (line, rows) in rows_of.iter().enumerate() {
            let form: Vec<Vec<u32>> =
                rows.iter().map(|&row| quasi.iter().map(|codes| codes[row]).collect()).collect();
            let number = number_of[&form];
            lines[number as usize].push(line as u32);
            form_of.push(number);
        }
        let of_row = values.of_rows(published);
        let limited = target.promise.limits.iter().map(|limit| {
            let Some(column) = published.column(&limit.column) else { return vec![false; rows_of.len()] };
            let named: Option<Vec<SameValue>> = limit
                .values
                .as_ref()
                .map(|values| values.iter().map(|value| SameValue::from_text(value)).collect());
            let is_named: Vec<bool> = column
                .labels
                .iter()
                .map(|label| named.as_ref().is_some_and(|named| named.contains(&SameValue::from_text(label))))
                .collect();
            let has = |rows: &Vec<usize>| rows.iter().any(|&row| is_named[column.codes[row] as usize]);
            rows_of.iter().map(has).collect()
        });
        let limited = limited.collect();
        let values = rows_of.iter().map(|rows| rows.iter().map(|&row| of_row[row]).collect()).collect();
        Release { forms, covers, lines, form_of, values, limited }
    }

    fn events(&self, line: usize) -> &[Vec<u32>] {
        &self.forms.events[self.form_of[line] as usize]
    }

    /// The lines that fit somebody's events.
    fn fitting(&self, known: &[Vec<u32>]) -> Vec<u32> {
        let forms =
            (0..self.forms.events.len()).filter(|&form| self.covers.fit(&self.forms.events[form], known));
        forms.flat_map(|form| self.lines[form].iter().copied()).collect()
    }
}

/// What events show beside the quasi-identifiers, in the same numbers for both releases. Texts that look alike are one value.
struct Values {
    columns: Vec<String>,
    number_of: HashMap<Vec<SameValue>, u32>,
}

impl Values {
    fn of(target: &SequencesTarget<'_>, earlier: &EarlierSequences<'_>) -> Values {
        let untouched = target
            .original
            .events()
            .columns
            .iter()
            .filter(|column| matches!(column.role, Role::Sensitive | Role::Insensitive))
            .map(|column| column.name.clone())
            .filter(|name| {
                target.published.column(name).is_some() && earlier.published.column(name).is_some()
            });
        Values { columns: untouched.collect(), number_of: HashMap::new() }
    }

    fn of_rows(&mut self, published: &RawTable) -> Vec<u32> {
        let columns: Vec<_> = self.columns.iter().filter_map(|name| published.column(name)).collect();
        let mut numbers = Vec::with_capacity(published.rows);
        for row in 0..published.rows {
            let texts = columns.iter().map(|column| SameValue::from_text(column.text(row))).collect();
            let next = self.number_of.len() as u32;
            numbers.push(*self.number_of.entry(texts).or_insert(next));
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::{Column, Kind, Sequences, SequencesPromise, Silent, Support, Table};

    use super::*;

    const TOWNS: [&str; 3] = ["a", "b", "c"];
    /// What is published of a town: itself, one of two, or nothing.
    const CELLS: [&str; 6] = ["a", "b", "c", "{a, b}", "{b, c}", "*"];

    fn covers(cell: usize, town: usize) -> bool {
        CELLS[cell] == "*" || CELLS[cell].contains(TOWNS[town])
    }

    /// Events of a line: what is published of the town, and the illness.
    type Line = Vec<(usize, usize)>;

    fn table(lines: &[Line]) -> RawTable {
        let mut rows = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            rows.extend(line.iter().map(|(cell, illness)| {
                vec![(number + 1).to_string(), CELLS[*cell].to_owned(), format!("ill{illness}")]
            }));
        }
        RawTable::from_rows(&["id", "town", "illness"], &rows)
    }

    /// Whether two lines can be laid onto towns, tried out one town after the other.
    fn possible(one: &[(usize, usize)], two: &[(usize, usize)], known: &[usize]) -> bool {
        let Some((&town, rest)) = known.split_first() else { return one.is_empty() && two.is_empty() };
        let a = one.first().filter(|event| covers(event.0, town));
        let b = two.first().filter(|event| covers(event.0, town));
        possible(one, two, rest)
            || (a.is_some() && possible(&one[1..], two, rest))
            || (b.is_some() && possible(one, &two[1..], rest))
            || (a.zip(b).is_some_and(|(a, b)| a.1 == b.1) && possible(&one[1..], &two[1..], rest))
    }

    fn lines() -> impl Strategy<Value = Vec<Line>> {
        let event = (0_usize..CELLS.len(), 0_usize..2);
        proptest::collection::vec(proptest::collection::vec(event, 1..4), 1..7)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn two_releases_leave_what_trying_everything_leaves(
            first in lines(),
            second in lines(),
            people in proptest::collection::vec(proptest::collection::vec(0_usize..3, 1..5), 1..6),
        ) {
            let rows: Vec<Vec<&str>> = people.iter().flatten().map(|&town| vec![TOWNS[town], "ill0"]).collect();
            // A set can be read only where all its towns are values of the column.
            prop_assume!(TOWNS.iter().all(|town| rows.iter().any(|row| row[0] == *town)));
            let raw = RawTable::from_rows(&["town", "illness"], &rows);
            let column = |at: usize, role| Column::encode(&raw.columns[at], role, Kind::Text, &[]).unwrap();
            let events = Table { rows: rows.len(), columns: vec![column(0, Role::QuasiIdentifier), column(1, Role::Sensitive)] };
            let mut starts = vec![0];
            people.iter().for_each(|person| starts.push(starts[starts.len() - 1] + person.len() as u32));
            let original = Sequences::new(events, starts).unwrap();
            let promise = SequencesPromise { k: 2, length: None, support: Support::default(), limits: Vec::new(), distributions: Default::default() };
            let source_rows: Vec<u32> = (0..people.len() as u32).collect();
            let (before, now) = (table(&first), table(&second));
            let target = SequencesTarget {
                original: &original, source_rows: &source_rows, published: &now, id: "id", promise: &promise, seed: 0,
            };
            let found = attack_sequences_together(&target, &EarlierSequences { published: &before, in_both: None }, &Silent);

            let mut expected: Vec<u32> = Vec::new();
            let mut least = usize::MAX;
            for (person, known) in people.iter().enumerate() {
                let left = first.iter().filter(|a| second.iter().any(|b| possible(a, b, known))).count();
                let right = second.iter().filter(|b| first.iter().any(|a| possible(a, b, known))).count();
                let crowd = left.min(right);
                if crowd > 0 {
                    least = least.min(crowd);
                    expected.extend((crowd < 2).then_some(person as u32));
                }
            }
            prop_assert_eq!(&found.broken, &expected);
            let success = if least == usize::MAX { 0.0 } else { 1.0 / least as f64 };
            prop_assert_eq!(found.attack.success, success);
            prop_assert_eq!(found.attack.beaten, !expected.is_empty());
        }
    }
}
