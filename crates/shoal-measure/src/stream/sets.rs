use std::collections::HashMap;

use shoal_core::stream::StreamLine;

use super::count::{Ask, Sums};
use super::{CountEstimator, Scorer, StreamMeasureError, WindowCounts};

/// Counts in a stream of sets.
pub(super) struct SetCounts<'q> {
    ask: &'q Ask<'q>,
    codes: HashMap<&'q str, u32>,
    scorers: Vec<Scorer>,
}

impl<'q> SetCounts<'q> {
    pub(super) fn new(
        estimator: &CountEstimator,
        values: &'q [String],
        ask: &'q Ask<'q>,
    ) -> Result<SetCounts<'q>, StreamMeasureError> {
        let known = values.iter().take(estimator.values());
        let codes: HashMap<&str, u32> = known.map(String::as_str).zip(0..).collect();
        let scorer = |value: &String| match codes.get(value.as_str()) {
            Some(code) => Ok(estimator.scorer(*code)),
            None => Err(StreamMeasureError::Unasked { value: value.clone() }),
        };
        let scorers = ask.question.values.iter().map(scorer).collect::<Result<_, _>>()?;
        Ok(SetCounts { ask, codes, scorers })
    }

    pub(super) fn count<'l>(
        &self,
        lines: impl Iterator<Item = (u64, StreamLine<'l>)>,
    ) -> Result<Vec<WindowCounts>, StreamMeasureError> {
        let mut sums = Sums::new(self.scorers.len());
        let mut set = Vec::new();
        for (number, (line, content)) in lines.enumerate() {
            let StreamLine::Set { cells, values } = content else {
                return Err(StreamMeasureError::Alien { line });
            };
            let Some(window) = self.ask.window(number as u64, &cells) else { continue };
            set.clear();
            for value in &values {
                match self.codes.get(&**value) {
                    Some(code) => set.push(*code),
                    None => return Err(StreamMeasureError::UnknownValue { line, value: value.to_string() }),
                }
            }
            for (sum, scorer) in sums.add(window, 1.0).iter_mut().zip(&self.scorers) {
                let score = scorer.score(&set);
                sum.count += score;
                sum.variance += score * score - score;
            }
        }
        Ok(sums.finish())
    }
}
