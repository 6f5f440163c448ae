//! Measures of published sequences against the original, each a pure function with its formula.
//!
//! Only the original and the published file are looked at, and no measure needs to know which published event
//! was which original one: an event that is not in the file is suppressed, whoever it belonged to.

pub mod are;
pub mod attack;
mod error;
pub mod file;
mod fold;
mod inf_loss;
mod leaves;
pub mod lm;
mod people;
pub mod queries;
mod reading;
pub mod risk;

use indexmap::IndexMap;
use serde::Serialize;
use shoal_core::{Progress, RawTable, Sequences};

pub use error::SequencesMeasureError;
pub use queries::{Predicate, Query};
pub use risk::SequencesRisk;

use crate::QuasiColumn;
use crate::table::loss::class_size;
use crate::table::measure::{check_columns, find};
use crate::table::quasi;
use reading::Reading;

/// All measures of published sequences.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesMeasures {
    /// What the release lost.
    pub loss: SequencesLoss,
    /// What an adversary could do before, and can do after.
    pub risk: SequencesRisk,
}

/// What published sequences lost, as `report.json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesLoss {
    /// Information loss per person, see [`lm`]; 0 or more.
    pub il: f64,
    /// The same as a share of all that could be lost; in [0, 1].
    pub lm: f64,
    /// The same for each quasi-identifier.
    pub lm_by_column: IndexMap<String, f64>,
    /// 1 − LM.
    pub utility: f64,
    /// The mean NCP of all cells: what the FCLA paper calls InfLoss, see `inf_loss.rs`; in [0, 1].
    pub inf_loss: f64,
    /// Average relative error of counts of people with two events in order, see [`are`]. None where nobody
    /// has two events.
    pub are: Option<f64>,
    /// How many queries it is the average of.
    pub are_queries: usize,
    /// Events of the original.
    pub events_in: u64,
    /// Events of the file.
    pub events_out: u64,
    /// Events that are not in the file.
    pub events_suppressed: u64,
    /// People of the original.
    pub persons_in: u64,
    /// People of the file.
    pub persons_out: u64,
    /// People of the file per class of equal sequences. None without a class.
    pub average_class_size: Option<f64>,
    /// The same divided by k: 1 is the least that k can reach. None without a class or a k.
    pub normalized_average_class_size: Option<f64>,
}

/// What the measures need to know besides the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequencesOptions {
    /// The least crowd that was promised, if one was.
    pub k: Option<usize>,
    /// How many counts are asked for.
    pub queries: usize,
    /// Where the drawing of queries starts. The queries depend on this and on the original alone, so that all
    /// algorithms of one comparison are asked the same.
    pub seed: u64,
}

/// Takes all measures of a published file, whose column `id` says whose each event is.
pub fn measure_sequences(
    original: &Sequences,
    published: &RawTable,
    id: &str,
    options: &SequencesOptions,
    progress: &dyn Progress,
) -> Result<SequencesMeasures, SequencesMeasureError> {
    let events = original.events();
    if published.rows > events.rows {
        return Err(SequencesMeasureError::MoreEvents { published: published.rows, original: events.rows });
    }
    check_columns(events, published)?;
    let people = people::cut(find(published, id)?)?;
    if people.len() > original.persons() {
        let (published, original) = (people.len(), original.persons());
        return Err(SequencesMeasureError::MorePeople { published, original });
    }
    let quasi = quasi::read_all(events, published)?;

    let (before, after) =
        rayon::join(|| Reading::of_original(original), || Reading::of_published(&quasi, &people));
    progress.check();
    let queries = queries::draw(original, options.queries, options.seed);
    progress.check();
    let loss = loss(original, &quasi, &before, &after, &queries, options.k, progress);
    progress.check();
    let risk = risk::of(before.classes(), after.classes(), options.k);
    Ok(SequencesMeasures { loss, risk })
}

fn loss(
    original: &Sequences,
    quasi: &[QuasiColumn<'_>],
    before: &Reading,
    after: &Reading,
    queries: &[Query],
    k: Option<usize>,
    progress: &dyn Progress,
) -> SequencesLoss {
    let (events_in, events_out) = (before.events() as u64, after.events() as u64);
    let (persons_in, classes) = (original.persons() as u64, after.classes());
    let lost = lm::lost(quasi, events_in - events_out);
    let lm = lm::share(&lost, events_in);
    let names = quasi.iter().map(|column| column.original.name.clone());
    SequencesLoss {
        il: lm::per_person(&lost, persons_in),
        lm,
        lm_by_column: names.zip(lm::share_by_column(&lost, events_in)).collect(),
        utility: 1.0 - lm,
        inf_loss: inf_loss::of(quasi, events_in, events_in - events_out),
        are: are::of(before, after, queries, progress),
        are_queries: queries.len(),
        events_in,
        events_out,
        events_suppressed: events_in - events_out,
        persons_in,
        persons_out: classes.class_of.len() as u64,
        average_class_size: class_size::average(classes),
        normalized_average_class_size: k.and_then(|k| class_size::normalized(classes, k)),
    }
}
