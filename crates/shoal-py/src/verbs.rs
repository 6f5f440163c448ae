//! The verbs beside `anonymize`, each on frames and with JSON as its answer.

use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde::Serialize;
use shoal_core::Progress;
use shoal_pipeline::{BatchSource, Explained, PipelineError, Request, Source};

use crate::background;
use crate::earlier::{GivenRelease, attacked_together};
use crate::errors::of_pipeline;
use crate::frames::source;
use crate::policy::GivenPolicy;

/// What a run would do, without doing it.
#[pyfunction]
#[pyo3(signature = (table, policy, progress=None))]
pub(crate) fn check(
    py: Python<'_>,
    table: PyTable,
    policy: GivenPolicy,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (request, mut source) = (policy.request()?, source(table));
    answer(py, progress.as_ref(), |progress| shoal_pipeline::check(&request, &mut source, progress))
}

/// Whether published data keep the promise, and where the original is given whether they are true of it.
#[pyfunction]
#[pyo3(signature = (published, policy, original=None, progress=None))]
pub(crate) fn verify(
    py: Python<'_>,
    published: PyTable,
    policy: GivenPolicy,
    original: Option<PyTable>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(bool, String)> {
    let (request, mut published) = (policy.request()?, source(published));
    let mut original = original.map(source);
    let work = |progress: &dyn Progress| {
        let original = original.as_mut().map(|original| original as &mut dyn Source);
        shoal_pipeline::verify(&request, &mut published, original, progress)
    };
    let verified = background::run(py, progress.as_ref(), work)?.map_err(of_pipeline)?;
    Ok((verified.holds(), json(&verified)))
}

/// Whether cells of people keep the promise: published rows, with whose they are in the column
/// `person`; all rows of these people and all people of their cells.
#[pyfunction]
#[pyo3(signature = (rows, policy, person, personal_k=None))]
pub(crate) fn judge_cells(
    py: Python<'_>,
    rows: PyTable,
    policy: GivenPolicy,
    person: &str,
    personal_k: Option<&str>,
) -> PyResult<String> {
    let (request, mut rows) = (policy.request()?, source(rows));
    answer(py, None, |progress| {
        shoal_pipeline::table::judge_cells(&request, &mut rows, person, personal_k, progress)
    })
}

/// What published data lose and risk.
#[pyfunction]
#[pyo3(signature = (original, published, policy, progress=None))]
pub(crate) fn measure(
    py: Python<'_>,
    original: PyTable,
    published: PyTable,
    policy: GivenPolicy,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (request, mut original, mut published) = both(original, published, &policy)?;
    answer(py, progress.as_ref(), |progress| {
        shoal_pipeline::measure(&request, &mut original, &mut published, progress)
    })
}

/// What adversaries find out from published data, also together with earlier releases.
#[pyfunction]
#[pyo3(signature = (original, published, policy, progress=None, previous=Vec::new()))]
pub(crate) fn attack(
    py: Python<'_>,
    original: PyTable,
    published: PyTable,
    policy: GivenPolicy,
    progress: Option<Py<PyAny>>,
    previous: Vec<GivenRelease>,
) -> PyResult<(bool, String)> {
    let job = policy.job()?;
    let (request, mut original, mut published) =
        (policy.request_of(&job)?, source(original), source(published));
    let work = |progress: &dyn Progress| {
        let mut earlier = attacked_together(&previous, &job)?;
        shoal_pipeline::attack(&request, &mut original, &mut published, &mut earlier, progress)
    };
    let attacked = background::run(py, progress.as_ref(), work)?.map_err(of_pipeline)?;
    Ok((attacked.holds(), json(&attacked)))
}

/// Why published data are as coarse as they are. `about` is a row, a class, a column, an item or a person.
#[pyfunction]
#[pyo3(signature = (original, published, policy, about=None, progress=None))]
pub(crate) fn explain(
    py: Python<'_>,
    original: PyTable,
    published: PyTable,
    policy: GivenPolicy,
    about: Option<(String, String)>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (request, mut original, mut published) = both(original, published, &policy)?;
    let asked = match about.as_ref().map(|(what, which)| (what.as_str(), which)) {
        Some(("row", which)) => Explained::Row(which.parse()?),
        Some(("class", which)) => Explained::Class(which.parse()?),
        Some(("column", which)) => Explained::Column(which.clone()),
        Some(("item", which)) => Explained::Item(which.clone()),
        Some(("person", which)) => Explained::Person(which.clone()),
        _ => Explained::All,
    };
    answer(py, progress.as_ref(), |progress| {
        shoal_pipeline::explain(&request, &mut original, &mut published, &asked, progress)
    })
}

fn both(
    original: PyTable,
    published: PyTable,
    policy: &GivenPolicy,
) -> PyResult<(Request, BatchSource, BatchSource)> {
    Ok((policy.request()?, source(original), source(published)))
}

fn answer<T: Serialize + Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&dyn Progress) -> Result<T, PipelineError> + Send,
) -> PyResult<String> {
    Ok(json(&background::run(py, progress, work)?.map_err(of_pipeline)?))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("answers hold nothing that JSON cannot")
}
