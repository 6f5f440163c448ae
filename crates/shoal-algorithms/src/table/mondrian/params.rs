use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;

/// What Mondrian can be asked for.
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
