use shoal_core::{PublishedError, Role};

use crate::OriginError;
use crate::refusal::DEFECT;

/// How a published file differs from what its input allows. Rows count from 1, the header not counted.
///
/// Errors show published texts and places only: an original value is for its owner to look up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TableConservationError {
    /// Records have come or gone, or are said to come from where they cannot.
    #[error(transparent)]
    Origin(#[from] OriginError),
    /// A column is published that must never be.
    #[error("column `{column}` is published, but its role is {}", role.name())]
    Withheld {
        /// The column.
        column: String,
        /// Its role.
        role: Role,
    },
    /// A column is published that the input does not have.
    #[error("column `{column}` is published, but not in the input")]
    UnknownColumn {
        /// The column.
        column: String,
    },
    /// A column is not published that should be.
    #[error("column `{column}` is not published")]
    LackingColumn {
        /// The column.
        column: String,
    },
    /// A quasi-identifier's text has no meaning.
    #[error("published row {row}, column `{column}`: {source}")]
    Unreadable {
        /// The first published record with this text.
        row: u64,
        /// The column.
        column: String,
        /// What is wrong with it.
        source: PublishedError,
    },
    /// A quasi-identifier says something that is not true of the record.
    #[error(
        "published row {row}, column `{column}`: `{text}` does not cover the value in input row {original_row} \
         ({cells} such cells in the column)"
    )]
    NotCovered {
        /// The first published record of which it is untrue.
        row: u64,
        /// The record it comes from.
        original_row: u64,
        /// The column.
        column: String,
        /// What is published.
        text: String,
        /// In how many records the column is untrue.
        cells: usize,
    },
    /// A value that is published as it is has changed.
    #[error(
        "published row {row}, column `{column}`: `{text}` is not the value in input row {original_row} \
         ({cells} such cells in the column)"
    )]
    Changed {
        /// The first published record where it has.
        row: u64,
        /// The record it comes from.
        original_row: u64,
        /// The column.
        column: String,
        /// What is published.
        text: String,
        /// In how many records the column has changed.
        cells: usize,
    },
}

impl TableConservationError {
    /// What to do. None of this can come from a policy or from data: something in the program, or
    /// someone who has touched the file, is wrong.
    pub fn hint(&self) -> &'static str {
        match self {
            TableConservationError::Withheld { .. } => "remove the column from the file, or change its role",
            _ => DEFECT,
        }
    }
}
