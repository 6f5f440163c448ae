//! The dry run for transactions.

use serde::Serialize;
use shoal_core::Progress;

use super::algorithm::Prepared;
use super::load::{Text, load};
use crate::leaks::before_run;
use crate::{Leak, PipelineError, Request, Source};

/// What a run of the policy would do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsPlan {
    /// The source.
    pub source: String,
    /// How many transactions it holds.
    pub records: usize,
    /// Transactions without an item; they are kept.
    pub empty: usize,
    /// How many people have a transaction with an item, where promises count people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<usize>,
    /// How many different items there are.
    pub items: usize,
    /// How often items occur in all.
    pub occurrences: usize,
    /// The size of the largest transaction.
    pub largest: usize,
    /// What is promised, in words.
    pub promise: String,
    /// The algorithm.
    pub algorithm: &'static str,
    /// How many sets of items may be published as one; none where any may.
    pub utility_constraints: Option<usize>,
    /// Where the release would go.
    pub output: Option<String>,
    /// Whether there are enough transactions for a crowd.
    pub feasible: bool,
    /// What the promise will not cover, as far as it can be known now.
    pub leaks: Vec<Leak>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// Reads policy, constraints and data, and says what a run would do. Writes nothing.
pub(crate) fn check(
    request: &Request,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<TransactionsPlan, PipelineError> {
    let loaded = load(request, source, Text::Original, progress)?;
    let data = &loaded.data;
    let prepared = Prepared::of(request, data)?;
    let policy = request.policy();
    let with_items = data.people_with_items();
    let people = data.persons().map(|_| with_items);
    let feasible = with_items >= prepared.promise.k();
    let mut notes = loaded.notes();
    if !feasible {
        let k = prepared.promise.k();
        notes.push(match people {
            Some(people) => {
                format!("k = {k} asks for crowds of {k} people, but only {people} people have a transaction with items")
            }
            None => format!("k = {k} asks for crowds of {k}, but only {with_items} transactions have items"),
        });
    }
    Ok(TransactionsPlan {
        source: source.name(),
        records: data.len(),
        empty: loaded.empty,
        people,
        items: data.items().len(),
        occurrences: data.occurrences(),
        largest: data.iter().map(<[u32]>::len).max().unwrap_or_default(),
        promise: prepared.promise_in_words(data),
        algorithm: prepared.algorithm.name(),
        utility_constraints: prepared.utility.as_ref().map(|sets| sets.sets.len()),
        output: policy.output.path.clone(),
        feasible,
        leaks: before_run(request, loaded.rest.as_ref().map(|(rest, _)| rest))
            .into_iter()
            .chain(loaded.leaks)
            .collect(),
        notes,
    })
}
