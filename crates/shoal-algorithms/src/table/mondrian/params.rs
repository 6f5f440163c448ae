use crate::table::ParamsError;

/// What Mondrian can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MondrianParams {
    /// The least size of a class.
    pub k: usize,
}

impl MondrianParams {
    /// Classes of at least `k`.
    pub fn new(k: usize) -> Self {
        MondrianParams { k }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidMondrianParams, ParamsError> {
        if self.k < 2 {
            return Err(ParamsError::KTooSmall { k: self.k });
        }
        Ok(ValidMondrianParams(self))
    }
}

/// Checked parameters: Mondrian, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidMondrianParams(pub(super) MondrianParams);
