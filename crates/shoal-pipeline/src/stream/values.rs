//! The sensitive values among which others are hidden, and how frequent they are.

use std::path::Path;

use shoal_core::{Role, canonical_text};
use shoal_io::Source;

use crate::{Job, PipelineError};

/// Sensitive values, ascending, with how often each occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensitiveValues {
    /// The values; where several columns are sensitive, joined by `|`.
    pub labels: Vec<String>,
    /// How often each occurs; 1 where that is not known.
    pub counts: Vec<u64>,
    /// Whether the counts say something.
    pub shares_known: bool,
}

/// Shares are kept as whole numbers of these parts.
const PARTS: f64 = 1e12;

impl SensitiveValues {
    /// From values and counts in any order; counts of the same value are added.
    pub fn new(counted: impl IntoIterator<Item = (String, u64)>, shares_known: bool) -> SensitiveValues {
        let mut sum = std::collections::BTreeMap::<String, u64>::new();
        for (label, count) in counted {
            let entry = sum.entry(label).or_default();
            *entry = entry.saturating_add(count);
        }
        let (labels, counts) = sum.into_iter().unzip();
        SensitiveValues { labels, counts, shares_known }
    }

    /// The values as a file that [`read_prior`] reads.
    pub fn to_csv(&self) -> String {
        let mut text = "value,count\n".to_owned();
        for (label, count) in self.labels.iter().zip(&self.counts) {
            text.push_str(&format!("\"{}\",{count}\n", label.replace('"', "\"\"")));
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

/// The values that the policy lists or that its prior-file holds.
pub(super) fn known(job: &Job) -> Result<Option<SensitiveValues>, PipelineError> {
    let policy = job.policy();
    if let Some(file) = &policy.algorithm.prior_file {
        return read_prior(job, &job.resolve(file)).map(Some);
    }
    let listed =
        policy.columns.values().find(|column| column.role == Role::Sensitive && !column.domain.is_empty());
    Ok(listed.map(|column| SensitiveValues::new(column.domain.iter().map(|label| (label.clone(), 1)), false)))
}

/// Reads a file with the columns `value` and `count`; a count is a whole number or a share.
pub fn read_prior(job: &Job, path: &Path) -> Result<SensitiveValues, PipelineError> {
    let location = path.to_string_lossy().into_owned();
    let complain = |message: String| PipelineError::PolicyAndData {
        error: Box::new(job.document.complain(
            "algorithm.prior-file",
            format!("`{}`: {message}", path.display()),
            Some("it has a line  value,count  and then a value and its count (or share) per line".to_owned()),
        )),
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
    let mut counted = Vec::with_capacity(raw.rows);
    for (row, (value, text)) in values.iter().zip(&counts).enumerate() {
        let count = if are_shares {
            let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
            share.map(|share| (share * PARTS).round() as u64)
        } else {
            text.parse().ok()
        };
        match count {
            Some(0) => {}
            Some(count) => counted.push(((*value).to_owned(), count)),
            None => return Err(complain(format!("`{text}` in record {} is no count and no share", row + 1))),
        }
    }
    Ok(SensitiveValues::new(counted, true))
}
