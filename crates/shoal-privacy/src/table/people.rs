//! Whose the records of a file are, where one person may have several.

use shoal_core::Table;

use super::{Classes, TableModel, TableView};
use crate::{Outcome, Promise, Unverifiable};

/// The people of a file and how many of them are in each class. Somebody with several records in a class is in it
/// once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crowds {
    person_of: Vec<u32>,
    sizes: Vec<u32>,
    people: u32,
}

impl Crowds {
    /// The people in the classes of a file; equal numbers are the same person.
    ///
    /// # Panics
    /// When there is not a person for each record.
    pub fn of(classes: &Classes, person_of: Vec<u32>) -> Crowds {
        assert_eq!(person_of.len(), classes.class_of.len(), "a person for each record");
        let mut members: Vec<(u32, u32)> =
            classes.class_of.iter().copied().zip(person_of.iter().copied()).collect();
        members.sort_unstable();
        members.dedup();
        let mut sizes = vec![0; classes.len()];
        members.iter().for_each(|&(class, _)| sizes[class as usize] += 1);
        let mut all = person_of.clone();
        all.sort_unstable();
        all.dedup();
        Crowds { person_of, sizes, people: all.len() as u32 }
    }

    /// Whose each record is.
    pub fn person_of(&self) -> &[u32] {
        &self.person_of
    }

    /// How many people are in each class.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// How many people there are in all.
    pub fn people(&self) -> u32 {
        self.people
    }
}

/// A promise that counts people and not records. It can be checked only where it is known whose each record is.
#[derive(Debug)]
pub struct OfPeople {
    model: Box<dyn TableModel>,
    person: String,
    by_rows: bool,
}

impl OfPeople {
    /// The promise about people, whom the column `person` of the original names.
    pub fn new(model: Box<dyn TableModel>, person: impl Into<String>) -> OfPeople {
        OfPeople { model, person: person.into(), by_rows: false }
    }

    /// The same against an attacker who knows one row of a person: each row is judged by itself.
    pub fn by_rows(self) -> OfPeople {
        OfPeople { by_rows: true, ..self }
    }
}

impl TableModel for OfPeople {
    fn promise(&self) -> Promise {
        self.model.promise()
    }

    fn column(&self) -> Option<&str> {
        self.model.column()
    }

    fn person(&self) -> Option<&str> {
        Some(&self.person)
    }

    fn by_rows(&self) -> bool {
        self.by_rows
    }

    fn needs_as_many_records(&self) -> bool {
        self.model.needs_as_many_records()
    }

    /// Without knowing whose the records are, a promise can be found broken but not kept: a class with too few records
    /// has too few people.
    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        if view.people().is_some() {
            return self.model.verify(view);
        }
        if self.needs_as_many_records() {
            let of_records = self.model.verify(view)?;
            if !of_records.holds {
                return Ok(of_records);
            }
        }
        Err(Unverifiable::Person { column: self.person.clone() })
    }
}

/// Whose each published record is, by its origin, where the promises count people: then all of them count those whom one
/// and the same column names.
pub(super) fn people_of(
    models: &[Box<dyn TableModel>],
    original: &Table,
    origin: &[u32],
) -> Result<Option<Vec<u32>>, Unverifiable> {
    let mut names = models.iter().map(|model| model.person());
    let Some(first) = names.next() else { return Ok(None) };
    if let Some(other) = names.find(|name| *name != first) {
        let column = other.or(first).unwrap_or_default().to_owned();
        return Err(Unverifiable::Person { column });
    }
    let Some(name) = first else { return Ok(None) };
    let column = original.columns.iter().find(|column| column.name == name);
    let column = column.ok_or_else(|| Unverifiable::Person { column: name.to_owned() })?;
    let person_of: Vec<u32> = origin.iter().map(|&row| column.codes[row as usize]).collect();
    // Nobody knows whose a record without a name is.
    match person_of.iter().position(|&person| Some(person) == column.domain.missing()) {
        None => Ok(Some(person_of)),
        Some(at) => {
            let row = u64::from(origin[at]) + 1;
            Err(Unverifiable::Anonymous { row, column: name.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;
    use crate::{Figure, KAnonymity};

    fn of_people(k: u32, person_of: Option<Vec<u32>>) -> Result<Outcome, Unverifiable> {
        let rows = ["a", "a", "a", "b", "b"].map(|text| vec![text]);
        let file = RawTable::from_rows(&["q"], &rows);
        let view = TableView::new(&file, &["q"])?;
        let view = match person_of {
            Some(person_of) => view.with_people(person_of),
            None => view,
        };
        OfPeople::new(Box::new(KAnonymity::new(k).unwrap()), "who").verify(&view)
    }

    #[test]
    fn somebody_with_several_records_is_in_a_class_once() {
        let classes = Classes::of_codes(5, &[&[0, 0, 0, 1, 1]]);
        let crowds = Crowds::of(&classes, vec![7, 7, 3, 7, 9]);
        assert_eq!((crowds.sizes(), crowds.people()), (&[2, 2][..], 3));
        assert!(of_people(2, Some(vec![7, 7, 3, 7, 9])).unwrap().holds);
        let alone = of_people(2, Some(vec![7, 7, 7, 7, 9])).unwrap();
        assert_eq!((alone.holds, alone.found), (false, Figure::Count(1)));
        let worst = &alone.violations.worst[0];
        assert_eq!(worst.to_string(), "the class q = `a` has size 3 (rows: 1, 2, 3): people in it: 1");
    }

    #[test]
    fn too_few_records_are_too_few_people_and_enough_say_nothing() {
        assert!(!of_people(3, None).unwrap().holds);
        assert_eq!(of_people(2, None), Err(Unverifiable::Person { column: "who".into() }));
    }
}
