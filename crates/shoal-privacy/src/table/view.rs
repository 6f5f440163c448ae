use std::sync::OnceLock;

use shoal_core::{Progress, RawColumn, RawTable, Silent, Unseen};

use super::{Classes, Crowds, Gathered, PublishedCell};
use crate::Unverifiable;

/// What a model looks at: the published file, its quasi-identifiers, and the classes they form.
#[derive(Debug)]
pub struct TableView<'a> {
    published: &'a RawTable,
    quasi: Vec<&'a RawColumn>,
    classes: Classes,
    /// Made when the first model asks for it.
    gathered: OnceLock<Gathered>,
    personal_k: Option<Vec<u32>>,
    people: Option<Crowds>,
    progress: Unseen<'a>,
}

impl<'a> TableView<'a> {
    /// Looks at a file through the columns named `quasi`.
    pub fn new(published: &'a RawTable, quasi: &[&str]) -> Result<TableView<'a>, Unverifiable> {
        check_shape(published)?;
        let find = |name: &&str| {
            published.column(name).ok_or_else(|| Unverifiable::Lacking { column: (*name).to_owned() })
        };
        let quasi = quasi.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let classes = Classes::of(published.rows, &quasi);
        let (gathered, progress) = (OnceLock::new(), Unseen(&Silent));
        Ok(TableView { published, quasi, classes, gathered, personal_k: None, people: None, progress })
    }

    /// The same, for somebody who may not want to wait until all models have answered.
    pub fn with_progress(self, progress: &'a dyn Progress) -> TableView<'a> {
        TableView { progress: Unseen(progress), ..self }
    }

    pub(crate) fn progress(&self) -> &dyn Progress {
        &self.progress
    }

    /// Asked by models in long loops: leaves the work where it was cancelled.
    pub fn check_wanted(&self) {
        self.progress.check();
    }

    /// The same, where it is known which k each published record asks for. No file says so.
    pub(crate) fn with_personal_k(self, personal_k: Vec<u32>) -> TableView<'a> {
        TableView { personal_k: Some(personal_k), ..self }
    }

    /// The same, where it is known whose each published record is: equal numbers are the same person. No file says so.
    /// Then every model counts people.
    ///
    /// # Panics
    /// When there is not a person for each published record.
    pub fn with_people(self, person_of: Vec<u32>) -> TableView<'a> {
        assert_eq!(person_of.len(), self.published.rows, "a person for each record");
        let people = Crowds::of(&self.classes, person_of);
        TableView { people: Some(people), ..self }
    }

    /// The same with each class cut into cells: records of a class with different numbers are in different classes. Before people are known.
    pub(crate) fn cut_into(self, cells: &[u32]) -> TableView<'a> {
        let classes = Classes::of_codes(self.published.rows, &[&self.classes.class_of, cells]);
        TableView { classes, gathered: OnceLock::new(), people: None, ..self }
    }

    /// Who is in each class, where it is known whose records they are.
    pub fn people(&self) -> Option<&Crowds> {
        self.people.as_ref()
    }

    /// How large each class is: how many people are in it where that is known, else how many records.
    pub fn crowds(&self) -> &[u32] {
        self.people.as_ref().map_or(&self.classes.sizes, Crowds::sizes)
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

    /// The records of each class together.
    pub(crate) fn gathered(&self) -> &Gathered {
        self.gathered.get_or_init(|| self.classes.gather())
    }

    /// The k that each record asks for, where it is known.
    pub fn personal_k(&self) -> Option<&[u32]> {
        self.personal_k.as_deref()
    }

    /// What a record publishes, a cell per quasi-identifier.
    pub(crate) fn cells(&self, row: usize) -> Vec<PublishedCell> {
        let cell = |column: &&RawColumn| PublishedCell {
            column: column.name.clone(),
            text: column.text(row).to_owned(),
        };
        self.quasi.iter().map(cell).collect()
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
