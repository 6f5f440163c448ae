//! The verbs beside `run`, for every shape.

use std::path::{Path, PathBuf};

use serde::Serialize;
use shoal_core::Progress;
use shoal_core::policy::Shape;

use crate::sequences::{SequencesMeasured, SequencesPlan, SequencesVerified};
use crate::stream::{StreamMeasured, StreamPlan, StreamQuestion, StreamVerified};
use crate::table::{TableMeasured, TablePlan, TableVerified};
use crate::transactions::{TransactionsMeasured, TransactionsPlan, TransactionsVerified};
use crate::{AgainstOriginal, Job, PipelineError, sequences, stream, table, transactions};

/// What a run of a policy would do.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Plan {
    /// With a table.
    Table(TablePlan),
    /// With transactions.
    Transactions(TransactionsPlan),
    /// With sequences.
    Sequences(SequencesPlan),
    /// With a stream.
    Stream(StreamPlan),
}

impl Plan {
    /// Whether the promise can be kept at all.
    pub fn feasible(&self) -> bool {
        match self {
            Plan::Table(plan) => plan.feasible,
            Plan::Transactions(plan) => plan.feasible,
            Plan::Sequences(plan) => plan.feasible,
            Plan::Stream(plan) => plan.feasible,
        }
    }
}

/// What `verify` found.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Verified {
    /// In a table.
    Table(TableVerified),
    /// In transactions.
    Transactions(TransactionsVerified),
    /// In sequences.
    Sequences(SequencesVerified),
    /// In a stream.
    Stream(StreamVerified),
}

impl Verified {
    /// Whether the promise is kept.
    pub fn holds(&self) -> bool {
        match self {
            Verified::Table(verified) => verified.verdict.holds() && is_true(&verified.original),
            Verified::Transactions(verified) => verified.verdict.holds() && is_true(&verified.original),
            Verified::Sequences(verified) => verified.verdict.holds() && is_true(&verified.original),
            Verified::Stream(verified) => verified.verdict.holds(),
        }
    }
}

/// Whether a comparison with the original, where there was one, found the file true.
fn is_true(original: &Option<AgainstOriginal>) -> bool {
    original.as_ref().is_none_or(|original| original.holds)
}

/// What the command line says beyond the file and the policy.
#[derive(Clone, Debug, Default)]
pub struct VerifyOptions {
    /// The original that the file is said to come from.
    pub original: Option<PathBuf>,
}

/// What `measure` found.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Measured {
    /// In a table.
    Table(TableMeasured),
    /// In transactions.
    Transactions(TransactionsMeasured),
    /// In sequences.
    Sequences(SequencesMeasured),
    /// In a stream.
    Stream(StreamMeasured),
}

/// Reads policy and data, and says what a run would do. Writes nothing.
pub fn check(job: &Job, progress: &dyn Progress) -> Result<Plan, PipelineError> {
    Ok(match job.policy().data.shape {
        Shape::Table => Plan::Table(table::check(job, progress)?),
        Shape::Transactions => Plan::Transactions(transactions::check(job, progress)?),
        Shape::Sequences => Plan::Sequences(sequences::check(job, progress)?),
        Shape::Stream => Plan::Stream(stream::check(job)?),
    })
}

/// Does this file keep the policy's promise?
pub fn verify(job: &Job, published: &Path, progress: &dyn Progress) -> Result<Verified, PipelineError> {
    verify_with(job, published, &VerifyOptions::default(), progress)
}

/// The same, with what the command line asks for beyond; where the original is given also: is the file true of it?
pub fn verify_with(
    job: &Job,
    published: &Path,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Verified, PipelineError> {
    Ok(match job.policy().data.shape {
        Shape::Table => Verified::Table(table::verify(job, published, options, progress)?),
        Shape::Transactions => {
            Verified::Transactions(transactions::verify(job, published, options, progress)?)
        }
        Shape::Sequences => Verified::Sequences(sequences::verify(job, published, options, progress)?),
        Shape::Stream if options.original.is_some() => return Err(PipelineError::StreamOriginal),
        Shape::Stream => Verified::Stream(stream::verify(job, published)?),
    })
}

/// How much does this file lose against its original, and what does it still risk? A published stream can be asked for
/// counts, without its original, too.
pub fn measure(
    job: &Job,
    original: Option<&Path>,
    published: &Path,
    question: Option<&StreamQuestion>,
    progress: &dyn Progress,
) -> Result<Measured, PipelineError> {
    Ok(match (job.policy().data.shape, original) {
        (Shape::Stream, original) => {
            let all = StreamQuestion::default();
            Measured::Stream(stream::measure(job, original, published, question.unwrap_or(&all))?)
        }
        _ if question.is_some() => return Err(PipelineError::OnlyStreams),
        (_, None) => return Err(PipelineError::NoOriginal),
        (Shape::Table, Some(original)) => {
            Measured::Table(table::measure(job, original, published, progress)?)
        }
        (Shape::Transactions, Some(original)) => {
            Measured::Transactions(transactions::measure(job, original, published, progress)?)
        }
        (Shape::Sequences, Some(original)) => {
            Measured::Sequences(sequences::measure(job, original, published, progress)?)
        }
    })
}
