//! Several releases of the same people. Whoever has all of them and knows somebody's quasi-identifiers has a crowd in each, and the
//! person's row is in every one of these crowds, with the same sensitive and insensitive values: only rows whose values occur in all
//! crowds are left, each as often as where it is rarest.

use std::collections::HashMap;

use shoal_core::{Progress, RawTable, Role, Rule};

use super::fits::Fits;
use super::guessing::Crowds;
use super::rules::judge;
use super::values::{Codes, Mix};
use super::whose::Counting;
use crate::attack::{Attack, Attacks};

/// Intersects the crowds of everybody who fits two releases or more.
pub(super) fn intersect(now: &Crowds<'_>, progress: &dyn Progress, found: &mut Attacks) {
    let target = now.target;
    if target.earlier.is_empty() {
        return;
    }
    let earlier: Vec<Fits> =
        target.earlier.iter().map(|file| Fits::find(target.original, now.points, file, progress)).collect();
    let seen: Vec<&Fits> = std::iter::once(now.fits).chain(&earlier).collect();
    let files: Vec<&RawTable> = std::iter::once(target.published).chain(target.earlier).collect();
    let untouched: Vec<&str> = target
        .original
        .columns
        .iter()
        .filter(|column| matches!(column.role, Role::Sensitive | Role::Insensitive))
        .map(|column| column.name.as_str())
        .filter(|name| files.iter().all(|file| file.column(name).is_some()))
        .collect();
    let together = Together { now, seen, files };
    let k = target.promise.k as f64;
    let question = format!(
        "Whoever has {} releases and knows somebody's quasi-identifiers keeps the rows whose values are in the crowds of all.",
        target.earlier.len() + 1
    );
    if let Some(least) = together.least(&untouched, None, progress) {
        let words = format!(
            "{} rows are left; {} people fit in several releases, {} of them are left with fewer than {k}",
            least.rows, least.people, least.below
        );
        let record = target.source_rows[least.record as usize];
        let attack = Attack::exact("several releases, linkage", question.as_str(), 1.0 / least.rows);
        found.attacks.push(attack.promised(1.0 / k).worst(words, Some(record)));
    } else {
        found.notes.push("nobody fits a row in two of the releases".to_owned());
    }
    let of_people = !matches!(now.counting, Counting::Rows);
    for condition in &target.promise.conditions {
        let column = condition.column.as_str();
        match condition.rule {
            Rule::Close { .. } | Rule::Alike(_) => found.not_tried.push(format!(
                "`{column}` over several releases: t-closeness and β-likeness of each release bound nothing about all of them"
            )),
            // Rows of one person may be several in one release and one in another.
            _ if of_people => found.not_tried.push(format!(
                "`{column}` over several releases: the promise counts people, and rows of several releases cannot be given to people"
            )),
            rule if untouched.contains(&column) => {
                let Some(least) = together.least(&[column], Some(rule), progress) else { continue };
                let words = format!(
                    "{} of {} people who fit in several releases are left with less than was promised",
                    least.below, least.people
                );
                let record = target.source_rows[least.record as usize];
                let attack = Attack::exact("several releases, values left", question.as_str(), least.success);
                found.attacks.push(attack.of_column(column).promised(least.bound).worst(words, Some(record)));
            }
            _ => {}
        }
    }
}

/// All releases, the newest first.
struct Together<'a> {
    now: &'a Crowds<'a>,
    seen: Vec<&'a Fits>,
    files: Vec<&'a RawTable>,
}

/// The person with the least left.
struct Least {
    success: f64,
    bound: f64,
    rows: f64,
    record: u32,
    people: u64,
    below: u64,
}

impl Together<'_> {
    /// Intersects what the crowds say in some columns; judged by a rule, or by how many rows are left.
    fn least(&self, columns: &[&str], rule: Option<Rule>, progress: &dyn Progress) -> Option<Least> {
        let k = self.now.target.promise.k as f64;
        let (own, published) = self.tuples(columns);
        let mixes: Vec<Vec<Mix>> =
            self.seen.iter().zip(&published).map(|(fits, codes)| classes(fits, codes)).collect();
        let records = self.now.points.records();
        let mut least: Option<Least> = None;
        let (mut people, mut below) = (0, 0);
        for (point, records) in records.iter().enumerate() {
            if point % 256 == 0 {
                progress.check();
            }
            // A release that somebody is not in rules nothing out.
            let crowds: Vec<Mix> = self
                .seen
                .iter()
                .zip(&mixes)
                .filter(|(fits, _)| !fits.classes[point].is_empty())
                .map(|(fits, mixes)| union(&fits.classes[point], mixes))
                .collect();
            let [first, rest @ ..] = crowds.as_slice() else { continue };
            if rest.is_empty() {
                continue;
            }
            let common = rest.iter().fold(first.clone(), |common, crowd| common.common(crowd));
            // Somebody whose own values are not among them has other ones than before, and is misjudged and not found.
            // Somebody who is not in two releases may fit others by chance, and is not found by intersecting them either.
            let is_left = |record: &&u32| {
                self.now.target.returning.is_none_or(|returning| returning[**record as usize])
                    && common
                        .counts
                        .binary_search_by_key(&own[**record as usize], |&(value, _)| value)
                        .is_ok()
            };
            let Some(&&record) = records.iter().filter(is_left).collect::<Vec<_>>().first() else { continue };
            let weight = records.iter().filter(is_left).count() as u64;
            let rows = common.total as f64;
            let (success, bound) = match rule {
                None => (1.0 / rows, 1.0 / k),
                Some(rule) => match judge(rule, &common, &common, false) {
                    Some(judged) => (judged.success, judged.bound),
                    None => continue,
                },
            };
            people += weight;
            below += if success > bound + crate::attack::ROUNDING { weight } else { 0 };
            if least.as_ref().is_none_or(|least| success - bound > least.success - least.bound) {
                least = Some(Least { success, bound, rows, record, people: 0, below: 0 });
            }
        }
        least.map(|least| Least { people, below, ..least })
    }

    /// Numbers what records and rows say in some columns together.
    fn tuples(&self, columns: &[&str]) -> (Vec<u32>, Vec<Vec<u32>>) {
        let target = self.now.target;
        let mut own = vec![0_u32; target.original.rows];
        let mut published: Vec<Vec<u32>> = self.files.iter().map(|file| vec![0; file.rows]).collect();
        for name in columns {
            let Some(column) = target.original.columns.iter().find(|column| column.name == *name) else {
                continue;
            };
            let mut codes = Codes::new(column.domain.parser(), target.missing);
            let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
            let mut refine = |numbers: &mut [u32], codes: &[u32]| {
                for (number, &code) in numbers.iter_mut().zip(codes) {
                    let next = pairs.len() as u32;
                    *number = *pairs.entry((*number, code)).or_insert(next);
                }
            };
            refine(&mut own, &codes.of_domain(column));
            for (numbers, file) in published.iter_mut().zip(&self.files) {
                if let Some(column) = file.column(name) {
                    refine(numbers, &codes.of_published(column));
                }
            }
        }
        (own, published)
    }
}

/// What each class of a release says.
fn classes(fits: &Fits, codes: &[u32]) -> Vec<Mix> {
    let mix = |rows: &Vec<u32>| {
        let mut values: Vec<u32> = rows.iter().map(|&row| codes[row as usize]).collect();
        values.sort_unstable();
        let counts = values.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
        Mix { total: rows.len() as u64, counts }
    };
    fits.rows.iter().map(mix).collect()
}

fn union(classes: &[u32], mixes: &[Mix]) -> Mix {
    if let [class] = classes {
        return mixes[*class as usize].clone();
    }
    let mut counts: HashMap<u32, u64> = HashMap::new();
    for &class in classes {
        mixes[class as usize]
            .counts
            .iter()
            .for_each(|&(value, count)| *counts.entry(value).or_default() += count);
    }
    let mut counts: Vec<(u32, u64)> = counts.into_iter().collect();
    counts.sort_unstable();
    Mix { total: counts.iter().map(|(_, count)| count).sum(), counts }
}
