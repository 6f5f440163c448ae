//! What texts mean to the kernel, for Spark and everything else that is written in Python.

use pyo3::prelude::*;
use shoal_core::{DateFormat, Kind, MissingTexts, ValueParser};

use crate::errors::with_hint;

/// The value of each text as a text of its own: two of them are equal exactly where the kernel takes the texts for one value. None where the
/// value is missing: there is no text, or it says the same as one of `missing`.
#[pyfunction]
#[pyo3(signature = (texts, missing=Vec::new(), kind="text", format=None))]
pub(crate) fn fold(
    texts: Vec<Option<String>>,
    missing: Vec<String>,
    kind: &str,
    format: Option<&str>,
) -> PyResult<Vec<Option<String>>> {
    let (parser, missing) = (parser(kind, format)?, MissingTexts::new(&missing));
    let value = |text: String| (!missing.has(&text)).then(|| parser.same(&text).as_str().to_owned());
    Ok(texts.into_iter().map(|text| text.and_then(value)).collect())
}

/// Where each text stands among numbers, or among dates in days. None where the kernel reads neither.
#[pyfunction]
#[pyo3(signature = (texts, kind, format=None))]
pub(crate) fn positions(texts: Vec<String>, kind: &str, format: Option<&str>) -> PyResult<Vec<Option<f64>>> {
    let parser = parser(kind, format)?;
    Ok(texts.iter().map(|text| parser.position(text)).collect())
}

fn parser(kind: &str, format: Option<&str>) -> PyResult<ValueParser> {
    let kinds = [Kind::Integer, Kind::Decimal, Kind::Date, Kind::Text];
    let kind = kinds.into_iter().find(|known| known.name() == kind);
    let kind =
        kind.ok_or_else(|| with_hint("there is no such kind".to_owned(), "integer, decimal, date or text"))?;
    let format = format.map_or_else(|| Ok(DateFormat::default()), DateFormat::new);
    let format = format.map_err(|error| with_hint(error.to_string(), "for example %Y-%m-%d or %d.%m.%Y"))?;
    Ok(ValueParser::new(kind, format))
}
