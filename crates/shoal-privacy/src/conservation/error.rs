use shoal_core::{PublishedError, Role};

/// How a published file differs from what its input allows. Rows count from 1, the header not counted.
///
/// Errors show published texts and places only: an original value is for its owner to look up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConservationError {
    /// Records have come or gone.
    #[error("{rows_in} records came in, but {published} are published and {left_out} left out")]
    Rows {
        /// Records of the input.
        rows_in: usize,
        /// Records of the file.
        published: usize,
        /// Records that are said to be left out.
        left_out: usize,
    },
    /// It is not said of every published record where it comes from.
    #[error("{published} records are published, but the origin of {origins} is given")]
    Origins {
        /// Records of the file.
        published: usize,
        /// Origins given.
        origins: usize,
    },
    /// A published record is said to come from a record that is not there.
    #[error("published row {row} is said to come from input row {original_row}, but there are {rows_in}")]
    NoSuchOrigin {
        /// The published record.
        row: u64,
        /// The record it is said to come from.
        original_row: u64,
        /// Records of the input.
        rows_in: usize,
    },
    /// One record is published twice.
    #[error("published rows {first} and {second} both come from input row {original_row}")]
    PublishedTwice {
        /// The first published record.
        first: u64,
        /// The second.
        second: u64,
        /// The record they come from.
        original_row: u64,
    },
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

impl ConservationError {
    /// What to do. None of this can come from a policy or from data: something in the program, or
    /// someone who has touched the file, is wrong.
    pub fn hint(&self) -> &'static str {
        match self {
            ConservationError::Withheld { .. } => "remove the column from the file, or change its role",
            _ => "nothing was released; please report this as a defect, with the policy and the seed",
        }
    }
}
