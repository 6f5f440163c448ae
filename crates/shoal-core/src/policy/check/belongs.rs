//! Which keys mean something for which shape of data, which algorithm and which format. A key that means nothing is refused: a
//! promise must never be silently ignored.

use super::fail;
use crate::policy::AlgorithmName::{Cbmsa, CbmsaBaseline, Coat, Incognito, Pcta, Sbc, Upcta};
use crate::policy::Shape::{self, Sequences, Stream, Table, Transactions};
use crate::policy::{AlgorithmName, DataFormat, GroupsPolicy, Policy, PolicyError, RangesPolicy};

/// Refuses keys that are given and mean nothing.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    shapes(policy)?;
    algorithms(policy)?;
    formats(policy)
}

fn shapes(policy: &Policy) -> Result<(), PolicyError> {
    let (data, privacy, utility) = (&policy.data, &policy.privacy, &policy.utility);
    let (algorithm, state) = (&policy.algorithm, &policy.state);
    let keys: &[(&[Shape], &str, bool)] = &[
        (&[Transactions, Stream], "data.format", data.format.is_some()),
        (&[Table, Transactions, Sequences], "data.encoding", data.encoding.is_some()),
        (&[Table, Transactions, Sequences], "data.decimal", data.decimal.is_some()),
        (&[Table, Transactions, Sequences], "data.sheet", data.sheet.is_some()),
        (&[Table, Transactions, Sequences], "data.table", data.table.is_some()),
        (&[Table, Transactions, Sequences], "data.query", data.query.is_some()),
        (&[Transactions, Sequences], "data.id", data.id.is_some()),
        (&[Sequences], "data.order", !data.order.is_empty()),
        (&[Sequences], "data.ties", data.ties.is_some()),
        (&[Table, Transactions, Stream], "data.person", data.person.is_some()),
        (&[Table], "data.known-rows", data.known_rows.is_some()),
        (&[Transactions], "data.item", data.item.is_some()),
        (&[Transactions], "data.items", data.items.is_some()),
        (&[Transactions], "data.item-separator", data.item_separator.is_some()),
        (&[Transactions], "data.hierarchy", data.hierarchy.is_some()),
        (&[Stream], "privacy.l", privacy.l.is_some()),
        (&[Transactions], "privacy.m", privacy.m.is_some()),
        (&[Transactions], "privacy.complete", privacy.complete),
        (&[Transactions], "privacy.constraints", privacy.constraints.is_some()),
        (&[Transactions], "privacy.share", privacy.share.is_some()),
        (&[Transactions], "privacy.sensitive-items", !privacy.sensitive_items.is_empty()),
        (&[Sequences], "privacy.c", privacy.c.is_some()),
        (&[Sequences], "privacy.sensitive-values", !privacy.sensitive_values.is_empty()),
        (&[Sequences], "privacy.beta", privacy.beta.is_some()),
        (&[Sequences], "privacy.length", privacy.length.is_some()),
        (&[Sequences], "privacy.support", privacy.support.is_some()),
        (&[Table], "privacy.l-diversity", privacy.l_diversity.is_some()),
        (&[Table], "privacy.t-closeness", privacy.t_closeness.is_some()),
        (&[Table], "privacy.beta-likeness", privacy.beta_likeness.is_some()),
        (&[Table], "privacy.sampling-fraction", privacy.sampling_fraction.is_some()),
        (&[Table], "privacy.population", privacy.population.is_some()),
        (&[Table], "privacy.transparent", privacy.transparent),
        (&[Transactions], "utility.constraints", utility.constraints.is_some()),
        (&[Transactions], "utility.weights", utility.weights.is_some()),
        (&[Transactions], "utility.max-suppressed", utility.max_suppressed.is_some()),
        (&[Transactions], "algorithm.objective", algorithm.objective.is_some()),
        (&[Table, Sequences], "algorithm.remainder", algorithm.remainder.is_some()),
        (&[Table], "algorithm.separate-distances", algorithm.separate_distances.is_some()),
        (&[Table], "algorithm.choose", algorithm.choose.is_some()),
        (&[Table], "algorithm.max-suppressed", algorithm.max_suppressed.is_some()),
        (&[Table], "algorithm.outliers", algorithm.outliers.is_some()),
        (&[Table], "algorithm.seconds", algorithm.seconds.is_some()),
        (&[Table], "algorithm.rounds", algorithm.rounds.is_some()),
        (&[Table, Sequences], "algorithm.key-file", algorithm.key_file.is_some()),
        (&[Stream], "algorithm.mode", algorithm.mode.is_some()),
        (&[Stream], "algorithm.prior", algorithm.prior.is_some()),
        (&[Stream], "algorithm.prior-file", algorithm.prior_file.is_some()),
        (&[Stream], "algorithm.learn", algorithm.learn.is_some()),
        (&[Stream], "algorithm.strata", !algorithm.strata.is_empty()),
        (&[Stream], "algorithm.publish", algorithm.publish.is_some()),
        (&[Stream], "algorithm.drift", algorithm.drift.is_some()),
        (&[Stream], "algorithm.max-open-groups", algorithm.max_open_groups.is_some()),
        (&[Stream], "algorithm.delta", algorithm.delta.is_some()),
        (&[Stream], "algorithm.beta", algorithm.beta.is_some()),
        (&[Stream], "algorithm.rules", algorithm.rules.is_some()),
        (&[Stream], "algorithm.max-wait", algorithm.max_wait.is_some()),
        (&[Stream], "algorithm.reuse", algorithm.reuse.is_some()),
        (&[Stream], "state.dir", state.dir.is_some()),
        (&[Stream], "state.key-file", state.key_file.is_some()),
        (&[Table, Transactions, Sequences], "output.report", policy.output.report.is_some()),
        (&[Table, Transactions, Sequences], "output.table", policy.output.table.is_some()),
        (&[Table, Sequences, Stream], "output.suppressed", policy.output.suppressed.is_some()),
        (&[Table, Sequences], "output.ranges", policy.output.ranges == RangesPolicy::Columns),
        (&[Transactions], "output.groups", policy.output.groups != GroupsPolicy::Auto),
        (&[Stream], "output.dead-letters", policy.output.dead_letters.is_some()),
        (&[Stream], "output.max-dead-letters", policy.output.max_dead_letters.is_some()),
    ];
    let mut keys: Vec<(&[Shape], String, bool)> =
        keys.iter().map(|&(shapes, key, given)| (shapes, key.to_owned(), given)).collect();
    for (name, column) in &policy.columns {
        let mut column_key = |shapes, key, given| keys.push((shapes, format!("columns.{name}.{key}"), given));
        column_key(&[Sequences], "sensitive-values", !column.sensitive_values.is_empty());
        column_key(&[Sequences], "c", column.c.is_some());
        column_key(&[Table], "l-diversity", column.l_diversity.is_some());
        column_key(&[Table], "t-closeness", column.t_closeness.is_some());
        column_key(&[Table], "beta-likeness", column.beta_likeness.is_some());
        column_key(&[Stream], "domain", !column.domain.is_empty());
    }
    let shape = data.shape;
    match keys.iter().find(|(shapes, _, given)| *given && !shapes.contains(&shape)) {
        None => Ok(()),
        Some((shapes, key, _)) => {
            let names = shapes.iter().map(|shape| format!("`{}`", shape.name()));
            let message = format!("`{key}` means nothing for data of shape `{}`", shape.name());
            let hint = format!("remove it, or change data.shape: it is for {}", listed(names));
            fail(key, message, hint)
        }
    }
}

fn algorithms(policy: &Policy) -> Result<(), PolicyError> {
    let asked = &policy.algorithm;
    let keys: &[(&[AlgorithmName], &str, bool)] = &[
        (&[Pcta, Upcta, Coat], "algorithm.objective", asked.objective.is_some()),
        (&[Sbc, Cbmsa, CbmsaBaseline], "algorithm.remainder", asked.remainder.is_some()),
        (&[Sbc], "algorithm.separate-distances", asked.separate_distances.is_some()),
        (&[Incognito], "algorithm.choose", asked.choose.is_some()),
    ];
    let name = policy.algorithm_name();
    match keys.iter().find(|(names, _, given)| *given && !names.contains(&name)) {
        None => Ok(()),
        Some((names, key, _)) => {
            let message = format!("`{key}` means nothing for the algorithm `{}`", name.name());
            let names = names.iter().map(|name| format!("`{}`", name.name()));
            fail(key, message, format!("remove it, or change algorithm.name: it is for {}", listed(names)))
        }
    }
}

/// Only the text of a CSV file has blanks to remove, and may lack a header.
fn formats(policy: &Policy) -> Result<(), PolicyError> {
    let data = &policy.data;
    let (trim, no_header, names) = (data.trim.is_some(), data.header == Some(false), !data.names.is_empty());
    let (keys, what): (&[(&str, bool)], &str) = if data.is_basket() {
        (&[("data.trim", trim), ("data.names", names)], "a basket file")
    } else if data.shape == Stream {
        let is_csv = data.format == Some(DataFormat::Csv);
        (
            &[
                ("data.header", no_header && !is_csv),
                ("data.names", names && !is_csv),
                ("data.trim", trim && !is_csv),
            ],
            "tuples that are JSON objects",
        )
    } else if let Some(format) = data.format_without_dialect() {
        (&[("data.trim", trim), ("data.header", no_header), ("data.names", names)], format)
    } else {
        (&[("data.names", names && data.header())], "a source with a header")
    };
    match keys.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((key, _)) => fail(
            key,
            format!("`{key}` means nothing for {what}"),
            "remove it: it is for CSV, and names for CSV with  header = false",
        ),
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
