//! Hierarchies that are built from the values of a column, as `shoal hierarchy build` does.

use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use shoal_core::hierarchy::build::{self, BuildError, Built, DateParams, Icd, IntervalParams, PrefixParams};
use shoal_core::hierarchy::{from_text, to_text};
use shoal_core::{DateFormat, Domain, Kind, Place, RawColumn, RawColumnBuilder, ValueParser};

use crate::errors::with_hint;
use crate::frames::read_column;

/// The text of a hierarchy file for a column, and the steps that it has where the data chose them. `steps` are widths, numbers of characters or steps of the calendar, by `kind`; none
/// lets the data choose. `known` are further values that the hierarchy has.
#[pyfunction]
#[pyo3(signature = (table, column, kind, steps=None, missing=Vec::new(), format=None, known=Vec::new()))]
pub(crate) fn build_hierarchy(
    table: PyTable,
    column: &str,
    kind: &str,
    steps: Option<Vec<String>>,
    missing: Vec<String>,
    format: Option<&str>,
    known: Vec<String>,
) -> PyResult<(String, Option<Vec<String>>)> {
    let values = with_known(read_column(table, column)?, known);
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
    let failed = |error: BuildError| {
        with_hint(format!("no hierarchy can be built for column `{column}`: {error}"), error.hint())
    };
    let steps = match steps {
        Some(steps) => Some(steps),
        None => chosen(kind, &domain).map_err(failed)?,
    };
    match grouped(kind, steps.clone(), &domain).map_err(failed)? {
        Some(built) => Ok((to_text(&built.hierarchy, ';'), steps)),
        None => Err(with_hint(
            format!("there are no hierarchies of kind `{kind}`"),
            "intervals, prefixes, dates, countries, icd9, icd10, isco, education, flat",
        )),
    }
}

/// The rows of a hierarchy file as the kernel reads it, whatever its layout: each value, followed by the nodes above it up to the root.
#[pyfunction]
pub(crate) fn hierarchy_rows(text: &str) -> PyResult<Vec<Vec<String>>> {
    let tree = from_text(text)
        .map_err(|error| with_hint(format!("a hierarchy is broken: {error}"), error.hint()))?;
    Ok(tree.rows())
}

/// A column that has these values, too.
fn with_known(column: RawColumn, known: Vec<String>) -> RawColumn {
    let mut all = RawColumnBuilder::new(column.name.clone());
    for (code, text) in (0..).zip(column.labels.iter()) {
        match column.null == Some(code) {
            true => all.push_null(Place::default()),
            false => all.push(text, Place::default()),
        }
    }
    // In a file, a missing value is the empty text: the same one where the column has it.
    let is_new = |text: &&String| !(text.is_empty() && column.null.is_some());
    known.iter().filter(is_new).for_each(|text| all.push(text, Place::default()));
    all.finish()
}

/// The steps that the data choose: those of numbers and dates. Prefixes follow from the longest code, and the others have none.
fn chosen(kind: &str, domain: &Domain) -> Result<Option<Vec<String>>, BuildError> {
    Ok(match kind {
        "intervals" => Some(build::chosen_widths(domain)?.iter().map(ToString::to_string).collect()),
        "dates" => Some(build::chosen_steps(domain)?.iter().map(ToString::to_string).collect()),
        _ => None,
    })
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
