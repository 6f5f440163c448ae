//! What adversaries of all shapes report: what was tried, how far it got, and what was promised.
//!
//! The adversaries themselves are in `<shape>/attack/`. They work on the original, the published data and the policy; they know
//! nothing of an algorithm, and they share no counting with the verifier: two opinions that agree are worth more than one.

mod interval;
mod risk;

use serde::Serialize;

pub use interval::{CONFIDENCE, Interval};
pub use risk::{BestGuess, PersonRisk};

/// Bounds are compared with shares that are quotients of counts, or exponentials of entropies. A difference below this is one of
/// rounding and not of people.
pub(crate) const ROUNDING: f64 = 1e-9;

/// One thing that an adversary tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attack {
    /// A short name, the same for the same attack in every report.
    pub name: String,
    /// The sensitive column that it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What the adversary knows and tries, in a sentence.
    pub question: String,
    /// The chance of success against the person for whom it is worst. Where the attack is one figure for everybody (sampled ones
    /// mostly are), that figure.
    pub success: f64,
    /// The mean over everybody who is attacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// What the success is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Whether the policy promises that bound. One that it does not promise is a figure to compare with, and cannot be beaten.
    pub promised: bool,
    /// How sure the figure is.
    pub how: How,
    /// Whether a promised bound was beaten, beyond what chance explains.
    pub beaten: bool,
    /// The worst case in words, without a value of the data.
    pub worst: String,
    /// The record of the original that the worst case is about, counted from 1. It does not go out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_record: Option<u64>,
}

/// How sure a measured success is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum How {
    /// Every case was looked at.
    Exact,
    /// Cases were drawn, or success depends on chance: the interval is that of the success.
    Sampled(Interval),
    /// Cases were drawn, and the success is that of the worst one that was found, which is certain. The interval is that of the share
    /// of cases that beat the bound.
    Searched(Interval),
}

impl Attack {
    /// An attack whose every case was looked at and that nothing is promised about yet.
    pub fn exact(name: &str, question: impl Into<String>, success: f64) -> Attack {
        Attack {
            name: name.to_owned(),
            column: None,
            question: question.into(),
            success,
            mean: None,
            bound: None,
            promised: false,
            how: How::Exact,
            beaten: false,
            worst: String::new(),
            worst_record: None,
        }
    }

    /// An attack of which `right` of so many tries succeeded.
    pub fn sampled(name: &str, question: impl Into<String>, right: u64, tries: u64) -> Attack {
        let interval = Interval::of(right, tries);
        let success = right as f64 / tries.max(1) as f64;
        Attack { how: How::Sampled(interval), ..Attack::exact(name, question, success) }
    }

    /// About this sensitive column.
    #[must_use]
    pub fn of_column(self, column: &str) -> Attack {
        Attack { column: Some(column.to_owned()), ..self }
    }

    /// With a bound that the policy promises. A sampled success beats it only where its whole interval lies above.
    #[must_use]
    pub fn promised(self, bound: f64) -> Attack {
        let least = match self.how {
            How::Exact | How::Searched(_) => self.success,
            How::Sampled(interval) => interval.low,
        };
        Attack { bound: Some(bound), promised: true, beaten: least > bound + ROUNDING, ..self }
    }

    /// With a figure to compare with, which nobody promised.
    #[must_use]
    pub fn compared(self, bound: f64) -> Attack {
        Attack { bound: Some(bound), promised: false, beaten: false, ..self }
    }

    /// Of which not every case was looked at: of so many tries `beating` were above the bound.
    #[must_use]
    pub fn searched(self, beating: u64, tries: u64) -> Attack {
        Attack { how: How::Searched(Interval::of(beating, tries)), ..self }
    }

    /// With the mean over everybody.
    #[must_use]
    pub fn mean(self, mean: f64) -> Attack {
        Attack { mean: Some(mean), ..self }
    }

    /// With its worst case in words, and the record of it, counted from 0.
    #[must_use]
    pub fn worst(self, words: impl Into<String>, record: Option<u32>) -> Attack {
        let worst_record = record.map(|record| u64::from(record) + 1);
        Attack { worst: words.into(), worst_record, ..self }
    }
}

/// Everything that adversaries tried on one release.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attacks {
    /// What was tried.
    pub attacks: Vec<Attack>,
    /// What was noticed on the way, such as people whom no published row fits.
    pub notes: Vec<String>,
    /// What was not tried, and why.
    pub not_tried: Vec<String>,
    /// What each record of the original risks. Not part of any report: it is for the publisher alone.
    #[serde(skip)]
    pub people: Vec<PersonRisk>,
}

impl Attacks {
    /// Whether any promised bound was beaten.
    pub fn beaten(&self) -> bool {
        self.attacks.iter().any(|attack| attack.beaten)
    }
}
