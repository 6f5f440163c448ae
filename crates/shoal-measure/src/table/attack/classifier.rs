//! A classifier that is trained on the release: naive Bayes with Laplace smoothing over the published cells, each spread evenly over
//! the values that it covers.
//!
//! That it is right more often than the most frequent value is what a release is published for: whoever learns that an illness goes
//! with age has learned about everybody, also about people who are not in it. What somebody's own presence gives away is the
//! difference: how much more often it is right about people in the release than about the same people when their class is
//! left out of the training.

use shoal_core::{Column, Progress, RawColumn};

use super::TableTarget;
use super::fits::{Fits, read_cell};
use super::points::Points;
use super::values::{NO_VALUE, Values};
use crate::attack::Attacks;
use crate::attack::{Attack, CONFIDENCE};

/// Bands that numbers and dates are cut into, of equally many distinct values.
const BANDS: usize = 20;
/// Texts of a column that are told apart; the others are one.
const TEXTS: usize = 100;
/// People whom the classifier is tried on. The interval of a share is then at most ± 2.6 percentage points wide.
const MOST_TRIED: usize = 4_000;
/// Values of a sensitive column above that are too many to learn anything about each.
const MOST_VALUES: usize = 1_000;
/// Two-sided quantile of the normal distribution for [`CONFIDENCE`].
const Z: f64 = 3.2905;

/// Trains on the release and tries.
pub(super) fn classify(
    target: &TableTarget<'_>,
    points: &Points,
    fits: &Fits,
    values: &Values,
    progress: &dyn Progress,
    found: &mut Attacks,
) {
    let column = &values.name;
    let number = values.labels.len();
    if !(2..=MOST_VALUES).contains(&number) {
        found.not_tried.push(format!("a classifier of `{column}`: it has {number} different values"));
        return;
    }
    let columns: Vec<Feature<'_>> = target
        .original
        .quasi_identifiers()
        .into_iter()
        .filter_map(|column| Some(Feature::of(column, target.published.column(&column.name)?)))
        .collect();
    let histograms: Vec<Vec<(u32, f64)>> = (0..fits.rows.len() as u32)
        .map(|class| {
            let mix = values.mix(fits, &super::whose::Counting::Rows, &[class]);
            mix.counts.iter().map(|&(value, count)| (value, count as f64)).collect()
        })
        .collect();
    let model = Model::train(&columns, fits, &histograms, number, progress);
    let mut own_class = vec![None; target.original.rows];
    for (&record, &class) in target.origin.iter().copied().flatten().zip(&fits.class_of) {
        own_class[record as usize] = Some(class);
    }
    let in_release = |record: &usize| match target.origin {
        Some(_) => own_class[*record].is_some(),
        None => !fits.classes[points.of_record[*record] as usize].is_empty(),
    };
    let has_value = |record: &usize| values.own[*record] != NO_VALUE;
    let records: Vec<usize> = (0..target.original.rows).filter(in_release).filter(has_value).collect();
    // Records are in the order of a hash of their content, so that every so many of them are a random sample.
    let step = records.len().div_ceil(MOST_TRIED).max(1);
    let (mut inside, mut outside, mut differences, mut tried) = (0_u64, 0_u64, 0_i64, 0_u64);
    let mut squares = 0_u64;
    for &record in records.iter().step_by(step) {
        progress.check();
        let cells: Vec<usize> = columns.iter().map(|feature| feature.band_of_record(record)).collect();
        // Where it is not known in which class somebody is, all that fit are left out.
        let fitting = &fits.classes[points.of_record[record] as usize];
        let own: &[u32] = own_class[record].as_slice();
        let left_out = if target.origin.is_some() { own } else { fitting.as_slice() };
        let truth = values.own[record];
        let with = u64::from(model.predict(&columns, &cells, None) == truth);
        let without = Without { classes: left_out, fits, histograms: &histograms };
        let without = u64::from(model.predict(&columns, &cells, Some(&without)) == truth);
        inside += with;
        outside += without;
        differences += with as i64 - without as i64;
        squares += u64::from(with != without);
        tried += 1;
    }
    if tried == 0 {
        return;
    }
    let n = tried as f64;
    let (difference, outside) = (differences as f64 / n, outside as f64 / n);
    // The standard error of a mean of paired differences, each of which is −1, 0 or 1.
    let half = Z * ((squares as f64 / n - difference * difference).max(0.0) / n).sqrt();
    let question = format!(
        "A classifier is trained on the release and guesses `{column}` of people in it, and of the same people when their class is \
         left out of the training. What it learns about everybody is no breach; the difference is what one's own record gives away."
    );
    let words = format!(
        "right about {:.1} % of people in the release and about {:.1} % when it has not seen their class: a difference of {:+.1} \
         percentage points ({:+.1} to {:+.1} with {:.1} % confidence)",
        100.0 * inside as f64 / n,
        100.0 * outside,
        100.0 * difference,
        100.0 * (difference - half),
        100.0 * (difference + half),
        100.0 * CONFIDENCE,
    );
    let attack = Attack::sampled("classifier", question, inside, tried).of_column(column);
    found.attacks.push(attack.compared(outside).worst(words, None));
}

/// A quasi-identifier in bands.
struct Feature<'a> {
    original: &'a Column,
    published: &'a RawColumn,
    /// The band of each value.
    band: Vec<usize>,
    bands: usize,
    /// For each published text the bands that it covers, and how much of it is in each.
    spread: Vec<Vec<(usize, f64)>>,
}

impl<'a> Feature<'a> {
    fn of(original: &'a Column, published: &'a RawColumn) -> Feature<'a> {
        let values = original.domain.len();
        let band: Vec<usize> = match original.domain.is_ordered() {
            // The order of codes is that of values; the missing value, which comes last, is in the last band.
            true => (0..values).map(|code| code * BANDS.min(values) / values).collect(),
            false => frequent_first(original).into_iter().map(|place| place.min(TEXTS)).collect(),
        };
        let bands = band.iter().max().map_or(1, |most| most + 1);
        let spread = (0..published.labels.len() as u32).map(|code| {
            let mut weights = vec![0.0_f64; bands];
            if let Some(cell) = read_cell(original, published, code) {
                for value in 0..values as u32 {
                    if cell.covers(value, &original.domain, original.hierarchy.as_ref()) {
                        weights[band[value as usize]] += 1.0;
                    }
                }
            }
            let total: f64 = weights.iter().sum();
            weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(band, w)| (band, w / total)).collect()
        });
        let spread = spread.collect();
        Feature { original, published, band, bands, spread }
    }

    fn band_of_record(&self, record: usize) -> usize {
        self.band[self.original.codes[record] as usize]
    }

    /// How much of a class lies in a band.
    fn share(&self, row: u32, band: usize) -> f64 {
        let spread = &self.spread[self.published.codes[row as usize] as usize];
        spread.iter().find(|(at, _)| *at == band).map_or(0.0, |(_, share)| *share)
    }
}

/// For each value its place by falling frequency among the records.
fn frequent_first(column: &Column) -> Vec<usize> {
    let mut counts = vec![0_u32; column.domain.len()];
    column.codes.iter().for_each(|&code| counts[code as usize] += 1);
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&code| (std::cmp::Reverse(counts[code]), code));
    let mut place = vec![0; counts.len()];
    order.iter().enumerate().for_each(|(at, &code)| place[code] = at);
    place
}

/// Naive Bayes.
struct Model {
    values: usize,
    /// Rows with each value.
    counts: Vec<f64>,
    /// By feature, band and value: how many of those rows are in the band.
    cells: Vec<Vec<f64>>,
}

/// Classes that a prediction must not use.
struct Without<'a> {
    classes: &'a [u32],
    fits: &'a Fits,
    histograms: &'a [Vec<(u32, f64)>],
}

impl Model {
    fn train(
        columns: &[Feature<'_>],
        fits: &Fits,
        histograms: &[Vec<(u32, f64)>],
        values: usize,
        progress: &dyn Progress,
    ) -> Model {
        let mut counts = vec![0.0; values];
        let mut cells: Vec<Vec<f64>> =
            columns.iter().map(|feature| vec![0.0; feature.bands * values]).collect();
        for (rows, histogram) in fits.rows.iter().zip(histograms) {
            progress.check();
            histogram.iter().for_each(|&(value, count)| counts[value as usize] += count);
            // The rows of a class have the same cells, so that the first stands for all.
            for (feature, table) in columns.iter().zip(&mut cells) {
                for &(band, share) in &feature.spread[feature.published.codes[rows[0] as usize] as usize] {
                    for &(value, count) in histogram {
                        table[band * values + value as usize] += share * count;
                    }
                }
            }
        }
        Model { values, counts, cells }
    }

    /// The likeliest value of somebody in these bands; of equals the first.
    fn predict(&self, columns: &[Feature<'_>], bands: &[usize], without: Option<&Without<'_>>) -> u32 {
        let mut counts = self.counts.clone();
        let mut tables: Vec<Vec<f64>> = self
            .cells
            .iter()
            .zip(bands)
            .map(|(table, &band)| table[band * self.values..(band + 1) * self.values].to_vec())
            .collect();
        for &class in without.iter().flat_map(|without| without.classes) {
            let Some(Without { fits, histograms, .. }) = without else { continue };
            let row = fits.rows[class as usize][0];
            for &(value, count) in &histograms[class as usize] {
                counts[value as usize] -= count;
                for ((feature, table), &band) in columns.iter().zip(&mut tables).zip(bands) {
                    table[value as usize] -= feature.share(row, band) * count;
                }
            }
        }
        let score = |value: usize| {
            // Laplace: one more row with each value, and of each value one more in each band. What was subtracted may be off by
            // rounding, so it must not go below nothing.
            let rows = counts[value].max(0.0);
            let mut score = (rows + 1.0).ln();
            for (feature, table) in columns.iter().zip(&tables) {
                score += ((table[value].max(0.0) + 1.0) / (rows + feature.bands as f64)).ln();
            }
            score
        };
        let scores: Vec<f64> = (0..self.values).map(score).collect();
        let better = |best: usize, value: usize| if scores[value] > scores[best] { value } else { best };
        (1..self.values).fold(0, better) as u32
    }
}
