use crate::table::ParamsError;

/// What becomes of the fewer than k records that are left when no further class can be formed.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SbcParams {
    /// The size of a class.
    pub k: usize,
    /// What becomes of the records that are left.
    pub remainder: Remainder,
    /// Whether text columns together count as much as ordered columns together (the thesis' variant), and
    /// not every column by its own weight.
    pub separate_normalization: bool,
}

impl SbcParams {
    /// The usual way to classes of `k`.
    pub fn new(k: usize) -> Self {
        SbcParams { k, remainder: Remainder::default(), separate_normalization: false }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidSbcParams, ParamsError> {
        if self.k < 2 {
            return Err(ParamsError::KTooSmall { k: self.k });
        }
        Ok(ValidSbcParams(self))
    }
}

/// Checked parameters: SBC, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidSbcParams(pub(super) SbcParams);
