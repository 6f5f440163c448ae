use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;
use crate::table::suppress::check_limit;

/// What Datafly is asked for.
///
/// ```
/// use shoal_algorithms::table::TableAlgorithm;
/// use shoal_algorithms::table::datafly::DataflyParams;
/// use shoal_core::Silent;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/six_people.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = six_people(); // 23, 27, 28, 31, 35 and 36 years old
/// let datafly = DataflyParams::new(3).check()?;
/// // Decades are general enough; nobody has to be left out.
/// assert_eq!(datafly.levels(&table, &Silent)?, [1]);
/// let recoding = datafly.anonymize(&table, &Silent)?.recoding;
/// assert_eq!(ages(&table, &recoding), ["2x", "2x", "2x", "3x", "3x", "3x"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DataflyParams {
    /// What every class must satisfy.
    pub promise: TablePromise,
    /// The share of records that may be left out, from 0 to 1. Without it, k of them may.
    pub max_suppressed: Option<f64>,
}

impl DataflyParams {
    /// Classes of `k`, up to k records left out.
    pub fn new(k: usize) -> Self {
        DataflyParams { promise: TablePromise::crowds(k), max_suppressed: None }
    }

    /// Checks the parameters.
    pub fn check(self) -> Result<ValidDataflyParams, ParamsError> {
        check_promise(&self.promise)?;
        check_limit(self.max_suppressed)?;
        Ok(ValidDataflyParams(self))
    }
}

/// Checked [`DataflyParams`]: the algorithm itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidDataflyParams(DataflyParams);

impl ValidDataflyParams {
    /// The parameters.
    pub fn params(&self) -> &DataflyParams {
        &self.0
    }
}
