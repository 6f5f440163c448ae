use serde::Serialize;

/// The confidence of all intervals: a bound that holds is called beaten once in two thousand attacks, since only its lower
/// end counts.
pub const CONFIDENCE: f64 = 0.999;

/// A Clopper–Pearson interval (C. J. Clopper, E. S. Pearson, *The use of confidence or fiducial limits illustrated in the case of
/// the binomial*, Biometrika 26, 1934): it covers the true share with at least the stated confidence, whatever the share and the
/// number of tries. Wilson's is shorter, but covers less near 0 and 1, where attacks end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Interval {
    /// How many tries there were.
    pub tries: u64,
    /// The confidence of the interval.
    pub confidence: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of a share of which `right` of `tries` were seen, with the usual confidence.
    pub fn of(right: u64, tries: u64) -> Interval {
        Interval::with_confidence(right, tries, CONFIDENCE)
    }

    /// The same with another confidence.
    ///
    /// ```
    /// # use shoal_measure::attack::Interval;
    /// // The usual example: 8 of 20, 95 %.
    /// let interval = Interval::with_confidence(8, 20, 0.95);
    /// assert!((interval.low - 0.1912).abs() < 1e-4 && (interval.high - 0.6395).abs() < 1e-4);
    /// ```
    pub fn with_confidence(right: u64, tries: u64, confidence: f64) -> Interval {
        let tail = (1.0 - confidence) / 2.0;
        let (x, n) = (right as f64, tries as f64);
        // P(at least x of n | p) = I_p(x, n − x + 1), P(at most x of n | p) = 1 − I_p(x + 1, n − x).
        let low = if right == 0 { 0.0 } else { solve(|p| beta(p, x, n - x + 1.0), tail) };
        let high = if right >= tries { 1.0 } else { solve(|p| beta(p, x + 1.0, n - x), 1.0 - tail) };
        Interval { tries, confidence, low, high }
    }
}

/// The p between 0 and 1 at which an increasing function reaches a level.
fn solve(increasing: impl Fn(f64) -> f64, level: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // Each step halves the distance; sixty are more than a double can tell apart.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if increasing(middle) < level { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The regularized incomplete beta function I_x(a, b), by its continued fraction.
fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    // The fraction converges fast only on this side of the mean; the other side is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, evaluated by Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let kept = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    // It needs about √max(a, b) steps; the limit is for the loop to end, whatever rounding does.
    for step in 1..100_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for term in [even, odd] {
            d = 1.0 / kept(1.0 + term * d);
            c = kept(1.0 + term / c);
            result *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    result
}

/// ln Γ(x) for x > 0, by Lanczos' approximation (g = 7, nine terms), right to about fifteen digits.
fn ln_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let sum: f64 =
        TERMS[0] + TERMS.iter().zip(0..).skip(1).map(|(term, at)| term / (x + f64::from(at))).sum::<f64>();
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(at least `right` of `tries`), summed term by term.
    fn at_least(right: u64, tries: u64, p: f64) -> f64 {
        let mut term = (1.0 - p).powi(tries as i32);
        let mut sum = 0.0;
        for x in 0..=tries {
            if x >= right {
                sum += term;
            }
            term *= (tries - x) as f64 / (x + 1) as f64 * p / (1.0 - p);
        }
        sum
    }

    #[test]
    fn the_ends_are_where_the_tails_are_as_asked() {
        for (right, tries) in [(1, 7), (3, 10), (19, 20), (8, 20), (50, 100), (2, 400)] {
            let found = Interval::with_confidence(right, tries, 0.99);
            assert!((at_least(right, tries, found.low) - 0.005).abs() < 1e-9, "{right} of {tries}");
            assert!(
                (1.0 - at_least(right + 1, tries, found.high) - 0.005).abs() < 1e-9,
                "{right} of {tries}"
            );
        }
    }

    #[test]
    fn nothing_and_everything_have_ends_too() {
        let (none, all) = (Interval::of(0, 100), Interval::of(100, 100));
        assert!(none.low == 0.0 && none.high > 0.0 && none.high < 0.1);
        assert!(all.high == 1.0 && (all.low - (1.0 - none.high)).abs() < 1e-12);
        assert_eq!(Interval::of(0, 0).high, 1.0);
        let many = Interval::of(500_000, 1_000_000);
        assert!(many.low > 0.498 && many.high < 0.502 && many.low < 0.4985);
    }
}
