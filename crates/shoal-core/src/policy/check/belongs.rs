//! Which keys mean something for which shape of data. A key that means nothing is refused: a promise must never be
//! silently ignored.

use super::refuse;
use crate::policy::Shape::{self, Sequences, Stream, Table, Transactions};
use crate::policy::{GroupsPolicy, Policy, PolicyError, RangesPolicy};

/// Refuses keys that are given and mean nothing for the shape.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
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
        (&[Transactions], "data.item", data.item.is_some()),
        (&[Transactions], "data.items", data.items.is_some()),
        (&[Transactions], "data.item-separator", data.item_separator.is_some()),
        (&[Transactions], "data.hierarchy", data.hierarchy.is_some()),
        (&[Stream], "privacy.l", privacy.l.is_some()),
        (&[Transactions], "privacy.m", privacy.m.is_some()),
        (&[Transactions], "privacy.complete", privacy.complete),
        (&[Transactions], "privacy.constraints", privacy.constraints.is_some()),
        (&[Transactions], "privacy.share", privacy.share.is_some()),
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
        (&[Table], "algorithm.max-suppressed", algorithm.max_suppressed.is_some()),
        (&[Table], "algorithm.outliers", algorithm.outliers.is_some()),
        (&[Table], "algorithm.seconds", algorithm.seconds.is_some()),
        (&[Table], "algorithm.rounds", algorithm.rounds.is_some()),
        (&[Table], "algorithm.key-file", algorithm.key_file.is_some()),
        (&[Stream], "algorithm.mode", algorithm.mode.is_some()),
        (&[Stream], "algorithm.prior", algorithm.prior.is_some()),
        (&[Stream], "algorithm.prior-file", algorithm.prior_file.is_some()),
        (&[Stream], "algorithm.learn", algorithm.learn.is_some()),
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
        (&[Table, Sequences], "output.ranges", policy.output.ranges == RangesPolicy::Columns),
        (&[Transactions], "output.groups", policy.output.groups != GroupsPolicy::Auto),
        (&[Stream], "output.dead-letters", policy.output.dead_letters.is_some()),
        (&[Stream], "output.max-dead-letters", policy.output.max_dead_letters.is_some()),
    ];
    let shape = data.shape;
    for (shapes, key, given) in keys {
        refuse(shape, &[(key, *given && !shapes.contains(&shape))])?;
    }
    for (name, column) in policy.columns.iter().filter(|_| shape != Sequences) {
        refuse(shape, &[(&format!("columns.{name}.sensitive-values"), !column.sensitive_values.is_empty())])?;
        refuse(shape, &[(&format!("columns.{name}.c"), column.c.is_some())])?;
    }
    for (name, column) in policy.columns.iter().filter(|_| shape != Table) {
        refuse(shape, &[(&format!("columns.{name}.l-diversity"), column.l_diversity.is_some())])?;
        refuse(shape, &[(&format!("columns.{name}.t-closeness"), column.t_closeness.is_some())])?;
        refuse(shape, &[(&format!("columns.{name}.beta-likeness"), column.beta_likeness.is_some())])?;
    }
    for (name, column) in policy.columns.iter().filter(|_| shape != Stream) {
        refuse(shape, &[(&format!("columns.{name}.domain"), !column.domain.is_empty())])?;
    }
    Ok(())
}
