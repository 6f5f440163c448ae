//! `shoal init` for a frame: a first policy for data that nobody has described yet.

use arrow_array::RecordBatch;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde_json::json;
use shoal_core::{RawTable, Silent};
use shoal_pipeline::propose as proposing;
use shoal_pipeline::propose::{BasketProposal, ColumnProposal, ItemLayout, Source};

use crate::errors::with_hint;
use crate::frames::batches;

/// The text of a commented policy, and as JSON what was found of each column and what only a person can say.
#[pyfunction]
pub(crate) fn propose(table: PyTable, shape: &str) -> PyResult<(String, String)> {
    let batches = batches(table);
    // Only transactions have lists; for other shapes such a column is an error of the reader's.
    let lists = if shape == "transactions" { column_of_lists(&batches) } else { None };
    let read =
        shoal_io::read_batches("the data", batches.into_iter().map(Ok), &|_| true, lists.as_deref(), &Silent)
            .map_err(|error| with_hint(error.to_string(), error.hint()))?;
    let sample = read.table;
    if shape == "transactions" {
        return propose_transactions(&sample, lists);
    }
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
                "give table, transactions, sequences or stream",
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

/// The first column whose values are lists: the items of a transaction.
fn column_of_lists(batches: &[RecordBatch]) -> Option<String> {
    let is_list = |kind: &DataType| {
        matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _))
    };
    let schema = batches.first()?.schema();
    schema.fields().iter().find(|field| is_list(field.data_type())).map(|field| field.name().clone())
}

fn propose_transactions(sample: &RawTable, lists: Option<String>) -> PyResult<(String, String)> {
    let layout = match lists {
        Some(items) => {
            let names = sample.columns.iter().map(|column| column.name.clone());
            Some(ItemLayout::Lists { others: names.filter(|name| *name != items).collect(), items })
        }
        None => ItemLayout::of_table(sample),
    };
    if let Some(ItemLayout::Columns { .. }) = &layout {
        // Such transactions are published as lines of items, and a frame has no lines.
        return Err(with_hint(
            "a frame with a column per item cannot be published as a frame".to_owned(),
            "make a column of lists: pd.DataFrame({\"items\": [[name for name in frame if row[name]] for _, row in frame.iterrows()]})",
        ));
    }
    let found = layout.and_then(|layout| Some((layout.transactions(sample)?, layout)));
    let Some((transactions, layout)) = found else {
        return Err(with_hint(
            "it cannot be told which columns say whose an item is, and what it is".to_owned(),
            "name them: Policy(\"transactions\").data(format=\"long\", id=…, item=…), or .data(items=…) for a column of lists",
        ));
    };
    let proposal = BasketProposal::of(&transactions, "data.parquet".to_owned(), layout, None);
    let found = json!({ "columns": [], "questions": proposal.question().into_iter().collect::<Vec<_>>(), "k": proposal.k });
    Ok((proposal.to_toml(), found.to_string()))
}
