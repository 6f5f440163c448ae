//! Promises that cannot be kept.

use shoal_core::{Bound, Silent};

use super::data::{promise, rows, visits};
use crate::sequences::fcla::FclaParams;
use crate::sequences::{SequencesAlgorithm, SequencesError};

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let data = visits(&rows("1 a x\n2 a y\n3 b x"), &["a;* b;*".to_owned()]);
    let refused = |promise: &shoal_core::SequencesPromise| {
        let error = FclaParams::default().check().anonymize(&data, promise, &Silent).unwrap_err();
        assert!(!error.hint().is_empty());
        error
    };
    let gain = Bound::Gain(1.0);
    assert!(matches!(
        refused(&promise(4, 2, None, gain)),
        SequencesError::TooFewPersons { k: 4, persons: 3 }
    ));
    assert!(matches!(refused(&promise(2, 0, None, gain)), SequencesError::NothingKnown));
    for beta in [0.0, -1.0, f64::NAN] {
        assert!(matches!(refused(&promise(2, 2, None, Bound::Gain(beta))), SequencesError::NotAGain { .. }));
    }
    assert!(matches!(refused(&promise(2, 2, None, Bound::Share(1.5))), SequencesError::NotAShare { .. }));
    assert!(matches!(
        refused(&promise(2, 2, None, Bound::Share(0.5))),
        SequencesError::Infeasible { sensitive: 2, .. }
    ));
    assert!(matches!(refused(&promise(2, 2, Some(&["z"]), gain)), SequencesError::UnknownValue { .. }));
    let mut endless = promise(2, 2, None, gain);
    endless.length = None;
    assert!(matches!(refused(&endless), SequencesError::NoLength { algorithm: "fcla" }));
    let mut elsewhere = promise(2, 2, None, gain);
    elsewhere.limits[0].column = "t".to_owned();
    assert!(matches!(refused(&elsewhere), SequencesError::UnknownColumn { .. }));
}
