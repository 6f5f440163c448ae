//! The population that a table is a sample of, as the policy gives it.

use shoal_core::{PolicyDocument, RawTable, Role, Table};
use shoal_measure::{PopulationCounts, PopulationFigures};
use shoal_privacy::{Classes, Crowds};

use crate::{PipelineError, Request};

/// The column of the file that holds the numbers of people.
const COUNT: &str = "count";

/// Reads the counts of a population: a column `count`, and columns that are quasi-identifiers of the policy. `place` is what
/// errors call the file.
pub fn parse_population(
    document: &PolicyDocument,
    place: &str,
    raw: &RawTable,
) -> Result<PopulationCounts, PipelineError> {
    let quasi = document.policy().columns_of(Role::QuasiIdentifier);
    let complain = |message: String, texts: &[&str]| {
        let hint = "it has a column  count  and one for each of some quasi-identifiers, named as in the data";
        let message = format!("`{place}`: {message}");
        let hint = Some(hint.to_owned());
        let error = Box::new(document.complain_of_data("privacy.population", message, hint, texts));
        PipelineError::PolicyAndData { error }
    };
    let count = raw.column(COUNT).ok_or_else(|| complain(format!("it has no column `{COUNT}`"), &[]))?;
    let columns: Vec<_> = raw.columns.iter().filter(|column| column.name != COUNT).cloned().collect();
    if let Some(other) = columns.iter().find(|column| !quasi.contains(&column.name.as_str())) {
        let message = format!("its column `{}` is not a quasi-identifier of the policy", other.name);
        return Err(complain(message, &[&other.name]));
    }
    if columns.is_empty() {
        return Err(complain("it counts no quasi-identifier".to_owned(), &[]));
    }
    let number = |row: usize| {
        let text = count.text(row).trim();
        // The header is line 1.
        let message = || format!("line {}: `{text}` is not a number of people", row + 2);
        text.parse().map_err(|_| complain(message(), &[text]))
    };
    let counts = (0..raw.rows).map(number).collect::<Result<Vec<u64>, _>>()?;
    Ok(PopulationCounts { columns, counts })
}

/// What the policy says about the population.
pub(crate) fn population(request: &Request) -> PopulationFigures<'_> {
    let privacy = &request.policy().privacy;
    match (&privacy.population, privacy.sampling_fraction) {
        (Some(name), _) => PopulationFigures::Counts(request.population(name).content),
        (None, Some(fraction)) => PopulationFigures::Fraction(fraction),
        (None, None) => PopulationFigures::Sample,
    }
}

/// Refuses counts of a population that lacks people of the data, before any work is done.
pub(crate) fn check_population(request: &Request, original: &Table) -> Result<(), PipelineError> {
    let PopulationFigures::Counts(counts) = population(request) else { return Ok(()) };
    let codes: Vec<&[u32]> =
        original.of_role(Role::QuasiIdentifier).map(|column| column.codes.as_slice()).collect();
    let classes = Classes::of_codes(original.rows, &codes);
    let person = request.policy().data.person.as_ref();
    let person = person.and_then(|name| original.columns.iter().find(|column| column.name == *name));
    let crowds = person.map(|column| Crowds::of(&classes, column.codes.clone()));
    let sizes = crowds.as_ref().map_or(&classes.sizes[..], Crowds::sizes);
    Ok(counts.check(original, &classes, sizes)?)
}
