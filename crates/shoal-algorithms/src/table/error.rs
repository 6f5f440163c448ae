/// Parameters that make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamsError {
    /// k below 2 promises nothing.
    #[error("k = {k} hides nobody: a crowd has at least 2 members")]
    KTooSmall {
        /// The k asked for.
        k: usize,
    },
    /// A share that is not between 0 and 1.
    #[error("{name} = {value} is not a share between 0 and 1")]
    NotAShare {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

impl ParamsError {
    /// How to mend it.
    pub fn hint(&self) -> &'static str {
        match self {
            ParamsError::KTooSmall { .. } => "5 to 20 is usual; 2 is the least",
            ParamsError::NotAShare { .. } => "0.01 lets one record in a hundred go",
        }
    }
}

/// Why an algorithm cannot anonymize a table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TableError {
    /// There are fewer records than a crowd needs.
    #[error("k = {k} asks for crowds of {k}, but there are only {records} records")]
    TooFewRecords {
        /// The k asked for.
        k: usize,
        /// How many records there are.
        records: usize,
    },
    /// The table has no quasi-identifier.
    #[error("no column is a quasi-identifier, so there is nothing to generalize")]
    NoQuasiIdentifiers,
    /// Domain generalization cannot do without a hierarchy.
    #[error("column `{column}` has no hierarchy, which `{algorithm}` needs")]
    NoHierarchy {
        /// The column.
        column: String,
        /// The algorithm.
        algorithm: &'static str,
    },
    /// There are more ways to generalize than a search can go through.
    #[error("there are {nodes} nodes to search, more than the {most} that `{algorithm}` takes on")]
    LatticeTooLarge {
        /// The nodes over every subset of the quasi-identifiers.
        nodes: u64,
        /// The most that are searched.
        most: u64,
        /// The algorithm.
        algorithm: &'static str,
    },
}

impl TableError {
    /// How to mend it.
    pub fn hint(&self) -> &'static str {
        match self {
            TableError::TooFewRecords { .. } => "lower k, or publish more records",
            TableError::NoQuasiIdentifiers => {
                "give role = \"quasi-identifier\" to what others may know about a person: age, sex, zip, …"
            }
            TableError::NoHierarchy { .. } => "give the column a hierarchy in the policy",
            TableError::LatticeTooLarge { .. } => {
                "take fewer quasi-identifiers or fewer levels, or the algorithm datafly or mondrian"
            }
        }
    }
}
