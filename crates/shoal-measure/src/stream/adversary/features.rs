use std::collections::HashMap;

use shoal_core::stream::StreamLine;
use shoal_privacy::stream::GateColumn;

use super::{BANDS, TEXTS};

/// A published column as dense codes.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    /// The code of each line that shows a tuple.
    pub(super) codes: Vec<u32>,
    /// How many codes there are.
    pub(super) size: usize,
}

impl Feature {
    /// The columns that tell something: those that are not `skipped` and have more than one code.
    pub(super) fn of_columns(
        columns: &[GateColumn],
        lines: &[StreamLine<'_>],
        skipped: &dyn Fn(usize) -> bool,
    ) -> Vec<Feature> {
        let cells: Vec<&[std::borrow::Cow<'_, str>]> = lines
            .iter()
            .filter_map(|line| match line {
                StreamLine::Set { cells, .. } | StreamLine::Member { cells, .. } => Some(cells.as_slice()),
                StreamLine::Slot { .. } | StreamLine::Row { .. } => None,
            })
            .collect();
        let features = columns.iter().enumerate().filter(|(at, _)| !skipped(*at)).map(|(at, column)| {
            let texts = cells.iter().map(|cells| cells.get(at).map_or("", |cell| &**cell));
            Feature::of(texts, column)
        });
        features.filter(|feature| feature.size > 1).collect()
    }

    fn of<'t>(texts: impl Iterator<Item = &'t str> + Clone, column: &GateColumn) -> Feature {
        let mut positions: Vec<f64> = texts.clone().filter_map(|text| column.parser.position(text)).collect();
        positions.sort_unstable_by(f64::total_cmp);
        // The least number of each band; numbers that are equal are in one band.
        let mut starts: Vec<f64> = (0..BANDS.min(positions.len()))
            .map(|band| positions[band * positions.len() / BANDS.min(positions.len())])
            .collect();
        starts.dedup();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for text in texts.clone().filter(|text| column.parser.position(text).is_none()) {
            *counts.entry(text).or_default() += 1;
        }
        let mut frequent: Vec<(&str, usize)> = counts.into_iter().collect();
        frequent.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let other = starts.len() + frequent.len().min(TEXTS);
        let codes: HashMap<&str, usize> = frequent
            .iter()
            .take(TEXTS)
            .enumerate()
            .map(|(at, (text, _))| (*text, starts.len() + at))
            .collect();
        let code = |text: &str| match column.parser.position(text) {
            Some(position) => starts.partition_point(|start| *start <= position) - 1,
            None => codes.get(text).copied().unwrap_or(other),
        };
        let size = other + usize::from(frequent.len() > TEXTS);
        Feature { codes: texts.map(|text| code(text) as u32).collect(), size }
    }
}
