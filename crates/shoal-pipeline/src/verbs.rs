//! The verbs beside `run`, for every shape.

use serde::Serialize;
use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};

use crate::sequences::{SequencesExplanation, SequencesMeasured, SequencesPlan, SequencesVerified};
use crate::stream::{StreamMeasured, StreamPlan, StreamVerified};
use crate::table::{TableExplanation, TableMeasured, TablePlan, TableVerified};
use crate::transactions::{
    TransactionsExplanation, TransactionsMeasured, TransactionsPlan, TransactionsVerified,
};
use crate::{AgainstOriginal, Leak, PipelineError, Request, Source, sequences, table, transactions};

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

    /// Says where the release would go, as a path that the front can use.
    pub(crate) fn set_output(&mut self, output: Option<String>) {
        match self {
            Plan::Table(plan) => plan.output = output,
            Plan::Transactions(plan) => plan.output = output,
            Plan::Sequences(plan) => plan.output = output,
            Plan::Stream(_) => {}
        }
    }

    /// Says what the front knows of the source beyond its records.
    pub(crate) fn add_notes(&mut self, notes: Vec<String>) {
        match self {
            Plan::Table(plan) => plan.notes.extend(notes),
            Plan::Transactions(plan) => plan.notes.extend(notes),
            Plan::Sequences(plan) => plan.notes.extend(notes),
            Plan::Stream(plan) => plan.notes.extend(notes),
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

/// What `verify` found about a file of one shape; `V` is the verifier's answer.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct VerifiedFile<V> {
    /// The file.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// transactions: SHA-256 of the dictionary of groups beside it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups_sha256: Option<String>,
    /// The verifier's answer.
    #[serde(flatten)]
    pub verdict: V,
    /// What a comparison with the original found, where one was asked for. Records of sequences are people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original: Option<AgainstOriginal>,
    /// What the promise does not cover.
    pub leaks: Vec<Leak>,
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

/// Reads the source, and says what a run would do. Writes nothing. Streams have no source to read to its end; their plan
/// is [`stream::check`](crate::stream::check)'s.
pub fn check(
    request: &Request,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Plan, PipelineError> {
    Cancelled::catch(|| {
        let mut plan = match request.policy().data.shape {
            Shape::Table => Plan::Table(table::check(request, source, progress)?),
            Shape::Transactions => Plan::Transactions(transactions::check(request, source, progress)?),
            Shape::Sequences => Plan::Sequences(sequences::check(request, source, progress)?),
            Shape::Stream => return Err(PipelineError::IsStream),
        };
        plan.add_notes(request.policy().preset_note().into_iter().collect());
        Ok(plan)
    })?
}

/// Do these data keep the policy's promise? Where the original is given also: are they true of it?
pub fn verify(
    request: &Request,
    published: &mut dyn Source,
    original: Option<&mut dyn Source>,
    progress: &dyn Progress,
) -> Result<Verified, PipelineError> {
    Cancelled::catch(|| {
        Ok(match request.policy().data.shape {
            Shape::Table => Verified::Table(table::verify(request, published, original, progress)?),
            Shape::Transactions => {
                Verified::Transactions(transactions::verify(request, published, original, progress)?)
            }
            Shape::Sequences => {
                Verified::Sequences(sequences::verify(request, published, original, progress)?)
            }
            Shape::Stream => return Err(PipelineError::IsStream),
        })
    })?
}

/// How much do published data lose against their original, and what do they still risk?
pub fn measure(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Measured, PipelineError> {
    Cancelled::catch(|| {
        Ok(match request.policy().data.shape {
            Shape::Table => Measured::Table(table::measure(request, original, published, progress)?),
            Shape::Transactions => {
                Measured::Transactions(transactions::measure(request, original, published, progress)?)
            }
            Shape::Sequences => {
                Measured::Sequences(sequences::measure(request, original, published, progress)?)
            }
            Shape::Stream => return Err(PipelineError::IsStream),
        })
    })?
}

/// What an explanation is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explained {
    /// The file: what loses most.
    All,
    /// A row of a published table, from 1.
    Row(u64),
    /// A class of a published table, from 1.
    Class(u64),
    /// A quasi-identifier of a table.
    Column(String),
    /// An item of the original.
    Item(String),
    /// A pseudonym in published sequences.
    Person(String),
}

/// Why a release is as it is.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Explanation {
    /// Of a table.
    Table(TableExplanation),
    /// Of transactions.
    Transactions(TransactionsExplanation),
    /// Of sequences.
    Sequences(SequencesExplanation),
}

/// Why are published data as coarse as they are?
pub fn explain(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    asked: &Explained,
    progress: &dyn Progress,
) -> Result<Explanation, PipelineError> {
    Cancelled::catch(|| {
        Ok(match request.policy().data.shape {
            Shape::Table => {
                Explanation::Table(table::explain(request, original, published, asked, progress)?)
            }
            Shape::Transactions => Explanation::Transactions(transactions::explain(
                request, original, published, asked, progress,
            )?),
            Shape::Sequences => {
                Explanation::Sequences(sequences::explain(request, original, published, asked, progress)?)
            }
            Shape::Stream => return Err(PipelineError::NotExplained { what: "streams" }),
        })
    })?
}
