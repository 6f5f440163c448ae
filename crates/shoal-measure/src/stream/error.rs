/// Why a published stream cannot be measured. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StreamMeasureError {
    /// A line that the stream at hand does not have.
    #[error("line {line} is not one of such a stream")]
    Alien {
        /// The line.
        line: u64,
    },
    /// A set shows a value that the design does not know.
    #[error("line {line} shows `{value}`, which is none of the values of the design")]
    UnknownValue {
        /// The line.
        line: u64,
        /// The value.
        value: String,
    },
    /// A line whose quasi-identifiers are in no stratum.
    #[error("line {line}: its quasi-identifiers are in no stratum of the design")]
    NoStratum {
        /// The line.
        line: u64,
    },
    /// Windows by a column that is published in bands.
    #[error("windows by `{column}` are asked for, but lines show its stratum only")]
    NotExact {
        /// The column.
        column: String,
    },
    /// A member of a group whose values have not been read.
    #[error("line {line}: the values of group {group} do not stand above its member")]
    UnknownGroup {
        /// The line.
        line: u64,
        /// The group.
        group: u64,
    },
    /// A count is asked for a value that the design does not have.
    #[error("`{value}` is asked for, but it is none of the values of the design")]
    Unasked {
        /// The value.
        value: String,
    },
    /// A value is asked for twice.
    #[error("`{value}` is asked for twice")]
    AskedTwice {
        /// The value.
        value: String,
    },
    /// A window or a condition names a cell that lines do not have.
    #[error("cell {column} is asked about, but lines have {cells}")]
    NoSuchCell {
        /// The cell, counted from 1.
        column: usize,
        /// How many there are.
        cells: usize,
    },
    /// Windows without a width.
    #[error("windows of width {width} have no end")]
    NoWidth {
        /// The width, in words.
        width: String,
    },
}

impl StreamMeasureError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            StreamMeasureError::Alien { .. } | StreamMeasureError::UnknownGroup { .. } => {
                "measure a whole stream, with the policy that it was published with"
            }
            StreamMeasureError::UnknownValue { .. } | StreamMeasureError::Unasked { .. } => {
                "use the values of the prior that the stream was published with; joined values read `a|b`"
            }
            StreamMeasureError::NoStratum { .. } => "use the prior that the stream was published with",
            StreamMeasureError::NotExact { .. } => {
                "ask for windows of tuples, or by a column that is not a quasi-identifier"
            }
            StreamMeasureError::AskedTwice { .. } => "ask for each value once",
            StreamMeasureError::NoSuchCell { .. } => "name a column that is published",
            StreamMeasureError::NoWidth { .. } => "give a number of tuples, or a width, above 0",
        }
    }
}
