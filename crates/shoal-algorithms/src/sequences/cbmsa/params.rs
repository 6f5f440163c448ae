use crate::sequences::{BlockSizes, Remainder};

/// What CBMSA can be asked for.
///
/// ```
/// use shoal_algorithms::sequences::SequencesAlgorithm;
/// use shoal_algorithms::sequences::cbmsa::CbmsaParams;
/// use shoal_core::{Bound, Limit, SequencesPromise, Silent, Support};
///
/// # use std::sync::Arc;
/// # use shoal_core::{Column, Hierarchy, Kind, RawTable, Role, Sequences, Table};
/// # let rows = [["Bonn", "flu"], ["Kiel", "flu"], ["Köln", "flu"], ["Kiel", "HIV"], ["Husum", "flu"], ["Husum", "gout"]].map(Vec::from);
/// # let raw = RawTable::from_rows(&["town", "illness"], &rows);
/// # let lines = [["Bonn", "west", "*"], ["Köln", "west", "*"], ["Kiel", "north", "*"], ["Husum", "north", "*"]];
/// # let tree = Arc::new(Hierarchy::from_rows(&lines.map(Vec::from))?);
/// # let town = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Text, &[]).unwrap().with_hierarchy(&tree).unwrap();
/// # let illness = Column::encode(&raw.columns[1], Role::Sensitive, Kind::Text, &[]).unwrap();
/// # let events = Table { columns: vec![town, illness], rows: raw.rows };
/// # let data = Sequences::new(events, vec![0, 2, 4, 5, 6])?;
/// // Two people went from the west to Kiel, one of them with HIV; two were in Husum.
/// let limit = Limit { column: "illness".into(), values: Some(vec!["HIV".into()]), bound: Bound::Share(0.5) };
/// let promise = SequencesPromise { k: 2, length: None, support: Support::Paper, limits: vec![limit], distributions: Default::default() };
/// let recoding = CbmsaParams::default().check().anonymize(&data, &promise, &Silent)?.recoding;
///
/// // Each is published with somebody else, and Bonn and Köln as what covers both.
/// assert_eq!(recoding.cluster_of, [0, 0, 1, 1]);
/// let first = &recoding.events.classes[recoding.events.class_of[0] as usize];
/// assert_eq!(data.events().columns[0].render(&first.cells[0]), "west");
///
/// // Nobody may have HIV in a crowd: then those two cannot be one.
/// let strict = Limit { bound: Bound::Share(0.0), ..promise.limits[0].clone() };
/// let promise = SequencesPromise { limits: vec![strict], ..promise };
/// let recoding = CbmsaParams::default().check().anonymize(&data, &promise, &Silent)?.recoding;
/// assert_ne!(recoding.cluster_of[0], recoding.cluster_of[1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbmsaParams {
    /// What becomes of the people who are left.
    pub remainder: Remainder,
    /// Whether finished crowds exchange members as long as less is lost by it. The paper's do not.
    pub improve: bool,
    /// From when on people are cut into blocks of near ones, each of which is grouped by itself, and how large these are.
    pub blocks: BlockSizes,
}

impl Default for CbmsaParams {
    fn default() -> Self {
        CbmsaParams { remainder: Remainder::default(), improve: true, blocks: BlockSizes::CBMSA }
    }
}

impl CbmsaParams {
    /// All of them make sense, so this cannot fail.
    pub fn check(self) -> ValidCbmsaParams {
        ValidCbmsaParams(self)
    }
}

/// Checked parameters: CBMSA, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidCbmsaParams(pub(super) CbmsaParams);
