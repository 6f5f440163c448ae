use shoal_core::SameValue;

use super::{SequencesModel, SequencesView, SequencesViolation};
use crate::{Figure, Outcome, Promise, Unverifiable, Violations};

/// The confidence c of (k,c)-privacy: whoever finds a person's class learns with a probability of at most c
/// that the person has a highly sensitive value (Ω) in the column.
///
/// In each class it is the share of people with at least one published event whose text is among the values or
/// looks like one of them, all values taken together. An event that is not published says nothing and does not count.
///
/// ```
/// use shoal_core::RawTable;
/// use shoal_privacy::{Confidence, SequencesModel, SequencesView};
///
/// let model = Confidence::new("illness", &["HIV".to_owned()], 0.5)?;
/// let holds = |rows: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let file = RawTable::from_rows(&["id", "town", "illness"], rows);
///     Ok(model.verify(&SequencesView::new(&file, "id", &["town"])?)?.holds)
/// };
/// assert!(holds(&[vec!["1", "Bonn", "flu"], vec!["2", "Bonn", "HIV"]])?);
/// // Whoever knows that somebody was in Bonn knows that they have HIV.
/// assert!(!holds(&[vec!["1", "Bonn", "HIV"], vec!["2", "Bonn", "HIV"]])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Confidence {
    column: String,
    /// Ascending.
    values: Vec<SameValue>,
    c: f64,
}

/// A confidence that promises nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConfidenceError {
    /// c is not a share.
    #[error("c = {c} is not a share between 0 and 1")]
    NotAShare {
        /// The c that was asked for.
        c: f64,
    },
    /// No value is highly sensitive.
    #[error("no value of `{column}` is highly sensitive")]
    NoValues {
        /// The column.
        column: String,
    },
}

impl ConfidenceError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            ConfidenceError::NotAShare { .. } => {
                "0.5 lets half of a crowd have a highly sensitive value, 0 nobody"
            }
            ConfidenceError::NoValues { .. } => "name them:  sensitive-values = […]",
        }
    }
}

impl Confidence {
    /// The promise that at most the share `c` of each class has one of the values in the column.
    pub fn new(column: &str, values: &[String], c: f64) -> Result<Confidence, ConfidenceError> {
        if !(0.0..=1.0).contains(&c) {
            return Err(ConfidenceError::NotAShare { c });
        }
        if values.is_empty() {
            return Err(ConfidenceError::NoValues { column: column.to_owned() });
        }
        // `HIV`, `hiv` and `HIV ` are one value to whoever reads the file.
        let mut values: Vec<SameValue> = values.iter().map(|value| SameValue::from_text(value)).collect();
        values.sort_unstable();
        Ok(Confidence { column: column.to_owned(), values, c })
    }

    /// The share of each class's people who have one of the values in an event.
    fn shares(&self, view: &SequencesView<'_>) -> Result<Vec<f64>, Unverifiable> {
        let lacking = || Unverifiable::Lacking { column: self.column.clone() };
        let column = view.events().published().column(&self.column).ok_or_else(lacking)?;
        let is_among = |text: &str| self.values.binary_search(&SameValue::from_text(text)).is_ok();
        let is_high: Vec<bool> = column.labels.iter().map(is_among).collect();
        let classes = view.classes();
        let mut counts = vec![0_u32; classes.len()];
        for (person, &class) in classes.class_of.iter().enumerate() {
            let mut events = view.rows_of(person).iter();
            counts[class as usize] +=
                u32::from(events.any(|&row| is_high[column.codes[row as usize] as usize]));
        }
        let share = |(&count, &size): (&u32, &u32)| f64::from(count) / f64::from(size);
        Ok(counts.iter().zip(&classes.sizes).map(share).collect())
    }
}

impl SequencesModel for Confidence {
    fn promise(&self) -> Promise {
        Promise::Confidence { about: self.column.clone(), c: self.c }
    }

    fn verify(&self, view: &SequencesView<'_>) -> Result<Outcome<SequencesViolation>, Unverifiable> {
        let shares = self.shares(view)?;
        let worst = shares.iter().copied().max_by(f64::total_cmp);
        let above = (0_u32..).zip(shares).filter(|(_, share)| *share > self.c);
        let mut above: Vec<(u32, f64)> = above.collect();
        above.sort_by(|one, two| two.1.total_cmp(&one.1));
        let above: Vec<(u32, Figure)> =
            above.into_iter().map(|(class, share)| (class, Figure::Number(share))).collect();
        Ok(Outcome {
            found: worst.map_or(Figure::Nothing, Figure::Number),
            holds: above.is_empty(),
            violations: Violations::of_people(view, &above),
        })
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Place, RawColumnBuilder, RawTable};

    use super::*;

    /// People of one class, with the illnesses of their events.
    fn verify(people: &[&[&str]], values: &[&str], c: f64) -> Outcome<SequencesViolation> {
        let ids: Vec<String> = (1..=people.len()).map(|id| id.to_string()).collect();
        let events = ids
            .iter()
            .zip(people)
            .flat_map(|(id, illnesses)| illnesses.iter().map(|illness| vec![id.as_str(), "2009", illness]));
        let file = RawTable::from_rows(&["id", "year", "illness"], &events.collect::<Vec<_>>());
        confidence(values, c).verify(&SequencesView::new(&file, "id", &["year"]).unwrap()).unwrap()
    }

    fn confidence(values: &[&str], c: f64) -> Confidence {
        let values: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
        Confidence::new("illness", &values, c).unwrap()
    }

    #[test]
    fn people_count_and_not_events() {
        let people: [&[&str]; 4] = [&["HIV", "HIV"], &["flu", "HIV"], &["flu", "flu"], &["gout", "flu"]];
        let outcome = verify(&people, &["HIV"], 0.5);
        assert!(outcome.holds);
        assert_eq!(outcome.found, Figure::Number(0.5));
        let both = verify(&people, &["HIV", "gout"], 0.5);
        assert_eq!((both.holds, both.found), (false, Figure::Number(0.75)));
        assert!(verify(&people, &["cold"], 0.0).holds, "nobody has it");
    }

    #[test]
    fn a_share_that_is_asked_for_in_decimals_may_be_reached() {
        let asked = ["0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"];
        for (tenths, asked) in asked.iter().enumerate() {
            let illness = |person| if person < tenths { &["HIV"][..] } else { &["flu"][..] };
            let people: Vec<&[&str]> = (0..10).map(illness).collect();
            assert!(verify(&people, &["HIV"], asked.parse().unwrap()).holds, "{tenths} of 10");
        }
    }

    #[test]
    fn the_worst_class_comes_first() {
        let people: [&[&str]; 7] = [
            &["HIV"],
            &["HIV", "flu"],
            &["flu"],
            &["HIV", "flu"],
            &["HIV"],
            &["flu", "flu"],
            &["a", "b", "c"],
        ];
        let outcome = verify(&people, &["HIV"], 0.6);
        let worst = &outcome.violations.worst;
        assert_eq!(outcome.violations.total, 2);
        assert_eq!((worst[0].events.len(), worst[0].size, &worst[0].rows), (1, 3, &vec![1, 4, 7]));
        assert_eq!(worst[0].found, Figure::Number(2.0 / 3.0));
        assert_eq!((worst[1].events.len(), worst[1].size, &worst[1].rows), (2, 3, &vec![2, 5, 8]));
    }

    #[test]
    fn a_missing_illness_is_counted_where_the_empty_text_is_asked_for() {
        let mut file =
            RawTable::from_rows(&["id", "year", "illness"], &[["1", "2009", ""]; 2].map(Vec::from));
        let mut illness = RawColumnBuilder::new("illness".into());
        illness.push("flu", Place::default());
        illness.push_null(Place::default());
        file.columns[2] = illness.finish();
        let view = SequencesView::new(&file, "id", &["year"]).unwrap();
        assert_eq!(confidence(&[""], 1.0).verify(&view).unwrap().found, Figure::Number(1.0));
        assert_eq!(confidence(&["HIV"], 1.0).verify(&view).unwrap().found, Figure::Number(0.0));
    }

    #[test]
    fn what_promises_nothing_is_refused() {
        for c in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let refused = Confidence::new("illness", &["HIV".to_owned()], c).unwrap_err();
            assert!(matches!(refused, ConfidenceError::NotAShare { .. }));
        }
        let refused = Confidence::new("illness", &[], 0.5).unwrap_err();
        assert_eq!(refused, ConfidenceError::NoValues { column: "illness".into() });
    }
}
