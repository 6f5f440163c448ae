//! Several releases of the same people, and all rows of a person. An attacker who knows who is in which class of which release
//! takes values to stay, and goes through all worlds: all ways in which the values of the classes can be those of the people in
//! them. Only worlds count in which the releases would have been published: each cell, the people who are in the same classes,
//! keeps the promise. What an attacker believes who forgets that stands beside it.
//!
//! Where there are too many worlds, or it is not known who is in which class, crowds are intersected: only values that occur in
//! all of them are left, each as often as where it is rarest.

use std::collections::{BTreeMap, HashMap, HashSet};

use shoal_core::{Progress, RawTable, Role, Rule};

use super::fits::Fits;
use super::guessing::Crowds;
use super::rules::judge;
use super::values::{Codes, Mix, NO_VALUE};
use super::whose::Counting;
use super::worlds::{Believed, Cell, Counts, enumerate};
use crate::attack::{Attack, Attacks, ROUNDING};

/// How many steps are taken through the worlds of classes that belong together, and through all.
const STEPS: u64 = 300_000;
const ALL_STEPS: u64 = 10_000_000;
/// Chances as counts of so many.
const PARTS: f64 = 1e12;

/// Puts together what is said of everybody who has several rows, in one release or in several.
pub(super) fn put_together(now: &Crowds<'_>, progress: &dyn Progress, found: &mut Attacks) {
    let target = now.target;
    let column = target.promise.person.as_ref();
    let column = column.and_then(|name| target.original.columns.iter().find(|column| column.name == *name));
    let several = column.map(|column| column.codes.as_slice()).filter(|codes| has_repeated(codes));
    // Whose rows are whose is known to nobody else.
    let people = several.filter(|_| matches!(now.counting, Counting::People(_)));
    if target.earlier.is_empty() && !(target.knows_all_rows && people.is_some()) {
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
    let mut row_of = vec![None; target.original.rows];
    for (row, &record) in (0..).zip(target.origin.unwrap_or_default()) {
        row_of[record as usize] = Some(row);
    }
    let row_of = people.map(|_| row_of);
    let is_unsure = several.is_some() && people.is_none();
    let together = Together { now, seen, files, people, is_unsure, row_of };
    let k = target.promise.k as f64;
    let (of, question) = match target.earlier.len() {
        0 => (
            "all rows of a person",
            "Whoever knows all rows of somebody keeps the values that all their classes can give them."
                .to_owned(),
        ),
        earlier => (
            "several releases",
            format!(
                "Whoever has {} releases and knows somebody's quasi-identifiers keeps what the crowds of all can give them.",
                earlier + 1
            ),
        ),
    };
    let attack =
        |name: &str, success: f64| Attack::exact(&format!("{of}, {name}"), question.as_str(), success);
    let mut add = |name: &str, column: Option<&str>, least: &Least| {
        let words = format!(
            "{} of {} people with several rows are left with less than was promised{}",
            least.below,
            least.people,
            if least.searched { "; not all worlds were looked at" } else { "" }
        );
        let record = Some(target.source_rows[least.record as usize]);
        let about = |attack: Attack| column.into_iter().fold(attack, Attack::of_column);
        found.attacks.push(about(attack(name, least.success)).promised(least.bound).worst(words, record));
        if least.all > least.success + ROUNDING {
            let forgets = format!("{name}, worlds that would not have been published among them");
            found.attacks.push(about(attack(&forgets, least.all)).compared(least.bound).worst("", record));
        }
    };
    match together.least(&untouched, None, progress) {
        Some(least) => add("linkage", None, &Least { bound: 1.0 / k, ..least }),
        None if target.earlier.is_empty() => {}
        None => found.notes.push("nobody fits a row in two of the releases".to_owned()),
    }
    for condition in &target.promise.conditions {
        let column = condition.column.as_str();
        if !untouched.contains(&column) {
            continue;
        }
        match together.least(&[column], Some(condition.rule), progress) {
            Some(least) => add("values left", Some(column), &least),
            None => found.not_tried.push(format!(
                "`{column}` over {of}: whose rows are whose is not known, or values change, or its promise bounds no chance"
            )),
        }
    }
}

/// All releases, the newest first.
struct Together<'a> {
    now: &'a Crowds<'a>,
    seen: Vec<&'a Fits>,
    files: Vec<&'a RawTable>,
    /// Whose each record is, where one person may have several.
    people: Option<&'a [u32]>,
    /// Whether that is so, and whose rows are whose is not known.
    is_unsure: bool,
    /// The row of each record in the newest release, where that is known.
    row_of: Option<Vec<Option<u32>>>,
}

/// The person with the least left.
struct Least {
    success: f64,
    bound: f64,
    /// The success over all worlds.
    all: f64,
    record: u32,
    people: u64,
    below: u64,
    /// Whether crowds were only intersected for somebody.
    searched: bool,
}

impl Together<'_> {
    /// What is left in some columns; judged by a rule, or by how surely a row is somebody's.
    fn least(&self, columns: &[&str], rule: Option<Rule>, progress: &dyn Progress) -> Option<Least> {
        // They compare with everybody, who is somebody else in each release.
        if matches!(rule, Some(Rule::Close { .. } | Rule::Alike(_))) || rule.is_some() && self.is_unsure {
            return None;
        }
        let (own, published, missing) = self.tuples(columns);
        // A promise about people says nothing about one of their rows.
        let cells = match (self.people, rule) {
            (Some(person_of), _) if is_one_value(person_of, &own) => self.cells(person_of, &own, missing),
            (Some(_), Some(_)) => return None,
            _ => self.cells(&(0..own.len() as u32).collect::<Vec<u32>>(), &own, missing),
        };
        let counts = self.counts(&published, missing);
        let everybody = mix(counts.values().flatten().map(|(&value, &count)| (value, count)));
        let k = self.now.target.promise.k as u64;
        let keeps = |own: &BTreeMap<u32, u64>| {
            let crowd = mix(own.iter().map(|(&value, &count)| (value, count)));
            match rule {
                None => crowd.total >= k,
                Some(rule) => {
                    judge(rule, &crowd, &everybody, false).is_none_or(|judged| judged.excess() <= ROUNDING)
                }
            }
        };
        let mut least: Option<Least> = None;
        let (mut people, mut below, mut searched) = (0, 0, false);
        let mut look = |cell: &Cell, judged: &BTreeMap<u32, f64>, all: &BTreeMap<u32, f64>| {
            let success = |belief: &BTreeMap<u32, f64>| match rule {
                None => {
                    let of_class = |class: &u32, value| counts[class].get(value).copied().unwrap_or(0);
                    let rows = |value| {
                        let crowds = cell.places.iter();
                        let rows = crowds.map(|crowd| crowd.iter().map(|class| of_class(class, value)).sum());
                        rows.min().unwrap_or(1_u64).max(1)
                    };
                    let best = belief.iter().map(|(value, share)| share / rows(value) as f64);
                    Some((best.fold(0.0, f64::max), 1.0 / k as f64))
                }
                Some(rule) => {
                    let crowd =
                        mix(belief.iter().map(|(&value, share)| (value, (share * PARTS).round() as u64)));
                    judge(rule, &crowd, &everybody, false).map(|judged| (judged.success, judged.bound))
                }
            };
            let (Some((success, bound)), Some((all, _))) = (success(judged), success(all)) else { return };
            people += cell.people();
            below += if success > bound + ROUNDING { cell.people() } else { 0 };
            if least.as_ref().is_none_or(|least| success - bound > least.success - least.bound) {
                let record = cell.record;
                least = Some(Least { success, bound, all, record, people: 0, below: 0, searched: false });
            }
        };
        let unsure = cells.iter().filter(|cell| !cell.is_known()).flat_map(|cell| &cell.places);
        let unsure: HashSet<u32> = unsure.flatten().copied().collect();
        let mut all_steps = ALL_STEPS;
        for (number, part) in parts(&cells).into_iter().enumerate() {
            if number % 256 == 0 {
                progress.check();
            }
            let attacked = |cell: &&Cell| cell.places.len() > 1;
            let found = match self.is_certain(&part, &unsure, &counts) {
                true => worlds(&part, &counts, &keeps, &mut all_steps),
                false => None,
            };
            match found {
                Some(Believed { judged, all }) => {
                    let cells = part.iter().zip(judged.iter().zip(&all));
                    cells
                        .filter(|(cell, _)| attacked(cell))
                        .for_each(|(cell, (judged, all))| look(cell, judged, all));
                }
                // Shares of what is left by intersecting are nobody's belief.
                None if rule.is_some_and(|rule| !matches!(rule, Rule::Distinct { .. })) => {}
                None => {
                    for cell in part.iter().copied().filter(attacked) {
                        let crowd = |classes: &Vec<u32>| {
                            mix(classes.iter().flat_map(|class| counts[class].iter().map(|(&v, &c)| (v, c))))
                        };
                        let mut crowds = cell.places.iter().map(crowd);
                        let first = crowds.next().unwrap_or_default();
                        let common = crowds.fold(first, |common, crowd| common.common(&crowd));
                        let total = common.total as f64;
                        let belief: BTreeMap<u32, f64> = common
                            .counts
                            .iter()
                            .map(|&(value, count)| (value, count as f64 / total))
                            .collect();
                        // Somebody whose own values are not among them has other ones than before, or fits others by chance.
                        if cell.own.keys().any(|value| belief.contains_key(value)) {
                            searched = true;
                            look(cell, &belief, &belief);
                        }
                    }
                }
            }
        }
        least.map(|least| Least { people, below, searched, ..least })
    }

    /// People by the classes that their rows may be in.
    fn cells(&self, person_of: &[u32], own: &[u32], missing: Option<u32>) -> Vec<Cell> {
        let target = self.now.target;
        let mut records: Vec<u32> = (0..own.len() as u32).collect();
        // Whoever has no value has no secret.
        records.retain(|&record| Some(own[record as usize]) != missing);
        records.sort_by_key(|&record| person_of[record as usize]);
        let mut known: HashMap<Vec<Vec<u32>>, usize> = HashMap::new();
        let mut cells: Vec<Cell> = Vec::new();
        for rows in records.chunk_by(|one, two| person_of[*one as usize] == person_of[*two as usize]) {
            let mut places: Vec<Vec<u32>> = Vec::new();
            let mut first = 0;
            for (release, fits) in self.seen.iter().enumerate() {
                for &record in rows {
                    let was_there = target.returning.is_none_or(|returning| returning[record as usize]);
                    let classes = match (&self.row_of, release) {
                        (Some(row_of), 0) => row_of[record as usize]
                            .map(|row| vec![fits.class_of[row as usize]])
                            .unwrap_or_default(),
                        (_, 1..) if !was_there => Vec::new(),
                        _ => fits.classes[self.now.points.of_record[record as usize] as usize].clone(),
                    };
                    if !classes.is_empty() {
                        places.push(classes.iter().map(|class| first + class).collect());
                    }
                }
                first += fits.rows.len() as u32;
            }
            if places.is_empty() {
                continue;
            }
            places.sort_unstable();
            let at = *known.entry(places).or_insert_with_key(|places| {
                cells.push(Cell { places: places.clone(), record: rows[0], own: BTreeMap::new() });
                cells.len() - 1
            });
            *cells[at].own.entry(own[rows[0] as usize]).or_default() += 1;
        }
        cells
    }

    /// Whether it is certain who is in the classes of some cells. Nobody may be there who could be elsewhere. All rows of the newest
    /// release belong to people of the original; those of an earlier one may be of people who left, if it is known who was there.
    fn is_certain(&self, cells: &[&Cell], unsure: &HashSet<u32>, counts: &Counts) -> bool {
        let mut people: HashMap<u32, u64> = HashMap::new();
        for cell in cells {
            cell.places
                .iter()
                .flatten()
                .for_each(|class| *people.entry(*class).or_default() += cell.people());
        }
        people.iter().all(|(class, &people)| {
            let may_have_left =
                (*class as usize) >= self.seen[0].rows.len() && self.now.target.returning.is_some();
            let rows = counts[class].values().sum::<u64>();
            !unsure.contains(class) && (rows == people || may_have_left && people < rows)
        })
    }

    /// How often each value is in each class of each release.
    fn counts(&self, published: &[Vec<u32>], missing: Option<u32>) -> Counts {
        let mut counts = Counts::new();
        let mut first = 0;
        for (fits, values) in self.seen.iter().zip(published) {
            for (class, rows) in (first..).zip(&fits.rows) {
                let values =
                    rows.iter().map(|&row| values[row as usize]).filter(|&value| Some(value) != missing);
                let of_class: &mut BTreeMap<u32, u64> = counts.entry(class).or_default();
                values.for_each(|value| *of_class.entry(value).or_default() += 1);
            }
            first += fits.rows.len() as u32;
        }
        counts
    }

    /// Numbers what records and rows say in some columns together; and the number of the missing value, where it is one column.
    fn tuples(&self, columns: &[&str]) -> (Vec<u32>, Vec<Vec<u32>>, Option<u32>) {
        let target = self.now.target;
        let mut own = vec![0_u32; target.original.rows];
        let mut published: Vec<Vec<u32>> = self.files.iter().map(|file| vec![0; file.rows]).collect();
        let mut missing = None;
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
            missing = pairs.get(&(0, NO_VALUE)).copied().filter(|_| columns.len() == 1);
        }
        (own, published, missing)
    }
}

/// All worlds of cells that share classes. The rows of people who left are handed out to nobody.
fn worlds(
    cells: &[&Cell],
    counts: &Counts,
    keeps: &dyn Fn(&BTreeMap<u32, u64>) -> bool,
    all_steps: &mut u64,
) -> Option<Believed> {
    let places = cells.iter().flat_map(|cell| &cell.places).map(|classes| classes[0]);
    let left: Counts = places.map(|class| (class, counts[&class].clone())).collect();
    let steps = STEPS.min(*all_steps);
    let mut left_over = steps;
    let found = enumerate(cells, left, keeps, &mut left_over);
    *all_steps -= steps - left_over;
    found
}

/// Cells by the classes that they share. Where it is not known in which classes people are, each is a part.
fn parts(cells: &[Cell]) -> Vec<Vec<&Cell>> {
    let mut above: HashMap<u32, u32> = HashMap::new();
    fn top(above: &mut HashMap<u32, u32>, mut class: u32) -> u32 {
        while let Some(&next) = above.get(&class).filter(|&&next| next != class) {
            class = next;
        }
        class
    }
    for cell in cells.iter().filter(|cell| cell.is_known()) {
        let first = top(&mut above, cell.places[0][0]);
        for classes in &cell.places {
            let other = top(&mut above, classes[0]);
            above.insert(other, first);
        }
    }
    let mut parts: BTreeMap<u32, Vec<&Cell>> = BTreeMap::new();
    let (known, unknown): (Vec<&Cell>, Vec<&Cell>) = cells.iter().partition(|cell| cell.is_known());
    known
        .into_iter()
        .for_each(|cell| parts.entry(top(&mut above, cell.places[0][0])).or_default().push(cell));
    parts.into_values().chain(unknown.into_iter().map(|cell| vec![cell])).collect()
}

/// Whether all records of everybody say the same.
fn is_one_value(person_of: &[u32], own: &[u32]) -> bool {
    let mut value_of: HashMap<u32, u32> = HashMap::new();
    person_of.iter().zip(own).all(|(&person, &value)| *value_of.entry(person).or_insert(value) == value)
}

fn has_repeated(codes: &[u32]) -> bool {
    let mut seen: Vec<u32> = codes.to_vec();
    seen.sort_unstable();
    seen.windows(2).any(|pair| pair[0] == pair[1])
}

fn mix(counts: impl Iterator<Item = (u32, u64)>) -> Mix {
    let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
    counts
        .filter(|(_, count)| *count > 0)
        .for_each(|(value, count)| *sums.entry(value).or_default() += count);
    Mix { total: sums.values().sum(), counts: sums.into_iter().collect() }
}
