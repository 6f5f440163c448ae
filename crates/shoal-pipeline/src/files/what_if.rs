//! What other settings would change: each is tried out, none is guessed.

use serde::Serialize;
use shoal_core::policy::{ShapeAlgorithm, TableAlgorithmName};
use shoal_core::{Progress, Role};

use super::coarser::{coarser_columns, trial_coarser};
use super::{Job, trial};
use crate::report::{Loss, Risk};
use crate::{PipelineError, Report};

/// One change, and what it would do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WhatIf {
    /// The change, in words.
    pub change: String,
    /// As `--set` takes it; nothing where a column is left out or made coarser, which is written into the policy or its hierarchy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: WhatIfOutcome,
}

/// What came of a change.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", untagged)]
pub enum WhatIfOutcome {
    /// A release that keeps its promise.
    #[serde(rename_all = "kebab-case")]
    Release {
        /// Its loss: NCP, of sequences LM.
        loss: f64,
        /// What the release as it is loses, of the same columns.
        instead_of: f64,
        /// The highest risk of a person, where the shape has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        highest_risk: Option<f64>,
        /// Records that would be left out.
        left_out: usize,
    },
    /// Nothing can be released so.
    #[serde(rename_all = "kebab-case")]
    Refused {
        /// Why.
        why: String,
    },
}

/// Tries changes of a policy out: a smaller and a larger crowd, each quasi-identifier coarser or left out, the costliest records left out.
pub fn what_if(job: &Job, progress: &dyn Progress) -> Result<Vec<WhatIf>, PipelineError> {
    let base = trial(job, progress)?;
    let changes = changes(job)?;
    progress.stage("trying out", changes.len() as u64);
    let mut tried = Vec::with_capacity(changes.len());
    for Change { words, how } in changes {
        let (tried_out, column) = match &how {
            How::Set(set) => (job.with_overrides(set).and_then(|other| trial(&other, progress)), None),
            How::Coarser(column) => (trial_coarser(job, column, progress), Some(column.as_str())),
            How::Without(column) => {
                let other = job.without_column(column);
                (other.and_then(|other| trial(&other, progress)), Some(column.as_str()))
            }
        };
        let outcome = match tried_out {
            Ok(report) => WhatIfOutcome::Release {
                // A column that is made coarser is measured by other values in the trial than in the release.
                loss: loss_without(&report, column),
                instead_of: loss_without(&base, column),
                highest_risk: highest_risk(&report),
                left_out: report.records_suppressed,
            },
            Err(PipelineError::Cancelled) => return Err(PipelineError::Cancelled),
            Err(error) => WhatIfOutcome::Refused { why: error.to_string() },
        };
        let set = if let How::Set(set) = how { set } else { Vec::new() };
        tried.push(WhatIf { change: words, set, outcome });
        progress.advance(1);
    }
    Ok(tried)
}

/// A change in words, and how it is made.
struct Change {
    words: String,
    how: How,
}

enum How {
    /// By keys of the policy.
    Set(Vec<String>),
    /// This column is never finer than the first level of its hierarchy.
    Coarser(String),
    /// This column is not published.
    Without(String),
}

fn changes(job: &Job) -> Result<Vec<Change>, PipelineError> {
    let policy = job.policy();
    let mut changes: Vec<Change> = Vec::new();
    if let Some(k) = policy.privacy.k {
        let others =
            [k.saturating_sub(1), k / 2, 2 * k].into_iter().filter(|&other| other >= 2 && other != k);
        let mut others: Vec<usize> = others.collect();
        others.dedup();
        let change = |other: usize| Change {
            words: format!("k = {other}"),
            how: How::Set(vec![format!("privacy.k={other}")]),
        };
        changes.extend(others.into_iter().map(change));
    }
    let quasi = policy.columns_of(Role::QuasiIdentifier);
    // With one column alone there is no other that could gain.
    if quasi.len() > 1 {
        let coarser = |name: String| Change {
            words: format!("`{name}` never finer than level 1"),
            how: How::Coarser(name),
        };
        changes.extend(coarser_columns(job)?.into_iter().map(coarser));
        let leave_out = |name: &&str| Change {
            words: format!("without `{name}`"),
            how: How::Without((*name).to_owned()),
        };
        changes.extend(quasi.iter().map(leave_out));
    }
    if policy.algorithm_name().by_shape() == ShapeAlgorithm::Table(TableAlgorithmName::Ribbon) {
        for percent in [1, 5] {
            let set = vec![
                "algorithm.outliers=suppress".to_owned(),
                format!("algorithm.max-suppressed={}", f64::from(percent) / 100.0),
            ];
            let words = format!("up to {percent} % left out, the costliest first");
            changes.push(Change { words, how: How::Set(set) });
        }
    }
    Ok(changes)
}

/// The loss of a release in all columns but this one, so that it can be compared with a release that does not have it.
fn loss_without(report: &Report, without: Option<&str>) -> f64 {
    let by_column = match &report.loss {
        Loss::Table(loss) => &loss.ncp_by_column,
        Loss::Sequences(loss) => &loss.lm_by_column,
        Loss::Transactions(_) => return report.loss.ncp(),
    };
    let Some(without) = without else { return report.loss.ncp() };
    let others: Vec<f64> =
        by_column.iter().filter(|(name, _)| *name != without).map(|(_, loss)| *loss).collect();
    others.iter().sum::<f64>() / others.len().max(1) as f64
}

fn highest_risk(report: &Report) -> Option<f64> {
    match &report.risk {
        Risk::Table(risk) => Some(risk.after.prosecutor.highest),
        Risk::Sequences(risk) => Some(risk.after.prosecutor.highest),
        Risk::Transactions(_) => None,
    }
}
