//! `shoal run` and `shoal apply` on frames.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyTable;
use pyo3_arrow::error::PyArrowResult;
use shoal_core::Progress;
use shoal_pipeline::audit::AuditPlaces;
use shoal_pipeline::files;
use shoal_pipeline::{BatchSink, Leak, PipelineError, Release, ReleaseKey, Request, Source, StagedBatches};

use crate::background;
use crate::earlier::{Earlier, GivenRelease};
use crate::errors::of_pipeline;
use crate::frames::{source, stream};
use crate::policy::GivenPolicy;

/// A release that was verified and published: its data, and what was found of it.
#[pyclass(frozen)]
pub(crate) struct NativeRelease {
    pub(crate) release: Release<StagedBatches>,
    pub(crate) request: Request,
    /// The folder that the policy's paths are seen from.
    folder: PathBuf,
    pub(crate) batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

impl NativeRelease {
    /// Where it will be saved is not known here. Groups of items are written out in frames, so there is no dictionary of them.
    fn places(&self) -> AuditPlaces {
        AuditPlaces { policy_folder: self.folder.clone(), output: PathBuf::from("data"), groups: None }
    }

    /// With exact figures, as JSON; it stays with the publisher.
    pub(crate) fn audit_text(&self) -> String {
        json(&self.release.audit(&self.request, self.places()))
    }
}

#[pymethods]
impl NativeRelease {
    /// What may go out with the data, as JSON.
    #[getter]
    fn report(&self) -> String {
        json(&self.release.outgoing)
    }

    /// With exact figures, as JSON; it stays with the publisher.
    #[getter]
    fn audit(&self, py: Python<'_>) -> String {
        // Millions of people take a while to write down.
        py.detach(|| self.audit_text())
    }

    /// What the promise does not cover, in sentences; those included that only the original shows.
    #[getter]
    fn leaks(&self) -> Vec<String> {
        self.release.report.leaks.iter().map(Leak::text).collect()
    }

    /// Whether a column is one of lists, which CSV does not have.
    #[getter]
    fn has_lists(&self) -> bool {
        self.schema.fields().iter().any(|field| matches!(field.data_type(), DataType::List(_)))
    }

    /// The share of information that was lost, exactly.
    #[getter]
    fn loss(&self) -> f64 {
        self.release.report.loss.ncp()
    }

    /// The page that may go out with the data.
    #[getter]
    fn report_page(&self) -> String {
        self.release.outgoing.page()
    }

    /// The published data as an Arrow stream, without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        stream(py, self.batches.clone(), &self.schema, requested_schema)
    }

    /// How many records there are.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// Anonymizes a frame. Nothing comes back unless the promise was verified on what comes back, and holds together with the earlier releases in `previous`.
/// `applied` says that the recoding of the last of them is applied. `key` are the hexadecimal digits of the release's key, instead of the policy's key file.
#[pyfunction]
#[pyo3(signature = (table, policy, progress=None, allow_total_loss=false, pages=true, previous=Vec::new(), applied=false, reuse_classes=false, allow_absent=false, key=None))]
#[allow(clippy::too_many_arguments)] // the arguments of the Python functions above it, which give them by name
pub(crate) fn anonymize(
    py: Python<'_>,
    table: PyTable,
    policy: GivenPolicy,
    progress: Option<Py<PyAny>>,
    allow_total_loss: bool,
    pages: bool,
    previous: Vec<GivenRelease>,
    applied: bool,
    reuse_classes: bool,
    allow_absent: bool,
    key: Option<&str>,
) -> PyResult<NativeRelease> {
    let job = policy.job()?;
    let key = match key {
        Some(digits) => {
            let wrong = || PyValueError::new_err("a key has 64 hexadecimal digits");
            Some(ReleaseKey::from_hex(digits).ok_or_else(wrong)?)
        }
        None => job.release_key().map_err(of_pipeline)?,
    };
    let mut request = policy.request_of(&job)?.with_release_key(key);
    // The pages show the report in a notebook; they also let the adversaries try the release, as the command does. Nobody sees those of a part
    // or of a trial.
    if pages {
        request = request.with_pages();
    }
    // What `previous` does; the argument is there for programs of earlier versions.
    let _ = reuse_classes;
    let earlier = Earlier { releases: previous, applied, allow_absent };
    let mut source = source(table);
    let work = |progress: &dyn Progress| {
        let request = earlier.held_against(request, &job, progress)?;
        release(request, &mut source, job.folder.clone(), allow_total_loss, progress)
    };
    background::run(py, progress.as_ref(), work)?.map_err(of_pipeline)
}

/// The key of a saved release, or of one that the command line has made, in hexadecimal digits.
#[pyfunction]
pub(crate) fn key_of_release(path: PathBuf) -> PyResult<String> {
    let key = files::open_audit(&path).and_then(|audit| audit.release_key());
    Ok(key.map_err(of_pipeline)?.hex())
}

/// The key of a release that is made in parts: that of the policy's key file, or a fresh one.
#[pyfunction]
pub(crate) fn release_key(policy: GivenPolicy) -> PyResult<String> {
    let given = policy.job()?.release_key();
    let key = given.and_then(|key| key.map_or_else(ReleaseKey::draw, Ok));
    Ok(key.map_err(of_pipeline)?.hex())
}

fn release(
    request: Request,
    source: &mut dyn Source,
    folder: PathBuf,
    allow_total_loss: bool,
    progress: &dyn Progress,
) -> Result<NativeRelease, PipelineError> {
    let release = shoal_pipeline::run(&request, source, &mut BatchSink, progress)?;
    if !allow_total_loss {
        release.refuse_total_loss(request.policy())?;
    }
    let batches = release.hand_out()?;
    let schema = batches[0].schema();
    Ok(NativeRelease { release, request, folder, batches, schema })
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("reports hold nothing that JSON cannot")
}
