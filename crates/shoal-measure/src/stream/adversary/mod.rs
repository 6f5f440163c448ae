//! An adversary who has the published lines and the design, and nothing else: naive Bayes over everything that is published
//! beside the values, fitted by expectation maximization on the lines themselves.
//!
//! A design hides a value from whoever believes the same of everybody. But values go with age or sex, and many lines
//! together show how: the adversary starts without that knowledge, guesses every tuple's value, learns from the guesses
//! how values go with cells, and guesses again. With W the set of a line, x its cells, π the shares of the values and θ
//! those of the cells among people with a value:
//!
//! - E: P(v | W, x) ∝ P(W | v, x) · π_v · Π_j θ_j\[x_j, v\] for v in W;
//! - M: π and θ are the shares that these posteriors add up to, smoothed towards the shares of the cells among everybody.
//!
//! Numbers and dates are cut into at most [`BANDS`] bands of equally many lines, and texts beyond the [`TEXTS`] most
//! frequent are one. Where lines show a stratum, the stratum is one cell: it is all there is to know; and the adversary takes
//! the people of the prior as seen, so that lines move a share only as far as they are many.
//!
//! In the paper's groups P(W | v) is taken to be in proportion to 1/π_v: counterfeits are drawn by frequency, and slots of
//! a frequent value are as much more frequent. That members of a group exclude each other, and that joining tells
//! something, is not used: there the figure is a lower bound of what can be guessed.
//!
//! **Cost**: a round is linear in lines × l × columns.

mod features;
mod fit;

use serde::Serialize;
use shoal_core::stream::{SetDesign, StreamDesign, StreamLine};
use shoal_privacy::stream::GateColumn;

use self::features::Feature;
use super::StreamMeasureError;

/// Bands of a column of numbers.
const BANDS: usize = 10;
/// Texts of a column that are told apart.
const TEXTS: usize = 500;
/// Guesses above that are called nearly certain.
const NEARLY_CERTAIN: f64 = 0.99;

/// What the adversary sees.
#[derive(Clone, Debug)]
pub struct Sightings {
    features: Vec<Feature>,
    /// The values that a line may hide, and the weight P(W | v, x) of each up to a factor; l of them for each line.
    candidates: Vec<(u32, f64)>,
    /// Where each line's candidates end.
    ends: Vec<usize>,
    /// The shares with which the adversary starts.
    shares: Vec<f64>,
    /// Whether the weights are to be divided by the shares.
    by_frequency: bool,
    /// People of the prior by stratum and value, where the last feature is the stratum.
    prior: Option<Vec<f64>>,
}

/// What the adversary thinks of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    /// The likeliest value.
    pub value: u32,
    /// How likely it is thought to be.
    pub confidence: f64,
}

/// How well values are hidden from the adversary.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Guesses {
    /// Lines that were guessed.
    pub lines: usize,
    /// 1/l: how often a guess is right for whoever believes the same of everybody.
    pub promised: f64,
    /// The mean confidence of the adversary.
    pub confidence: f64,
    /// The mean confidence about the tenth of the lines that the adversary is surest of.
    pub confidence_surest_tenth: f64,
    /// Lines of which the adversary is more than 0.99 sure.
    pub nearly_certain: usize,
    /// How often the guesses were right, where the original is at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<RightGuesses>,
}

/// How often guesses were right.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RightGuesses {
    /// The share of right guesses.
    pub all: f64,
    /// The standard error that the share has by chance where values are hidden as promised.
    pub standard_error: f64,
    /// The share among the tenth of the lines that the adversary was surest of.
    pub surest_tenth: f64,
    /// How many of those of which the adversary was more than 0.99 sure.
    pub nearly_certain: usize,
}

impl Sightings {
    /// Lines of a hardened stream.
    pub fn of_sets(
        columns: &[GateColumn],
        lines: &[StreamLine<'_>],
        design: &StreamDesign,
    ) -> Result<Sightings, StreamMeasureError> {
        let weights: Vec<Vec<f64>> = design.all_sets().iter().map(weights).collect();
        let (mut candidates, mut ends, mut strata) = (Vec::new(), Vec::new(), Vec::new());
        for (number, content) in (1..).zip(lines) {
            let StreamLine::Set { cells, values } = content else {
                return Err(StreamMeasureError::Alien { line: number });
            };
            let stratum =
                design.stratum_of_line(cells).ok_or(StreamMeasureError::NoStratum { line: number })?;
            for value in values {
                let code = design.code(value).ok_or_else(|| StreamMeasureError::UnknownValue {
                    line: number,
                    value: value.to_string(),
                })?;
                candidates.push((code, weights[stratum][code as usize]));
            }
            ends.push(candidates.len());
            strata.push(stratum as u32);
        }
        let mut shares = vec![0.0; design.labels().len()];
        for (stratum, sets) in design.all_sets().iter().enumerate() {
            let l = sets.l() as f64;
            shares
                .iter_mut()
                .zip(0..)
                .for_each(|(share, code)| *share += design.share(stratum) * sets.shown(code) / l);
        }
        let hidden = |at: usize| design.shows_strata() && columns[at].quasi;
        let mut features = Feature::of_columns(columns, lines, &hidden);
        let prior = design.shows_strata().then(|| {
            features.push(Feature { codes: strata, size: design.strata().len() });
            design.all_sets().iter().flat_map(people).collect()
        });
        Ok(Sightings { features, candidates, ends, shares, by_frequency: false, prior })
    }

    /// Lines of the paper's algorithm. Gives the values, too, ascending.
    pub fn of_groups(
        columns: &[GateColumn],
        lines: &[StreamLine<'_>],
    ) -> Result<(Sightings, Vec<String>), StreamMeasureError> {
        let mut labels: Vec<String> = Vec::new();
        for line in lines {
            if let StreamLine::Slot { value, .. } = line {
                labels.push(value.to_string());
            }
        }
        labels.sort_unstable();
        labels.dedup();
        let mut slots: std::collections::HashMap<u64, Vec<(u32, f64)>> = std::collections::HashMap::new();
        let (mut candidates, mut ends) = (Vec::new(), Vec::new());
        for (number, content) in (1..).zip(lines) {
            match content {
                StreamLine::Slot { group, value, count } => {
                    let code = labels.partition_point(|label| label.as_str() < &**value) as u32;
                    slots.entry(*group).or_default().push((code, *count as f64));
                }
                StreamLine::Member { group, .. } => {
                    let slots = slots
                        .get(group)
                        .ok_or(StreamMeasureError::UnknownGroup { line: number, group: *group })?;
                    candidates.extend_from_slice(slots);
                    ends.push(candidates.len());
                }
                StreamLine::Set { .. } | StreamLine::Row { .. } => {
                    return Err(StreamMeasureError::Alien { line: number });
                }
            }
        }
        let shares = vec![1.0 / labels.len().max(1) as f64; labels.len()];
        let features = Feature::of_columns(columns, lines, &|_| false);
        Ok((Sightings { features, candidates, ends, shares, by_frequency: true, prior: None }, labels))
    }

    /// The same lines for somebody who does not look at the cells and learns the shares of the values alone.
    #[must_use]
    pub fn without_cells(&self) -> Sightings {
        Sightings { features: Vec::new(), prior: None, ..self.clone() }
    }

    /// How many values each line leaves.
    pub fn values_left(&self) -> impl Iterator<Item = usize> {
        (0..self.ends.len()).map(|line| self.candidates(line).len())
    }

    /// The adversary's guess of every line, in the order of the lines.
    pub fn guess(&self) -> Vec<Guess> {
        fit::guess(self)
    }

    fn candidates(&self, line: usize) -> &[(u32, f64)] {
        let start = if line == 0 { 0 } else { self.ends[line - 1] };
        &self.candidates[start..self.ends[line]]
    }
}

/// P(W | v) up to a factor that depends on W alone.
fn weights(design: &SetDesign) -> Vec<f64> {
    match design {
        SetDesign::Uniform { values, .. } => vec![1.0; *values],
        // A value's arc is as long as its count, and a set has the same piece of each of its arcs.
        SetDesign::Calibrated(calibrated) => calibrated
            .counts()
            .iter()
            .map(|count| if *count == 0 { 0.0 } else { 1.0 / *count as f64 })
            .collect(),
    }
}

/// People of the prior by value.
fn people(design: &SetDesign) -> Vec<f64> {
    match design {
        SetDesign::Uniform { values, .. } => vec![1.0; *values],
        SetDesign::Calibrated(calibrated) => calibrated.counts().iter().map(|count| *count as f64).collect(),
    }
}

impl Guesses {
    /// Sums up guesses; `truth` are the codes of the true values, where they are known.
    pub fn of(guesses: &[Guess], l: usize, truth: Option<&[u32]>) -> Guesses {
        let promised = 1.0 / l as f64;
        let mut order: Vec<usize> = (0..guesses.len()).collect();
        // The surest first, and of equals the earlier.
        order.sort_by(|a, b| guesses[*b].confidence.total_cmp(&guesses[*a].confidence).then(a.cmp(b)));
        let tenth = &order[..guesses.len().div_ceil(10)];
        let mean = |lines: &[usize], of: &dyn Fn(usize) -> f64| {
            lines.iter().map(|line| of(*line)).sum::<f64>() / lines.len().max(1) as f64
        };
        let confidence = |line: usize| guesses[line].confidence;
        let certain = order.partition_point(|line| guesses[*line].confidence > NEARLY_CERTAIN);
        let right = truth.map(|truth| {
            let is_right = |line: usize| f64::from(u8::from(truth.get(line) == Some(&guesses[line].value)));
            RightGuesses {
                all: mean(&order, &is_right),
                standard_error: (promised * (1.0 - promised) / guesses.len().max(1) as f64).sqrt(),
                surest_tenth: mean(tenth, &is_right),
                nearly_certain: order[..certain].iter().filter(|line| is_right(**line) > 0.0).count(),
            }
        });
        Guesses {
            lines: guesses.len(),
            promised,
            confidence: mean(&order, &confidence),
            confidence_surest_tenth: mean(tenth, &confidence),
            nearly_certain: certain,
            right,
        }
    }
}
