use std::fmt;
use std::str::FromStr;

use super::BuildError;

/// A number exactly as it is written, with its fraction digits: `units` / 10^`digits`.
///
/// Bounds of intervals are computed in these and not in floating point, so that `[0.1, 0.3]` ends where it
/// says and a value lies in the interval that names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Number {
    units: i128,
    digits: u32,
}

/// Sums of a few numbers below this bound stay far from the end of `i128`.
const MOST: i128 = 10_i128.pow(36);

impl Number {
    /// `units` / 10^`digits`.
    pub(super) fn new(units: i128, digits: u32) -> Self {
        Number { units, digits }
    }

    /// How many digits follow the decimal point.
    pub(super) fn digits(self) -> u32 {
        self.digits
    }

    /// The number in units of 10^-`digits`, which must not be coarser than its own; `None` when too large.
    pub(super) fn in_units(self, digits: u32) -> Option<i128> {
        let factor = 10_i128.checked_pow(digits.checked_sub(self.digits)?)?;
        self.units.checked_mul(factor).filter(|units| units.abs() < MOST)
    }

    /// The same number without zeros at the end of its fraction.
    pub(crate) fn trimmed(self) -> Self {
        let mut number = self;
        while number.digits > 0 && number.units % 10 == 0 {
            number = Number { units: number.units / 10, digits: number.digits - 1 };
        }
        number
    }

    /// Whether the number lies above 0.
    pub(super) fn is_positive(self) -> bool {
        self.units > 0
    }
}

impl From<i64> for Number {
    fn from(whole: i64) -> Self {
        Number { units: whole.into(), digits: 0 }
    }
}

impl FromStr for Number {
    type Err = BuildError;

    /// Reads what a column of decimals may hold: `12`, `-0.50`, `.5`, `1.5e-3`.
    fn from_str(text: &str) -> Result<Self, BuildError> {
        if !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(BuildError::NotANumber { text: text.to_owned() });
        }
        exactly(text).ok_or_else(|| BuildError::Digits { value: text.to_owned() })
    }
}

/// `None` when the digits do not fit.
fn exactly(text: &str) -> Option<Number> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let units: i128 = format!("{whole}{fraction}").parse().ok()?;
    // A positive exponent moves the point to the right. Beyond the last digit it multiplies instead (`lift`).
    let digits = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    let (lift, digits) = if digits < 0 { (digits.unsigned_abs(), 0) } else { (0, digits.unsigned_abs()) };
    let units = if units == 0 { 0 } else { units.checked_mul(10_i128.checked_pow(lift)?)? };
    (units.abs() < MOST).then_some(Number { units, digits })
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.units < 0 { "-" } else { "" };
        let places = self.digits as usize;
        let figures = format!("{:0>width$}", self.units.unsigned_abs(), width = places + 1);
        let (whole, fraction) = figures.split_at(figures.len() - places);
        let point = if places > 0 { "." } else { "" };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written_exactly() {
        for (text, written) in [
            ("0.30", "0.30"),
            ("-0.05", "-0.05"),
            (".5", "0.5"),
            ("5.", "5"),
            ("+7", "7"),
            ("1.5e3", "1500"),
            ("1.5E-2", "0.015"),
            ("0e99", "0"),
            ("-0", "0"),
        ] {
            assert_eq!(text.parse::<Number>().unwrap().to_string(), written, "{text}");
        }
        assert_eq!("12.500".parse::<Number>().unwrap().trimmed().to_string(), "12.5");
    }

    #[test]
    fn what_is_no_number_or_too_long_is_told_apart() {
        for text in ["", "-", "x", "inf", "NaN", "1e999", "1,5", " 5"] {
            assert!(matches!(text.parse::<Number>(), Err(BuildError::NotANumber { .. })), "{text:?}");
        }
        for text in ["1e60", "123456789012345678901234567890123456789012345"] {
            assert!(matches!(text.parse::<Number>(), Err(BuildError::Digits { .. })), "{text:?}");
        }
        let tiny: Number = "1e-60".parse().unwrap();
        assert_eq!(Number::from(1).in_units(tiny.digits()), None);
    }
}
