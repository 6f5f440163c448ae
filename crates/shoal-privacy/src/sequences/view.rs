use shoal_core::{Progress, RawColumn, RawTable};

use crate::origin::number;
use crate::table::Gathered;
use crate::{Classes, TableView, Unverifiable};

/// What a model of sequences looks at: the published events, whose they are, and the classes of people whose
/// sequences are alike.
///
/// People are numbered from 0 in the order in which they first appear. The rows of a person, wherever they
/// stand, are that person's events in the order of the file.
#[derive(Debug)]
pub struct SequencesView<'a> {
    events: TableView<'a>,
    ids: &'a RawColumn,
    /// The rows of the file, person by person.
    rows: Gathered,
    classes: Classes,
}

impl<'a> SequencesView<'a> {
    /// Looks at a file of events through the columns named `quasi`; the column `id` says whose an event is.
    pub fn new(published: &'a RawTable, id: &str, quasi: &[&str]) -> Result<SequencesView<'a>, Unverifiable> {
        let events = TableView::new(published, quasi)?;
        let ids = published.column(id).ok_or_else(|| Unverifiable::Lacking { column: id.to_owned() })?;
        check_ids(ids)?;
        let rows = Classes::of(published.rows, &[ids]).gather();
        let classes = alike(&events, &rows);
        Ok(SequencesView { events, ids, rows, classes })
    }

    /// The same, for somebody who may not want to wait until all models have answered.
    pub fn with_progress(self, progress: &'a dyn Progress) -> SequencesView<'a> {
        SequencesView { events: self.events.with_progress(progress), ..self }
    }

    /// What models hand on to searches of their own.
    pub(super) fn progress(&self) -> &dyn Progress {
        self.events.progress()
    }

    /// Asked by models in long loops: leaves the work where it was cancelled.
    pub fn check_wanted(&self) {
        self.events.check_wanted();
    }

    /// The events as records of their own, with the classes of equal events.
    pub fn events(&self) -> &TableView<'a> {
        &self.events
    }

    /// The column that says whose an event is.
    pub fn ids(&self) -> &'a RawColumn {
        self.ids
    }

    /// How many people are in the file.
    pub fn people(&self) -> usize {
        self.rows.len()
    }

    /// The rows of a person's events in order, counted from 0; at least one.
    pub fn rows_of(&self, person: usize) -> &[u32] {
        self.rows.of(person)
    }

    /// The classes of people whose sequences are alike.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    pub(super) fn into_classes(self) -> Classes {
        self.classes
    }
}

/// Events without an id might be one person's or many people's, so nothing could be said about crowds.
fn check_ids(ids: &RawColumn) -> Result<(), Unverifiable> {
    let is_nobodys: Vec<bool> = ids.labels.iter().map(str::is_empty).collect();
    match ids.codes.iter().position(|&code| is_nobodys[code as usize]) {
        None => Ok(()),
        Some(row) => Err(Unverifiable::Nobodys { row: number(row), column: ids.name.clone() }),
    }
}

/// Classes of people: events are numbered by what they publish, and equal lists of numbers are one class.
fn alike(events: &TableView<'_>, rows: &Gathered) -> Classes {
    let event_of = &events.classes().class_of;
    Classes::of_keys(rows.map(|row| event_of[row as usize]).iter())
}

#[cfg(test)]
mod tests {
    use shoal_core::{Place, RawColumnBuilder};

    use super::*;

    fn file(rows: &[[&str; 3]]) -> RawTable {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        RawTable::from_rows(&["id", "year", "zip"], &rows)
    }

    #[test]
    fn people_are_alike_when_all_their_events_are() {
        let file = file(&[
            ["b", "1", "x"],
            ["a", "1", "x"],
            ["b", "2", "y"],
            ["c", "1", "x"],
            ["a", "2", "y"],
            ["d", "2", "y"],
            ["d", "1", "x"],
        ]);
        let view = SequencesView::new(&file, "id", &["year", "zip"]).unwrap();
        assert_eq!(view.people(), 4);
        assert_eq!(view.rows_of(0), [0, 2]);
        assert_eq!(view.rows_of(1), [1, 4]);
        // c lacks an event and d has them in another order.
        assert_eq!(view.classes(), &Classes { class_of: vec![0, 0, 1, 2], sizes: vec![2, 1, 1] });
        assert_eq!(view.events().classes().len(), 2);
    }

    #[test]
    fn a_list_that_begins_like_another_is_not_alike() {
        let file = file(&[["a", "1", "x"], ["b", "1", "x"], ["b", "1", "x"], ["c", "1", "x"]]);
        let view = SequencesView::new(&file, "id", &["year", "zip"]).unwrap();
        assert_eq!(view.classes().class_of, [0, 1, 0]);
    }

    #[test]
    fn a_missing_cell_equals_only_a_missing_cell() {
        let mut file = file(&[["a", "", "x"], ["b", "", "x"], ["c", "", "x"]]);
        let mut year = RawColumnBuilder::new("year".into());
        year.push("", Place::default());
        year.push_null(Place::default());
        year.push_null(Place::default());
        file.columns[1] = year.finish();
        let view = SequencesView::new(&file, "id", &["year", "zip"]).unwrap();
        assert_eq!(view.classes().class_of, [0, 1, 1]);
    }

    #[test]
    fn nobodys_events_and_lacking_columns_are_errors() {
        let table = file(&[["a", "1", "x"], ["", "1", "x"]]);
        let nobodys = Unverifiable::Nobodys { row: 2, column: "id".into() };
        assert_eq!(SequencesView::new(&table, "id", &["year"]).unwrap_err(), nobodys);
        for (id, quasi) in [("pid", "year"), ("id", "pid")] {
            let lacking = Unverifiable::Lacking { column: "pid".into() };
            assert_eq!(SequencesView::new(&table, id, &[quasi]).unwrap_err(), lacking);
        }
    }

    #[test]
    fn an_empty_file_has_nobody() {
        let table = file(&[]);
        let view = SequencesView::new(&table, "id", &["year"]).unwrap();
        assert!(view.people() == 0 && view.classes().is_empty());
    }
}
