//! What a run says about itself: `report.json`, and `release.json` for a later audit.

use indexmap::IndexMap;
use serde::Serialize;
use shoal_algorithms::sequence::Work;
use shoal_algorithms::table::Account;
use shoal_core::Policy;
use shoal_measure::sequences::{SequenceLoss, SequenceRisk};
use shoal_measure::transactions::{TransactionLoss, TransactionRisk};
use shoal_measure::{LossReport, RiskReport};
use shoal_privacy::PromiseResult;

use crate::Leak;

/// `report.json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// The version of this layout; 1.
    pub version: u32,
    /// SHA-256 of the policy in canonical JSON, `--set` included.
    pub policy_sha256: String,
    /// SHA-256 of the source's bytes.
    pub input_sha256: String,
    /// SHA-256 of the published bytes.
    pub output_sha256: String,
    /// The seed of all randomness.
    pub seed: u64,
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
    /// What was lost.
    pub loss: Loss,
    /// What an attacker can hope for, before and after.
    pub risk: Risk,
    /// What the search did, where an algorithm counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// Which construction `ribbon` started from and what each step gained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ribbon: Option<Account>,
    /// How long each stage took.
    pub seconds: Seconds,
    /// The most memory that the process held, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// What the promise does not cover.
    pub leaks: Vec<Leak>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// What was lost, in the measures of the shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Loss {
    /// Of a table.
    Table(LossReport),
    /// Of transactions.
    Transactions(TransactionLoss),
    /// Of sequences.
    Sequences(SequenceLoss),
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
    Transactions(TransactionRisk),
    /// Of sequences.
    Sequences(SequenceRisk),
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
    /// All of it.
    pub total: f64,
}

/// `release.json`: what `apply` and a later audit need. It holds published values only, never a raw one.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReleaseFile<'a> {
    /// The version of this layout; 1.
    pub version: u32,
    /// The policy with all overrides.
    pub policy: &'a Policy,
    /// SHA-256 of the policy in canonical JSON.
    pub policy_sha256: &'a str,
    /// SHA-256 of the source's bytes.
    pub input_sha256: &'a str,
    /// SHA-256 of the published bytes.
    pub output_sha256: &'a str,
    /// The seed of all randomness.
    pub seed: u64,
    /// The algorithm.
    pub algorithm: &'static str,
    /// What was promised and found.
    pub promises: &'a [PromiseResult],
    /// How the data were recoded.
    pub recoding: RecodingFile,
}

/// How the data were recoded.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", untagged)]
pub enum RecodingFile {
    /// A table: the classes of the published file.
    #[serde(rename_all = "kebab-case")]
    Table {
        /// The quasi-identifiers, in the order of the cells below.
        quasi_identifiers: Vec<String>,
        /// Each class: its published cells and its size.
        classes: Vec<ClassFile>,
    },
    /// Transactions: the published items.
    #[serde(rename_all = "kebab-case")]
    Transactions {
        /// Each published item and how many transactions hold it.
        items: Vec<ItemFile>,
    },
    /// Sequences: the classes of the published file.
    #[serde(rename_all = "kebab-case")]
    Sequences {
        /// The quasi-identifiers, in the order of the cells below.
        quasi_identifiers: Vec<String>,
        /// Each class: the events that its members publish, and how many members it has.
        classes: Vec<SequenceFile>,
    },
}

/// One class of the published file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClassFile {
    /// The published cells.
    pub cells: Vec<String>,
    /// How many rows publish them.
    pub size: u32,
}

/// People who publish the same sequence.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequenceFile {
    /// The published cells of each event.
    pub events: Vec<Vec<String>>,
    /// How many people publish them.
    pub size: u32,
}

/// One published item.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ItemFile {
    /// The published text.
    pub item: String,
    /// How many transactions hold it.
    pub support: u32,
}
