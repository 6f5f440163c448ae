//! A release in memory: handed out as often as it is asked for, and copied to other places.

use arrow_array::RecordBatch;
use shoal_core::{Cancelled, Progress, RawTable, Unseen};
use shoal_io::WriteError;
use shoal_privacy::{NotACopy, ReadBack, verify_copy};

use crate::report::Outgoing;
use crate::run::refuse_unjudged;
use crate::{PipelineError, Release, Request, Sink, StagedBatches, StagedData, WantedColumns};

impl Release<StagedBatches> {
    /// The batches. The release keeps them, too, so that it can be copied later.
    pub fn hand_out(&self) -> Result<Vec<RecordBatch>, PipelineError> {
        Ok(self.verified.clone().publish()?)
    }

    /// Stages the same data elsewhere. They are read back from there and compared with what was verified, cell by cell; what comes back is the same release, with the
    /// digest of the copy in its report and its audit. `request` is the one of the release, or one that names the same assets otherwise.
    pub fn copy_to<K: Sink>(
        &self,
        request: &Request,
        to: &mut K,
        progress: &dyn Progress,
    ) -> Result<Release<K::Staged>, PipelineError> {
        Cancelled::catch(|| {
            let own = self.verified.staged();
            let list = own.list();
            if list.is_some() && !to.holds_lists() {
                return Err(WriteError::NoLists { path: to.name().into() }.into());
            }
            progress.stage("writing", 0);
            let copy = to.stage_table(&read(own, list, progress)?.0, own.forms(), progress)?;
            let copy = ReadBack::of(copy, |copy| read(copy, list, progress))?;
            let missing = &request.policy().data.missing;
            let verified = verify_copy(copy, &self.verified, missing, |own| read(own, list, progress))?;
            let path = || to.name().into();
            let verified = verified.map_err(|why| match why {
                NotACopy::Differs => WriteError::NotACopy { path: path() },
                NotACopy::LosesNulls { column } => WriteError::LostNulls { path: path(), column },
            })?;
            refuse_unjudged(request, verified.staged(), progress)?;
            let mut report = self.report.clone();
            report.about.output_sha256 = verified.certificate().sha256().to_owned();
            let outgoing = Outgoing::read(request, &mut *verified.staged().source(), &Unseen(progress))?;
            Ok(Release { report, outgoing, trace: self.trace.clone(), verified, facts: self.facts.clone() })
        })?
    }
}

/// What is staged, read as anybody would read it, with its SHA-256.
fn read(
    staged: &impl StagedData,
    list: Option<&str>,
    progress: &dyn Progress,
) -> Result<(RawTable, String), PipelineError> {
    let wanted = WantedColumns { keep: &|_| true, list };
    let read = staged.source().read_table(&wanted, &Unseen(progress))?;
    Ok((read.table, read.sha256))
}
