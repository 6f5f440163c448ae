use crate::sequences::Remainder;

/// What the baseline can be asked for.
///
/// ```
/// use shoal_algorithms::sequences::SequencesAlgorithm;
/// use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
/// use shoal_core::{SequencesPromise, Silent, Support};
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
/// let promise = SequencesPromise { k: 2, length: None, support: Support::Paper, limits: Vec::new(), distributions: Default::default() };
/// let run = |seed| BaselineParams { seed, ..BaselineParams::default() }.check().anonymize(&data, &promise, &Silent);
///
/// // A seed draws the same events each time; everybody is published with at least one other.
/// let recoding = run(1)?.recoding;
/// assert_eq!(run(1)?.recoding, recoding);
/// assert_eq!(recoding.cluster_of, [0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaselineParams {
    /// Which events are drawn to be suppressed depends on it.
    pub seed: u64,
    /// What becomes of the people who are left.
    pub remainder: Remainder,
}

impl BaselineParams {
    /// All of them make sense, so this cannot fail.
    pub fn check(self) -> ValidBaselineParams {
        ValidBaselineParams(self)
    }
}

/// Checked parameters: the baseline, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidBaselineParams(pub(super) BaselineParams);
