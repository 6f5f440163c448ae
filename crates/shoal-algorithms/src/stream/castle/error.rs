use thiserror::Error;

/// Why a tuple cannot be taken. The state is as it was before.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CastleError {
    /// There is nothing to generalize.
    #[error("there is no quasi-identifier")]
    NoColumns,
    /// A tuple comes after a later one.
    #[error("position {position} came after position {last}")]
    Backwards {
        /// The tuple's position.
        position: u64,
        /// The greatest position so far.
        last: u64,
    },
    /// A tuple has too many or too few cells.
    #[error("the tuple has {found} cells, not {expected}")]
    Width {
        /// How many columns there are.
        expected: usize,
        /// How many cells came.
        found: usize,
    },
    /// A code where a number belongs, or the other way round.
    #[error("the value of column {column} is of another kind than the column")]
    Kind {
        /// The column, counted from 0.
        column: usize,
    },
    /// Not a number, or an immense one.
    #[error("{value} in column {column} is not a number that can be used")]
    NoNumber {
        /// The column, counted from 0.
        column: usize,
        /// The value.
        value: f64,
    },
    /// The hierarchy has no such leaf.
    #[error("leaf {leaf} in column {column} is not one of the {leaves} leaves of the hierarchy")]
    NoLeaf {
        /// The column, counted from 0.
        column: usize,
        /// The number given.
        leaf: u32,
        /// How many leaves there are.
        leaves: u32,
    },
}

impl CastleError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            CastleError::NoColumns => "give at least one column the role quasi-identifier",
            CastleError::Backwards { .. } => "number the tuples in the order in which they are pushed",
            CastleError::Width { .. } => "give one value for each quasi-identifier, missing ones included",
            CastleError::Kind { .. } => {
                "numbers may be missing; a missing value of another column is a code of its own"
            }
            CastleError::NoNumber { .. } => "pass a value that is not a number as missing",
            CastleError::NoLeaf { .. } => "add the value to the hierarchy",
        }
    }
}
