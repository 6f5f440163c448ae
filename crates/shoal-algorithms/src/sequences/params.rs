/// What becomes of the people who are left when no further cluster can be formed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Remainder {
    /// Each joins the cluster that loses least by it and still keeps the promise; who fits nowhere is left out.
    #[default]
    Nearest,
    /// They are left out of the release, as in the paper.
    Suppress,
}
