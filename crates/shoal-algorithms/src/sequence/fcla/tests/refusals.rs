//! Promises that cannot be kept.

use shoal_core::{Bound, Silent};

use super::data::{promise, rows, visits};
use crate::sequence::fcla::FclaParams;
use crate::sequence::{SequenceAlgorithm, SequenceError};

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let data = visits(&rows("1 a x\n2 a y\n3 b x"), &["a;* b;*".to_owned()]);
    let refused = |promise: &shoal_core::SequencePromise| {
        let error = FclaParams::default().check().anonymize(&data, promise, &Silent).unwrap_err();
        assert!(!error.hint().is_empty());
        error
    };
    let gain = Bound::Gain(1.0);
    assert!(matches!(refused(&promise(4, 2, None, gain)), SequenceError::TooFewPersons { k: 4, persons: 3 }));
    assert!(matches!(refused(&promise(2, 0, None, gain)), SequenceError::NothingKnown));
    for beta in [0.0, -1.0, f64::NAN] {
        assert!(matches!(refused(&promise(2, 2, None, Bound::Gain(beta))), SequenceError::NotAGain { .. }));
    }
    assert!(matches!(refused(&promise(2, 2, None, Bound::Share(1.5))), SequenceError::NotAShare { .. }));
    assert!(matches!(
        refused(&promise(2, 2, None, Bound::Share(0.5))),
        SequenceError::Infeasible { sensitive: 2, .. }
    ));
    assert!(matches!(refused(&promise(2, 2, Some(&["z"]), gain)), SequenceError::UnknownValue { .. }));
    let mut endless = promise(2, 2, None, gain);
    endless.length = None;
    assert!(matches!(refused(&endless), SequenceError::NoLength { algorithm: "fcla" }));
    let mut elsewhere = promise(2, 2, None, gain);
    elsewhere.limits[0].column = "t".to_owned();
    assert!(matches!(refused(&elsewhere), SequenceError::UnknownColumn { .. }));
}
