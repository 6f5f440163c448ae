//! What the parameters of several algorithms have in common.

use super::ParamsError;

/// Weights between 0 and 1, where any are given.
pub(super) fn check_weights(weights: Option<&[f64]>) -> Result<(), ParamsError> {
    let wrong = weights.unwrap_or_default().iter().position(|weight| !(0.0..=1.0).contains(weight));
    match (wrong, weights) {
        (Some(item), Some(weights)) => {
            Err(ParamsError::NotAWeight { item: item as u32, value: weights[item] })
        }
        _ => Ok(()),
    }
}

/// A share of the items between 0 and 1.
pub(super) fn check_max_suppressed(value: f64) -> Result<(), ParamsError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(ParamsError::NotAShare { name: "max-suppressed", value })
}

/// How many items a share is. A share such as 0.29 is a little less as a floating-point number, which must not
/// cost an item.
pub(super) fn allowed(max_suppressed: f64, items: usize) -> usize {
    (max_suppressed * items as f64 + 1e-9).floor() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_items_is_a_whole_number() {
        assert_eq!([0.0, 0.15, 0.29, 1.0].map(|share| allowed(share, 100)), [0, 15, 29, 100]);
        assert_eq!(allowed(0.15, 7), 1);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(check_weights(None).is_ok());
        assert!(check_weights(Some(&[0.0, 1.0])).is_ok());
        assert_eq!(check_weights(Some(&[1.0, 2.0])), Err(ParamsError::NotAWeight { item: 1, value: 2.0 }));
        assert!(check_weights(Some(&[f64::NAN])).is_err());
        for value in [-0.1, 1.1, f64::INFINITY] {
            assert_eq!(
                check_max_suppressed(value),
                Err(ParamsError::NotAShare { name: "max-suppressed", value })
            );
        }
    }
}
