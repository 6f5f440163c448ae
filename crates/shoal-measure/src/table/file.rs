//! What a published table shows of its loss and risk to a reader who has no original.
//!
//! The formulas are those of [`loss`](super::loss), with |D| the records of the file: a reader does not know who is left
//! out. The values of a column are those that its hierarchy or the file names.

use indexmap::IndexMap;
use serde::Serialize;
use shoal_core::{Progress, RawColumn, RawTable, Table};
use shoal_privacy::Classes;

use super::loss::{Published, class_size, classification, discernibility, distortion, iloss, ncp};
use super::{PopulationFigures, Risks, quasi, risk};
use crate::MeasureError;

/// The loss of a table as far as its file shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableFileLoss {
    /// Normalized certainty penalty, see [`ncp`]; in [0, 1].
    pub ncp: f64,
    /// The same for each quasi-identifier.
    pub ncp_by_column: IndexMap<String, f64>,
    /// 1 − NCP.
    pub utility: f64,
    /// See [`discernibility`].
    pub discernibility: u64,
    /// See [`distortion`]: how many cells do not name one value.
    pub minimal_distortion: u64,
    /// The same for each quasi-identifier.
    pub minimal_distortion_by_column: IndexMap<String, u64>,
    /// See [`iloss`]; in [0, 1).
    pub iloss: f64,
    /// See [`classification`]; in [0, 1]. None without a sensitive column.
    pub classification_metric: Option<f64>,
    /// Records of the file per class. None without a class.
    pub average_class_size: Option<f64>,
    /// The same divided by k: 1 is the least that k-anonymity can reach. None without a class or a k.
    pub normalized_average_class_size: Option<f64>,
}

impl TableFileLoss {
    /// Takes every measure that needs no counts of the original. Each is a pass over the file.
    pub(crate) fn of(published: &Published<'_>, k: Option<usize>, progress: &dyn Progress) -> TableFileLoss {
        progress.check();
        let names = || published.quasi.iter().map(|column| column.original.name.clone());
        let ncp = ncp::total(published);
        progress.check();
        let distortion: Vec<u64> = distortion::by_column(published);
        progress.check();
        let ncp_by_column = names().zip(ncp::by_column(published)).collect();
        progress.check();
        let iloss = iloss::total(published);
        progress.check();
        TableFileLoss {
            ncp,
            ncp_by_column,
            utility: 1.0 - ncp,
            discernibility: discernibility::of(published),
            minimal_distortion: distortion.iter().sum(),
            minimal_distortion_by_column: names().zip(distortion).collect(),
            iloss,
            classification_metric: classification::of(published),
            average_class_size: class_size::average(published.classes),
            normalized_average_class_size: k.and_then(|k| class_size::normalized(published.classes, k)),
        }
    }
}

/// The loss and the risk of a published table. `named` holds its quasi-identifiers with the values that they can have,
/// and no records; `sensitive` are its sensitive columns.
pub fn measure_table_file(
    named: &Table,
    published: &RawTable,
    sensitive: Vec<&RawColumn>,
    classes: &Classes,
    k: Option<usize>,
    population: PopulationFigures<'_>,
    progress: &dyn Progress,
) -> Result<(TableFileLoss, Risks), MeasureError> {
    let quasi = quasi::read_all(named, published)?;
    let file = Published { records: published.rows, quasi, sensitive, classes };
    let loss = TableFileLoss::of(&file, k, progress);
    let mut risk = risk::of(classes, k);
    risk.journalist = population.after(named, published, classes, &classes.sizes, progress)?;
    Ok((loss, risk))
}
