use std::collections::HashSet;

use super::TableTarget;
use super::fits::Fits;
use super::points::Points;

/// What a crowd is counted in.
#[derive(Clone, Debug)]
pub(crate) enum Counting {
    /// Rows: each is somebody else's.
    Rows,
    /// People, and whose each published row is.
    People(Vec<u32>),
    /// People, but several assignments of rows to people are true of the file. At most so many people can be in each class.
    AtMost(Vec<u64>),
}

impl Counting {
    pub(crate) fn of(target: &TableTarget<'_>, points: &Points, fits: &Fits) -> Counting {
        let column = target.promise.person.as_ref();
        let column =
            column.and_then(|name| target.original.columns.iter().find(|column| column.name == *name));
        let Some(column) = column else { return Counting::Rows };
        match target.origin {
            Some(origin) if target.people_are_certain => {
                Counting::People(origin.iter().map(|&record| column.codes[record as usize]).collect())
            }
            _ => {
                let mut who: Vec<HashSet<u32>> = vec![HashSet::new(); fits.rows.len()];
                for (record, &point) in points.of_record.iter().enumerate() {
                    for &class in &fits.classes[point as usize] {
                        who[class as usize].insert(column.codes[record]);
                    }
                }
                // A class has no more people than rows, and none whom its cells do not cover.
                let most = who.iter().zip(&fits.rows).map(|(who, rows)| who.len().min(rows.len()) as u64);
                Counting::AtMost(most.collect())
            }
        }
    }

    /// How many are in some classes together; where it is not certain, at most so many.
    pub(crate) fn crowd(&self, fits: &Fits, classes: &[u32]) -> u64 {
        match self {
            Counting::Rows => fits.size(classes),
            Counting::People(person_of) => {
                let rows = classes.iter().flat_map(|&class| &fits.rows[class as usize]);
                rows.map(|&row| person_of[row as usize]).collect::<HashSet<u32>>().len() as u64
            }
            Counting::AtMost(most) => classes.iter().map(|&class| most[class as usize]).sum(),
        }
    }

    /// Whether it is not certain whose values are whose, so that a promise about the values of people cannot be judged.
    pub(crate) fn is_unsure(&self, target: &TableTarget<'_>) -> bool {
        match self {
            Counting::Rows => false,
            Counting::People(_) => !target.values_are_certain,
            Counting::AtMost(_) => true,
        }
    }

    /// What is counted, in words.
    pub(crate) fn unit(&self) -> &'static str {
        match self {
            Counting::Rows => "rows",
            Counting::People(_) => "people",
            Counting::AtMost(_) => "people at most",
        }
    }
}
