//! Tables: people with the same list of classes are a *cell*, and every class is judged again, cut into its cells.
//!
//! ```
//! use shoal_core::RawTable;
//! use shoal_privacy::refinement::table::{Places, Seen, cells_of, judge};
//! use shoal_privacy::{KAnonymity, TableModel};
//!
//! // Three people, three and three, by rows of a grid; then by its columns.
//! let file = |name: &str| RawTable::from_rows(&[name], &["a", "a", "a", "b", "b", "b", "c", "c", "c"].map(|class| vec![class]));
//! let (rows, columns) = (file("row"), file("column"));
//! let models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(3)?)];
//! let by_rows: Vec<u32> = (0..9).collect();
//! let by_columns = vec![0, 3, 6, 1, 4, 7, 2, 5, 8];
//! let seen = |file, quasi, person_of| Seen::new(file, &[quasi], person_of, &models, None);
//! let releases = [seen(&rows, "row", by_rows)?, seen(&columns, "column", by_columns)?];
//! // Each release has classes of three people, and both together tell everybody apart.
//! let broken = judge(&releases, &cells_of(&releases, 9), |_| true)?;
//! assert_eq!((broken.len(), broken[0].people.len()), (2, 9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::HashMap;

use shoal_core::RawTable;

use crate::promise::{Finding, settle};
use crate::table::{Classes, TableModel, TableView, ask};
use crate::{BrokenPromise, Unverifiable};

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
        person_of: Vec<u32>,
        models: &'a [Box<dyn TableModel>],
        personal_k: Option<Vec<u32>>,
    ) -> Result<Seen<'a>, Unverifiable> {
        let classes = TableView::new(file, quasi)?.into_classes();
        Ok(Seen { file, quasi: quasi.to_vec(), classes, person_of, models, personal_k })
    }

    /// Where people are in it.
    pub fn places(&self) -> Places<'_> {
        Places { class_of: &self.classes.class_of, person_of: &self.person_of }
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

/// What is found in one release, whose classes are cut into the cells of its people, and what of it is broken.
pub fn findings(
    release: &Seen<'_>,
    cell_of: &[u32],
) -> Result<(Vec<Finding>, Vec<BrokenPromise>), Unverifiable> {
    let view = release.view(cell_of)?;
    settle(release.models.iter().map(|model| ask(&view, model.as_ref())).collect::<Result<_, _>>()?)
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

/// Asks the models of each release of its classes, cut into the cells of people. `is_asked` says of a person whether their
/// cell counts; it is the same for all people of a cell. Shares of everybody are those of the release.
pub fn judge(
    releases: &[Seen<'_>],
    cell_of: &[u32],
    is_asked: impl Fn(u32) -> bool,
) -> Result<Vec<BrokenTogether>, Unverifiable> {
    let mut broken = Vec::new();
    for (release, seen) in releases.iter().enumerate() {
        let view = seen.view(cell_of)?;
        for model in seen.models {
            let answer = ask(&view, model.as_ref())?;
            let mut is_bad = vec![false; view.classes().len()];
            answer.outcome.violations.all.iter().for_each(|&class| is_bad[class as usize] = true);
            let rows = view.classes().class_of.iter().zip(&seen.person_of);
            let bad = rows.filter(|(class, person)| is_bad[**class as usize] && is_asked(**person));
            let mut people: Vec<u32> = bad.map(|(_, &person)| person).collect();
            people.sort_unstable();
            people.dedup();
            if !people.is_empty() {
                let outcome = answer.outcome;
                let (promise, column, found) = (answer.promise, answer.column, outcome.found);
                let finding = Finding { promise, column, found, holds: false };
                let promise = BrokenPromise { finding, violations: outcome.violations };
                broken.push(BrokenTogether { release, promise, people });
            }
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use shoal_core::{Condition, DateFormat, Kind, MissingTexts, Rule, ValueParser};

    use super::*;
    use crate::table::{SensitiveColumn, model};
    use crate::{KAnonymity, PersonalK};

    fn models(k: u32, l: usize) -> Vec<Box<dyn TableModel>> {
        let parser = ValueParser::new(Kind::Text, DateFormat::default());
        let ground = SensitiveColumn { parser, missing: MissingTexts::default(), hierarchy: None };
        let condition = Condition { column: "illness".to_owned(), rule: Rule::Distinct { l } };
        vec![Box::new(KAnonymity::new(k).unwrap()), model(&condition, ground).unwrap()]
    }

    /// A release of rows `class illness`, and whose they are.
    fn file(rows: &[(&str, u32)]) -> (RawTable, Vec<u32>) {
        let texts: Vec<Vec<&str>> = rows.iter().map(|(row, _)| row.split(' ').collect()).collect();
        (RawTable::from_rows(&["q", "illness"], &texts), rows.iter().map(|row| row.1).collect())
    }

    /// The releases that break together, with how many people, for k = 2 and two different illnesses.
    fn broken(releases: &[(RawTable, Vec<u32>)], people: usize) -> Vec<(usize, String, Vec<u32>)> {
        let models = models(2, 2);
        let mut seen = Vec::new();
        for (file, person_of) in releases {
            seen.push(Seen::new(file, &["q"], person_of.clone(), &models, None).unwrap());
        }
        let releases = seen;
        let found = judge(&releases, &cells_of(&releases, people), |_| true).unwrap();
        found
            .into_iter()
            .map(|broken| (broken.release, broken.promise.finding.promise.name(), broken.people))
            .collect()
    }

    #[test]
    fn cells_by_hand() {
        let (first, second) = ([0, 0, 1, 1, 1], [5, 5, 5, 7]);
        // Person 0 has two rows in the first release and one in the second; person 4 is in neither.
        let releases = [
            Places { class_of: &first, person_of: &[0, 1, 0, 2, 3] },
            Places { class_of: &second, person_of: &[0, 2, 3, 1] },
        ];
        let cells = cells(&releases, 5);
        assert_eq!(cells[2], cells[3]);
        for (one, two) in [(0, 1), (0, 2), (1, 2), (4, 0), (4, 1), (4, 2)] {
            assert_ne!(cells[one], cells[two], "{one} {two}");
        }
    }

    #[test]
    fn leavers_and_newcomers_are_cells() {
        let first = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3)]);
        let same = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3)]);
        assert!(broken(&[first.clone(), same], 4).is_empty());
        // Two have left who have two illnesses: they are a cell, and so are those who stay.
        let two_left = file(&[("b flu", 0), ("b gout", 1)]);
        assert!(broken(&[first.clone(), two_left], 4).is_empty());
        let one_left = file(&[("b flu", 0), ("b gout", 1), ("b flu", 2)]);
        let found = broken(&[first.clone(), one_left], 4);
        assert!(found.iter().all(|(release, _, people)| *release == 0 && *people == [3]), "{found:?}");
        assert_eq!(found.len(), 2);
        // Those who have left, or come, had one illness.
        let same_illness = file(&[("b gout", 1), ("b gout", 3)]);
        let found = broken(&[first.clone(), same_illness], 4);
        assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), [0, 1]);
        let newcomers =
            file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3), ("a hiv", 4), ("a hiv", 5)]);
        let found = broken(&[first, newcomers], 6);
        assert_eq!(found, [(1, "distinct-l-diversity".to_owned(), vec![4, 5])]);
    }

    #[test]
    fn rows_of_a_person_in_one_release_are_a_list() {
        // Each class has two people and two illnesses; who is in which two classes tells them apart.
        let crossed =
            file(&[("a flu", 0), ("a gout", 1), ("b flu", 0), ("b gout", 2), ("c gout", 1), ("c flu", 2)]);
        assert_eq!(broken(&[crossed], 3)[0].2, [0, 1, 2]);
        let together = file(&[("a flu", 0), ("a gout", 1), ("b flu", 0), ("b gout", 1)]);
        assert!(broken(&[together], 2).is_empty());
        // A value that somebody has twice counts once, and a person in a class once.
        let twice = file(&[("a hiv", 0), ("a hiv", 0), ("a flu", 1), ("a hiv", 1)]);
        assert_eq!(broken(&[twice], 2).len(), 1);
    }

    #[test]
    fn the_k_of_a_person_counts_in_every_release() {
        let (first, person_of) = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3)]);
        let (second, now) = file(&[("b flu", 0), ("b gout", 1)]);
        let models: Vec<Box<dyn TableModel>> = vec![Box::new(PersonalK::of(["own"].into_iter()).unwrap())];
        let releases = [
            Seen::new(&first, &["q"], person_of, &models, Some(vec![2, 2, 1, 1])).unwrap(),
            Seen::new(&second, &["q"], now, &models, Some(vec![2, 3])).unwrap(),
        ];
        let found = judge(&releases, &cells_of(&releases, 4), |_| true).unwrap();
        assert_eq!((found.len(), found[0].release), (1, 1));
        assert!(judge(&releases, &cells_of(&releases, 4), |person| person > 1).unwrap().is_empty());
    }
}
