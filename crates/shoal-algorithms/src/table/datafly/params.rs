use shoal_core::TablePromise;

use crate::table::ParamsError;
use crate::table::conditions::check_promise;
use crate::table::suppress::check_limit;

/// What Datafly is asked for.
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
