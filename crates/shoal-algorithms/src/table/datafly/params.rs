use crate::table::ParamsError;

/// What Datafly is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataflyParams {
    /// The least size of a class.
    pub k: usize,
}

impl DataflyParams {
    /// Checks the parameters.
    pub fn check(self) -> Result<ValidDataflyParams, ParamsError> {
        if self.k < 2 {
            return Err(ParamsError::KTooSmall { k: self.k });
        }
        Ok(ValidDataflyParams(self))
    }
}

/// Checked [`DataflyParams`]: the algorithm itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidDataflyParams(DataflyParams);

impl ValidDataflyParams {
    /// The parameters.
    pub fn params(&self) -> &DataflyParams {
        &self.0
    }
}
