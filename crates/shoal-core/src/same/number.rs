//! Numbers by value, exactly: no floating point comes between.

/// A number as its digits without leading and trailing zeros, and the power of ten of the last of
/// them. Zero has no digits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Exact {
    negative: bool,
    significant: String,
    power: i64,
}

impl Exact {
    /// The number that a text is; `None` where it is not digits, with a sign or a point at
    /// most.
    pub(super) fn plain(text: &str) -> Option<Exact> {
        Exact::new(text, 0)
    }

    /// The same where an exponent is allowed.
    pub(super) fn with_exponent(text: &str) -> Option<Exact> {
        match text.split_once('e') {
            Some((mantissa, exponent)) => Exact::new(mantissa, exponent.parse().ok()?),
            None => Exact::new(text, 0),
        }
    }

    fn new(text: &str, exponent: i64) -> Option<Exact> {
        let (negative, mantissa) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) || whole.len() + fraction.len() == 0 {
            return None;
        }
        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_start_matches('0').trim_end_matches('0').to_owned();
        if significant.is_empty() {
            // One zero, without a sign: −0 and 0 are the same number.
            return Some(Exact { negative: false, significant, power: 0 });
        }
        // Each digit of the fraction lowers the power, each zero that was cut off at the
        // end raises it.
        let behind = digits.len() - digits.trim_end_matches('0').len();
        let power = exponent.checked_sub(fraction.len() as i64)?.checked_add(behind as i64)?;
        Some(Exact { negative, significant, power })
    }

    /// Digits, and an exponent where there is one. The capital letter keeps numbers apart from
    /// folded texts, which have none.
    pub(super) fn scientific(&self) -> String {
        let sign = self.sign();
        match self {
            Exact { significant, .. } if significant.is_empty() => "0".to_owned(),
            Exact { significant, power: 0, .. } => format!("{sign}{significant}"),
            Exact { significant, power, .. } => format!("{sign}{significant}E{power}"),
        }
    }

    /// The number in digits only: about as long as the text that it was read from, if that had
    /// no exponent.
    pub(super) fn digits(&self) -> String {
        let Exact { significant, power, .. } = self;
        let sign = self.sign();
        if significant.is_empty() {
            return "0".to_owned();
        }
        let Ok(zeros) = usize::try_from(*power) else {
            let fraction = power.unsigned_abs() as usize;
            let padded = format!("{significant:0>width$}", width = fraction + 1);
            let (whole, fraction) = padded.split_at(padded.len() - fraction);
            return format!("{sign}{whole}.{fraction}");
        };
        format!("{sign}{significant}{}", "0".repeat(zeros))
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }
}
