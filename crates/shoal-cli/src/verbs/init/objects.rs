//! JSON objects, one per line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use indexmap::IndexSet;
use serde_json::Value;
use shoal_core::RawTable;
use shoal_io::{ReadError, Source};

use super::dialect::Dialect;
use crate::failure::Failure;

/// Whether the file's name says that it holds JSON.
pub(super) fn is_named_so(data: &str) -> bool {
    let end = Path::new(data).extension().and_then(|end| end.to_str()).unwrap_or_default();
    ["ndjson", "jsonl", "json"].contains(&end)
}

pub(super) fn dialect(data: &str) -> Dialect {
    Dialect { source: Source::new(data), separator: None, header: true, notes: Vec::new() }
}

/// The first objects of a file as a table; lines that hold none are skipped.
pub(super) fn sample(data: &str, limit: usize) -> Result<RawTable, Failure> {
    let unreadable = |source| ReadError::Unreadable { file: data.to_owned(), source };
    let mut names: IndexSet<String> = IndexSet::new();
    let mut objects = Vec::new();
    for line in BufReader::new(File::open(data).map_err(unreadable)?).lines().take(limit) {
        if let Ok(Value::Object(object)) = serde_json::from_str(&line.map_err(unreadable)?) {
            names.extend(object.keys().cloned());
            objects.push(object);
        }
    }
    if objects.is_empty() {
        return Err(ReadError::Empty { file: data.to_owned() }.into());
    }
    let text = |value: Option<&Value>| match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let rows: Vec<Vec<String>> =
        objects.iter().map(|object| names.iter().map(|name| text(object.get(name))).collect()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    Ok(RawTable::from_rows(&names, &rows))
}
