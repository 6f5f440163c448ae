//! Random releases of sequences as plain texts, and a second verifier that knows nothing but texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::{Column, Hierarchy, Kind, RawTable, Role, Sequences, Table};
use shoal_privacy::{
    Confidence, RecordOrder, Refusal, SequenceAnonymity, SequencesClaim, SequencesFindings, SequencesModel,
    judge_sequences,
};

/// All columns of the input. The second one is never published, the first one as a pseudonym.
pub(crate) const NAMES: [&str; 8] = ["pid", "name", "year", "sex", "city", "illness", "ward", "note"];
/// What is published.
pub(crate) const PUBLISHED: [&str; 7] = ["pid", "year", "sex", "city", "illness", "ward", "note"];
/// The quasi-identifiers among the published.
pub(crate) const QUASI: std::ops::Range<usize> = 1..4;

const CITIES: [[&str; 3]; 4] =
    [["Bonn", "Rhine", "*"], ["Köln", "Rhine", "*"], ["Kiel", "Coast", "*"], ["Husum", "Coast", "*"]];

/// Column, highly sensitive values, c.
pub(crate) type Limit = (&'static str, Vec<&'static str>, f64);
pub(crate) type Row = Vec<String>;

/// A release in texts. The input's rows are person by person, in order.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    pub(crate) k: u32,
    pub(crate) limits: Vec<Limit>,
    pub(crate) original: Vec<Row>,
    pub(crate) published: Vec<Row>,
    pub(crate) origin: Vec<u32>,
    pub(crate) left_out: usize,
}

type Event = (u8, u8, u8, u8, u8, u8);
type Person = (Vec<(Event, bool)>, u32);

/// Releases that are true and hide everybody among k; c is exactly what the worst class needs.
pub(crate) fn releases() -> impl Strategy<Value = Release> {
    let event = (0..7u8, 0..3u8, 0..5u8, 0..4u8, 0..3u8, 0..2u8);
    let person = (prop::collection::vec((event, any::<bool>()), 1..4), any::<u32>());
    (prop::collection::vec(person, 4..20), 2..4u32).prop_map(|(people, k)| release(&people, k))
}

fn release(people: &[Person], k: u32) -> Release {
    let mut original = Vec::new();
    let mut rows_of = Vec::new();
    for (number, (events, _)) in people.iter().enumerate() {
        rows_of.push(original.len()..original.len() + events.len());
        original.extend(events.iter().map(|(event, _)| texts(number, *event)));
    }
    let mut order: Vec<usize> = (0..people.len()).collect();
    order.sort_by_key(|&person| (people[person].1, person));
    let (mut published, mut origin, mut pseudonym) = (Vec::<Row>::new(), Vec::new(), 0);
    for crowd in order.chunks_exact(k as usize) {
        let survivors: Vec<Vec<usize>> = crowd
            .iter()
            .map(|&person| {
                let kept = rows_of[person].clone().zip(&people[person].0).filter(|(_, (_, kept))| *kept);
                kept.map(|(row, _)| row).collect()
            })
            .collect();
        let events = survivors.iter().map(Vec::len).min().unwrap_or(0);
        for rows in survivors.iter().filter(|_| events > 0) {
            pseudonym += 1;
            for (place, &row) in rows[..events].iter().enumerate() {
                let aligned: Vec<&Row> = survivors.iter().map(|rows| &original[rows[place]]).collect();
                let mut cells = vec![pseudonym.to_string()];
                cells.extend((0..3).map(|quasi| generalize(&aligned, quasi)));
                cells.extend_from_slice(&original[row][5..]);
                published.push(cells);
                origin.push(row as u32);
            }
        }
    }
    let left_out = original.len() - published.len();
    let mut limits = vec![("illness", vec!["HIV", "flu"], 0.0), ("ward", vec!["west"], 0.0)];
    for limit in &mut limits {
        limit.2 = shares(&published, limit).into_iter().fold(0.0, f64::max);
    }
    Release { k, limits, original, published, origin, left_out }
}

fn texts(person: usize, (year, sex, city, illness, ward, note): Event) -> Row {
    let year = if year == 6 { "?".to_owned() } else { (2007 + u32::from(year)).to_string() };
    let city = CITIES.get(city as usize).map_or("?", |line| line[0]);
    vec![
        format!("p{}", person + 1),
        format!("person {person}"),
        year,
        ["f", "m", "?"][sex as usize].into(),
        city.into(),
        ["HIV", "flu", "?", "gout"][illness as usize].into(),
        ["west", "east", "south"][ward as usize].into(),
        ["", "seen"][note as usize].into(),
    ]
}

fn generalize(aligned: &[&Row], quasi: usize) -> String {
    let mut values: Vec<&str> = aligned.iter().map(|row| row[2 + quasi].as_str()).collect();
    values.sort_unstable();
    values.dedup();
    if let [only] = values[..] {
        return only.to_owned();
    }
    match quasi {
        0 if !values.contains(&"?") => format!("[{}, {}]", values[0], values[values.len() - 1]),
        0 | 1 => format!("{{{}}}", values.join(", ")),
        _ => {
            let region = |city: &str| CITIES.iter().find(|line| line[0] == city).map_or("*", |line| line[1]);
            let first = region(values[0]);
            if values.iter().all(|city| region(city) == first) { first.to_owned() } else { "*".to_owned() }
        }
    }
}

/// What the crate under test says.
pub(crate) fn verify(release: &Release) -> Result<SequencesFindings, Refusal> {
    verify_table_file(release, &file(&release.published))
}

pub(crate) fn verify_table_file(release: &Release, file: &RawTable) -> Result<SequencesFindings, Refusal> {
    let original = sequences(&release.original);
    let claim = SequencesClaim {
        id: "pid",
        original: &original,
        origin: &release.origin,
        left_out: release.left_out,
        order: RecordOrder::Input,
    };
    judge_sequences(file, claim, &models(release), &shoal_core::Silent)
}

pub(crate) fn models(release: &Release) -> Vec<Box<dyn SequencesModel>> {
    let mut models: Vec<Box<dyn SequencesModel>> = vec![Box::new(SequenceAnonymity::new(release.k).unwrap())];
    for (column, values, c) in &release.limits {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        models.push(Box::new(Confidence::new(column, &values, *c).unwrap()));
    }
    models
}

pub(crate) fn file(published: &[Row]) -> RawTable {
    RawTable::from_rows(&PUBLISHED, published)
}

pub(crate) fn role(name: &str) -> Role {
    match name {
        "pid" | "name" => Role::Identifier,
        "year" | "sex" | "city" => Role::QuasiIdentifier,
        "note" => Role::Insensitive,
        _ => Role::Sensitive,
    }
}

/// The original, encoded as the pipeline does it.
pub(crate) fn sequences(original: &[Row]) -> Sequences {
    let raw = RawTable::from_rows(&NAMES, original);
    let cities = Arc::new(Hierarchy::from_rows(&CITIES.map(|line| line.to_vec())).unwrap());
    let columns = raw.columns.iter().map(|column| {
        let kind = if column.name == "year" { Kind::Integer } else { Kind::Text };
        let column = Column::encode(column, role(&column.name), kind, &["?".to_owned()]).unwrap();
        if column.name == "city" { column.with_hierarchy(&cities).unwrap() } else { column }
    });
    cut_where_the_id_changes(original, columns.collect())
}

/// Encoded events, given their texts person by person; the first cell is who it is.
pub(crate) fn cut_where_the_id_changes(rows: &[Row], columns: Vec<Column>) -> Sequences {
    let starts = (0..rows.len()).filter(|&row| row == 0 || rows[row][0] != rows[row - 1][0]);
    let starts = starts.chain([rows.len()]).map(|start| start as u32).collect();
    Sequences::new(Table { columns, rows: rows.len() }, starts).unwrap()
}

/// Whether a release keeps its promise and is true.
pub(crate) fn is_sound(release: &Release) -> bool {
    is_private(release) && is_true(release)
}

/// Whether the published texts keep the promise.
pub(crate) fn is_private(release: &Release) -> bool {
    let crowds = crowd_sizes(&release.published).into_iter().all(|size| size >= release.k as usize);
    let confident = |limit: &Limit| shares(&release.published, limit).into_iter().all(|s| s <= limit.2);
    crowds && release.limits.iter().all(confident)
}

/// Everybody's crowd, people compared with people, text by text.
pub(crate) fn crowd_sizes(published: &[Row]) -> Vec<usize> {
    let people = people(published);
    people.values().map(|one| people.values().filter(|two| alike(one, two)).count()).collect()
}

/// For everybody the share of their crowd that has a highly sensitive value.
pub(crate) fn shares(published: &[Row], (column, values, _): &Limit) -> Vec<f64> {
    let at = PUBLISHED.iter().position(|name| name == column).unwrap();
    let is_sensitive = |rows: &[&Row]| rows.iter().any(|row| values.contains(&row[at].as_str()));
    let people = people(published);
    let share = |one: &Vec<&Row>| {
        let crowd: Vec<_> = people.values().filter(|two| alike(one, two)).collect();
        crowd.iter().filter(|rows| is_sensitive(rows)).count() as f64 / crowd.len() as f64
    };
    people.values().map(share).collect()
}

fn people(published: &[Row]) -> BTreeMap<&str, Vec<&Row>> {
    let mut people: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in published {
        people.entry(&row[0]).or_default().push(row);
    }
    people
}

fn alike(one: &[&Row], two: &[&Row]) -> bool {
    one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one[QUASI] == two[QUASI])
}

/// Whether the file says nothing but the truth about the input, once, and hides who is who.
fn is_true(release: &Release) -> bool {
    let Release { original, published, origin, left_out, .. } = release;
    if original.len() != published.len() + left_out
        || origin.len() != published.len()
        || origin.iter().any(|&row| row as usize >= original.len())
    {
        return false;
    }
    let from = |at: usize| &original[origin[at] as usize];
    let mut due = 0;
    (0..published.len()).all(|at| {
        let is_next = at == 0 || published[at][0] != published[at - 1][0];
        due += usize::from(is_next);
        let named = published[at][0] == due.to_string();
        // Whoever has the same pseudonym is the same person and the other way round; the earlier event first.
        let kept = (0..at).all(|before| {
            let same = from(before)[0] == from(at)[0];
            same == (published[before][0] == published[at][0]) && (!same || origin[before] < origin[at])
        });
        let covered =
            (0..3).all(|quasi| covers(original, quasi, &published[at][1 + quasi], &from(at)[2 + quasi]));
        named && kept && covered && published[at][4..] == from(at)[5..]
    })
}

fn covers(original: &[Row], quasi: usize, text: &str, truth: &str) -> bool {
    let known = |value: &str| original.iter().any(|row| row[2 + quasi] == value);
    let between = || {
        let (lo, hi) = text.strip_prefix('[')?.strip_suffix(']')?.split_once(", ")?;
        let (lo, hi): (i64, i64) = (lo.parse().ok()?, hi.parse().ok()?);
        let truth: i64 = truth.parse().ok()?;
        Some(lo <= truth && truth <= hi)
    };
    let among = || {
        let members: Vec<&str> = text.strip_prefix('{')?.strip_suffix('}')?.split(", ").collect();
        Some(members.iter().all(|member| known(member)) && members.contains(&truth))
    };
    let region = || CITIES.iter().any(|line| line[1] == text && line[0] == truth);
    text == truth
        || text == "*"
        || (quasi == 0 && between().unwrap_or(false))
        || among().unwrap_or(false)
        || (quasi == 2 && region())
}
