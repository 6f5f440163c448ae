/// How far two sequences are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distance {
    /// The loss of the best alignment of their events (dynamic programming).
    #[default]
    Aligned,
    /// The loss when the first event is paired with the first, the second with the second, and those that one of the
    /// two has more are suppressed: the paper's Base1.
    EventPairs,
}

/// What FCLA can be asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FclaParams {
    /// How sequences are compared and put together.
    pub distance: Distance,
}

impl FclaParams {
    /// Parameters that make sense: all of them do.
    pub fn check(self) -> ValidFclaParams {
        ValidFclaParams(self)
    }
}

/// Checked parameters: FCLA, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidFclaParams(pub(super) FclaParams);
