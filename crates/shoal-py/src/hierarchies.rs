//! Hierarchies that are built from the values of a column, as `shoal hierarchy build` does.

use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use shoal_core::hierarchy::build::{self, BuildError, Built, DateParams, Icd, IntervalParams, PrefixParams};
use shoal_core::hierarchy::to_text;
use shoal_core::{DateFormat, Domain, Kind, ValueParser};

use crate::errors::with_hint;
use crate::frames::read_column;

/// The text of a hierarchy file for a column. `steps` are widths, numbers of characters or steps of the calendar, by `kind`; none lets the data choose.
#[pyfunction]
#[pyo3(signature = (table, column, kind, steps=None, missing=Vec::new(), format=None))]
pub(crate) fn build_hierarchy(
    table: PyTable,
    column: &str,
    kind: &str,
    steps: Option<Vec<String>>,
    missing: Vec<String>,
    format: Option<&str>,
) -> PyResult<String> {
    let values = read_column(table, column)?;
    let format = format.map_or_else(|| Ok(DateFormat::default()), DateFormat::new);
    let format = format.map_err(|error| with_hint(error.to_string(), "for example %Y-%m-%d or %d.%m.%Y"))?;
    let domain = |kind| Domain::of(&values, ValueParser::new(kind, format.clone()), &missing);
    let domain = match kind {
        // Numbers are whole where all of them are.
        "intervals" => domain(Kind::Integer).or_else(|_| domain(Kind::Decimal)),
        "dates" => domain(Kind::Date),
        _ => domain(Kind::Text),
    };
    let (domain, _) = domain.map_err(|bad| {
        let value = values.labels.get(bad.raw_code);
        let what = if kind == "dates" { "a date" } else { "a number" };
        with_hint(
            format!("`{value}` in column `{column}` is not {what}"),
            "fix the value, or use prefixes or flat, which take any value",
        )
    })?;
    let built = grouped(kind, steps, &domain).map_err(|error| {
        with_hint(format!("no hierarchy can be built for column `{column}`: {error}"), error.hint())
    })?;
    match built {
        Some(built) => Ok(to_text(&built.hierarchy, ';')),
        None => Err(with_hint(
            format!("there are no hierarchies of kind `{kind}`"),
            "intervals, prefixes, dates, countries, icd9, icd10, isco, education, flat",
        )),
    }
}

fn grouped(kind: &str, steps: Option<Vec<String>>, domain: &Domain) -> Result<Option<Built>, BuildError> {
    Ok(Some(match kind {
        "intervals" => {
            let widths = steps.map(parsed).transpose()?;
            build::intervals(domain, &IntervalParams { widths, ..IntervalParams::default() }.check()?)?
        }
        "prefixes" => {
            let number =
                |text: &String| text.parse().map_err(|_| BuildError::NotANumber { text: text.clone() });
            let keep = steps.map(|steps| steps.iter().map(number).collect()).transpose()?;
            build::prefixes(domain, &PrefixParams { keep }.check()?)?
        }
        "dates" => build::dates(domain, &DateParams { steps: steps.map(parsed).transpose()? }.check()?)?,
        "countries" => build::countries(domain)?,
        "icd9" => build::icd(domain, Icd::Nine)?,
        "icd10" => build::icd(domain, Icd::Ten)?,
        "isco" => build::isco(domain)?,
        "education" => build::education(domain)?,
        "flat" => build::flat(domain)?,
        _ => return Ok(None),
    }))
}

fn parsed<T: std::str::FromStr<Err = BuildError>>(steps: Vec<String>) -> Result<Vec<T>, BuildError> {
    steps.iter().map(|step| step.parse()).collect()
}
