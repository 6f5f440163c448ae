//! Every world that agrees with what an adversary knows, and what is published in each.

use std::collections::BTreeMap;

use shoal_core::{
    Column, Condition, Kind, RawColumn, RawTable, Role, Rule, Table, TablePromise, TableRecoding,
};

/// The values of a world, person by person.
pub(crate) type World = Vec<u32>;

/// Nobody's secret: an empty cell.
pub(crate) const EMPTY: u32 = u32::MAX;

/// What a file shows: its rows, sorted.
pub(crate) type File = Vec<(Vec<String>, String)>;

/// What all worlds have in common.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Everybody's quasi-identifiers.
    pub(crate) quasi: Vec<Vec<u32>>,
    /// How many people have each value.
    pub(crate) counts: Vec<usize>,
}

impl Known {
    pub(crate) fn of_ages(ages: &[u32], counts: &[usize]) -> Known {
        Known { quasi: ages.iter().map(|&age| vec![age]).collect(), counts: counts.to_vec() }
    }

    /// Every way to give the values to the people.
    pub(crate) fn worlds(&self) -> Vec<World> {
        let mut worlds = Vec::new();
        fill(&mut self.counts.clone(), &mut Vec::new(), &mut worlds);
        worlds
    }

    /// The same, where also these people are known to have no value.
    pub(crate) fn worlds_without(&self, people: &[usize]) -> Vec<World> {
        let mut worlds = self.worlds();
        for world in &mut worlds {
            people.iter().for_each(|&person| world.insert(person, EMPTY));
        }
        worlds
    }

    /// The table of one of them. All domains are the same in all worlds.
    pub(crate) fn table(&self, world: &[u32]) -> Table {
        let rows = self.quasi.iter().zip(world).map(|(quasi, value)| {
            let mut row: Vec<String> = quasi.iter().map(ToString::to_string).collect();
            row.push(if *value == EMPTY { String::new() } else { format!("v{value}") });
            row
        });
        let dims = self.quasi[0].len();
        let names: Vec<String> = (0..dims).map(|dim| format!("q{dim}")).chain(["ill".to_owned()]).collect();
        let raw = RawTable::from_rows(
            &names.iter().map(String::as_str).collect::<Vec<_>>(),
            &rows.collect::<Vec<_>>(),
        );
        let column = |(at, raw): (usize, &RawColumn)| {
            let (role, kind) = match at < dims {
                true => (Role::QuasiIdentifier, Kind::Integer),
                false => (Role::Sensitive, Kind::Text),
            };
            Column::encode(raw, role, kind, &[String::new()]).unwrap()
        };
        Table { rows: raw.rows, columns: raw.columns.iter().enumerate().map(column).collect() }
    }
}

fn fill(left: &mut Vec<usize>, world: &mut World, worlds: &mut Vec<World>) {
    if left.iter().all(|&left| left == 0) {
        return worlds.push(world.clone());
    }
    for value in 0..left.len() {
        if left[value] > 0 {
            left[value] -= 1;
            world.push(value as u32);
            fill(left, world, worlds);
            world.pop();
            left[value] += 1;
        }
    }
}

/// Crowds of k with at least l different values.
pub(crate) fn distinct(k: usize, l: usize) -> TablePromise {
    TablePromise {
        conditions: vec![Condition { column: "ill".into(), rule: Rule::Distinct { l } }],
        ..TablePromise::crowds(k)
    }
}

/// What a reader of the file sees.
pub(crate) fn file(table: &Table, recoding: &TableRecoding) -> File {
    let quasi = table.quasi_identifiers();
    let ill = table.of_role(Role::Sensitive).next().unwrap();
    let mut rows: File = (0..table.rows)
        .map(|row| {
            let class = &recoding.classes[recoding.class_of[row] as usize];
            let cells = quasi.iter().zip(&class.cells).map(|(column, cell)| column.render(cell));
            (cells.collect(), ill.domain.label(ill.codes[row]).to_owned())
        })
        .collect();
    rows.sort();
    rows
}

/// How likely each file is together with each person's value, in one unit for all.
#[derive(Default)]
pub(crate) struct Seen {
    files: BTreeMap<File, BTreeMap<(usize, u32), u128>>,
}

impl Seen {
    /// One world and one way of all choices.
    pub(crate) fn add(&mut self, file: File, world: &[u32], weight: u128) {
        let joint = self.files.entry(file).or_default();
        for (person, &value) in world.iter().enumerate() {
            *joint.entry((person, value)).or_default() += weight;
        }
    }

    /// The greatest probability of a value, given any file: a fraction in lowest terms.
    pub(crate) fn largest_posterior(&self) -> (u128, u128) {
        let mut largest = (0, 1);
        for joint in self.files.values() {
            let all: u128 =
                joint.iter().filter(|((person, _), _)| *person == 0).map(|(_, weight)| weight).sum();
            for (_, &weight) in joint.iter().filter(|((_, value), _)| *value != EMPTY) {
                let (over, under) = lowest(weight, all);
                if over * largest.1 > largest.0 * under {
                    largest = (over, under);
                }
            }
        }
        largest
    }

    /// How likely it is that somebody with this value is certain to have it.
    pub(crate) fn certain(&self, value: u32) -> f64 {
        let (mut certain, mut carriers) = (0, 0);
        for joint in self.files.values() {
            let all: u128 =
                joint.iter().filter(|((person, _), _)| *person == 0).map(|(_, weight)| weight).sum();
            for (_, &weight) in joint.iter().filter(|((_, of), _)| *of == value) {
                carriers += weight;
                certain += if weight == all { weight } else { 0 };
            }
        }
        certain as f64 / carriers as f64
    }

    /// How many different files there are.
    pub(crate) fn files(&self) -> usize {
        self.files.len()
    }
}

fn lowest(over: u128, under: u128) -> (u128, u128) {
    let (mut a, mut b) = (over, under);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (over / a.max(1), under / a.max(1))
}

#[test]
fn a_file_of_one_class_tells_the_frequencies_and_no_more() {
    let known = Known::of_ages(&[1, 2, 3, 4], &[2, 1, 1]);
    let worlds = known.worlds();
    assert_eq!(worlds.len(), 12);
    let mut seen = Seen::default();
    for world in &worlds {
        seen.add(Vec::new(), world, 1);
    }
    assert_eq!((seen.largest_posterior(), seen.certain(0)), ((1, 2), 0.0));
}
