//! What a stream's policy would do, and whether what it published keeps its promise.

use std::sync::Arc;

use serde::Serialize;
use shoal_core::Role;
use shoal_core::policy::{PriorPolicy, PublishPolicy, without_password};
use shoal_core::stream::StreamPromise;
use shoal_privacy::stream::{StreamVerdict, verify_stream};

use super::design::prior;
use super::lines::{StreamText, published};
use super::{SensitiveValues, StreamBinding, Words, bind, words};
use crate::{PipelineError, Request};

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
    /// Whether the promise can be kept, as far as is known before tuples come.
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
    /// What could not be checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'static str>,
}

/// Says what a stream would do. Where its state is kept is for the front to say: [`StreamPlan::state`].
pub fn check(request: &Request) -> Result<StreamPlan, PipelineError> {
    let binding = bind(request);
    let policy = request.policy();
    let mut notes = Vec::new();
    let mut feasible = true;
    let mut strata = None;
    if let (StreamPromise::Sets { .. }, Some(values), None) =
        (binding.promise, &binding.values, binding.learn)
    {
        match binding.design(request, values) {
            Ok(design) if design.strata().columns().is_empty() => {}
            Ok(design) => strata = Some(design.strata().len()),
            Err(error) if error.is_broken_promise() => {
                feasible = false;
                notes.push(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    let Words { promise, not_covered } = words(request, &binding);
    notes.extend(not_covered);
    if let StreamPromise::Crowds { max_wait: None, .. } = binding.promise {
        notes.push(
            "without algorithm.max-wait, tuples wait for as long as no further ones come; they leave when the stream ends"
                .to_owned(),
        );
    }
    Ok(StreamPlan {
        source: match policy.data.source.as_str() {
            "-" => "standard input".to_owned(),
            "" => "the calling program".to_owned(),
            source => without_password(source),
        },
        output: match policy.output.path.as_deref() {
            None | Some("-") => "standard output".to_owned(),
            Some(path) => without_password(path),
        },
        promise,
        algorithm: algorithm_in_words(request, &binding),
        values: values_in_words(&binding, strata),
        state: None,
        columns: columns(request, &binding),
        notes,
        feasible,
    })
}

/// Does this published stream keep the policy's promise? `learned` is what the run has learned that published it, where
/// that is known.
pub fn verify(
    request: &Request,
    learned: Option<&SensitiveValues>,
    text: StreamText<'_>,
) -> Result<StreamVerified, PipelineError> {
    let binding = bind(request);
    let file = text.place.to_owned();
    let lines = published(&binding.layout, text)?;
    let design = match (binding.promise, binding.values_of_design(learned)) {
        (StreamPromise::Sets { .. }, Some(values)) => Some(Arc::new(binding.design(request, values)?)),
        (StreamPromise::Sets { .. } | StreamPromise::Groups { .. } | StreamPromise::Crowds { .. }, _) => None,
    };
    let verdict = verify_stream(binding.promise, &binding.layout.quasi(), design.as_ref(), lines.into_iter());
    let notes = match (binding.promise, &design) {
        (StreamPromise::Sets { .. }, None) => vec![NO_DESIGN],
        _ => Vec::new(),
    };
    Ok(StreamVerified { file, verdict, notes })
}

/// What is said where what the stream has learned is not at hand.
const NO_DESIGN: &str = "the values and shares of the design are not known here, so it was not checked that it can draw these sets; \
                         give them with  --set algorithm.prior-file=…  (prior.csv in the state folder)";

fn algorithm_in_words(request: &Request, binding: &StreamBinding) -> String {
    match binding.promise {
        StreamPromise::Crowds { .. } => "castle".to_owned(),
        StreamPromise::Groups { .. } => "delay-free, paper".to_owned(),
        StreamPromise::Sets { .. } => {
            let shares = binding.learn.is_some() || binding.values.as_ref().is_some_and(|v| v.shares_known);
            match prior(request, shares) {
                PriorPolicy::Calibrated => {
                    "delay-free, hardened, calibrated to the values' shares".to_owned()
                }
                PriorPolicy::Conditional => format!(
                    "delay-free, hardened, calibrated to the values' shares in strata of {}",
                    request.policy().algorithm.strata.join(" and ")
                ),
                PriorPolicy::Uniform => "delay-free, hardened, for values that are equally likely".to_owned(),
            }
        }
    }
}

fn values_in_words(binding: &StreamBinding, strata: Option<usize>) -> Option<String> {
    let strata = strata.map_or_else(String::new, |strata| format!(", in {strata} strata"));
    match (&binding.values, binding.learn) {
        (_, Some(learn)) => Some(format!("learned from the first {learn} tuples, which are not published")),
        (Some(values), None) => Some(format!(
            "{} known, the commonest with {:.2} %{strata}",
            values.labels.len(),
            values.largest_share() * 100.0
        )),
        (None, None) => None,
    }
}

fn columns(request: &Request, binding: &StreamBinding) -> Vec<StreamColumnPlan> {
    let crowds = matches!(binding.promise, StreamPromise::Crowds { .. });
    let algorithm = &request.policy().algorithm;
    let shows_strata = algorithm.prior == Some(PriorPolicy::Conditional)
        && algorithm.publish.unwrap_or_default() == PublishPolicy::Stratum;
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
        published_as: match column.role {
            Role::QuasiIdentifier if shows_strata && algorithm.strata.contains(name) => "its stratum",
            Role::QuasiIdentifier if shows_strata => "*",
            role => published_as(role, column.hierarchy.is_some(), column.kind.is_ordered()),
        },
    };
    request.policy().columns.iter().map(plan).collect()
}
