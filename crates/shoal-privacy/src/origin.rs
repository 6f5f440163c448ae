//! Every published record names the input record that it comes from. That witness is not trusted: nobody may
//! be lost, made up, or published twice.

/// How the records of a file do not come from its input. Rows count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
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
}

/// Checks that `origin` leads every published record to one of its own among the `rows_in`, and that all are
/// accounted for.
pub(crate) fn check_origins(
    rows_in: usize,
    published: usize,
    origin: &[u32],
    left_out: usize,
) -> Result<(), OriginError> {
    if published.checked_add(left_out) != Some(rows_in) {
        return Err(OriginError::Rows { rows_in, published, left_out });
    }
    if origin.len() != published {
        return Err(OriginError::Origins { published, origins: origin.len() });
    }
    let mut seen = vec![false; rows_in];
    for (row, &from) in origin.iter().enumerate() {
        let original_row = u64::from(from) + 1;
        let Some(seen) = seen.get_mut(from as usize) else {
            return Err(OriginError::NoSuchOrigin { row: number(row), original_row, rows_in });
        };
        if std::mem::replace(seen, true) {
            let first = origin.iter().position(|&earlier| earlier == from).unwrap_or(row);
            let (first, second) = (number(first), number(row));
            return Err(OriginError::PublishedTwice { first, second, original_row });
        }
    }
    Ok(())
}

/// Rows as people count them.
pub(crate) fn number(row: usize) -> u64 {
    row as u64 + 1
}
