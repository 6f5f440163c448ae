use super::{TableModel, TableView};
use crate::{Figure, KTooSmall, Outcome, Promise, Unverifiable, Violations};

/// k-anonymity: every record shares its quasi-identifiers with at least k − 1 others; with those of at least k − 1 other
/// people where people are counted.
///
/// Only equality counts, also for a record of nothing but `*`: a reader who knows that a person fits
/// none of the other classes knows that the record is theirs, so such records need a crowd as well.
/// A file without records keeps the promise, with nothing found.
///
/// ```
/// use shoal_core::RawTable;
/// use shoal_privacy::{KAnonymity, TableModel, TableView};
///
/// let model = KAnonymity::new(2)?;
/// let holds = |rows: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let file = RawTable::from_rows(&["age"], rows);
///     Ok(model.verify(&TableView::new(&file, &["age"])?)?.holds)
/// };
/// assert!(holds(&[vec!["3*"], vec!["3*"]])?);
/// assert!(!holds(&[vec!["3*"], vec!["3*"], vec!["*"]])?);
/// assert!(KAnonymity::new(1).is_err(), "a crowd of one hides nobody");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KAnonymity {
    k: u32,
}

impl KAnonymity {
    /// The promise for this k, at least 2.
    pub fn new(k: u32) -> Result<KAnonymity, KTooSmall> {
        KTooSmall::check(k).map(|k| KAnonymity { k })
    }

    /// The size that every class reaches.
    pub fn k(&self) -> u32 {
        self.k
    }
}

impl TableModel for KAnonymity {
    fn promise(&self) -> Promise {
        Promise::KAnonymity { k: self.k }
    }

    fn needs_as_many_records(&self) -> bool {
        true
    }

    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable> {
        let sizes = view.crowds();
        let size = |class: u32| sizes[class as usize];
        let mut small: Vec<u32> = (0..sizes.len() as u32).filter(|&class| size(class) < self.k).collect();
        small.sort_by_key(|&class| (size(class), class));
        let why = |class: u32| view.people().map(|_| format!("people in it: {}", size(class)));
        let describe = |class: u32| (Figure::Count(size(class).into()), why(class));
        Ok(Outcome {
            found: sizes.iter().min().map_or(Figure::Nothing, |&size| Figure::Count(size.into())),
            holds: small.is_empty(),
            violations: Violations::name(view, &small, describe),
        })
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    fn verify(k: u32, rows: &[[&str; 2]]) -> Outcome {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        let file = RawTable::from_rows(&["age", "sex"], &rows);
        KAnonymity::new(k).unwrap().verify(&TableView::new(&file, &["age", "sex"]).unwrap()).unwrap()
    }

    #[test]
    fn the_smallest_class_decides() {
        let rows = [["1", "m"], ["1", "m"], ["1", "f"], ["1", "f"], ["1", "m"]];
        assert!(verify(2, &rows).holds);
        let outcome = verify(3, &rows);
        assert!(!outcome.holds);
        assert_eq!(outcome.found, Figure::Count(2));
        let worst = &outcome.violations.worst[0];
        assert_eq!((worst.size, &worst.rows), (2, &vec![3, 4]));
        assert_eq!(worst.to_string(), "the class age = `1`, sex = `f` has size 2 (rows: 3, 4)");
    }

    #[test]
    fn the_worst_come_first_and_the_rest_is_counted() {
        let texts: Vec<String> = (0..40).map(|n| (n / 3).to_string()).collect();
        let rows: Vec<[&str; 2]> = texts.iter().map(|text| [text.as_str(), "x"]).collect();
        let violations = verify(4, &rows).violations;
        assert_eq!((violations.total, violations.worst.len()), (14, 10));
        assert_eq!(violations.worst[0].rows, [40]);
        assert_eq!(violations.worst[1].rows, [1, 2, 3]);
    }

    #[test]
    fn stars_need_a_crowd_too() {
        assert!(!verify(2, &[["1", "m"], ["1", "m"], ["*", "*"]]).holds);
        assert!(verify(2, &[["1", "m"], ["1", "m"], ["*", "*"], ["*", "*"]]).holds);
    }

    #[test]
    fn a_file_of_nothing_keeps_its_promise_and_finds_nothing() {
        let outcome = verify(2, &[]);
        assert!(outcome.holds);
        assert_eq!(outcome.found, Figure::Nothing);
    }

    #[test]
    fn a_crowd_of_one_is_none() {
        assert_eq!(KAnonymity::new(1), Err(KTooSmall { k: 1 }));
        assert_eq!(KAnonymity::new(0), Err(KTooSmall { k: 0 }));
    }

    #[test]
    fn k_is_what_was_asked_for() {
        assert_eq!(KAnonymity::new(7).unwrap().k(), 7);
    }
}
