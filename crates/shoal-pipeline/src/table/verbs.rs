//! The verbs that look at a file that is already published, ours or not.

use std::path::Path;

use serde::Serialize;
use shoal_core::{Progress, RawColumn, Role};
use shoal_measure::Measures;
use shoal_privacy::{Classes, Refusal, Verdict};

use super::load::load_from;
use super::promises::models;
use crate::{Job, PipelineError};

/// What `verify` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableVerified {
    /// The file.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// The verifier's answer.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// Does this file keep the policy's promise?
pub(crate) fn verify(
    job: &Job,
    published: &Path,
    progress: &dyn Progress,
) -> Result<TableVerified, PipelineError> {
    let source = job.published(published)?;
    let read = shoal_io::read_table(&source, &|_| true, progress)?;
    let roles: Vec<(&str, Role)> = job.policy().columns.iter().map(|(n, c)| (n.as_str(), c.role)).collect();
    let verdict =
        shoal_privacy::verify_file(&read.table, &roles, &models(job)?).map_err(Refusal::Unverifiable)?;
    Ok(TableVerified { file: source.location, sha256: read.sha256, verdict })
}

/// What `measure` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableMeasured {
    /// Records in the original.
    pub records_in: usize,
    /// Rows in the published file.
    pub records_out: usize,
    /// Equivalence classes in the published file.
    pub classes: usize,
    /// Loss and risk.
    #[serde(flatten)]
    pub measures: Measures,
}

/// How much does this file lose against its original, and what does it still risk?
pub(crate) fn measure(
    job: &Job,
    original: &Path,
    published: &Path,
    progress: &dyn Progress,
) -> Result<TableMeasured, PipelineError> {
    let source = job.original(original)?;
    let bound = load_from(job, &source, progress)?.bound;
    let file = job.published(published)?;
    let release = shoal_io::read_table(&file, &|_| true, progress)?.table;
    let quasi: Vec<&RawColumn> = bound
        .table
        .of_role(Role::QuasiIdentifier)
        .map(|column| {
            release.column(&column.name).ok_or_else(|| PipelineError::PublishedColumn {
                file: file.location.clone(),
                column: column.name.clone(),
            })
        })
        .collect::<Result<_, _>>()?;
    let classes = Classes::of(release.rows, &quasi);
    let measures = shoal_measure::measure(&bound.table, &release, &classes, job.policy().privacy.k)?;
    Ok(TableMeasured {
        records_in: bound.table.rows,
        records_out: release.rows,
        classes: classes.len(),
        measures,
    })
}
