use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;

/// What Mondrian can be asked for.
///
/// ```
/// use shoal_algorithms::table::mondrian::MondrianParams;
/// use shoal_algorithms::table::{ParamsError, TableAlgorithm};
/// use shoal_core::Silent;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/six_people.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = six_people(); // 23, 27, 28, 31, 35 and 36 years old
/// let mondrian = MondrianParams::new(3).check()?;
/// let recoding = mondrian.anonymize(&table, &Silent)?.recoding;
/// assert_eq!(ages(&table, &recoding), ["2x", "2x", "2x", "3x", "3x", "3x"]);
///
/// // Parameters that promise nothing do not become an algorithm.
/// assert_eq!(MondrianParams::new(1).check(), Err(ParamsError::KTooSmall { k: 1 }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MondrianParams {
    /// What every class must satisfy.
    pub promise: TablePromise,
}

impl MondrianParams {
    /// Classes of at least `k`.
    pub fn new(k: usize) -> Self {
        MondrianParams { promise: TablePromise::crowds(k) }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidMondrianParams, ParamsError> {
        check_promise(&self.promise)?;
        Ok(ValidMondrianParams(self))
    }
}

/// Checked parameters: Mondrian, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidMondrianParams(pub(in crate::table) MondrianParams);
