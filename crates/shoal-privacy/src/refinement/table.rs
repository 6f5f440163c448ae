//! Tables: people with the same list of classes are a *cell*, and every class is judged again, cut into its cells.
//!
//! ```
//! use shoal_core::{MissingTexts, RawTable};
//! use shoal_privacy::refinement::table::{Places, Seen, cells_of, judge};
//! use shoal_privacy::{KAnonymity, TableModel};
//!
//! // Three people, three and three, by rows of a grid; then by its columns.
//! let file = |name: &str| RawTable::from_rows(&[name], &["a", "a", "a", "b", "b", "b", "c", "c", "c"].map(|class| vec![class]));
//! let (rows, columns) = (file("row"), file("column"));
//! let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(3)?)];
//! let by_rows: Vec<u32> = (0..9).collect();
//! let by_columns = vec![0, 3, 6, 1, 4, 7, 2, 5, 8];
//! let missing = MissingTexts::default();
//! let seen = |file, quasi, person_of| Seen::new(file, &[quasi], &missing, person_of, &models, None);
//! let releases = [seen(&rows, "row", by_rows)?, seen(&columns, "column", by_columns)?];
//! // Each release has classes of three people, and both together tell everybody apart.
//! let broken = judge(&releases, &cells_of(&releases, 9), |_| true)?;
//! assert_eq!((broken.len(), broken[0].people.len()), (2, 9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::{BTreeSet, HashMap};

use shoal_core::{MissingTexts, RawTable};

use crate::promise::{Answer, Finding, settle};
use crate::table::{Classes, TableModel, TableView, ask};
use crate::{BrokenPromise, Promise, TableViolation, Unverifiable};

/// Where people are in a release: of each row its class and its person. Equal numbers are the same person in all releases.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The class of each row.
    pub class_of: &'a [u32],
    /// The person of each row.
    pub person_of: &'a [u32],
}

/// The cell of each of some people: equal where the classes of all their rows are the same in every release. Who is in no
/// release is in a cell, too: that of nobody else who is in one.
pub fn cells(releases: &[Places<'_>], people: usize) -> Vec<u32> {
    let lists: Vec<Vec<u32>> = releases.iter().map(|places| classes_of_people(*places, people)).collect();
    Classes::of_codes(people, &lists.iter().map(Vec::as_slice).collect::<Vec<_>>()).class_of
}

/// A number for the classes of each person's rows: 0 for a person without rows.
fn classes_of_people(places: Places<'_>, people: usize) -> Vec<u32> {
    let rows = places.person_of.iter().copied().zip(places.class_of.iter().copied());
    let mut pairs: Vec<(u32, u32)> = rows.collect();
    pairs.sort_unstable();
    let classes = places.class_of.iter().max().map_or(0, |&last| last + 1);
    let mut several: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut numbers = vec![0; people];
    for rows in pairs.chunk_by(|one, two| one.0 == two.0) {
        let number = match rows {
            [(_, class)] => *class,
            _ => {
                let next = classes + several.len() as u32;
                *several.entry(rows.iter().map(|&(_, class)| class).collect()).or_insert(next)
            }
        };
        numbers[rows[0].0 as usize] = number + 1;
    }
    numbers
}

/// A release with whose its rows are, and what must be true of it.
#[derive(Debug)]
pub struct Seen<'a> {
    file: &'a RawTable,
    quasi: Vec<&'a str>,
    missing: &'a MissingTexts,
    classes: Classes,
    person_of: Vec<u32>,
    models: &'a [Box<dyn TableModel>],
    personal_k: Option<Vec<u32>>,
}

impl<'a> Seen<'a> {
    /// The classes of a published file; `quasi` are its quasi-identifiers, `person_of` says whose each row is, and `personal_k` the k that
    /// each row's person asks for.
    pub fn new(
        file: &'a RawTable,
        quasi: &[&'a str],
        missing: &'a MissingTexts,
        person_of: Vec<u32>,
        models: &'a [Box<dyn TableModel>],
        personal_k: Option<Vec<u32>>,
    ) -> Result<Seen<'a>, Unverifiable> {
        let classes = TableView::new(file, quasi)?.into_classes();
        Ok(Seen { file, quasi: quasi.to_vec(), missing, classes, person_of, models, personal_k })
    }

    /// Where people are in it.
    pub fn places(&self) -> Places<'_> {
        Places { class_of: &self.classes.class_of, person_of: &self.person_of }
    }

    /// Of each row whether it has a value in a column.
    fn has_value(&self, column: &str) -> Option<Vec<bool>> {
        let column = self.file.column(column)?;
        let absent = self.missing.codes(column);
        Some(column.codes.iter().map(|&code| !absent[code as usize]).collect())
    }

    fn view(&self, cell_of: &[u32]) -> Result<TableView<'a>, Unverifiable> {
        let cells: Vec<u32> = self.person_of.iter().map(|&person| cell_of[person as usize]).collect();
        let view =
            TableView::new(self.file, &self.quasi)?.cut_into(&cells).with_people(self.person_of.clone());
        Ok(match &self.personal_k {
            Some(asked) => view.with_personal_k(asked.clone()),
            None => view,
        })
    }
}

/// The cells of people in some releases.
pub fn cells_of(releases: &[Seen<'_>], people: usize) -> Vec<u32> {
    cells(&releases.iter().map(Seen::places).collect::<Vec<_>>(), people)
}

/// The cells, cut by where people have a value in a column, as each release that has it says of its rows. None where nobody
/// lacks a value.
///
/// An empty cell is nobody's secret, so an attacker may know where somebody has a value. If it is one that stays, it is
/// one of those that the people have who have values in the same places.
pub(crate) fn cells_by_values(releases: &[(Places<'_>, Vec<bool>)], cell_of: &[u32]) -> Option<Vec<u32>> {
    if releases.iter().all(|(_, has_value)| has_value.iter().all(|has_value| *has_value)) {
        return None;
    }
    let classes = |(places, has_value): &(Places<'_>, Vec<bool>)| -> Vec<u32> {
        let rows = places.class_of.iter().zip(has_value);
        rows.map(|(class, &has_value)| 2 * class + u32::from(has_value)).collect()
    };
    let classes: Vec<Vec<u32>> = releases.iter().map(classes).collect();
    let places = classes.iter().zip(releases);
    let places = places.map(|(class_of, (places, _))| Places { class_of, ..*places });
    let by_values = cells(&places.collect::<Vec<_>>(), cell_of.len());
    Some(Classes::of_codes(cell_of.len(), &[cell_of, &by_values]).class_of)
}

/// A promise that several releases break together.
#[derive(Clone, Debug)]
pub struct BrokenTogether {
    /// Which of the releases shows it.
    pub release: usize,
    /// What breaks.
    pub promise: BrokenPromise,
    /// The people in whose cells it breaks, ascending.
    pub people: Vec<u32>,
}

/// What breaks in the releases, whose classes are cut into the cells of people. `is_asked` says of a person whether their
/// cell counts; it is the same for all people of a cell. Shares of everybody are those of the release.
pub fn judge(
    releases: &[Seen<'_>],
    cell_of: &[u32],
    is_asked: impl Fn(u32) -> bool,
) -> Result<Vec<BrokenTogether>, Unverifiable> {
    let mut broken = Vec::new();
    ask_all(releases, cell_of, |release, classes, Answer { promise, column, outcome }| {
        let mut is_bad = vec![false; classes.len()];
        outcome.violations.all.iter().for_each(|&class| is_bad[class as usize] = true);
        let rows = classes.class_of.iter().zip(&releases[release].person_of);
        let bad = rows.filter(|(class, person)| is_bad[**class as usize] && is_asked(**person));
        let people: BTreeSet<u32> = bad.map(|(_, &person)| person).collect();
        if !people.is_empty() {
            let finding = Finding { promise, column, found: outcome.found, holds: false };
            let promise = BrokenPromise { finding, violations: outcome.violations };
            broken.push(BrokenTogether { release, promise, people: people.into_iter().collect() });
        }
    })?;
    Ok(broken)
}

/// What is found in one release, whose classes are cut into the cells of its people, and what of it is broken.
pub fn findings(
    release: &Seen<'_>,
    cell_of: &[u32],
) -> Result<(Vec<Finding>, Vec<BrokenPromise>), Unverifiable> {
    let mut answers = Vec::new();
    ask_all(std::slice::from_ref(release), cell_of, |_, _, answer| answers.push(answer))?;
    settle(answers)
}

/// Asks the models of each release of its classes, cut into the cells of people; what is promised about values, of those in a
/// cell who have values in the same places. `heard` gets the release, the classes that were asked about, and the answer.
fn ask_all(
    releases: &[Seen<'_>],
    cell_of: &[u32],
    mut heard: impl FnMut(usize, &Classes, Answer<TableViolation>),
) -> Result<(), Unverifiable> {
    let mut by_values: HashMap<&str, Option<Vec<u32>>> = HashMap::new();
    for (release, seen) in releases.iter().enumerate() {
        let whole = seen.view(cell_of)?;
        for model in seen.models {
            let cells = |column| {
                let rows = releases.iter().filter_map(|seen| Some((seen.places(), seen.has_value(column)?)));
                cells_by_values(&rows.collect::<Vec<_>>(), cell_of)
            };
            // The column of a person's own k holds no secret.
            let is_about_values = matches!(model.promise(), Promise::Values(_));
            let cut = match model.column().filter(|_| is_about_values) {
                Some(column) => by_values.entry(column).or_insert_with(|| cells(column)).as_deref(),
                None => None,
            };
            let cut = cut.map(|cells| seen.view(cells)).transpose()?;
            let view = cut.as_ref().unwrap_or(&whole);
            heard(release, view.classes(), ask(view, model.as_ref())?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worlds;
