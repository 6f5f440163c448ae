use crate::MeasureError;

/// Why published sequences cannot be measured against an original.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SequencesMeasureError {
    /// A column is lacking, of the wrong length, or holds a text without a meaning.
    #[error(transparent)]
    Column(#[from] MeasureError),
    /// The file has more events than the original.
    #[error("{published} events are published, but there were only {original}")]
    MoreEvents {
        /// Events of the file.
        published: usize,
        /// Events of the original.
        original: usize,
    },
    /// The file has more people than the original.
    #[error("{published} people are published, but there were only {original}")]
    MorePeople {
        /// People of the file.
        published: usize,
        /// People of the original.
        original: usize,
    },
    /// Somebody's events do not stand together, so that their order is unknown.
    #[error(
        "published row {row}, column `{column}`: events of `{id}` stand further above, apart from this one"
    )]
    Scattered {
        /// The column that says whose an event is.
        column: String,
        /// The event, counted from 1.
        row: u64,
        /// Whose it is.
        id: String,
    },
}

impl SequencesMeasureError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            SequencesMeasureError::Column(error) => error.hint(),
            SequencesMeasureError::MoreEvents { .. } | SequencesMeasureError::MorePeople { .. } => {
                "is this the original that the file was made from?"
            }
            SequencesMeasureError::Scattered { .. } => {
                "a published file has all events of a person together and in order; was it sorted?"
            }
        }
    }
}
