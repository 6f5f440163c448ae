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
    /// Whether one cluster of everybody is tried beside small ones, which is not in the paper.
    pub one_cluster: bool,
}

impl FclaParams {
    /// `fcla`: by alignment, and with one cluster where that loses less.
    pub fn fcla() -> FclaParams {
        FclaParams { distance: Distance::Aligned, one_cluster: true }
    }

    /// `fcla-base1`: the paper's comparison, without dynamic programming and without what we have added.
    pub fn base1() -> FclaParams {
        FclaParams { distance: Distance::EventPairs, one_cluster: false }
    }

    /// Parameters that make sense: all of them do.
    pub fn check(self) -> ValidFclaParams {
        ValidFclaParams(self)
    }
}

/// Checked parameters: FCLA, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidFclaParams(pub(super) FclaParams);
