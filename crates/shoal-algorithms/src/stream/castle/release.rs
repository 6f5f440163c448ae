use shoal_core::NodeId;

/// One quasi-identifier of a tuple as it arrives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CastleValue {
    /// A number; a date comes as one.
    Number(f64),
    /// No number where one should be. It is published as such with others of its kind, and as `*` beside numbers.
    Missing,
    /// The code of a value, or the number of a leaf where the column has a hierarchy.
    Code(u32),
}

/// A tuple that leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct CastleRelease {
    /// Where it stood in the stream.
    pub position: u64,
    /// What is published of its quasi-identifiers; empty where it is suppressed.
    pub cells: Vec<CastleCell>,
    /// Whether nothing of it may be shown, its sensitive value included.
    pub suppressed: bool,
}

/// A generalized cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CastleCell {
    /// From the least to the greatest number, both included.
    Range(f64, f64),
    /// The number is missing.
    Missing,
    /// Any number, or none.
    Any,
    /// One of these codes, ascending.
    Set(Vec<u32>),
    /// A value below this node of the hierarchy.
    Node(NodeId),
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CastleFigures {
    /// Tuples that came.
    pub tuples: u64,
    /// Tuples that left, those suppressed included.
    pub released: u64,
    /// Tuples of which nothing was shown.
    pub suppressed: u64,
    /// Tuples that joined a class that was out already.
    pub reused: u64,
    /// Classes published.
    pub classes: u64,
    /// Classes that needed tuples of other clusters.
    pub merged: u64,
    /// Clusters that were published in parts.
    pub split: u64,
}
