//! The verbs that look at transactions that are already published, ours or not.

use std::path::Path;

use serde::Serialize;
use shoal_core::Progress;
use shoal_measure::transactions::{TransactionLoss, TransactionRisk};
use shoal_privacy::{ItemVerdict, Refusal, Unverifiable, verify_transactions_file};

use super::algorithm::{Request, hierarchy};
use super::load::{Text, load};
use super::measures;
use super::road::models;
use crate::{Job, PipelineError};

/// What `verify` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsVerified {
    /// The file.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// The verifier's answer.
    #[serde(flatten)]
    pub verdict: ItemVerdict,
}

/// Does this file keep the policy's promise?
pub(crate) fn verify(
    job: &Job,
    published: &Path,
    progress: &dyn Progress,
) -> Result<TransactionsVerified, PipelineError> {
    let source = job.published(published)?;
    let read = load(job, &source, Text::Published, progress)?;
    let rest = read.rest.as_ref().map(|(rest, _)| rest);
    let verdict = verify_transactions_file(&read.data, rest, hierarchy(job)?.as_ref(), &models(job)?)
        .map_err(Refusal::Unverifiable)?
        .with_withheld_columns(read.withheld?);
    // What too few transactions hold, too few people have; that enough hold it says nothing about people.
    if let (true, Some(column)) = (verdict.holds(), &job.policy().data.person) {
        return Err(Refusal::Unverifiable(Unverifiable::Person { column: column.clone() }).into());
    }
    Ok(TransactionsVerified { file: source.location, sha256: read.sha256, verdict })
}

/// What `measure` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsMeasured {
    /// Transactions in the original.
    pub records_in: usize,
    /// Transactions in the published file.
    pub records_out: usize,
    /// What was lost.
    pub loss: TransactionLoss,
    /// The smallest crowds before and after.
    pub risk: TransactionRisk,
}

/// How much does this file lose against its original, and what does it still risk?
pub(crate) fn measure(
    job: &Job,
    original: &Path,
    published: &Path,
    progress: &dyn Progress,
) -> Result<TransactionsMeasured, PipelineError> {
    let before = load(job, &job.original(original)?, Text::Original, progress)?.data;
    let after = load(job, &job.published(published)?, Text::Published, progress)?.data;
    let request = Request::of(job, &before)?;
    let measures = measures::take(job, &request, &before, &after)?;
    let (records_in, records_out) = (before.len(), after.len());
    Ok(TransactionsMeasured { records_in, records_out, loss: measures.loss, risk: measures.risk })
}
