//! The bytes of a published file that are not its data.

use std::path::Path;

use shoal_core::policy::Shape;
use shoal_io::{BasketOptions, Content, Finding, PendingFile, Source};

use crate::transactions::Layout;
use crate::{Job, PipelineError};

/// Names the bytes of a published file that the verifier of its records cannot judge. Streams are lines without a
/// container; what is no such line is refused when they are read.
pub fn unjudged(job: &Job, published: &Path) -> Result<Vec<Finding>, PipelineError> {
    match job.policy().data.shape {
        Shape::Table | Shape::Transactions | Shape::Sequences => inspect(job, &job.published(published)?),
        Shape::Stream => Ok(Vec::new()),
    }
}

/// What this program has written holds nothing but its data, or it is not published.
pub(crate) fn refuse_unjudged(job: &Job, pending: &PendingFile) -> Result<(), PipelineError> {
    match inspect(job, &pending.source(job.published_dialect()?))?.into_iter().next() {
        None => Ok(()),
        Some(finding) => Err(PipelineError::Unjudged { finding: Box::new(finding) }),
    }
}

fn inspect(job: &Job, source: &Source) -> Result<Vec<Finding>, PipelineError> {
    let data = &job.policy().data;
    let content = match (data.shape, Layout::of(data)) {
        (Shape::Transactions, Layout::Basket { separator }) => {
            Content::Baskets(BasketOptions { separator, grouped: true })
        }
        _ => Content::Records,
    };
    Ok(shoal_io::inspect(source, content)?)
}
