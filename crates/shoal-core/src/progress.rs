/// Where long work says how far it is. The fronts draw it; the kernels only call it.
pub trait Progress: Sync {
    /// A new stage begins ("reading", "clustering"); `total` steps are expected, 0 when unknown.
    fn stage(&self, name: &str, total: u64);
    /// `done` further steps of the current stage are finished.
    fn advance(&self, done: u64);

    /// Whether work that could go on for ever may go on. Asked between rounds; kernels have no clock.
    fn go_on(&self) -> bool {
        true
    }
}

/// Nobody is watching.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _done: u64) {}
}
