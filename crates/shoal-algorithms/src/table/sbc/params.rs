use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;
use crate::table::suppress::check_limit;

/// What becomes of the records that are left when no further class can be formed: fewer than k where nothing
/// else is promised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remainder {
    /// Each joins the class that loses least by it.
    #[default]
    Nearest,
    /// All join the class that was formed last.
    Last,
    /// They are left out of the release.
    Suppress,
}

/// What SBC can be asked for.
///
/// ```
/// use shoal_algorithms::table::TableAlgorithm;
/// use shoal_algorithms::table::sbc::{Remainder, SbcParams};
/// use shoal_core::Silent;
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/six_people.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = six_people(); // 23, 27, 28, 31, 35 and 36 years old
/// // One class of four; the two that are left are not enough for another one.
/// let params = SbcParams { remainder: Remainder::Suppress, ..SbcParams::new(4) };
/// let recoding = params.clone().check()?.anonymize(&table, &Silent)?.recoding;
/// assert_eq!((recoding.classes.len(), recoding.suppressed()), (1, 2));
///
/// // A limit makes that an error.
/// let strict = SbcParams { max_suppressed: Some(0.1), ..params };
/// assert!(strict.check()?.anonymize(&table, &Silent).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SbcParams {
    /// What every class must satisfy.
    pub promise: TablePromise,
    /// What becomes of the records that are left.
    pub remainder: Remainder,
    /// Whether text columns together count as much as ordered columns together (the thesis' variant), and
    /// not every column by its own weight.
    pub separate_normalization: bool,
    /// The share of records that may be left out, from 0 to 1; no limit where nothing is given.
    pub max_suppressed: Option<f64>,
}

impl SbcParams {
    /// The usual way to classes of `k`.
    pub fn new(k: usize) -> Self {
        SbcParams {
            promise: TablePromise::crowds(k),
            remainder: Remainder::default(),
            separate_normalization: false,
            max_suppressed: None,
        }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidSbcParams, ParamsError> {
        check_promise(&self.promise)?;
        check_limit(self.max_suppressed)?;
        Ok(ValidSbcParams(self))
    }
}

/// Checked parameters: SBC, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidSbcParams(pub(super) SbcParams);
