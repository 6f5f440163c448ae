//! The adversary, for every shape: measured success next to the promised bound.

use serde::Serialize;
use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_measure::attack::Attacks;

use crate::{PipelineError, Request, Source, sequences, table, transactions};

/// What adversaries found out.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attacked {
    /// The original.
    pub original: String,
    /// The published file.
    pub published: String,
    /// Records of the original: rows, transactions, people of sequences, tuples.
    pub records_in: usize,
    /// Records of the published file.
    pub records_out: usize,
    /// What was tried.
    #[serde(flatten)]
    pub attacks: Attacks,
}

impl Attacked {
    /// Whether no promised bound was beaten.
    pub fn holds(&self) -> bool {
        !self.attacks.beaten()
    }
}

/// Plays the adversary against published data. `earlier` are releases of the same people, in the layout of the policy.
pub fn attack(
    request: &Request,
    original: &mut dyn Source,
    published: &mut dyn Source,
    earlier: &mut [Box<dyn Source>],
    progress: &dyn Progress,
) -> Result<Attacked, PipelineError> {
    Cancelled::catch(|| match request.policy().data.shape {
        Shape::Table => table::attack(request, original, published, earlier, progress),
        Shape::Transactions => transactions::attack(request, original, published, earlier, progress),
        Shape::Sequences => sequences::attack(request, original, published, earlier, progress),
        Shape::Stream => Err(PipelineError::IsStream),
    })?
}
