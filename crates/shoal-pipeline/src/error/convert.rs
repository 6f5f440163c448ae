//! Errors of other crates as errors of the pipeline.

use shoal_algorithms::sequences::SequencesError;
use shoal_core::Cancelled;
use shoal_io::{ReadError, WriteError};
use shoal_measure::MeasureError;
use shoal_measure::sequences::SequencesMeasureError;
use shoal_measure::stream::StreamMeasureError;
use shoal_measure::transactions::TransactionsMeasureError;
use shoal_privacy::{ConfidenceError, ItemsetParamError, KTooSmall, KnowledgeError, Refusal};

use super::PipelineError;

impl From<Cancelled> for PipelineError {
    fn from(_: Cancelled) -> Self {
        PipelineError::Cancelled
    }
}

macro_rules! boxed {
    ($($variant:ident($error:ty)),*) => {
        $(impl From<$error> for PipelineError {
            fn from(error: $error) -> Self {
                PipelineError::$variant(Box::new(error))
            }
        })*
    };
}

boxed!(
    Read(ReadError),
    Write(WriteError),
    Measure(MeasureError),
    Refused(Refusal),
    TransactionMeasure(TransactionsMeasureError),
    Sequences(SequencesError),
    SequenceMeasure(SequencesMeasureError),
    StreamMeasure(StreamMeasureError)
);

macro_rules! promises {
    ($($error:ty),*) => {
        $(impl From<$error> for PipelineError {
            fn from(error: $error) -> Self {
                PipelineError::Promise { why: error.to_string() }
            }
        })*
    };
}

promises!(KTooSmall, ItemsetParamError, ConfidenceError, KnowledgeError);
