//! The real algorithms decide exactly what the slow twin decides.

use proptest::prelude::*;
use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
use shoal_algorithms::sequences::{Remainder, SequencesAlgorithm, SequencesError};
use shoal_core::{Sequences, SequencesPromise, SequencesRecoding, Silent};

use crate::data::any_promised;
use crate::slow::{How, Slow};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cbmsa_is_its_twin((data, promise) in any_promised(6..18)) {
        for remainder in [Remainder::Nearest, Remainder::Suppress] {
            for improve in [false, true] {
                let slow = Slow::new(&data, &promise, How::Best).run(remainder, improve);
                prop_assert_eq!(run(&CbmsaParams { remainder, improve, ..CbmsaParams::default() }.check(), &data, &promise), slow);
            }
        }
    }

    #[test]
    fn the_baseline_is_its_twin((data, promise) in any_promised(6..18), seed in any::<u64>()) {
        for remainder in [Remainder::Nearest, Remainder::Suppress] {
            let slow = Slow::new(&data, &promise, How::Drawn { seed }).run(remainder, false);
            prop_assert_eq!(run(&BaselineParams { seed, remainder }.check(), &data, &promise), slow);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Enough people for the search to go down its trees.
    #[test]
    fn cbmsa_is_its_twin_among_many((data, promise) in any_promised(90..110)) {
        let slow = Slow::new(&data, &promise, How::Best).run(Remainder::Nearest, true);
        prop_assert_eq!(run(&CbmsaParams::default().check(), &data, &promise), slow);
    }
}

/// `None` when nothing can be published.
fn run(
    algorithm: &dyn SequencesAlgorithm,
    data: &Sequences,
    promise: &SequencesPromise,
) -> Option<SequencesRecoding> {
    match algorithm.anonymize(data, promise, &Silent) {
        Ok(result) => Some(result.recoding),
        Err(SequencesError::Infeasible { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}
