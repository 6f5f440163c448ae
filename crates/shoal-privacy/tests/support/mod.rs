//! Random releases as plain texts, and a second verifier that knows nothing but texts.

use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::{Column, Hierarchy, Kind, RawTable, Role, Table};
use shoal_privacy::{KAnonymity, RecordOrder, Refusal, TableClaim, TableFindings, TableModel, judge_table};

/// `name`, then what is published. The first three of those are the quasi-identifiers.
pub(crate) const NAMES: [&str; 6] = ["name", "age", "sex", "city", "illness", "note"];
pub(crate) const QUASI: usize = 3;

const CITIES: [[&str; 3]; 5] = [
    ["Bonn", "Rhine", "*"],
    ["Köln", "Rhine", "*"],
    ["Kiel", "Coast", "*"],
    ["Rostock", "Coast", "*"],
    ["Husum", "Coast", "*"],
];

/// A release in texts. Published rows lack the name.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    pub(crate) k: u32,
    pub(crate) original: Vec<Vec<String>>,
    pub(crate) published: Vec<Vec<String>>,
    pub(crate) origin: Vec<u32>,
    pub(crate) left_out: usize,
}

/// Correct releases: random people, random crowds of at least k, what is left over is left out.
pub(crate) fn releases() -> impl Strategy<Value = Release> {
    releases_of(4..40)
}

/// The same with a number of originals in this range.
pub(crate) fn releases_of(originals: std::ops::Range<usize>) -> impl Strategy<Value = Release> {
    let person = (0..12u8, 0..4u8, 0..6u8, 0..4u8, 0..2u8);
    (prop::collection::vec((person, any::<u32>()), originals), 2..5u32)
        .prop_map(|(people, k)| release(&people, k))
}

type Person = ((u8, u8, u8, u8, u8), u32);

fn release(people: &[Person], k: u32) -> Release {
    let original: Vec<Vec<String>> =
        people.iter().enumerate().map(|(row, (person, _))| texts(row, *person)).collect();
    let mut order: Vec<u32> = (0..people.len() as u32).collect();
    order.sort_by_key(|&row| (people[row as usize].1, row));
    let (mut published, mut origin) = (Vec::new(), Vec::new());
    for crowd in order.chunks_exact(k as usize) {
        let common: Vec<String> = (0..QUASI).map(|at| generalize(&original, crowd, at)).collect();
        for &row in crowd {
            let kept = &original[row as usize][1 + QUASI..];
            published.push(common.iter().chain(kept).cloned().collect());
            origin.push(row);
        }
    }
    let left_out = original.len() - published.len();
    Release { k, original, published, origin, left_out }
}

fn texts(row: usize, (age, sex, city, illness, note): (u8, u8, u8, u8, u8)) -> Vec<String> {
    let age = if age == 11 { "?".to_owned() } else { (20 + 3 * u32::from(age)).to_string() };
    let sex = ["f", "m", "x, y", "?"][sex as usize];
    let city = CITIES.get(city as usize).map_or("?", |line| line[0]);
    let illness = ["flu", "gout", "?", "acne"][illness as usize];
    let note = ["", "seen"][note as usize];
    vec![format!("person {row}"), age, sex.into(), city.into(), illness.into(), note.into()]
}

fn generalize(original: &[Vec<String>], crowd: &[u32], quasi: usize) -> String {
    let mut values: Vec<&str> = crowd.iter().map(|&row| original[row as usize][1 + quasi].as_str()).collect();
    values.sort_unstable();
    values.dedup();
    if let [only] = values[..] {
        return only.to_owned();
    }
    match quasi {
        0 if !values.contains(&"?") => format!("[{}, {}]", values[0], values[values.len() - 1]),
        0 | 1 => set(&values),
        _ => {
            let region = |city: &str| CITIES.iter().find(|line| line[0] == city).map_or("*", |line| line[1]);
            let first = region(values[0]);
            if values.iter().all(|city| region(city) == first) { first.to_owned() } else { "*".to_owned() }
        }
    }
}

fn set(values: &[&str]) -> String {
    let quoted: Vec<String> =
        values.iter().map(|v| if v.contains(',') { format!("\"{v}\"") } else { (*v).to_owned() }).collect();
    format!("{{{}}}", quoted.join(", "))
}

/// What the crate under test says.
pub(crate) fn verify(release: &Release) -> Result<TableFindings, Refusal> {
    let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(release.k).unwrap())];
    let (original, published) = (table(&release.original), published(release));
    let claim = TableClaim {
        original: &original,
        origin: &release.origin,
        left_out: release.left_out,
        suppression: None,
        order: RecordOrder::Input,
    };
    judge_table(&published, claim, &models, &shoal_core::Silent)
}

pub(crate) fn published(release: &Release) -> RawTable {
    RawTable::from_rows(&NAMES[1..], &release.published)
}

/// The original, encoded as the pipeline does it.
pub(crate) fn table(original: &[Vec<String>]) -> Table {
    let raw = RawTable::from_rows(&NAMES, original);
    let cities = Arc::new(Hierarchy::from_rows(&CITIES.map(|line| line.to_vec())).unwrap());
    let columns = raw.columns.iter().enumerate().map(|(at, column)| {
        let kind = if at == 1 { Kind::Integer } else { Kind::Text };
        let role = match at {
            0 => Role::Identifier,
            1..=3 => Role::QuasiIdentifier,
            4 => Role::Sensitive,
            _ => Role::Insensitive,
        };
        let column = Column::encode(column, role, kind, &["?".to_owned()]).unwrap();
        if at == 3 { column.with_hierarchy(&cities).unwrap() } else { column }
    });
    Table { columns: columns.collect(), rows: raw.rows }
}

/// The second verifier: compares every record with every other, text by text.
pub(crate) fn brute_force(release: &Release) -> bool {
    let Release { k, original, published, origin, left_out } = release;
    let crowd = |row: &Vec<String>| published.iter().filter(|other| other[..QUASI] == row[..QUASI]).count();
    let hidden = published.iter().all(|row| crowd(row) >= *k as usize);
    let counted = original.len() == published.len() + left_out && origin.len() == published.len();
    let distinct = origin.iter().enumerate().all(|(at, row)| !origin[..at].contains(row));
    let is_true = |(row, &from): (&Vec<String>, &u32)| {
        original.get(from as usize).is_some_and(|truth| {
            (0..QUASI).all(|at| covers(original, at, &row[at], &truth[1 + at]))
                && row[QUASI..] == truth[1 + QUASI..]
        })
    };
    hidden && counted && distinct && published.iter().zip(origin).all(is_true)
}

fn covers(original: &[Vec<String>], quasi: usize, text: &str, truth: &str) -> bool {
    let known = |value: &str| original.iter().any(|row| row[1 + quasi] == value);
    let among = |members: &[String]| members.iter().all(|m| known(m)) && members.iter().any(|m| m == truth);
    let between = || {
        let (lo, hi) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(", ")?;
        let (lo, hi): (i64, i64) = (lo.parse().ok()?, hi.parse().ok()?);
        let truth: i64 = truth.parse().ok()?;
        Some(lo <= truth && truth <= hi)
    };
    let members = || {
        let inside = text.strip_prefix('{')?.strip_suffix('}')?.replace("\"x, y\"", "xy");
        Some(
            inside
                .split(", ")
                .map(|m| if m == "xy" { "x, y".into() } else { m.to_owned() })
                .collect::<Vec<_>>(),
        )
    };
    let region = || quasi == 2 && CITIES.iter().any(|line| line[1] == text && line[0] == truth);
    text == truth
        || text == "*"
        || (quasi == 0 && between().unwrap_or(false))
        || members().is_some_and(|members| among(&members))
        || region()
}
