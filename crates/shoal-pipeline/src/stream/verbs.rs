//! What a stream's policy would do, and whether what it published keeps its promise.

use std::path::Path;

use serde::Serialize;
use shoal_core::Role;
use shoal_core::policy::{PriorPolicy, without_password};
use shoal_core::stream::StreamPromise;
use shoal_privacy::stream::{StreamVerdict, verify_stream};

use super::bind::prior;
use super::lines::published;
use super::{StreamBinding, bind};
use crate::{Job, PipelineError};

/// What a stream would do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StreamPlan {
    /// Where tuples come from.
    pub source: String,
    /// Where lines go.
    pub output: String,
    /// What is promised, in words.
    pub promise: String,
    /// The algorithm and its mode.
    pub algorithm: String,
    /// Where the values come from among which others hide.
    pub values: Option<String>,
    /// What survives a crash, and where.
    pub state: Option<String>,
    /// The columns and what becomes of them.
    pub columns: Vec<StreamColumnPlan>,
    /// What should be known.
    pub notes: Vec<String>,
    /// Whether the promise can be kept, as far as can be told before tuples come.
    pub feasible: bool,
}

/// A column of a stream.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StreamColumnPlan {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// What is published of it.
    pub published_as: &'static str,
}

/// What was found in a published stream.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StreamVerified {
    /// The file.
    pub file: String,
    /// What was found.
    #[serde(flatten)]
    pub verdict: StreamVerdict,
}

/// Reads the policy and the files that it names, and says what a stream would do.
pub fn check(job: &Job) -> Result<StreamPlan, PipelineError> {
    let binding = bind(job)?;
    let policy = job.policy();
    let mut notes = Vec::new();
    let mut feasible = true;
    if let (StreamPromise::Sets { .. }, Some(values), None) =
        (binding.promise, &binding.values, binding.learn)
    {
        match binding.design(job, values) {
            Ok(_) => {}
            Err(error) if error.is_broken_promise() => {
                feasible = false;
                notes.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    if let StreamPromise::Groups { l, .. } = binding.promise {
        notes.push(format!(
            "whoever knows the paper's algorithm learns more than 1/{l}; mode = \"hardened\" does not leak"
        ));
    }
    if policy.data.person.is_none() && matches!(binding.promise, StreamPromise::Sets { .. }) {
        notes.push(
            "without data.person, whoever returns gets other values each time, and these can be intersected"
                .to_owned(),
        );
    }
    let state = policy.state.dir.as_ref().map(|dir| job.resolve(dir).display().to_string());
    Ok(StreamPlan {
        source: match policy.data.source.as_str() {
            "-" => "standard input".to_owned(),
            source => without_password(source),
        },
        output: match policy.output.path.as_deref() {
            None | Some("-") => "standard output".to_owned(),
            Some(path) => without_password(path),
        },
        promise: promise_in_words(binding.promise),
        algorithm: algorithm_in_words(job, &binding),
        values: values_in_words(&binding),
        state,
        columns: columns(job, &binding),
        notes,
        feasible,
    })
}

/// Does this published stream keep the policy's promise?
pub fn verify(job: &Job, path: &Path) -> Result<StreamVerified, PipelineError> {
    let binding = bind(job)?;
    let lines = published(&binding.layout, path)?;
    let verdict = verify_stream(binding.promise, &binding.layout.quasi(), lines.into_iter());
    Ok(StreamVerified { file: path.display().to_string(), verdict })
}

fn promise_in_words(promise: StreamPromise) -> String {
    match promise {
        StreamPromise::Sets { l } => format!("l = {l}: every tuple leaves at once, its value among {l}"),
        StreamPromise::Groups { l, max_open_groups } => {
            format!(
                "l = {l}: every tuple leaves at once, in a group of {l} values; at most {max_open_groups} groups open"
            )
        }
        StreamPromise::Crowds { k, l: 1, delta } => {
            format!(
                "k = {k}: every tuple leaves in a crowd of {k}, at the latest when {delta} more have come"
            )
        }
        StreamPromise::Crowds { k, l, delta } => {
            format!(
                "k = {k}, l = {l}: every tuple leaves in a crowd of {k} with {l} values, at the latest when {delta} more have come"
            )
        }
    }
}

fn algorithm_in_words(job: &Job, binding: &StreamBinding) -> String {
    match binding.promise {
        StreamPromise::Crowds { .. } => "castle".to_owned(),
        StreamPromise::Groups { .. } => "delay-free, published".to_owned(),
        StreamPromise::Sets { .. } => {
            let shares = binding.learn.is_some() || binding.values.as_ref().is_some_and(|v| v.shares_known);
            match prior(job, shares) {
                PriorPolicy::Calibrated => {
                    "delay-free, hardened, calibrated to the values' shares".to_owned()
                }
                PriorPolicy::Uniform => "delay-free, hardened, for values that are equally likely".to_owned(),
            }
        }
    }
}

fn values_in_words(binding: &StreamBinding) -> Option<String> {
    match (&binding.values, binding.learn) {
        (_, Some(learn)) => Some(format!("learned from the first {learn} tuples, which are held back")),
        (Some(values), None) => Some(format!(
            "{} known, the commonest with {:.2} %",
            values.labels.len(),
            values.largest_share() * 100.0
        )),
        (None, None) => None,
    }
}

fn columns(job: &Job, binding: &StreamBinding) -> Vec<StreamColumnPlan> {
    let crowds = matches!(binding.promise, StreamPromise::Crowds { .. });
    let published_as = |role: Role, has_tree: bool, ordered: bool| match role {
        Role::Identifier => "nothing",
        Role::Sensitive if crowds => "as it is",
        Role::Sensitive => "one of l values",
        Role::QuasiIdentifier if crowds && has_tree => "nodes",
        Role::QuasiIdentifier if crowds && ordered => "ranges",
        Role::QuasiIdentifier if crowds => "sets",
        _ => "as it is",
    };
    let plan = |(name, column): (&String, &shoal_core::policy::ColumnPolicy)| StreamColumnPlan {
        name: name.clone(),
        role: column.role,
        published_as: published_as(column.role, column.hierarchy.is_some(), column.kind.is_ordered()),
    };
    job.policy().columns.iter().map(plan).collect()
}
