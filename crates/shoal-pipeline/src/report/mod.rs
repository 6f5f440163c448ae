//! What a run says about itself in public: `report.json`, which may be published with the data.
//!
//! Whoever has the published file and this report must not know more about a person than whoever has the file alone. So
//! it holds no raw value, no seed and no hash of the input or of the policy: those stay in [`audit.json`](crate::audit),
//! with all that is exact. What is computed from the raw data and must be in it (the contract lists it) is rounded:
//!
//! - `loss` to four significant digits: the exact penalty of a column gives away the range of its raw values, also where
//!   the outliers that make the range are left out;
//! - `risk` *before* to two, counts included: an exact figure would show somebody who knows all other people whether
//!   the last one is unique;
//! - errors of counts and how often a guess is right on average to two, and not at all for fewer than a hundred records: they
//!   depend on every single person, also on those who were left out;
//! - of `attacks` what was tried, its success and its bound, but neither the worst case nor what was noticed on the way: both are
//!   about single records;
//! - how many original transactions held a utility constraint's items is left out where items are suppressed, since
//!   nobody can count that in the release;
//! - `seconds` to hundredths and `peak-memory-bytes` to mebibytes, without the phases of an algorithm: how long a
//!   search took, how many alignments or rounds it needed, is a fine function of the raw data and of use to nobody
//!   outside.
//!
//! `notes` hold counts and names of columns, never values. Figures *after*, classes, clusters and promises can be
//! counted in the published file, and stay exact.

pub(crate) mod html;

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;
use shoal_core::policy::Shape;
use shoal_measure::attack::Attacks;
use shoal_measure::sequences::{SequencesLoss, SequencesRisk};
use shoal_measure::transactions::{TransactionsLoss, TransactionsRisk};
use shoal_measure::{LossReport, RiskReport};
use shoal_privacy::{Certificate, PromiseResult};

use crate::Leak;
use crate::audit::VERSION;
use crate::leaks::SAYS_NOTHING;

/// All that a run has found out and that names no secret. [`Report::outgoing`] is what `report.json` holds; as it is, with
/// exact figures, it is a part of `audit.json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// The version of this layout; 1.
    pub version: u32,
    /// SHA-256 of the published bytes.
    pub output_sha256: String,
    /// transactions: SHA-256 of the dictionary of their groups, where they have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_sha256: Option<String>,
    /// The shape of the data.
    pub shape: &'static str,
    /// The algorithm.
    pub algorithm: &'static str,
    /// Records in the source.
    pub records_in: usize,
    /// Rows in the published file, starred ones included.
    pub records_out: usize,
    /// Records left out or published as `*` only.
    pub records_suppressed: usize,
    /// What the algorithm formed.
    pub clusters: usize,
    /// Equivalence classes in the published file: clusters that publish the same are one.
    pub classes: usize,
    /// What was promised and what the verifier found.
    pub promises: Vec<PromiseResult>,
    /// What the promise does not cover.
    pub leaks: Vec<Leak>,
    /// What was lost.
    pub loss: Loss,
    /// What an attacker can hope for, before and after.
    pub risk: Risk,
    /// What adversaries who tried got, where the run let them try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacks: Option<Attacks>,
    /// How long each stage took.
    pub seconds: Seconds,
    /// The most memory that the process held, where the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// How many records went in and came out, and in how many classes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub records_in: usize,
    pub records_out: usize,
    pub records_suppressed: usize,
    pub clusters: usize,
    pub classes: usize,
}

/// From this share of lost information on nothing is left to use. Not 1, since sums of many small parts need not reach it.
const TOTAL_LOSS: f64 = 0.999_999;

impl Report {
    /// Whether the release is worthless: all information is lost, or all that is published is `*`. The two are not the same: a column with
    /// one value loses nothing by a `*`.
    pub(crate) fn says_nothing(&self) -> bool {
        self.loss.ncp() >= TOTAL_LOSS || self.leaks.iter().any(|leak| leak.kind == SAYS_NOTHING)
    }

    /// What every shape says. Leaks and notes are added by the shape, times by the run.
    pub(crate) fn new(
        shape: Shape,
        algorithm: &'static str,
        certificate: &Certificate,
        counts: Counts,
        loss: Loss,
        risk: Risk,
    ) -> Report {
        Report {
            version: VERSION,
            output_sha256: certificate.sha256().to_owned(),
            groups_sha256: certificate.groups_sha256().map(str::to_owned),
            shape: shape.name(),
            algorithm,
            records_in: counts.records_in,
            records_out: counts.records_out,
            records_suppressed: counts.records_suppressed,
            clusters: counts.clusters,
            classes: counts.classes,
            promises: certificate.promises().to_vec(),
            leaks: Vec::new(),
            loss,
            risk,
            attacks: None,
            seconds: Seconds::default(),
            peak_memory_bytes: None,
            notes: Vec::new(),
        }
    }

    /// The edition that may go out with the data; the module says what it leaves out and why.
    pub fn outgoing(&self) -> Value {
        let mut report = serde_json::to_value(self).expect("a report holds nothing that JSON cannot");
        let few = self.records_in < FEW_RECORDS;
        if let Some(loss) = report.get_mut("loss") {
            // The width of `*` is the range of the raw column, its least and its greatest value apart: somebody's values.
            if let Some(loss) = loss.as_object_mut() {
                loss.shift_remove("mean-width-by-column");
                // The largest of many errors is about one count, perhaps of a few people.
                loss.shift_remove("are-largest");
            }
            round(loss, &|figure| significant(figure, LOSS_DIGITS));
            // Errors of counts are relative to true counts. With more digits, whoever knows everybody but one could try which values of that one
            // give this error.
            if let Some(loss) = loss.as_object_mut() {
                let is_of_counts = |name: &str| name == "are" || name.starts_with("are-");
                // How many questions were asked is no error.
                loss.retain(|name, _| !few || !is_of_counts(name) || name == "are-queries");
                let of_counts = loss.iter_mut().filter(|(name, _)| is_of_counts(name));
                of_counts.for_each(|(_, error)| round(error, &|figure| significant(figure, RISK_DIGITS)));
            }
            withhold_counts(loss);
        }
        if let Some(attacks) = report.get_mut("attacks") {
            outgoing_attacks(attacks, few);
        }
        coarsen_before(&mut report["risk"]);
        if let Some(seconds) = report["seconds"].as_object_mut() {
            seconds.shift_remove("phases");
        }
        round(&mut report["seconds"], &|seconds| (seconds * 100.0).round() / 100.0);
        if let Some(bytes) = self.peak_memory_bytes {
            report["peak-memory-bytes"] = bytes.next_multiple_of(MEBIBYTE).into();
        }
        report
    }
}

/// Enough for a comparison of releases, too few for the range of a column.
const LOSS_DIGITS: i32 = 4;
/// Enough to see what a release is good for, too few to miss one person in.
const RISK_DIGITS: i32 = 2;
/// With fewer records than this, two digits say exactly how many people a figure is about.
const FEW_RECORDS: usize = 100;
const MEBIBYTE: u64 = 1 << 20;

/// Rounds every number that is not a count.
fn round(value: &mut Value, rounded: &dyn Fn(f64) -> f64) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *value = rounded(number.as_f64().unwrap_or_default()).into();
        }
        Value::Array(values) => values.iter_mut().for_each(|value| round(value, rounded)),
        Value::Object(members) => members.values_mut().for_each(|value| round(value, rounded)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What adversaries got, without anything about single records.
fn outgoing_attacks(attacks: &mut Value, few: bool) {
    if let Some(attacks) = attacks.as_object_mut() {
        attacks.shift_remove("notes");
    }
    let Some(attacks) = attacks["attacks"].as_array_mut() else { return };
    // What a bound is promised about can be counted in the published file.
    attacks.retain(|attack| !few || attack["promised"] == Value::Bool(true));
    for attack in attacks.iter_mut().filter_map(Value::as_object_mut) {
        attack.shift_remove("worst");
        attack.shift_remove("worst-record");
        if few {
            attack.shift_remove("mean");
        }
        let figures = attack.iter_mut().filter(|(name, _)| ["success", "mean"].contains(&name.as_str()));
        figures.for_each(|(_, figure)| coarsen(figure));
        // The ends of an interval, but not how sure it is.
        let how = attack.get_mut("how").and_then(Value::as_object_mut);
        let ends = how.into_iter().flatten().filter(|(name, _)| ["low", "high"].contains(&name.as_str()));
        ends.for_each(|(_, end)| coarsen(end));
    }
}

/// The original counts of utility constraints of which something is suppressed.
fn withhold_counts(loss: &mut Value) {
    let constraints = loss.get_mut("utility-constraints").and_then(Value::as_array_mut);
    for constraint in constraints.into_iter().flatten().filter_map(Value::as_object_mut) {
        if constraint.get("kept") != Some(&Value::Bool(true)) {
            constraint.shift_remove("before");
        }
    }
}

/// Every `before` inside, whole numbers too.
fn coarsen_before(risk: &mut Value) {
    let Value::Object(members) = risk else { return };
    for (name, value) in members {
        if name == "before" {
            coarsen(value);
        } else {
            coarsen_before(value);
        }
    }
}

fn coarsen(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let rounded = significant(number.as_f64().unwrap_or_default(), RISK_DIGITS);
            *value = if number.is_f64() { rounded.into() } else { (rounded as u64).into() };
        }
        Value::Object(members) => members.values_mut().for_each(coarsen),
        Value::Array(values) => values.iter_mut().for_each(coarsen),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The number rounded to this many significant digits.
fn significant(number: f64, digits: i32) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let shift = digits - 1 - number.abs().log10().floor() as i32;
    // A power of ten above 1 is exact where its reciprocal is not, so a large number is divided.
    if shift >= 0 {
        let unit = 10_f64.powi(shift);
        (number * unit).round() / unit
    } else {
        let unit = 10_f64.powi(-shift);
        (number / unit).round() * unit
    }
}

/// What was lost, in the measures of the shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Loss {
    /// Of a table.
    Table(LossReport),
    /// Of transactions.
    Transactions(TransactionsLoss),
    /// Of sequences.
    Sequences(SequencesLoss),
}

impl Loss {
    /// The share of all information that is lost, which every shape has: the normalized certainty penalty,
    /// for sequences the loss metric.
    pub fn ncp(&self) -> f64 {
        match self {
            Loss::Table(loss) => loss.ncp,
            Loss::Transactions(loss) => loss.ncp,
            Loss::Sequences(loss) => loss.lm,
        }
    }
}

/// What an attacker can hope for, in the terms of the shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Risk {
    /// Of a table.
    Table(RiskReport),
    /// Of transactions.
    Transactions(TransactionsRisk),
    /// Of sequences.
    Sequences(SequencesRisk),
}

/// How long each stage took, in seconds.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Seconds {
    /// Reading and encoding the source.
    pub read: f64,
    /// The algorithm.
    pub anonymize: f64,
    /// The phases of the algorithm, where it has several.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub phases: IndexMap<String, f64>,
    /// Writing the temporary file.
    pub write: f64,
    /// Reading it back and verifying it.
    pub verify: f64,
    /// Loss and risk.
    pub measure: f64,
    /// The adversaries, where they tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attack: Option<f64>,
    /// All of it.
    pub total: f64,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_keep_so_many_digits() {
        let rounded = [0.123_456, 98_765.0, 0.0, 7.0, -0.000_987_6].map(|figure| significant(figure, 2));
        assert_eq!(rounded, [0.12, 99_000.0, 0.0, 7.0, -0.000_99]);
        assert!(significant(f64::NAN, 2).is_nan());
    }

    #[test]
    fn risk_before_is_coarse_and_after_is_not() {
        let mut risk = json!({
            "before": { "prosecutor": { "mean": 0.123456, "unique-records": 1234 } },
            "after": { "prosecutor": { "mean": 0.123456, "unique-records": 1234 } },
            "smallest-crowd": { "before": 137, "after": 137 },
        });
        coarsen_before(&mut risk);
        assert_eq!(
            risk,
            json!({
                "before": { "prosecutor": { "mean": 0.12, "unique-records": 1200 } },
                "after": { "prosecutor": { "mean": 0.123456, "unique-records": 1234 } },
                "smallest-crowd": { "before": 140, "after": 137 },
            })
        );
    }

    #[test]
    fn what_cannot_be_counted_in_the_release_is_withheld() {
        let mut loss = json!({ "utility-constraints": [
            { "number": 1, "before": 7, "after": 7, "kept": true },
            { "number": 2, "before": 9, "after": 7, "kept": false },
        ] });
        withhold_counts(&mut loss);
        assert_eq!(loss["utility-constraints"][0]["before"], 7);
        assert_eq!(loss["utility-constraints"][1].get("before"), None);
    }
}
