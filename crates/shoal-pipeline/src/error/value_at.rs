use std::fmt;

use shoal_core::{Place, RawColumn, RawTable};

/// A value of the source and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueAt {
    /// The file.
    pub file: String,
    /// The place in it.
    pub place: Place,
    /// The column.
    pub column: String,
    /// The value.
    pub value: String,
}

impl ValueAt {
    /// A distinct value of a column, where it occurs first.
    pub(crate) fn first(raw: &RawTable, column: &RawColumn, raw_code: u32) -> ValueAt {
        let place = column.first_seen[raw_code as usize];
        ValueAt {
            file: raw.files.get(place.file as usize).cloned().unwrap_or_default(),
            place,
            column: column.name.clone(),
            value: column.labels.get(raw_code).to_owned(),
        }
    }
}

impl fmt::Display for ValueAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.line {
            Some(line) => write!(f, "{}:{line} (record {})", self.file, self.place.row),
            None => write!(f, "{}, record {}", self.file, self.place.row),
        }
    }
}
