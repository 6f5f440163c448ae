//! `shoal init` for a frame: a first policy for data that nobody has described yet.

use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde_json::json;
use shoal_core::Silent;
use shoal_pipeline::propose as proposing;
use shoal_pipeline::propose::{ColumnProposal, Source};

use crate::errors::with_hint;
use crate::frames::batches;

/// The text of a commented policy, and as JSON what was found of each column and what only a person can say.
#[pyfunction]
pub(crate) fn propose(table: PyTable, shape: &str) -> PyResult<(String, String)> {
    let read =
        shoal_io::read_batches("the data", batches(table).into_iter().map(Ok), &|_| true, None, &Silent)
            .map_err(|error| with_hint(error.to_string(), error.hint()))?;
    let sample = read.table;
    let source = Source {
        location: "data.parquet".to_owned(),
        separator: None,
        header: true,
        rows: Some(sample.rows as u64),
        policy: "policy.toml".to_owned(),
    };
    let proposal = match shape {
        "table" => proposing::propose(&sample, source),
        "sequences" => proposing::propose_sequences(&sample, source),
        "stream" => proposing::propose_stream(&sample, source, "ndjson"),
        _ => {
            return Err(with_hint(
                format!("nothing can be proposed for the shape `{shape}`"),
                "table, sequences or stream; for transactions name the columns: Policy(shape=\"transactions\").data(format=\"long\", id=…, item=…)",
            ));
        }
    };
    let column = |column: &ColumnProposal| {
        json!({
            "name": column.name,
            "role": column.role,
            "kind": column.kind,
            "reason": column.reason,
            "facts": column.facts,
            "note": column.note,
            "safe-harbor": column.safe_harbor,
        })
    };
    let found = json!({
        "columns": proposal.columns.iter().map(column).collect::<Vec<_>>(),
        "questions": proposal.questions.iter().map(|question| &question.text).collect::<Vec<_>>(),
        "k": proposal.k(),
    });
    Ok((proposal.to_toml(), found.to_string()))
}
