use serde::Serialize;
use shoal_core::{Column, Progress, PublishedError, RawColumn, RawTable, Role, Silent, Table};
use shoal_privacy::{Classes, Crowds};

use super::{LossReport, PopulationFigures, RiskReport, quasi, risk};
use crate::table::loss::Published;

/// All measures of a release.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableMeasures {
    /// What the release lost.
    pub loss: LossReport,
    /// What an adversary could do before, and can do after.
    pub risk: RiskReport,
}

/// Why a file cannot be measured against an original.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// There is no column whose loss could be measured.
    #[error("no column is a quasi-identifier")]
    NoQuasiIdentifier,
    /// The file does not have a column of the original.
    #[error("the published file has no column `{column}`")]
    Lacking {
        /// The column.
        column: String,
    },
    /// The file has more records than the original.
    #[error("{published} records are published, but there were only {original}")]
    MoreRecords {
        /// Records of the file.
        published: usize,
        /// Records of the original.
        original: usize,
    },
    /// A column, or the classes, belong to a table of another length.
    #[error("`{what}` has {cells} entries in a table of {rows} records")]
    Ragged {
        /// The column's name, or `classes`.
        what: String,
        /// How many entries it has.
        cells: usize,
        /// How many records the table has.
        rows: usize,
    },
    /// The counts of the population lack people of the data.
    #[error("for {combinations} combinations of values the population has fewer people than the data")]
    Population {
        /// How many combinations.
        combinations: usize,
    },
    /// A published text has no meaning.
    #[error("published row {row}, column `{column}`: {source}")]
    Unreadable {
        /// The column.
        column: String,
        /// The first record with this text, counted from 1.
        row: u64,
        /// What is wrong with it.
        source: PublishedError,
    },
}

impl MeasureError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            MeasureError::NoQuasiIdentifier => "give at least one column the role `quasi-identifier`",
            MeasureError::Lacking { .. } => "measure a file that holds every published column of the policy",
            MeasureError::MoreRecords { .. } => "is this the original that the file was made from?",
            MeasureError::Ragged { .. } => "the table was not read to its end; read it again",
            MeasureError::Population { .. } => {
                "the file of privacy.population counts everybody, those in the data included, with values written as in the data"
            }
            MeasureError::Unreadable { .. } => {
                "is this the original, with the hierarchies, that the file was made from?"
            }
        }
    }
}

/// Takes all measures of a published file. `classes` are the file's equivalence classes; `k` is what was
/// promised, if k-anonymity was.
///
/// Records of the original that are not in the file are suppressed. So are, for every loss, records of
/// nothing but `*`; for the risk these are a class like any other.
pub fn measure(
    original: &Table,
    published: &RawTable,
    classes: &Classes,
    k: Option<usize>,
) -> Result<TableMeasures, MeasureError> {
    measure_people(original, published, classes, k, None, PopulationFigures::Sample, &Silent)
}

/// The same where it is known whose the records are: the column of the original that names people, and the people in the
/// classes of the file. Then the risk is that of people. `population` is what the original is a sample of.
pub fn measure_people(
    original: &Table,
    published: &RawTable,
    classes: &Classes,
    k: Option<usize>,
    people: Option<(&Column, &Crowds)>,
    population: PopulationFigures<'_>,
    progress: &dyn Progress,
) -> Result<TableMeasures, MeasureError> {
    check_lengths(original, published, classes)?;
    let quasi = quasi::read_all(original, published)?;
    let sensitive = original.of_role(Role::Sensitive).map(|column| find(published, &column.name));
    let sensitive = sensitive.collect::<Result<Vec<_>, _>>()?;

    let codes: Vec<&[u32]> = quasi.iter().map(|column| column.original.codes.as_slice()).collect();
    let (before, loss) = rayon::join(
        || Classes::of_codes(original.rows, &codes),
        || {
            LossReport::of_asking(
                &Published { records: original.rows, quasi, sensitive, classes },
                k,
                progress,
            )
        },
    );
    progress.check();
    let all = people.map(|(person, _)| Crowds::of(&before, person.codes.clone()));
    let mut risk = match (people, &all) {
        (Some((_, after)), Some(all)) => {
            RiskReport { before: risk::of_people(&before, all, k), after: risk::of_people(classes, after, k) }
        }
        _ => RiskReport { before: risk::of(&before, k), after: risk::of(classes, k) },
    };
    let sizes_before = all.as_ref().map_or(&before.sizes[..], Crowds::sizes);
    let sizes_after = people.map_or(&classes.sizes[..], |(_, crowds)| crowds.sizes());
    risk.before.journalist = population.before(original, &before, sizes_before)?;
    risk.after.journalist = population.after(original, published, classes, sizes_after, progress)?;
    Ok(TableMeasures { loss, risk })
}

/// A column of the file.
pub(crate) fn find<'a>(published: &'a RawTable, name: &str) -> Result<&'a RawColumn, MeasureError> {
    published.column(name).ok_or_else(|| MeasureError::Lacking { column: name.to_owned() })
}

fn check_lengths(original: &Table, published: &RawTable, classes: &Classes) -> Result<(), MeasureError> {
    if published.rows > original.rows {
        return Err(MeasureError::MoreRecords { published: published.rows, original: original.rows });
    }
    check_columns(original, published)?;
    match classes.class_of.len() {
        cells if cells == published.rows => Ok(()),
        cells => Err(MeasureError::Ragged { what: "classes".to_owned(), cells, rows: published.rows }),
    }
}

/// Every column has as many entries as its table has records.
pub(crate) fn check_columns(original: &Table, published: &RawTable) -> Result<(), MeasureError> {
    let before = original.columns.iter().map(|c| (c.name.as_str(), c.codes.len(), original.rows));
    let after = published.columns.iter().map(|c| (c.name.as_str(), c.codes.len(), published.rows));
    match before.chain(after).find(|(_, cells, rows)| cells != rows) {
        None => Ok(()),
        Some((what, cells, rows)) => Err(MeasureError::Ragged { what: what.to_owned(), cells, rows }),
    }
}
