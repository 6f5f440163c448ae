use crate::sequences::Remainder;

/// What CBMSA can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbmsaParams {
    /// What becomes of the people who are left.
    pub remainder: Remainder,
    /// Whether finished crowds exchange members as long as less is lost by it. The paper's do not.
    pub improve: bool,
}

impl Default for CbmsaParams {
    fn default() -> Self {
        CbmsaParams { remainder: Remainder::default(), improve: true }
    }
}

impl CbmsaParams {
    /// Parameters that make sense: all of them do.
    pub fn check(self) -> ValidCbmsaParams {
        ValidCbmsaParams(self)
    }
}

/// Checked parameters: CBMSA, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidCbmsaParams(pub(super) CbmsaParams);
