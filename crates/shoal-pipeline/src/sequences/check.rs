//! The dry run for sequences.

use serde::Serialize;
use shoal_core::Progress;

use super::algorithm::algorithm;
use super::load::load;
use super::promise::{self, check_values, in_words, promise};
use super::run::id;
use crate::columns::{
    ColumnPlan, Identifying, Units, column_plan, identifying, ranges_note, with_hierarchies,
};
use crate::leaks::before_run;
use crate::{Leak, PipelineError, ReleaseKey, Request, Source};

/// What a run of the policy would do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesPlan {
    /// The source.
    pub source: String,
    /// How many people it holds.
    pub records: usize,
    /// How many events they have in all.
    pub events: usize,
    /// The most events that anybody has.
    pub longest: usize,
    /// The events that would be left out because a value is missing.
    pub incomplete: usize,
    /// The columns, in the order of the source.
    pub columns: Vec<ColumnPlan>,
    /// What is promised, in words.
    pub promise: String,
    /// The algorithm.
    pub algorithm: &'static str,
    /// Where the release would go.
    pub output: Option<String>,
    /// Whether there are enough people for a crowd.
    pub feasible: bool,
    /// How far people can be told from each other by the quasi-identifiers of one event; none without a quasi-identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifying: Option<Identifying>,
    /// What the promise will not cover, as far as it can be known now.
    pub leaks: Vec<Leak>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// Reads policy, hierarchies and data, and says what a run would do. Writes nothing.
pub(crate) fn check(
    request: &Request,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<SequencesPlan, PipelineError> {
    let loaded = load(request, &ReleaseKey::UNPUBLISHED, source, progress)?;
    let policy = request.policy();
    let promise = promise(policy);
    check_values(request, &promise, &loaded)?;
    let data = &loaded.data;
    let (events, mut notes) = with_hierarchies(data.events())?;
    notes.extend(promise::notes(&promise));
    notes.extend(ranges_note(request.policy()));
    let usable = loaded.complete(&events).persons.len();
    if usable < promise.k {
        let k = promise.k;
        notes.push(format!("k = {k} asks for crowds of {k}, but only {usable} people have complete events"));
    }
    progress.stage("looking for what identifies", 0);
    let complete = loaded.complete(data.events()).data;
    let person_of = complete.person_of();
    let units = Units::People(&person_of);
    let plan = |name: &String| {
        progress.check();
        let plan = column_plan(request, data.events(), complete.events(), units, name);
        match name == id(request) {
            true => ColumnPlan { published_as: "a fresh pseudonym".to_owned(), ..plan },
            false => plan,
        }
    };
    Ok(SequencesPlan {
        records: data.persons(),
        events: data.events().rows,
        longest: data.longest(),
        incomplete: loaded.incomplete.len(),
        columns: loaded.header.iter().map(plan).collect(),
        promise: in_words(&promise),
        algorithm: algorithm(policy)?.name(),
        output: policy.output.path.clone(),
        feasible: usable >= promise.k,
        identifying: identifying(complete.events(), units, progress),
        leaks: before_run(request, Some(&loaded.raw)).into_iter().chain(loaded.ties.leak()).collect(),
        notes,
        source: source.name(),
    })
}
