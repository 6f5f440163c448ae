/// A condition on a sensitive column that promises nothing or cannot be checked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConditionError {
    /// Every class is that diverse.
    #[error("l = {l} for `{column}` promises nothing: every class has a value")]
    NotDiverse {
        /// The column.
        column: String,
        /// The l that was asked for.
        l: f64,
    },
    /// c is not a factor.
    #[error("c = {c} for `{column}` is not a number above 0")]
    NotAFactor {
        /// The column.
        column: String,
        /// The c that was asked for.
        c: f64,
    },
    /// t is not a distance.
    #[error("t = {t} for `{column}` is not a distance between 0 and 1")]
    NotADistance {
        /// The column.
        column: String,
        /// The t that was asked for.
        t: f64,
    },
    /// β is not a gain.
    #[error("β = {beta} for `{column}` is not a number above 0")]
    NotAGain {
        /// The column.
        column: String,
        /// The β that was asked for.
        beta: f64,
    },
    /// The ordered distance of values that have no order.
    #[error("the values of `{column}` are texts, which have no order")]
    NoOrder {
        /// The column.
        column: String,
    },
    /// The hierarchical distance without a hierarchy.
    #[error("`{column}` has no hierarchy, so it is not known how far its values are apart")]
    NoHierarchy {
        /// The column.
        column: String,
    },
}

impl ConditionError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            ConditionError::NotDiverse { .. } => "ask for l = 2 or more; 3 to 10 are common",
            ConditionError::NotAFactor { .. } => "1 to 4 are common; less is stricter",
            ConditionError::NotADistance { .. } => "0.1 to 0.3 are common; less is stricter",
            ConditionError::NotAGain { .. } => {
                "1 lets a value be twice as frequent in a class as in the whole file, 3 four times"
            }
            ConditionError::NoOrder { .. } => {
                "give the column the kind integer, decimal or date, or take another distance"
            }
            ConditionError::NoHierarchy { .. } => "give the column a hierarchy, or take another distance",
        }
    }
}
