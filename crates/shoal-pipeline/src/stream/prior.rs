//! A prior: how frequent values are, as somebody has counted them before the stream starts.

use std::collections::BTreeMap;

use shoal_core::policy::PriorPolicy;
use shoal_core::{PolicyDocument, RawTable};

use super::values::{Counted, People, SensitiveValues, rows};
use crate::PipelineError;

/// Shares are kept as whole numbers of these parts, so that designs are made of exact counts.
const PARTS: f64 = 1e12;
/// A value that a table of shares lists with none still has this share: a value of the domain can always be hidden.
const LEAST_SHARE: f64 = 1e-4;
/// The column that says that the strata of a prior are made already.
pub(super) const STRATUM: &str = "stratum";

/// Understands a table with the columns `value` and `count`; a count is a whole number or a share. For a conditional
/// prior it has the columns of the strata, too: with people's exact values, or, where it has a column `stratum`, with the
/// strata themselves. `place` is what errors call the table.
pub fn parse_prior(
    document: &PolicyDocument,
    place: &str,
    raw: &RawTable,
) -> Result<SensitiveValues, PipelineError> {
    let algorithm = &document.policy().algorithm;
    let conditional = algorithm.prior == Some(PriorPolicy::Conditional);
    let complain = |message: String, texts: &[&str]| {
        let hint = match conditional {
            true => format!(
                "it has a line  value,{},count  and then a value, its people's cells and their number per line",
                algorithm.strata.join(",")
            ),
            false => {
                "it has a line  value,count  and then a value and its count (or share) per line".to_owned()
            }
        };
        let message = format!("`{place}`: {message}");
        let error = document.complain_of_data("algorithm.prior-file", message, Some(hint), texts);
        PipelineError::PolicyAndData { error: Box::new(error) }
    };
    let texts = |name: &str| {
        let column = raw.columns.iter().find(|column| column.name == name);
        let column = column.ok_or_else(|| complain(format!("it has no column `{name}`"), &[]))?;
        Ok::<_, PipelineError>(
            column.codes.iter().map(|code| column.labels.get(*code)).collect::<Vec<&str>>(),
        )
    };
    let (values, counts) = (texts("value")?, texts("count")?);
    let are_shares = counts.iter().any(|text| text.contains(['.', 'e']));
    if are_shares && conditional {
        return Err(complain("it holds shares, and strata are made of numbers of people".to_owned(), &[]));
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
            let message = format!("`{text}` in record {} is neither a count nor a share", row + 1);
            return Err(complain(message, &[text]));
        };
        let cells = cells.iter().map(|column| column[row].to_owned()).collect();
        for entry in [
            counted.entry((cells, (*value).to_owned())).or_default(),
            sums.entry((*value).to_owned()).or_default(),
        ] {
            *entry = entry.saturating_add(count);
        }
    }
    // A value that is listed may come, whatever was counted.
    let (labels, counts): (Vec<String>, Vec<u64>) =
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
