use crate::sequences::Remainder;

/// What the baseline can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaselineParams {
    /// Which events are drawn to be suppressed depends on it.
    pub seed: u64,
    /// What becomes of the people who are left.
    pub remainder: Remainder,
}

impl BaselineParams {
    /// Parameters that make sense: all of them do.
    pub fn check(self) -> ValidBaselineParams {
        ValidBaselineParams(self)
    }
}

/// Checked parameters: the baseline, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidBaselineParams(pub(super) BaselineParams);
