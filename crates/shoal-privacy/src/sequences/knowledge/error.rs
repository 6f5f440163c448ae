use shoal_core::{Bound, Limit};

use crate::KTooSmall;

/// Parameters that promise nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KnowledgeError {
    /// A crowd of one is none.
    #[error(transparent)]
    KTooSmall(#[from] KTooSmall),
    /// Nobody knows anything.
    #[error("L = 0 promises nothing: it protects from somebody who knows no value")]
    NothingKnown,
    /// β is not a gain.
    #[error("β = {beta} for `{column}` is not above 0")]
    NotAGain {
        /// The column.
        column: String,
        /// The β that was asked for.
        beta: f64,
    },
    /// C is not a share.
    #[error("C = {c} for `{column}` is not a share between 0 and 1")]
    NotAShare {
        /// The column.
        column: String,
        /// The C that was asked for.
        c: f64,
    },
    /// No value is highly sensitive.
    #[error("no value of `{column}` is highly sensitive")]
    NoValues {
        /// The column.
        column: String,
    },
}

impl KnowledgeError {
    pub(super) fn check(limit: &Limit) -> Result<(), KnowledgeError> {
        let column = || limit.column.clone();
        match limit.bound {
            Bound::Gain(beta) if beta.is_nan() || beta <= 0.0 => {
                Err(KnowledgeError::NotAGain { column: column(), beta })
            }
            Bound::Share(c) if !(0.0..=1.0).contains(&c) => {
                Err(KnowledgeError::NotAShare { column: column(), c })
            }
            _ if limit.values.as_ref().is_some_and(Vec::is_empty) => {
                Err(KnowledgeError::NoValues { column: column() })
            }
            _ => Ok(()),
        }
    }

    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            KnowledgeError::KTooSmall(error) => error.hint(),
            KnowledgeError::NothingKnown => "ask for L = 1 or more; 3 is common",
            KnowledgeError::NotAGain { .. } => {
                "1 lets a value be twice as frequent in a crowd as among everybody, 6 seven times"
            }
            KnowledgeError::NotAShare { .. } => "0.5 lets half of a crowd have a value, 0 nobody",
            KnowledgeError::NoValues { .. } => {
                "name them:  sensitive-values = […];  without it all values are sensitive"
            }
        }
    }
}
