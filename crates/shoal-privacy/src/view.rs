use shoal_core::{RawColumn, RawTable};

use crate::Classes;

/// What a model looks at: the published file, its quasi-identifiers, and the classes they form.
#[derive(Debug)]
pub struct View<'a> {
    published: &'a RawTable,
    quasi: Vec<&'a RawColumn>,
    classes: Classes,
}

/// Why nothing can be said about a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unverifiable {
    /// No model was asked for, so there is nothing that could be broken.
    #[error("no privacy model is asked for")]
    NoPromise,
    /// The file lacks a column that a model needs.
    #[error("the published file has no column `{column}`")]
    Lacking {
        /// The column.
        column: String,
    },
    /// The policy says nothing about a column of the file.
    #[error("the published file has a column `{column}`, about which the policy says nothing")]
    Unknown {
        /// The column.
        column: String,
    },
    /// Two columns have one name.
    #[error("the published file has two columns named `{column}`")]
    Twice {
        /// Their name.
        column: String,
    },
    /// A column is longer or shorter than its table.
    #[error("column `{column}` has {cells} cells in a table of {rows} records")]
    Ragged {
        /// The column.
        column: String,
        /// Its number of cells.
        cells: usize,
        /// The table's number of records.
        rows: usize,
    },
    /// More records than a class number can count.
    #[error("{rows} records are more than can be verified at once")]
    TooMany {
        /// The number of records.
        rows: usize,
    },
}

impl Unverifiable {
    /// How to mend it.
    pub fn hint(&self) -> &'static str {
        match self {
            Unverifiable::NoPromise => "ask for one under `[privacy]`, e.g. `k = 10`",
            Unverifiable::Lacking { .. } => {
                "verify a file that holds every quasi-identifier of the policy, or change the column's role"
            }
            Unverifiable::Unknown { .. } => "give the column a role under `[columns]`, or remove it",
            Unverifiable::Twice { .. } => "rename one of them",
            Unverifiable::Ragged { .. } => "the file was not read to its end; read it again",
            Unverifiable::TooMany { .. } => "publish the data in disjoint parts; each part keeps its promise",
        }
    }
}

impl<'a> View<'a> {
    /// Looks at a file through the columns named `quasi`.
    pub fn new(published: &'a RawTable, quasi: &[&str]) -> Result<View<'a>, Unverifiable> {
        check_shape(published)?;
        let find = |name: &&str| {
            published.column(name).ok_or_else(|| Unverifiable::Lacking { column: (*name).to_owned() })
        };
        let quasi = quasi.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let classes = Classes::of(published.rows, &quasi);
        Ok(View { published, quasi, classes })
    }

    /// The whole file.
    pub fn published(&self) -> &'a RawTable {
        self.published
    }

    /// Its quasi-identifiers, in the order in which they were asked for.
    pub fn quasi(&self) -> &[&'a RawColumn] {
        &self.quasi
    }

    /// The classes of equal quasi-identifiers.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// How many records say nothing at all: `*` in every quasi-identifier.
    pub fn starred(&self) -> usize {
        let starred = self.classes.starred(&self.quasi).into_iter().zip(&self.classes.sizes);
        starred.filter(|(starred, _)| *starred).map(|(_, &size)| size as usize).sum()
    }

    pub(crate) fn into_classes(self) -> Classes {
        self.classes
    }
}

/// A table that is not rectangular, or that hides a column behind another's name, must not be looked at.
fn check_shape(table: &RawTable) -> Result<(), Unverifiable> {
    let rows = table.rows;
    if u32::try_from(rows).is_err() {
        return Err(Unverifiable::TooMany { rows });
    }
    for (at, column) in table.columns.iter().enumerate() {
        if column.codes.len() != rows {
            let (column, cells) = (column.name.clone(), column.codes.len());
            return Err(Unverifiable::Ragged { column, cells, rows });
        }
        if table.columns[..at].iter().any(|before| before.name == column.name) {
            return Err(Unverifiable::Twice { column: column.name.clone() });
        }
    }
    Ok(())
}
