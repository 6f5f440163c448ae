//! Loss measures of tables (thesis §2.6), each a pure function with its formula.
//!
//! Throughout, |D| is the number of original records, and a record that is not in the published file, or
//! that holds nothing but `*` there, is suppressed.

pub mod are;
pub mod class_size;
pub mod classification;
pub mod discernibility;
pub mod distortion;
pub mod iloss;
pub mod ncp;
pub mod width;

use indexmap::IndexMap;
use serde::Serialize;
use shoal_core::{Progress, RawColumn, Silent};
use shoal_privacy::Classes;

use crate::QuasiColumn;
use crate::table::TableFileLoss;

/// A published file, read as far as the losses need it.
#[derive(Clone, Debug)]
pub struct Published<'a> {
    /// |D|, the records of the original.
    pub records: usize,
    /// The quasi-identifiers.
    pub quasi: Vec<QuasiColumn<'a>>,
    /// The sensitive columns.
    pub sensitive: Vec<&'a RawColumn>,
    /// The classes of equal quasi-identifiers.
    pub classes: &'a Classes,
}

impl Published<'_> {
    /// Original records that are not in the file.
    pub fn left_out(&self) -> u64 {
        (self.records - self.classes.class_of.len()) as u64
    }

    /// For each class, whether it is nothing but `*`.
    pub fn starred(&self) -> Vec<bool> {
        let columns: Vec<&RawColumn> = self.quasi.iter().map(|column| column.published).collect();
        self.classes.starred(&columns)
    }

    /// The sum of a column's loss, divided by |D|; 0 where there is no record that could have lost.
    fn mean(&self, sum: f64) -> f64 {
        if self.records == 0 { 0.0 } else { sum / self.records as f64 }
    }
}

/// What a release lost, as `report.json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LossReport {
    /// Normalized certainty penalty, see [`ncp`]; in [0, 1].
    pub ncp: f64,
    /// The same for each quasi-identifier.
    pub ncp_by_column: IndexMap<String, f64>,
    /// See [`width`]: how wide what is published is on average, for each quasi-identifier of numbers or dates (in days).
    pub mean_width_by_column: IndexMap<String, f64>,
    /// 1 − NCP.
    pub utility: f64,
    /// Average relative error of counts of two conditions, see [`are`]. None where there is nothing to count.
    pub are: Option<f64>,
    /// The largest of these errors.
    pub are_largest: Option<f64>,
    /// How many queries they are about.
    pub are_queries: usize,
    /// See [`discernibility`].
    pub discernibility: u64,
    /// See [`distortion`]: how many cells are less specific than they were.
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

impl LossReport {
    /// Takes every measure of this module.
    pub fn of(published: &Published<'_>, k: Option<usize>) -> LossReport {
        LossReport::of_asking(published, k, &Silent)
    }

    /// The same, for somebody who may not want to wait for all of them: each measure is a pass over the file.
    pub(crate) fn of_asking(
        published: &Published<'_>,
        k: Option<usize>,
        progress: &dyn Progress,
    ) -> LossReport {
        let file = TableFileLoss::of(published, k, progress);
        let names = published.quasi.iter().map(|column| column.original.name.clone());
        let widths = names.zip(width::by_column(published));
        let mean_width_by_column = widths.filter_map(|(name, width)| Some((name, width?))).collect();
        progress.check();
        let counts = are::of(published, progress);
        LossReport {
            ncp: file.ncp,
            ncp_by_column: file.ncp_by_column,
            mean_width_by_column,
            utility: file.utility,
            are: counts.map(|counts| counts.mean),
            are_largest: counts.map(|counts| counts.largest),
            are_queries: counts.map_or(0, |counts| counts.queries),
            discernibility: file.discernibility,
            minimal_distortion: file.minimal_distortion,
            minimal_distortion_by_column: file.minimal_distortion_by_column,
            iloss: file.iloss,
            classification_metric: file.classification_metric,
            average_class_size: file.average_class_size,
            normalized_average_class_size: file.normalized_average_class_size,
        }
    }
}
