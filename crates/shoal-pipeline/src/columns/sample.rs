//! A part of the records, for what a person wants to know within seconds.

/// A sample has at least this many people, where there are as many, however many records each of them has.
const PEOPLE: usize = 1000;

/// What is counted in a table: its records, or the people whose records they are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Units<'a> {
    /// Every record is somebody else's.
    Records,
    /// The person of each record.
    People(&'a [u32]),
}

impl<'a> Units<'a> {
    /// The person of each record, where they are known.
    pub(crate) fn person_of(self) -> Option<&'a [u32]> {
        match self {
            Units::Records => None,
            Units::People(person_of) => Some(person_of),
        }
    }

    /// The word in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Units::Records => "records",
            Units::People(_) => "people",
        }
    }

    /// How many there are among this many records.
    pub(crate) fn count(self, rows: usize) -> usize {
        let Units::People(person_of) = self else { return rows };
        let mut all = person_of.to_vec();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}

/// About `limit` of the records, ascending; all where there are no more. Of a person all records are in it or none.
///
/// Records and people are numbered by the hash of their content, so that every n-th is a sample which depends neither on the order
/// of the input nor on chance. Every n-th and not the first ones: equal records are neighbours, and the first ones would
/// hold either all or none of them, which makes crowds look larger than they would in a sample of people.
pub(crate) fn sample(units: Units<'_>, rows: usize, limit: usize) -> Vec<u32> {
    let step = rows.div_ceil(limit.max(1)).max(1);
    let all = 0..rows as u32;
    match units {
        Units::Records => all.step_by(step).collect(),
        Units::People(person_of) => {
            let step = step.min((units.count(rows) / PEOPLE).max(1)) as u32;
            all.filter(|&row| person_of[row as usize].is_multiple_of(step)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_records_are_all_in_the_sample() {
        assert_eq!(sample(Units::Records, 3, 3), [0, 1, 2]);
        assert_eq!(sample(Units::Records, 0, 3), [] as [u32; 0]);
        assert_eq!(sample(Units::People(&[5, 5, 9]), 3, 10), [0, 1, 2]);
    }

    #[test]
    fn a_sample_is_spread_and_no_larger_than_asked() {
        assert_eq!(sample(Units::Records, 10, 4), [0, 3, 6, 9]);
        assert!((1..500).all(|rows| sample(Units::Records, rows, 7).len() <= 7));
    }

    #[test]
    fn people_come_with_all_their_records() {
        let person_of: Vec<u32> = (0..4000).chain(0..4000).collect();
        let half: Vec<u32> = (0..8000).step_by(2).collect();
        assert_eq!(sample(Units::People(&person_of), 8000, 4000), half);
    }

    #[test]
    fn few_people_with_many_records_are_all_in_the_sample() {
        let person_of: Vec<u32> = (0..8000).map(|row| row % 10).collect();
        assert_eq!(sample(Units::People(&person_of), 8000, 100).len(), 8000);
    }
}
