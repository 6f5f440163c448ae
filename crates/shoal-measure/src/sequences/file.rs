//! What published sequences show of their loss and risk to a reader who has no original.
//!
//! The formulas are those of [`lm`] with the events of the file: a reader does not know which are left out. The
//! values of a column are those that its hierarchy or the file names.

use indexmap::IndexMap;
use serde::Serialize;
use shoal_core::{Progress, RawTable, Table};

use super::reading::Reading;
use super::{SequencesMeasureError, inf_loss, lm, people};
use crate::table::loss::class_size;
use crate::table::measure::find;
use crate::table::quasi;
use crate::table::risk::{self, Risks};

/// The loss of sequences as far as their file shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesFileLoss {
    /// Information loss per person, see [`lm`]; 0 or more.
    pub il: f64,
    /// The same as a share of all that could be lost; in [0, 1].
    pub lm: f64,
    /// The same for each quasi-identifier.
    pub lm_by_column: IndexMap<String, f64>,
    /// 1 − LM.
    pub utility: f64,
    /// The mean NCP of all cells; in [0, 1].
    pub inf_loss: f64,
    /// Events of the file.
    pub events_out: u64,
    /// People of the file.
    pub persons_out: u64,
    /// People of the file per class of equal sequences. None without a class.
    pub average_class_size: Option<f64>,
    /// The same divided by k: 1 is the least that k can reach. None without a class or a k.
    pub normalized_average_class_size: Option<f64>,
}

/// The loss and the risk of published sequences, whose column `id` says whose each event is. `named` holds the
/// quasi-identifiers with the values that they can have, and no events.
pub fn measure_sequences_file(
    named: &Table,
    published: &RawTable,
    id: &str,
    k: Option<usize>,
    progress: &dyn Progress,
) -> Result<(SequencesFileLoss, Risks), SequencesMeasureError> {
    let people = people::cut(find(published, id)?)?;
    let quasi = quasi::read_all(named, published)?;
    let reading = Reading::of_published(&quasi, &people);
    progress.check();
    let (events, classes) = (reading.events() as u64, reading.classes());
    let lost = lm::lost(&quasi, 0);
    let lm = lm::share(&lost, events);
    let names = quasi.iter().map(|column| column.original.name.clone());
    let loss = SequencesFileLoss {
        il: lm::per_person(&lost, people.len() as u64),
        lm,
        lm_by_column: names.zip(lm::share_by_column(&lost, events)).collect(),
        utility: 1.0 - lm,
        inf_loss: inf_loss::of(&quasi, events, 0),
        events_out: events,
        persons_out: classes.class_of.len() as u64,
        average_class_size: class_size::average(classes),
        normalized_average_class_size: k.and_then(|k| class_size::normalized(classes, k)),
    };
    Ok((loss, risk::of(classes, k)))
}
