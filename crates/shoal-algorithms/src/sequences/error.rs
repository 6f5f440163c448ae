/// Why an algorithm cannot anonymize sequences.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SequencesError {
    /// There are fewer people than a crowd needs.
    #[error("k = {k} asks for crowds of {k}, but there are only {persons} people")]
    TooFewPersons {
        /// The k asked for.
        k: usize,
        /// How many people there are.
        persons: usize,
    },
    /// The events have no quasi-identifier.
    #[error("no column is a quasi-identifier, so there is nothing to generalize")]
    NoQuasiIdentifiers,
    /// Events are generalized along hierarchies only.
    #[error("column `{column}` has no hierarchy, along which it could be generalized")]
    NoHierarchy {
        /// The column.
        column: String,
    },
    /// A limit is about a column that the events do not have.
    #[error("the promise limits column `{column}`, which the events do not have")]
    UnknownColumn {
        /// The column.
        column: String,
    },
    /// A limit names a value that does not occur.
    #[error("`{value}` is not a value of column `{column}`, yet the promise names it as highly sensitive")]
    UnknownValue {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// A share that is not between 0 and 1.
    #[error("{share} of column `{column}` is not a share between 0 and 1")]
    NotAShare {
        /// The column.
        column: String,
        /// The share.
        share: f64,
    },
    /// A β that is not above 0.
    #[error("β = {beta} for column `{column}` is not above 0")]
    NotAGain {
        /// The column.
        column: String,
        /// The β asked for.
        beta: f64,
    },
    /// A promise that does not say how much others may know.
    #[error(
        "`{algorithm}` protects against those who know up to `length` values of a person, and no length is given"
    )]
    NoLength {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// The search was given a limit, and reached it.
    #[error("the search was stopped after {patterns} patterns, its limit, and has not come to an end")]
    TooMuchWork {
        /// How many patterns were to be looked at, at the most.
        patterns: u64,
    },
    /// A promise against people who know nothing.
    #[error("length = 0 protects against nobody who knows anything")]
    NothingKnown,
    /// No crowd of k people keeps the limit, so there is nothing to publish.
    #[error(
        "no crowd of {k} keeps the limit {share} of column `{column}`: {sensitive} of {persons} people have a \
         highly sensitive value"
    )]
    Infeasible {
        /// The size of a crowd.
        k: usize,
        /// The column whose limit cannot be kept.
        column: String,
        /// The share of a crowd that may have a highly sensitive value.
        share: f64,
        /// How many people have one.
        sensitive: usize,
        /// How many people there are.
        persons: usize,
    },
    /// The algorithm cannot keep a promise of this kind.
    #[error(
        "`{algorithm}` limits the share of people with highly sensitive values, and keeps no other promise"
    )]
    UnsupportedPromise {
        /// The algorithm.
        algorithm: &'static str,
    },
}

impl SequencesError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            SequencesError::TooFewPersons { .. } => "lower k, or publish more people",
            SequencesError::NoQuasiIdentifiers => {
                "give role = \"quasi-identifier\" to what others may know about an event: year, place, …"
            }
            SequencesError::NoHierarchy { .. } => "give the column a hierarchy in the policy",
            SequencesError::UnknownColumn { .. } => "correct the name, or give the column a role",
            SequencesError::UnknownValue { .. } => "correct the value, or leave it out",
            SequencesError::NotAShare { .. } => "0.5 lets half of a crowd have such a value",
            SequencesError::NotAGain { .. } => {
                "with β = 1 a value is at most twice as frequent in a crowd as among everybody"
            }
            SequencesError::TooMuchWork { .. } => {
                "lower the length, raise the limit, or take the algorithm fcla, which searches in small clusters"
            }
            SequencesError::NoLength { .. } | SequencesError::NothingKnown => {
                "length = 3 protects against those who know up to three values of a person"
            }
            SequencesError::Infeasible { .. } => "raise c, name fewer values as highly sensitive, or lower k",
            SequencesError::UnsupportedPromise { .. } => {
                "promise k and c without length and beta, or take the algorithm fcla"
            }
        }
    }
}
