use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;

/// What Incognito is asked for.
///
/// ```
/// use shoal_algorithms::table::TableAlgorithm;
/// use shoal_algorithms::table::incognito::IncognitoParams;
/// use shoal_core::Silent;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/six_people.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = six_people(); // 23, 27, 28, 31, 35 and 36 years old
/// let incognito = IncognitoParams::new(4).check()?;
/// // Three people in each decade are not four, so that only `*` is left.
/// let minimal = incognito.minimal_nodes(&table, &Silent)?;
/// assert_eq!(minimal.nodes[0].levels, [2]);
/// let recoding = incognito.anonymize(&table, &Silent)?.recoding;
/// assert_eq!(ages(&table, &recoding), ["*"; 6]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IncognitoParams {
    /// What every class must satisfy.
    pub promise: TablePromise,
    /// The share of records that may be left out, from 0 (none, the default) to 1.
    pub max_suppressed: f64,
    /// Which of the minimal nodes is published.
    pub choose: Choice,
}

/// Which of the minimal nodes is published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// The one that loses least (total NCP, a suppressed cell counting 1); then the lowest, then the first
    /// in lexicographic order of steps.
    #[default]
    Ncp,
    /// The lowest (least sum of steps), as in the paper; then the one that loses least, then the first in
    /// lexicographic order of steps.
    Height,
}

impl IncognitoParams {
    /// Classes of k, nobody left out, the minimal node that loses least.
    pub fn new(k: usize) -> Self {
        IncognitoParams { promise: TablePromise::crowds(k), max_suppressed: 0.0, choose: Choice::default() }
    }

    /// Checks the parameters.
    pub fn check(self) -> Result<ValidIncognitoParams, ParamsError> {
        check_promise(&self.promise)?;
        if !(0.0..=1.0).contains(&self.max_suppressed) {
            return Err(ParamsError::NotAShare { name: "max-suppressed", value: self.max_suppressed });
        }
        Ok(ValidIncognitoParams(self))
    }
}

/// Checked [`IncognitoParams`]: the algorithm itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidIncognitoParams(IncognitoParams);

impl ValidIncognitoParams {
    /// The parameters.
    pub fn params(&self) -> &IncognitoParams {
        &self.0
    }
}
