use crate::sequences::BlockSizes;

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
///
/// ```
/// use shoal_algorithms::sequences::fcla::FclaParams;
/// use shoal_algorithms::sequences::{SequencesAlgorithm, SequencesError};
/// use shoal_core::{SequencesPromise, Silent, Support};
///
/// # use std::sync::Arc;
/// # use shoal_core::{Column, Hierarchy, Kind, RawTable, Role, Sequences, Table};
/// # let rows = [["Bonn", "flu"], ["Köln", "flu"], ["Kiel", "flu"], ["Kiel", "gout"]].map(Vec::from);
/// # let raw = RawTable::from_rows(&["town", "illness"], &rows);
/// # let lines = [["Bonn", "west", "*"], ["Köln", "west", "*"], ["Kiel", "north", "*"], ["Husum", "north", "*"]];
/// # let tree = Arc::new(Hierarchy::from_rows(&lines.map(Vec::from))?);
/// # let town = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Text, &[]).unwrap().with_hierarchy(&tree).unwrap();
/// # let illness = Column::encode(&raw.columns[1], Role::Sensitive, Kind::Text, &[]).unwrap();
/// # let events = Table { columns: vec![town, illness], rows: raw.rows };
/// # let data = Sequences::new(events, vec![0, 1, 2, 3, 4])?;
/// // One person was in Bonn, one in Köln, two in Kiel. Whoever knows one value of a person must find two people.
/// let promise = SequencesPromise { k: 2, length: Some(1), support: Support::Compatible, limits: Vec::new(), distributions: Default::default() };
/// let recoding = FclaParams::fcla().check().anonymize(&data, &promise, &Silent)?.recoding;
/// let published = |event: usize| {
///     let class = &recoding.events.classes[recoding.events.class_of[event] as usize];
///     data.events().columns[0].render(&class.cells[0])
/// };
/// assert_eq!([0, 1, 2, 3].map(published), ["west", "west", "Kiel", "Kiel"]);
///
/// // It needs to be said how much somebody may know.
/// let promise = SequencesPromise { length: None, ..promise };
/// let refused = FclaParams::fcla().check().anonymize(&data, &promise, &Silent);
/// assert!(matches!(refused, Err(SequencesError::NoLength { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FclaParams {
    /// How sequences are compared and put together.
    pub distance: Distance,
    /// Whether pairs of events as the distance, and one cluster of everybody, are tried as well, and what loses least is published; not in the paper.
    pub alternatives: bool,
    /// From when on people are cut into blocks of near ones, each of which is grouped by itself, and how large these are.
    pub blocks: BlockSizes,
}

impl Default for FclaParams {
    fn default() -> Self {
        FclaParams { distance: Distance::default(), alternatives: false, blocks: BlockSizes::FCLA }
    }
}

impl FclaParams {
    /// `fcla`: by alignment, and another way where that loses less.
    pub fn fcla() -> FclaParams {
        FclaParams { alternatives: true, ..FclaParams::default() }
    }

    /// `fcla-base1`: the paper's comparison, without dynamic programming and without what we have added.
    pub fn base1() -> FclaParams {
        FclaParams { distance: Distance::EventPairs, ..FclaParams::default() }
    }

    /// All of them make sense, so this cannot fail.
    pub fn check(self) -> ValidFclaParams {
        ValidFclaParams(self)
    }
}

/// Checked parameters: FCLA, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidFclaParams(pub(super) FclaParams);
