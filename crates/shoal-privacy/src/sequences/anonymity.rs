use super::{SequencesModel, SequencesView, SequencesViolation};
use crate::{Figure, KTooSmall, Outcome, Promise, Unverifiable, Violations};

/// k-anonymity of sequences: everybody shares all events, in order, with at least k − 1 others.
///
/// Only equality counts, as for tables. A file without people keeps the promise, with nothing found.
///
/// ```
/// use shoal_core::RawTable;
/// use shoal_privacy::{SequenceAnonymity, SequencesModel, SequencesView};
///
/// let model = SequenceAnonymity::new(2)?;
/// let holds = |rows: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let file = RawTable::from_rows(&["id", "town", "illness"], rows);
///     Ok(model.verify(&SequencesView::new(&file, "id", &["town"])?)?.holds)
/// };
/// assert!(holds(&[vec!["1", "Bonn", "flu"], vec!["2", "Bonn", "gout"]])?);
/// // The second person has one event more.
/// assert!(!holds(&[vec!["1", "Bonn", "flu"], vec!["2", "Bonn", "gout"], vec!["2", "Kiel", "flu"]])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceAnonymity {
    k: u32,
}

impl SequenceAnonymity {
    /// The promise for this k, at least 2.
    pub fn new(k: u32) -> Result<SequenceAnonymity, KTooSmall> {
        KTooSmall::check(k).map(|k| SequenceAnonymity { k })
    }

    /// The size that every class of people reaches.
    pub fn k(&self) -> u32 {
        self.k
    }
}

impl SequencesModel for SequenceAnonymity {
    fn promise(&self) -> Promise {
        Promise::KAnonymity { k: self.k }
    }

    fn verify(&self, view: &SequencesView<'_>) -> Result<Outcome<SequencesViolation>, Unverifiable> {
        let classes = view.classes();
        let count = |size: u32| Figure::Count(size.into());
        let sizes = classes.sizes.iter().zip(0_u32..);
        let mut small: Vec<(u32, u32)> =
            sizes.filter(|(size, _)| **size < self.k).map(|(&size, class)| (size, class)).collect();
        small.sort_unstable();
        let small: Vec<(u32, Figure)> = small.into_iter().map(|(size, class)| (class, count(size))).collect();
        Ok(Outcome {
            found: classes.smallest().map_or(Figure::Nothing, count),
            holds: small.is_empty(),
            violations: Violations::of_people(view, &small),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_is_what_was_asked_for() {
        assert_eq!(SequenceAnonymity::new(7).unwrap().k(), 7);
    }
}
