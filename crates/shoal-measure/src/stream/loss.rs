use std::collections::HashMap;

use serde::Serialize;
use shoal_core::stream::StreamLine;
use shoal_privacy::stream::GateColumn;

use super::cells::loss;
use super::sau::sau;
use super::{Extent, StreamMeasureError};

/// What a published stream lost, as reports print it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StreamLoss {
    /// Tuples that are shown.
    pub tuples: u64,
    /// Of which nothing is shown.
    pub suppressed: u64,
    /// The mean over tuples of equation 5: the mean loss of the quasi-identifiers. 0 where they are published as they
    /// are.
    pub il_quasi: f64,
    /// The mean over tuples of equation 7: the same with the sensitive value as one more column, which loses
    /// (|ST| − 1) / |ST| among |ST| values.
    pub il: f64,
    /// Groups: places for tuples, the sum of all counts. 0 in other streams.
    pub slots: u64,
    /// Sensitive attribute uncertainty (equation 8); none where values are not published in groups.
    pub sau: Option<f64>,
}

impl StreamLoss {
    /// Measures a published stream. The sensitive value of a suppressed tuple is lost wholly, as its cells are.
    pub fn of<'l>(
        columns: &[GateColumn],
        extents: &[Extent],
        lines: impl Iterator<Item = StreamLine<'l>>,
    ) -> Result<StreamLoss, StreamMeasureError> {
        let mut all = StreamLoss::default();
        let mut values_of: HashMap<u64, usize> = HashMap::new();
        let quasi = columns.iter().filter(|column| column.quasi).count();
        let mut has_groups = false;
        for (line, content) in (1..).zip(lines) {
            let (cells, values) = match content {
                StreamLine::Slot { group, count, .. } => {
                    *values_of.entry(group).or_default() += 1;
                    all.slots += count;
                    has_groups = true;
                    continue;
                }
                StreamLine::Set { cells, values } => (cells, Some(values.len())),
                StreamLine::Member { group, cells } => match values_of.get(&group) {
                    None => return Err(StreamMeasureError::UnknownGroup { line, group }),
                    Some(values) => (cells, Some(*values)),
                },
                StreamLine::Row { cells, value } => {
                    let nothing = value == "*" && cells.iter().all(|cell| cell == "*");
                    all.suppressed += u64::from(nothing);
                    (cells, (!nothing).then_some(1))
                }
            };
            all.tuples += 1;
            let described = columns.iter().zip(extents).zip(&cells).filter(|((column, _), _)| column.quasi);
            let lost: f64 = described.map(|((column, extent), cell)| loss(cell, column, extent)).sum();
            let sensitive = values.map_or(1.0, |values| (values as f64 - 1.0) / values as f64);
            all.il_quasi += if quasi == 0 { 0.0 } else { lost / quasi as f64 };
            all.il += (lost + sensitive) / (quasi as f64 + 1.0);
        }
        if all.tuples > 0 {
            all.il_quasi /= all.tuples as f64;
            all.il /= all.tuples as f64;
        }
        all.sau = has_groups.then(|| sau(all.slots, all.tuples));
        Ok(all)
    }
}
