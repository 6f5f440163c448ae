use std::collections::HashMap;

use shoal_core::stream::{StreamDesign, StreamLine};

use super::count::{Ask, Sums};
use super::{CountEstimator, Scorer, StreamMeasureError, WindowCounts, Windows};

/// Counts in a stream of sets. What a set says depends on the stratum in which it was drawn.
pub(super) struct SetCounts<'q> {
    ask: &'q Ask<'q>,
    codes: HashMap<&'q str, u32>,
    /// Where there are strata.
    design: Option<&'q StreamDesign>,
    /// For each stratum what its sets say about each value that is asked for.
    scorers: Vec<Vec<Scorer>>,
}

impl<'q> SetCounts<'q> {
    /// `estimators` are those of the strata, or one where there are none.
    pub(super) fn new(
        estimators: &[CountEstimator],
        values: &'q [String],
        design: Option<&'q StreamDesign>,
        ask: &'q Ask<'q>,
    ) -> Result<SetCounts<'q>, StreamMeasureError> {
        let known = values.iter().take(estimators.first().map_or(0, CountEstimator::values));
        let codes: HashMap<&str, u32> = known.map(String::as_str).zip(0..).collect();
        let code = |value: &String| match codes.get(value.as_str()) {
            Some(code) => Ok(*code),
            None => Err(StreamMeasureError::Unasked { value: value.clone() }),
        };
        let asked: Vec<u32> = ask.question.values.iter().map(code).collect::<Result<_, _>>()?;
        let scorers = |estimator: &CountEstimator| asked.iter().map(|code| estimator.scorer(*code)).collect();
        let scorers = estimators.iter().map(scorers).collect();
        let shows_strata = design.is_some_and(StreamDesign::shows_strata);
        match ask.question.windows {
            // A band lies in no window, and spreading it over several would be a guess.
            Windows::Width { column, .. } if shows_strata && ask.columns[column].quasi => {
                Err(StreamMeasureError::NotExact { column: ask.columns[column].name.clone() })
            }
            Windows::Width { .. } | Windows::Tuples(_) | Windows::One => {
                Ok(SetCounts { ask, codes, design, scorers })
            }
        }
    }

    pub(super) fn count<'l>(
        &self,
        lines: impl Iterator<Item = (u64, StreamLine<'l>)>,
    ) -> Result<Vec<WindowCounts>, StreamMeasureError> {
        let mut sums = Sums::new(self.ask.question.values.len());
        let mut set = Vec::new();
        for (number, (line, content)) in lines.enumerate() {
            let StreamLine::Set { cells, values } = content else {
                return Err(StreamMeasureError::Alien { line });
            };
            let Some(window) = self.ask.window(number as u64, &cells) else { continue };
            // Below 1 only where a line shows a band of which a part is asked for.
            let chance = self.ask.chance(&cells);
            let stratum = match self.design {
                Some(design) => {
                    design.stratum_of_line(&cells).ok_or(StreamMeasureError::NoStratum { line })?
                }
                None => 0,
            };
            set.clear();
            for value in &values {
                match self.codes.get(&**value) {
                    Some(code) => set.push(*code),
                    None => return Err(StreamMeasureError::UnknownValue { line, value: value.to_string() }),
                }
            }
            for (sum, scorer) in sums.add(window, chance).iter_mut().zip(&self.scorers[stratum]) {
                let score = scorer.score(&set);
                sum.count += chance * score;
                sum.variance += chance * chance * (score * score - score);
            }
        }
        Ok(sums.finish())
    }
}
