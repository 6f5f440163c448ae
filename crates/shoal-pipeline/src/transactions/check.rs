//! The dry run for transactions.

use serde::Serialize;
use shoal_core::{Progress, Transactions};
use shoal_measure::table::uniqueness;
use shoal_privacy::Classes;

use super::algorithm::Prepared;
use super::load::{Text, load};
use crate::leaks::before_run;
use crate::{Leak, PipelineError, ReleaseKey, Request, Source};

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
    /// How many transactions (or people, where they are counted) have an item that nobody else has: it alone tells them
    /// from all others.
    pub unique: usize,
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
    let loaded = load(request, &ReleaseKey::UNPUBLISHED, source, Text::Original, progress)?;
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
        unique: unique_by_an_item(data),
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

/// How many transactions, or people, have an item that nobody else has.
fn unique_by_an_item(data: &Transactions) -> usize {
    // Every occurrence of an item is a record with one value, and belongs to the person of its transaction.
    let mut items = Vec::with_capacity(data.occurrences());
    let mut whose = Vec::with_capacity(data.occurrences());
    for (number, set) in data.iter().enumerate() {
        items.extend_from_slice(set);
        let person = data.persons().map_or(number as u32, |persons| persons[number]);
        whose.resize(items.len(), person);
    }
    uniqueness::of(&Classes::of_codes(items.len(), &[&items]), Some(&whose))
}
