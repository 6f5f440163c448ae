//! The sensitive values among which others are hidden, and how frequent they are: among everybody, or in each stratum.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use shoal_algorithms::stream::strata::PriorRow;
use shoal_core::policy::PriorPolicy;
use shoal_core::stream::StreamDesign;
use shoal_core::{Role, canonical_text};
use shoal_io::Source;

use crate::PipelineError;
use crate::files::Job;

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

/// Shares are kept as whole numbers of these parts.
const PARTS: f64 = 1e12;
/// A value that a file of shares lists with none still has this share: a value of the domain can always be hidden.
const LEAST_SHARE: f64 = 1e-4;
/// The column that says that the strata of a file are made already.
const STRATUM: &str = "stratum";

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

    /// What was learned as a file that [`read_prior`] reads, with the strata of the design and not with anybody's own cells.
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
            let known = *first.entry(canonical_text(label)).or_insert(label);
            (known != label).then_some((known.as_str(), label.as_str()))
        })
    }

    /// The share of the most frequent value.
    pub fn largest_share(&self) -> f64 {
        let total: f64 = self.counts.iter().map(|count| *count as f64).sum();
        self.counts.iter().max().map_or(0.0, |count| *count as f64 / total)
    }
}

fn rows(counted: Counted, labels: &[String]) -> Vec<PriorRow> {
    let code = |label: &String| labels.partition_point(|known| known < label) as u32;
    counted
        .into_iter()
        .map(|((cells, label), count)| PriorRow { cells, value: code(&label), count })
        .collect()
}

/// The values that the policy lists or that its prior-file holds.
pub(super) fn known(job: &Job) -> Result<Option<SensitiveValues>, PipelineError> {
    let policy = job.policy();
    if let Some(file) = &policy.algorithm.prior_file {
        return read_prior(job, &job.resolve(file)).map(Some);
    }
    let listed =
        policy.columns.values().find(|column| column.role == Role::Sensitive && !column.domain.is_empty());
    Ok(listed.map(|column| SensitiveValues::listed(column.domain.iter().cloned())))
}

/// Reads a file with the columns `value` and `count`; a count is a whole number or a share. For a conditional prior it
/// has the columns of the strata, too: with people's exact values, or, where it has a column `stratum`, with the strata
/// themselves.
pub fn read_prior(job: &Job, path: &Path) -> Result<SensitiveValues, PipelineError> {
    let location = path.to_string_lossy().into_owned();
    let algorithm = &job.policy().algorithm;
    let conditional = algorithm.prior == Some(PriorPolicy::Conditional);
    let complain = |message: String| {
        PipelineError::PolicyAndData {
        error: Box::new(job.document.complain(
            "algorithm.prior-file",
            format!("`{}`: {message}", path.display()),
            Some(match conditional {
                true => format!(
                    "it has a line  value,{},count  and then a value, its people's cells and their number per line",
                    algorithm.strata.join(",")
                ),
                false => "it has a line  value,count  and then a value and its count (or share) per line".to_owned(),
            }),
        )),
    }
    };
    let source = Source::new(location);
    let raw = shoal_io::read_table(&source, &|_| true, &shoal_core::Silent)?.table;
    let texts = |name: &str| {
        let column = raw.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| complain(format!("it has no column `{name}`")))?;
        Ok::<_, PipelineError>(
            column.codes.iter().map(|code| column.labels.get(*code)).collect::<Vec<&str>>(),
        )
    };
    let (values, counts) = (texts("value")?, texts("count")?);
    let are_shares = counts.iter().any(|text| text.contains(['.', 'e']));
    if are_shares && conditional {
        return Err(complain("it holds shares, and strata are made of numbers of people".to_owned()));
    }
    let names: &[String] = if conditional { &algorithm.strata } else { &[] };
    let cells = names.iter().map(|name| texts(name)).collect::<Result<Vec<_>, _>>()?;
    let mut counted = Counted::new();
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (row, (value, text)) in values.iter().zip(&counts).enumerate() {
        let count = if are_shares {
            let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
            share.map(|share| (share.max(LEAST_SHARE) * PARTS).round() as u64)
        } else {
            text.parse::<u64>().ok()
        };
        let Some(count) = count else {
            return Err(complain(format!("`{text}` in record {} is no count and no share", row + 1)));
        };
        let cells = cells.iter().map(|column| column[row].to_owned()).collect();
        for entry in [
            counted.entry((cells, (*value).to_owned())).or_default(),
            sums.entry((*value).to_owned()).or_default(),
        ] {
            *entry = entry.saturating_add(count);
        }
    }
    let (labels, counts): (Vec<String>, Vec<u64>) =
        // A value that is listed may come, whatever was counted.
        sums.into_iter().map(|(label, count)| (label, count.max(1))).unzip();
    let rows = rows(counted, &labels);
    let people = match raw.columns.iter().any(|column| column.name == STRATUM) {
        _ if !conditional => None,
        false => Some(People::Rows(rows)),
        true => {
            let mut strata: BTreeMap<Vec<String>, Vec<u64>> = BTreeMap::new();
            for row in rows {
                strata.entry(row.cells).or_insert_with(|| vec![0; labels.len()])[row.value as usize] +=
                    row.count;
            }
            Some(People::Strata(strata))
        }
    };
    Ok(SensitiveValues { labels, counts, shares_known: true, people })
}
