//! Why published sequences are as coarse as they are: which columns lose most, and who is in a person's crowd.

use std::collections::HashMap;

use serde::Serialize;
use shoal_core::{Progress, RawColumn, RawTable, Role};

use super::verbs::measure_release;
use crate::columns::read_published;
use crate::{Explained, PipelineError, Request, Source};

/// What the explanation of sequences has.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesExplanation {
    /// People of the published file.
    pub people: usize,
    /// Their events.
    pub events: usize,
    /// Events of the original that are not in the file.
    pub events_suppressed: u64,
    /// The columns, the one that loses most first.
    pub columns: Vec<SequenceColumn>,
    /// The person that was asked for, or some of the longest sequences.
    pub shown: Vec<PersonExplanation>,
}

/// What a column has lost.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequenceColumn {
    /// The column.
    pub name: String,
    /// The share of it that is lost (LM).
    pub lm: f64,
    /// Its part in all that is lost.
    pub part: f64,
}

/// One published person.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PersonExplanation {
    /// The pseudonym in the published file.
    pub person: String,
    /// How many people publish the same sequence of quasi-identifiers, this one included.
    pub alike: usize,
    /// The quasi-identifiers of each event.
    pub events: Vec<Vec<String>>,
}

/// How many people are shown where none was asked for.
const SHOWN: usize = 3;

pub(crate) fn explain(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    asked: &Explained,
    progress: &dyn Progress,
) -> Result<SequencesExplanation, PipelineError> {
    let (name, release) = (published.name(), read_published(request, published, progress)?.table);
    let measures = measure_release(request, original, &name, &release, progress)?;
    progress.stage("explaining", 0);
    let loss = &measures.loss;
    let total: f64 = loss.lm_by_column.values().sum();
    let part = |(name, &lm): (&String, &f64)| SequenceColumn {
        name: name.clone(),
        lm,
        part: if total > 0.0 { lm / total } else { 0.0 },
    };
    let mut columns: Vec<SequenceColumn> = loss.lm_by_column.iter().map(part).collect();
    columns.sort_by(|a, b| b.lm.total_cmp(&a.lm));
    let sequences = Sequences::of(request, &release);
    let shown = match asked {
        Explained::Person(person) => {
            vec![sequences.person(person).ok_or_else(|| PipelineError::NoSuchItem { item: person.clone() })?]
        }
        Explained::All => sequences.longest(),
        _ => return Err(PipelineError::NotExplained { what: "sequences" }),
    };
    Ok(SequencesExplanation {
        people: sequences.order.len(),
        events: release.rows,
        events_suppressed: loss.events_suppressed,
        columns,
        shown,
    })
}

/// The published events by person.
struct Sequences<'a> {
    ids: Option<&'a RawColumn>,
    quasi: Vec<&'a RawColumn>,
    /// Pseudonyms in the order of the file.
    order: Vec<u32>,
    rows: HashMap<u32, Vec<usize>>,
}

impl<'a> Sequences<'a> {
    fn of(request: &Request, release: &'a RawTable) -> Sequences<'a> {
        let ids = request.policy().data.id.as_ref().and_then(|id| release.column(id));
        let is_quasi = |column: &&RawColumn| {
            let spec = request.policy().columns.get(&column.name);
            spec.is_some_and(|spec| spec.role == Role::QuasiIdentifier)
        };
        let mut found = Sequences {
            ids,
            quasi: release.columns.iter().filter(is_quasi).collect(),
            order: Vec::new(),
            rows: HashMap::new(),
        };
        for (row, &id) in ids.map(|ids| ids.codes.as_slice()).unwrap_or_default().iter().enumerate() {
            let rows = found.rows.entry(id).or_default();
            if rows.is_empty() {
                found.order.push(id);
            }
            rows.push(row);
        }
        found
    }

    /// What a person publishes: a list of codes, the same for whoever publishes the same.
    fn key(&self, id: u32) -> Vec<u32> {
        self.rows[&id]
            .iter()
            .flat_map(|&row| self.quasi.iter().map(move |column| column.codes[row]))
            .collect()
    }

    fn person(&self, pseudonym: &str) -> Option<PersonExplanation> {
        let id =
            *self.order.iter().find(|&&id| self.ids.is_some_and(|ids| ids.labels.get(id) == pseudonym))?;
        Some(self.explain(id))
    }

    fn longest(&self) -> Vec<PersonExplanation> {
        let mut ids = self.order.clone();
        // Stable: of equals the first of the file.
        ids.sort_by_key(|id| std::cmp::Reverse(self.rows[id].len()));
        ids.truncate(SHOWN);
        ids.into_iter().map(|id| self.explain(id)).collect()
    }

    fn explain(&self, id: u32) -> PersonExplanation {
        let key = self.key(id);
        let text = |&row: &usize| self.quasi.iter().map(|column| column.text(row).to_owned()).collect();
        PersonExplanation {
            person: self.ids.map(|ids| ids.labels.get(id).to_owned()).unwrap_or_default(),
            alike: self.order.iter().filter(|&&other| self.key(other) == key).count(),
            events: self.rows[&id].iter().map(text).collect(),
        }
    }
}
