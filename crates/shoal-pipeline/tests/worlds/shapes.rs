//! A world as data, and what is published as an attacker reads it.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_cast::display::array_value_to_string;
use shoal_core::{PolicyDocument, Silent, hierarchy};
use shoal_pipeline::{Assets, BatchSink, BatchSource, Request, run};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One record a person: an age.
    Table,
    /// One event or more a person: towns.
    Sequences,
}

/// What a class publishes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Class {
    /// Of each record of a person, in order.
    pub cells: Vec<String>,
    /// Of each person, sorted.
    pub secrets: Vec<String>,
}

const TABLE: &str = r#"
version = 1
data.shape = "table"
columns.place = { role = "quasi-identifier", kind = "integer" }
columns.secret = { role = "sensitive" }
"#;

const SEQUENCES: &str = r#"
version = 1
data = { shape = "sequences", id = "who", order = ["at"] }
columns.who = { role = "identifier" }
columns.at = { role = "identifier", kind = "integer" }
columns.place = { role = "quasi-identifier", hierarchy = "towns" }
columns.secret = { role = "sensitive" }
"#;

const TOWNS: [(&str, &str); 4] = [("Ulm", "South"), ("Bonn", "South"), ("Kiel", "North"), ("Husum", "North")];

/// Columns of texts by their names.
pub(crate) fn batch(columns: BTreeMap<&str, Vec<String>>) -> RecordBatch {
    let array = |texts: Vec<String>| Arc::new(StringArray::from(texts)) as ArrayRef;
    RecordBatch::try_from_iter(columns.into_iter().map(|(name, texts)| (name, array(texts)))).unwrap()
}

impl Class {
    /// The share of its people who have a secret.
    pub(crate) fn share(&self, secret: &str) -> f64 {
        self.secrets.iter().filter(|own| *own == secret).count() as f64 / self.secrets.len() as f64
    }
}

impl Shape {
    pub(crate) fn request(self, policy: &str) -> Request {
        let rows: String = TOWNS.iter().map(|(town, side)| format!("{town};{side};*\n")).collect();
        let (text, assets) = match self {
            Shape::Table => (TABLE, Assets::default()),
            Shape::Sequences => {
                (SEQUENCES, Assets::default().with_hierarchy("towns", hierarchy::from_text(&rows).unwrap()))
            }
        };
        Request::new(PolicyDocument::parse(&format!("{text}{policy}"), &[]).unwrap(), assets).unwrap()
    }

    /// The classes of a release.
    pub(crate) fn publish(self, request: &Request, people: &[Vec<&str>], secrets: &[&str]) -> Vec<Class> {
        let mut source = BatchSource::new("world", vec![self.records(people, secrets)]);
        let release = run(request, &mut source, &mut BatchSink, &Silent).unwrap();
        self.classes(&release.publish().unwrap())
    }

    /// The records of people, each with a place or several and one secret.
    pub(crate) fn records(self, people: &[Vec<&str>], secrets: &[&str]) -> RecordBatch {
        let mut columns = BTreeMap::<&str, Vec<String>>::new();
        for (who, (places, secret)) in people.iter().zip(secrets).enumerate() {
            for (at, place) in places.iter().enumerate() {
                let mut push = |name, text: &str| columns.entry(name).or_default().push(text.to_owned());
                push("place", place);
                push("secret", secret);
                if self == Shape::Sequences {
                    push("who", &format!("p{who}"));
                    push("at", &at.to_string());
                }
            }
        }
        batch(columns)
    }

    fn classes(self, published: &[RecordBatch]) -> Vec<Class> {
        let mut people = BTreeMap::<String, (Vec<String>, String)>::new();
        for batch in published {
            let text =
                |name: &str, row| array_value_to_string(batch.column_by_name(name).unwrap(), row).unwrap();
            for row in 0..batch.num_rows() {
                let who = match self {
                    Shape::Table => people.len().to_string(),
                    Shape::Sequences => text("who", row),
                };
                let (cells, secret) = people.entry(who).or_default();
                cells.push(text("place", row));
                *secret = text("secret", row);
            }
        }
        let mut classes = BTreeMap::<Vec<String>, Vec<String>>::new();
        for (cells, secret) in people.into_values() {
            classes.entry(cells).or_default().push(secret);
        }
        let class = |(cells, mut secrets): (Vec<String>, Vec<String>)| {
            secrets.sort_unstable();
            Class { cells, secrets }
        };
        classes.into_iter().map(class).collect()
    }

    /// Whether a person may be in a class: each of its cells lies at or above one of their records, in order.
    pub(crate) fn fits(self, places: &[&str], class: &Class) -> bool {
        let mut places = places.iter();
        class.cells.iter().all(|cell| places.any(|place| self.covers(cell, place)))
    }

    fn covers(self, cell: &str, place: &str) -> bool {
        match self {
            Shape::Table => {
                let ends = cell.trim_matches(['[', ']']).split_once(", ");
                let number = |text: &str| text.parse::<u32>().unwrap();
                cell == "*"
                    || cell == place
                    || ends.is_some_and(|(low, high)| (number(low)..=number(high)).contains(&number(place)))
            }
            Shape::Sequences => cell == "*" || cell == place || TOWNS.contains(&(place, cell)),
        }
    }
}
