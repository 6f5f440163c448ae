//! The sensitive values among which others are hidden, and how frequent they are: among everybody, or in each stratum.

use std::collections::{BTreeMap, BTreeSet};

use shoal_algorithms::stream::strata::PriorRow;
use shoal_core::stream::StreamDesign;
use shoal_core::{Role, SameValue};

use super::prior::STRATUM;
use crate::Request;

/// Sensitive values, ascending, with how often each occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensitiveValues {
    /// The values; where several columns are sensitive, joined by `|`.
    pub labels: Vec<String>,
    /// How often each occurs; 1 where that is not known.
    pub counts: Vec<u64>,
    /// Whether the counts say something.
    pub shares_known: bool,
    /// How they are spread over people, where the prior depends on that.
    pub people: Option<People>,
}

/// Who has which value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum People {
    /// Exact cells; strata are made of them.
    Rows(Vec<PriorRow>),
    /// Strata that are made already: their texts, and the count of each value.
    Strata(BTreeMap<Vec<String>, Vec<u64>>),
}

/// Somebody's cells of the strata and value, and how many are like that.
pub type Counted = BTreeMap<(Vec<String>, String), u64>;

impl SensitiveValues {
    /// Values of which nothing but that they may come is known.
    pub fn listed(labels: impl IntoIterator<Item = String>) -> SensitiveValues {
        let labels: BTreeSet<String> = labels.into_iter().collect();
        let counts = vec![1; labels.len()];
        SensitiveValues { labels: labels.into_iter().collect(), counts, shares_known: false, people: None }
    }

    /// Values that were counted among people. Every value counts once more than it was seen, `listed` ones included, so that
    /// all of the domain can be hidden.
    pub fn learned(
        counted: Counted,
        listed: impl IntoIterator<Item = String>,
        conditional: bool,
    ) -> SensitiveValues {
        let mut sums: BTreeMap<String, u64> = listed.into_iter().map(|label| (label, 1)).collect();
        for ((_, label), count) in &counted {
            *sums.entry(label.clone()).or_insert(1) += count;
        }
        let (labels, counts): (Vec<String>, Vec<u64>) = sums.into_iter().unzip();
        let people = conditional.then(|| People::Rows(rows(counted, &labels)));
        SensitiveValues { labels, counts, shares_known: true, people }
    }

    /// What was learned as a file that [`parse_prior`](super::parse_prior) understands, with the strata of the design and not with anybody's own cells.
    pub fn to_csv(&self, design: Option<&StreamDesign>) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let strata = design.map(StreamDesign::strata).filter(|strata| !strata.columns().is_empty());
        let Some((design, strata)) = design.zip(strata) else {
            let mut text = "value,count\n".to_owned();
            for (label, count) in self.labels.iter().zip(&self.counts) {
                text.push_str(&format!("{},{count}\n", quoted(label)));
            }
            return text;
        };
        let names: Vec<String> = strata.columns().iter().map(|column| quoted(&column.name)).collect();
        let mut text = format!("{STRATUM},value,{},count\n", names.join(","));
        for stratum in 0..strata.len() {
            let cells: Vec<String> = strata.texts(stratum).iter().map(|text| quoted(text)).collect();
            let shoal_core::stream::SetDesign::Calibrated(sets) = design.sets(stratum) else { continue };
            for (label, count) in design.labels().iter().zip(sets.counts()) {
                text.push_str(&format!("{},{},{},{count}\n", stratum + 1, quoted(label), cells.join(",")));
            }
        }
        text
    }

    /// Two values that a reader would take for one, where there are such.
    pub fn look_alike(&self) -> Option<(&str, &str)> {
        let mut first = std::collections::HashMap::new();
        self.labels.iter().find_map(|label| {
            let known = *first.entry(SameValue::from_text(label)).or_insert(label);
            (known != label).then_some((known.as_str(), label.as_str()))
        })
    }

    /// The share of the most frequent value.
    pub fn largest_share(&self) -> f64 {
        let total: f64 = self.counts.iter().map(|count| *count as f64).sum();
        self.counts.iter().max().map_or(0.0, |count| *count as f64 / total)
    }
}

pub(super) fn rows(counted: Counted, labels: &[String]) -> Vec<PriorRow> {
    let code = |label: &String| labels.partition_point(|known| known < label) as u32;
    counted
        .into_iter()
        .map(|((cells, label), count)| PriorRow { cells, value: code(&label), count })
        .collect()
}

/// The values that the policy lists or that its prior holds.
pub(super) fn known(request: &Request) -> Option<SensitiveValues> {
    let policy = request.policy();
    if let Some(name) = &policy.algorithm.prior_file {
        return Some(request.prior(name).content.clone());
    }
    let listed =
        policy.columns.values().find(|column| column.role == Role::Sensitive && !column.domain.is_empty());
    listed.map(|column| SensitiveValues::listed(column.domain.iter().cloned()))
}
