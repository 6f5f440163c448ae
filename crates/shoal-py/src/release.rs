//! `shoal run` on frames.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyTable;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
use shoal_core::Progress;
use shoal_pipeline::audit::AuditPlaces;
use shoal_pipeline::{BatchSink, BatchSource, PipelineError, Request};

use crate::background;
use crate::errors::of_pipeline;
use crate::frames::source;
use crate::policy::GivenPolicy;

/// A release that was verified and published: its data, and what was found of it.
#[pyclass(frozen)]
pub(crate) struct NativeRelease {
    pub(crate) batches: Vec<RecordBatch>,
    schema: SchemaRef,
    /// What may go out with the data, as JSON.
    #[pyo3(get)]
    report: String,
    /// With exact figures, as JSON; it stays with the publisher.
    #[pyo3(get)]
    audit: String,
    /// The page that may go out with the data.
    #[pyo3(get)]
    report_page: String,
    /// The page that stays with the publisher.
    #[pyo3(get)]
    audit_page: String,
}

#[pymethods]
impl NativeRelease {
    /// The published data as an Arrow stream, without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let field = Field::new_struct("", self.schema.fields().clone(), false);
        let arrays = self.batches.clone().into_iter();
        let arrays = arrays.map(|batch| {
            Ok::<_, ArrowError>(std::sync::Arc::new(arrow_array::StructArray::from(batch)) as _)
        });
        to_stream_pycapsule(py, Box::new(ArrayIterator::new(arrays, field.into())), requested_schema)
    }

    /// How many records there are.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Anonymizes a frame. Nothing comes back unless the promise was verified on what comes back.
#[pyfunction]
#[pyo3(signature = (table, policy, progress=None, allow_total_loss=false, pages=true))]
pub(crate) fn anonymize(
    py: Python<'_>,
    table: PyTable,
    policy: GivenPolicy,
    progress: Option<Py<PyAny>>,
    allow_total_loss: bool,
    pages: bool,
) -> PyResult<NativeRelease> {
    let mut request = policy.request()?;
    // The pages show the report in a notebook; they also let the adversaries try the release, as the command does. Nobody sees those of a part
    // or of a trial.
    if pages {
        request = request.with_pages();
    }
    let mut source = source(table);
    let work = |progress: &dyn Progress| release(&request, &mut source, allow_total_loss, progress);
    background::run(py, progress.as_ref(), work)?.map_err(of_pipeline)
}

fn release(
    request: &Request,
    source: &mut BatchSource,
    allow_total_loss: bool,
    progress: &dyn Progress,
) -> Result<NativeRelease, PipelineError> {
    let release = shoal_pipeline::run(request, source, &mut BatchSink, progress)?;
    if !allow_total_loss {
        release.refuse_total_loss(request.policy())?;
    }
    // Where it will be saved is not known yet. Groups of items are written out in frames, so there is no dictionary of them.
    let places =
        AuditPlaces { policy_folder: PathBuf::from("."), output: PathBuf::from("data"), groups: None };
    let audit = release.audit(request, places);
    let audit_page = release.audit_page(&audit, &PathBuf::from("audit.json")).unwrap_or_default();
    let json = |value: &dyn Fn() -> serde_json::Result<String>| {
        value().expect("reports hold nothing that JSON cannot")
    };
    let audit = json(&|| serde_json::to_string_pretty(&audit));
    let report = json(&|| serde_json::to_string_pretty(&release.report.outgoing()));
    let report_page = release.report_page().unwrap_or_default();
    let batches = release.publish()?;
    let schema = batches[0].schema();
    Ok(NativeRelease { batches, schema, report, audit, report_page, audit_page })
}
