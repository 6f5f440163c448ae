/// What HALT can be asked for.
///
/// ```
/// use shoal_algorithms::sequences::halt::HaltParams;
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
/// let halt = HaltParams::default().check();
/// let result = halt.run(&data, &promise, &Silent)?;
/// // Everybody's town is published one level up.
/// assert_eq!(result.levels, [1]);
///
/// // A limit for the search is kept, and nothing is published when it is reached.
/// let impatient = HaltParams { max_patterns: Some(1), ..HaltParams::default() }.check();
/// let stopped = impatient.anonymize(&data, &promise, &Silent);
/// assert!(matches!(stopped, Err(SequencesError::TooMuchWork { patterns: 1 })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// All of them make sense, so this cannot fail.
    pub fn check(self) -> ValidHaltParams {
        ValidHaltParams(self)
    }
}

/// Checked parameters: HALT, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidHaltParams(pub(super) HaltParams);
