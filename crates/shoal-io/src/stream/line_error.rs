use thiserror::Error;

/// Why a line is not a tuple, or not a line of a published stream.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// The bytes are not UTF-8 text.
    #[error("the line is not UTF-8 text")]
    NotText,
    /// The line is not a JSON object.
    #[error("the line is not a JSON object: {why}")]
    NotJson {
        /// What the parser said.
        why: String,
    },
    /// The line is not a CSV row.
    #[error("the line is not a CSV row: {why}")]
    NotCsv {
        /// What is wrong.
        why: &'static str,
    },
    /// A row has too many or too few values.
    #[error("the row has {found} values instead of {expected}")]
    Width {
        /// How many columns there are.
        expected: usize,
        /// How many values were found.
        found: usize,
    },
    /// A column that the policy does not name.
    #[error("the column `{name}` is not in the policy")]
    UnknownColumn {
        /// The column.
        name: String,
    },
    /// A column twice in one tuple.
    #[error("`{name}` is given twice")]
    Twice {
        /// The column.
        name: String,
    },
    /// A list or an object where a value should be.
    #[error("`{name}` holds a list or an object instead of a value")]
    Nested {
        /// The column.
        name: String,
    },
    /// No value where there must be one.
    #[error("`{name}` has no value")]
    Missing {
        /// The column.
        name: String,
    },
    /// A value of another kind.
    #[error("`{name}` holds `{value}`, which is no {kind}")]
    Kind {
        /// The column.
        name: String,
        /// The value.
        value: String,
        /// The kind it should have.
        kind: &'static str,
    },
    /// A value that could not be distinguished from two joined ones.
    #[error("`{name}` holds `{value}`, and `|` stands between the values of several sensitive columns")]
    Joint {
        /// The column.
        name: String,
        /// The value.
        value: String,
    },
    /// A value that looks like a generalized one.
    #[error("`{name}` holds `{value}`, which could be taken for a generalized value")]
    LooksGeneralized {
        /// The column.
        name: String,
        /// The value.
        value: String,
    },
    /// A line longer than is read.
    #[error("the line is longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
}
