//! What a run says about itself. [`Report`] has exact figures and stays with the publisher, as a part of `audit.json`;
//! [`Outgoing`] is the edition that goes out with the data.

pub(crate) mod html;
mod outgoing;

pub use outgoing::{FileLoss, Outgoing};

use indexmap::IndexMap;
use serde::Serialize;
use shoal_core::Policy;
use shoal_core::policy::Shape;
use shoal_measure::attack::Attacks;
use shoal_measure::sequences::{SequencesLoss, SequencesRisk};
use shoal_measure::transactions::{TransactionsLoss, TransactionsRisk};
use shoal_measure::{LossReport, RiskReport};
use shoal_privacy::total_loss::is_refused;
use shoal_privacy::{Certificate, Digests, Finding};

use crate::audit::VERSION;
use crate::run::digests;
use crate::{Leak, LeakKind, PipelineError};

/// Which release a report is about.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct About {
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
}

impl About {
    fn new(shape: Shape, algorithm: &'static str, digests: Digests) -> About {
        let Digests { data: output_sha256, groups: groups_sha256 } = digests;
        About { version: VERSION, output_sha256, groups_sha256, shape: shape.name(), algorithm }
    }
}

/// All that a run has found out, with exact figures, as `audit.json` has it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// Which release it is about.
    #[serde(flatten)]
    pub about: About,
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
    pub promises: Vec<Finding>,
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

impl Report {
    /// Refuses a release that is verified and useless.
    pub(crate) fn refuse_total_loss(&self, policy: &Policy) -> Result<(), PipelineError> {
        let says_nothing = self.leaks.iter().any(|leak| matches!(leak.kind, LeakKind::SaysNothing { .. }));
        let loss = self.loss.ncp();
        match is_refused(loss, says_nothing, policy.privacy.transparent) {
            true => Err(PipelineError::NothingLeft { loss }),
            false => Ok(()),
        }
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
            about: About::new(shape, algorithm, digests(certificate)),
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
