//! Errors as documents and logs may keep them. Names of files, columns and keys, places and counts stay; what stands in
//! the data does not.
//!
//! A variant shows its message only where it is listed here as one that holds nothing of the data. There is no arm for
//! the others, so a new variant does not compile before somebody has decided.

use shoal_core::without_texts;

use crate::{PipelineError, ValueAt};

impl PipelineError {
    /// The message without anything from the data.
    pub fn redacted(&self) -> String {
        match self {
            // About files, keys, counts and what was asked for.
            PipelineError::ReadFile { .. }
            | PipelineError::NoRandomness { .. }
            | PipelineError::Key { .. }
            | PipelineError::NoReleaseKey { .. }
            | PipelineError::SafeHarbor { .. }
            | PipelineError::NoRecords { .. }
            | PipelineError::MissingValue { .. }
            | PipelineError::Nobodys { .. }
            | PipelineError::NoSuchRow { .. }
            | PipelineError::NoQuasiIdentifier { .. }
            | PipelineError::NotExplained { .. }
            | PipelineError::NoTrial
            | PipelineError::Params(_)
            | PipelineError::TransactionParams(_)
            | PipelineError::OtherShape { .. }
            | PipelineError::Promise { .. }
            | PipelineError::Condition(_)
            | PipelineError::NoSets { .. }
            | PipelineError::MTooLarge { .. }
            | PipelineError::NoId { .. }
            | PipelineError::PublishedColumn { .. }
            | PipelineError::NoPrior
            | PipelineError::StreamOriginal
            | PipelineError::NoOriginal
            | PipelineError::OnlyStreams
            | PipelineError::NoPrevious
            | PipelineError::IsStream
            | PipelineError::NotStream { .. }
            | PipelineError::NotPublished { .. }
            | PipelineError::OutputIsInput { .. }
            | PipelineError::NothingLeft { .. }
            | PipelineError::Exists { .. }
            | PipelineError::OtherReports { .. }
            | PipelineError::Incomparable { .. }
            | PipelineError::LostRelease { .. }
            | PipelineError::LostFile { .. }
            | PipelineError::NothingKept { .. }
            | PipelineError::StreamApplied
            | PipelineError::NoOutput
            | PipelineError::OnlyFiles { .. }
            // What was found, never what it says.
            | PipelineError::Unjudged { .. }
            // Figures and names of columns.
            | PipelineError::Beaten { .. }
            | PipelineError::Attacked { .. }
            | PipelineError::Cancelled => self.to_string(),

            PipelineError::Policy { error, .. } | PipelineError::PolicyAndData { error } => error.redacted(),
            PipelineError::Read(error) => error.redacted(),
            PipelineError::Write(error) => error.redacted(),
            PipelineError::WithoutReports { error, .. } => self.to_string().replace(&error.to_string(), &error.redacted()),
            PipelineError::SameOrder(ties) => ties.in_words(false),

            PipelineError::NotOfKind { at, kind } => self.about(at, &[kind]),
            PipelineError::LooksGeneralized { at } | PipelineError::PersonalK { at } | PipelineError::NotAMark { at } => {
                self.about(at, &[])
            }
            PipelineError::OutsideHierarchy { at, file } => self.about(at, &[file]),
            PipelineError::TwoPeople { at, id: _ } => self.about(at, &[]),
            PipelineError::NoPlaceInOrder { file, column, person: _, record: _, rows: _ } => {
                without_texts(self, &[file, column])
            }
            PipelineError::UnknownItem { file, item: _, line: _ }
            | PipelineError::BadWeight { file, text: _, line: _ }
            | PipelineError::Utility { file, problem: _, hint: _ }
            | PipelineError::Untrue { file, error: _ } => without_texts(self, &[file]),
            PipelineError::Hierarchy { file, column, error: _ } => without_texts(self, &[file, column]),
            PipelineError::Build { column, error: _ } => without_texts(self, &[column]),
            PipelineError::StreamLine { place, line: _, error: _ } => without_texts(self, &[place]),
            PipelineError::Audit { path, problem: _ } => without_texts(self, &[&path.to_string_lossy()]),
            PipelineError::Cohort { records, why: _ } => without_texts(self, &[records]),
            PipelineError::Unreachable { message: _, hint: _ } => {
                "the promise cannot be kept as it is asked for; why names values of the data".to_owned()
            }
            PipelineError::NoSuchItem { item: _ }
            | PipelineError::Question { text: _, columns: _ }
            | PipelineError::Infeasible(_)
            | PipelineError::Transactions(_)
            | PipelineError::TransactionMeasure(_)
            | PipelineError::Sequences(_)
            | PipelineError::SequenceMeasure(_)
            | PipelineError::Measure(_)
            | PipelineError::StreamMeasure(_)
            | PipelineError::Estimator(_)
            | PipelineError::Refused(_)
            | PipelineError::Releases { .. } => without_texts(self, &[]),
        }
    }

    /// The hint without anything from the data.
    pub fn redacted_hint(&self) -> Option<String> {
        match self {
            PipelineError::Policy { error, .. } | PipelineError::PolicyAndData { error } => {
                error.redacted_hint().map(str::to_owned)
            }
            error => error.hint(),
        }
    }

    /// The message about a value, with its place and its column.
    fn about(&self, at: &ValueAt, kept: &[&str]) -> String {
        without_texts(self, &[kept, &[&at.file, &at.column]].concat())
    }
}

#[cfg(test)]
mod tests;
