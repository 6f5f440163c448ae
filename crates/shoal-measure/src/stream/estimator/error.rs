/// Why counts cannot be estimated from the sets of a design.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EstimatorError {
    /// Every set is the set of all values.
    #[error(
        "there are {values} values and l is as many: every set is the same and says nothing about counts"
    )]
    NoChoice {
        /// How many values there are.
        values: usize,
    },
    /// A value whose share is exactly 1/l is in every set.
    #[error("value {code} has a share of exactly 1/l, so it is in every set and cannot be counted")]
    AlwaysShown {
        /// The value.
        code: u32,
    },
    /// The sets of the design do not distinguish the values.
    #[error("the sets of the design do not distinguish the count of value {code} from those of others")]
    Singular {
        /// The value.
        code: u32,
    },
    /// More values than the matrix may have.
    #[error("the design has {values} values, and at most {most} can be distinguished by its matrix")]
    TooMany {
        /// How many values there are.
        values: usize,
        /// How many there may be.
        most: usize,
    },
}

impl EstimatorError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            EstimatorError::NoChoice { .. } | EstimatorError::AlwaysShown { .. } => {
                "ask for a smaller l, or for a larger domain of values, before the stream is published"
            }
            EstimatorError::Singular { .. } => {
                "use prior = \"uniform\", or merge values, before the stream is published"
            }
            EstimatorError::TooMany { .. } => {
                "use prior = \"uniform\", which needs no matrix, or merge rare values"
            }
        }
    }
}
