//! What crowds of several sizes would cost, within a second or so.
//!
//! Mondrian makes the classes, on all records where that is quick, otherwise on a sample of them. A sample alone would say too
//! much: the fewer people there are, the wider a crowd of k must be cut. So a sample of a quarter of that is cut as well,
//! and how much less the larger one loses says how the loss falls with the number of records; it is taken to go on falling
//! at that rate. Where many records are alike the loss falls faster and faster, and the estimate is too high.
//! `docs/performance.md` has the estimates beside what was lost.

use serde::Serialize;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::{TableAlgorithm, obstacle, recoding_loss};
use shoal_core::policy::{ShapeAlgorithm, TableAlgorithmName};
use shoal_core::{Column, Policy, Progress, Role, Table, TablePromise, Unseen};

use crate::columns::{Units, sample};

/// The crowds that are shown beside the one that the policy asks for.
const CROWDS: [usize; 4] = [2, 5, 10, 20];

/// How many times more records the sample has than the smaller one that it is compared with.
const PART: usize = 4;

/// The most records on which classes are made. All figures are for a run of Mondrian in a tenth of a second or so, of
/// which there are ten.
struct Tuning;

impl Tuning {
    /// Where only sizes are promised.
    const SIZES: usize = 200_000;
    /// Where every cut must ask conditions about sensitive values, too.
    const CONDITIONS: usize = 20_000;
    /// Where conditions count people: classes that look the same are then put together one by one.
    const PEOPLE: usize = 4_000;
    /// For all classes together, the words of 64 bits for the names that a class has in columns without a hierarchy.
    const SET_WORDS: usize = 50_000_000;
    /// Whatever the number of names, since fewer records say nothing.
    const LEAST: usize = 2_000;
}

/// What crowds of several sizes would cost.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Estimate {
    /// The algorithm that the estimate is made with, whatever the policy asks for.
    pub by: &'static str,
    /// How the algorithm that the policy asks for compares with it.
    pub comparison: &'static str,
    /// How many records classes were made of. Where these are not all, the loss of all is extrapolated.
    pub sample: usize,
    /// How many records there are in all.
    pub records: usize,
    /// The crowds, from small to large.
    pub losses: Vec<EstimatedLoss>,
}

/// What crowds of one size would cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EstimatedLoss {
    /// The least size of a crowd.
    pub k: usize,
    /// Whether it is what the policy asks for.
    pub asked: bool,
    /// Whether the promise can be kept with this k.
    pub feasible: bool,
    /// The estimated NCP, in [0, 1]; none where the promise cannot be kept, or not in the sample.
    pub ncp: Option<f64>,
}

/// Estimates what crowds of several sizes would cost beside everything else that is promised; `None` without a quasi-identifier.
pub(crate) fn estimate(
    policy: &Policy,
    table: &Table,
    units: Units<'_>,
    progress: &dyn Progress,
) -> Option<Estimate> {
    if table.quasi_identifiers().is_empty() || table.rows == 0 {
        return None;
    }
    let promise = policy.table_promise();
    let limit = limit(table, &promise);
    let working = needed(table, &promise);
    let about = |limit: usize| working.select(&sample(units, table.rows, limit));
    let sampled = about(limit);
    // Where the sample is the table there is nothing to extrapolate.
    let part = (sampled.rows < table.rows).then(|| about(limit / PART));
    let mut crowds = CROWDS.to_vec();
    crowds.extend(policy.privacy.k);
    crowds.sort_unstable();
    crowds.dedup();
    let estimated = |k: usize| {
        progress.check();
        let promise = TablePromise { k, ..promise.clone() };
        let feasible = obstacle(table, &promise).is_none();
        let of = |table: &Table| loss(table, &promise, progress);
        let ncp = match &part {
            _ if !feasible => None,
            None => of(&sampled),
            Some(part) => of(&sampled).map(|whole| match of(part) {
                Some(of_part) => extrapolated(whole, of_part, sampled.rows, part.rows, table.rows),
                // Not even that is known, and the loss of the sample is a bound.
                None => whole,
            }),
        };
        EstimatedLoss { k, asked: policy.privacy.k == Some(k), feasible, ncp }
    };
    Some(Estimate {
        by: "mondrian",
        comparison: comparison(policy),
        sample: sampled.rows,
        records: table.rows,
        losses: crowds.into_iter().map(estimated).collect(),
    })
}

/// The most records of this table on which classes are made.
fn limit(table: &Table, promise: &TablePromise) -> usize {
    let by_promise = match (promise.conditions.is_empty(), &promise.person) {
        (true, _) => Tuning::SIZES,
        (false, None) => Tuning::CONDITIONS,
        (false, Some(_)) => Tuning::PEOPLE,
    };
    let names =
        |c: &&Column| c.role == Role::QuasiIdentifier && c.hierarchy.is_none() && !c.domain.is_ordered();
    let words: usize = table.columns.iter().filter(names).map(|c| c.domain.len().div_ceil(64)).sum();
    // The smallest crowds are pairs, so there are at most half as many classes as records.
    by_promise.min((2 * Tuning::SET_WORDS / words.max(1)).max(Tuning::LEAST))
}

/// The columns that an algorithm looks at: copies of others would only take time.
fn needed(table: &Table, promise: &TablePromise) -> Table {
    let is_needed = |column: &&Column| match column.role {
        Role::QuasiIdentifier | Role::Sensitive | Role::PersonalK => true,
        Role::Identifier | Role::Insensitive => promise.person.as_ref() == Some(&column.name),
    };
    Table { columns: table.columns.iter().filter(is_needed).cloned().collect(), rows: table.rows }
}

/// What Mondrian loses; `None` where these records cannot keep the promise.
fn loss(table: &Table, promise: &TablePromise, progress: &dyn Progress) -> Option<f64> {
    let mondrian = MondrianParams { promise: promise.clone() }.check().ok()?;
    let recoding = mondrian.anonymize(table, &Unseen(progress)).ok()?.recoding;
    Some(recoding_loss(table, &recoding))
}

/// The loss of `records` records, from that of a sample and of a part of the sample: the logarithm of the loss is taken to fall linearly
/// with that of the number of records. It is not taken to rise: more people never need wider crowds.
fn extrapolated(sample: f64, part: f64, of_sample: usize, of_part: usize, records: usize) -> f64 {
    if sample >= part || of_part >= of_sample {
        return sample;
    }
    let steps = (records as f64 / of_sample as f64).ln() / (of_sample as f64 / of_part as f64).ln();
    sample * (sample / part).powf(steps)
}

/// How the algorithm of the policy compares with Mondrian: `docs/performance.md`, *Tables*.
fn comparison(policy: &Policy) -> &'static str {
    let ShapeAlgorithm::Table(name) = policy.algorithm_name().by_shape() else { return "" };
    match name {
        TableAlgorithmName::Ribbon => "ribbon usually loses less",
        TableAlgorithmName::Mondrian => "",
        TableAlgorithmName::Sbc => "sbc may lose more or less",
        TableAlgorithmName::Incognito => "incognito recodes whole columns and usually loses more",
        TableAlgorithmName::Datafly => "datafly recodes whole columns and usually loses more",
        TableAlgorithmName::Transparent => "transparent usually loses more",
    }
}

#[cfg(test)]
mod tests {
    use shoal_core::{Condition, Kind, PolicyDocument, RawTable, Rule, Silent};

    use super::*;

    #[test]
    fn a_loss_that_falls_by_a_power_is_extrapolated_exactly() {
        let loss = |records: usize| 3.0 * (records as f64).powf(-0.3);
        let estimated = extrapolated(loss(40_000), loss(10_000), 40_000, 10_000, 1_000_000);
        assert!((estimated - loss(1_000_000)).abs() < 1e-12);
    }

    #[test]
    fn a_loss_that_does_not_fall_stays() {
        assert_eq!(extrapolated(0.5, 0.4, 400, 100, 1000), 0.5);
        assert_eq!(extrapolated(0.5, 0.5, 400, 100, 1000), 0.5);
        assert_eq!(extrapolated(0.0, 0.0, 400, 100, 1000), 0.0);
        assert_eq!(extrapolated(0.0, 0.1, 400, 100, 1000), 0.0);
        assert_eq!(extrapolated(0.5, 0.9, 400, 400, 1000), 0.5);
    }

    fn table(kind: Kind, values: impl Iterator<Item = u32>) -> Table {
        let rows: Vec<Vec<String>> = values.map(|value| vec![value.to_string()]).collect();
        let raw = RawTable::from_rows(&["q"], &rows);
        let column = Column::encode(&raw.columns[0], Role::QuasiIdentifier, kind, &[]).unwrap();
        Table { columns: vec![column], rows: rows.len() }
    }

    #[test]
    fn many_names_and_conditions_make_the_sample_smaller() {
        let sizes = TablePromise::crowds(5);
        let numbers = table(Kind::Integer, 0..100_000);
        let names = table(Kind::Text, 0..100_000);
        assert_eq!(limit(&numbers, &sizes), Tuning::SIZES);
        assert_eq!(limit(&names, &sizes), 2 * Tuning::SET_WORDS / 1563);
        let rule = Rule::Distinct { l: 2 };
        let conditions = vec![Condition { column: "s".into(), rule }];
        let with_conditions = TablePromise { conditions, ..sizes };
        assert_eq!(limit(&numbers, &with_conditions), Tuning::CONDITIONS);
        let person = Some("p".to_owned());
        assert_eq!(limit(&numbers, &TablePromise { person, ..with_conditions }), Tuning::PEOPLE);
    }

    /// On one line, all different, crowds of k cost (k − 1) / (n − 1): the estimate must be near that and not near the loss
    /// of the sample, which is several times as much.
    #[test]
    fn a_sample_is_not_taken_for_the_table() {
        let records = 5 * Tuning::SIZES;
        // Spread by a multiplication, since the sample takes every n-th record.
        let table = table(Kind::Integer, (0..records as u32).map(|row| row.wrapping_mul(2_654_435_761) >> 1));
        let policy = "version = 1\n[data]\nshape = \"table\"\n[columns.q]\nrole = \"quasi-identifier\"\n\
                      kind = \"integer\"\n[privacy]\nk = 5\n";
        let policy = PolicyDocument::parse(policy, &[]).unwrap();
        let estimate = estimate(policy.policy(), &table, Units::Records, &Silent).unwrap();
        assert_eq!((estimate.sample, estimate.records), (Tuning::SIZES, records));
        let of_five = estimate.losses.iter().find(|loss| loss.k == 5).unwrap().ncp.unwrap();
        let ideal = 4.0 / records as f64;
        assert!(of_five > 0.8 * ideal && of_five < 2.0 * ideal, "{of_five} and {ideal}");
    }
}
