/// What HALT can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HaltParams {
    /// How many patterns are looked at before the search gives up; without end where nothing is given. Their
    /// number grows with the power of the length, and a kernel has no clock to stop it.
    pub max_patterns: Option<u64>,
    /// Whether patterns of all lengths are searched for from the start, single items aside, and not by length: more
    /// work the longer they are, and other levels in the end.
    pub all_at_once: bool,
}

impl HaltParams {
    /// Parameters that make sense: all of them do.
    pub fn check(self) -> ValidHaltParams {
        ValidHaltParams(self)
    }
}

/// Checked parameters: HALT, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidHaltParams(pub(super) HaltParams);
