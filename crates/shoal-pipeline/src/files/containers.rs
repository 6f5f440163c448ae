//! The bytes of a published file that are not its data.

use std::path::Path;

use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_io::Finding;

use super::Job;
use crate::PipelineError;
use crate::run::content;

/// Names the bytes of a published file that the verifier of its records cannot judge. Streams are lines without a
/// container; what is not such a line is refused when they are read.
pub fn unjudged(job: &Job, published: &Path, progress: &dyn Progress) -> Result<Vec<Finding>, PipelineError> {
    match job.policy().data.shape {
        Shape::Table | Shape::Transactions | Shape::Sequences => {
            let (published, content) = (job.published(published)?, content(job.policy()));
            Ok(Cancelled::catch(|| shoal_io::inspect(&published, content, progress))??)
        }
        Shape::Stream => Ok(Vec::new()),
    }
}
