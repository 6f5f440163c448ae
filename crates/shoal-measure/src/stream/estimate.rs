use serde::Serialize;

/// A count that was estimated, and how far it may be off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Estimate {
    /// The count; below 0 where chance will have it.
    pub count: f64,
    /// The root of the variance, and 0 where that was estimated below 0.
    pub standard_error: f64,
    /// The estimated variance of the count.
    #[serde(skip)]
    pub variance: f64,
}

impl Estimate {
    /// A count and its variance.
    pub fn new(count: f64, variance: f64) -> Estimate {
        Estimate { count, standard_error: variance.max(0.0).sqrt(), variance }
    }
}
