//! Policies from Python: a text, and what it names that is in memory.

use std::collections::HashMap;
use std::path::Path;

use pyo3::prelude::*;
use shoal_core::{Distribution, Policy, hierarchy};
use shoal_pipeline::files::Job;
use shoal_pipeline::{Assets, ItemList, ItemWeights, PipelineError, Request};

use crate::errors::{of_pipeline, with_hint};

/// A policy as the Python package hands it over.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenPolicy {
    /// Its TOML.
    pub text: String,
    /// The folder that its paths are seen from.
    pub folder: String,
    /// Hierarchies by the name that the policy uses, as the text of a hierarchy file.
    pub hierarchies: HashMap<String, String>,
    /// Sets of items by the name that the policy uses.
    pub item_lists: HashMap<String, Vec<Vec<String>>>,
    /// Weights of items by the name that the policy uses.
    pub weights: HashMap<String, HashMap<String, f64>>,
    /// How often everybody has each value of a sensitive column, and how many people they are where people are counted. For data that are a part of theirs:
    /// `shoal.spark`.
    pub distributions: HashMap<String, (HashMap<String, u32>, Option<u64>)>,
}

impl GivenPolicy {
    /// The policy and the folder that its paths are seen from.
    pub(crate) fn job(&self) -> PyResult<Job> {
        Job::of_text(&self.text, Path::new(&self.folder), &[]).map_err(of_pipeline)
    }

    /// The policy with everything that it names.
    pub(crate) fn request(&self) -> PyResult<Request> {
        self.request_of(&self.job()?)
    }

    /// The same of a policy that was read already.
    pub(crate) fn request_of(&self, job: &Job) -> PyResult<Request> {
        let mut assets = Assets::default();
        for (name, text) in &self.hierarchies {
            let tree = hierarchy::from_text(text).map_err(|error| {
                of_pipeline(PipelineError::Hierarchy {
                    file: name.clone(),
                    column: name.clone(),
                    error: Box::new(error),
                })
            })?;
            assets = assets.with_hierarchy(name, tree);
        }
        for (name, sets) in &self.item_lists {
            // Errors name lines; here they are places in the list.
            let sets = (1..).zip(sets.iter().cloned()).filter(|(_, set)| !set.is_empty()).collect();
            assets = assets.with_item_list(name, ItemList { sets });
        }
        for (name, weights) in &self.weights {
            assets = assets.with_weights(name, of_items(weights)?);
        }
        for (column, (counts, people)) in &self.distributions {
            let counts = counts.iter().map(|(value, count)| (value.clone(), *count));
            let everybody = match people {
                Some(people) => Distribution::of_people(counts, *people),
                None => Distribution::new(counts),
            };
            let refused = || {
                let message = format!(
                    "the distribution of `{column}` has a value that nobody has, or more than everybody"
                );
                with_hint(message, "leave it out, or correct the number of people")
            };
            assets = assets.with_distribution(column, everybody.ok_or_else(refused)?);
        }
        job.request_with(assets).map_err(of_pipeline)
    }
}

fn of_items(weights: &HashMap<String, f64>) -> PyResult<ItemWeights> {
    if let Some((item, weight)) = weights.iter().find(|(_, weight)| !(0.0..=1.0).contains(*weight)) {
        return Err(with_hint(format!("the weight of `{item}` is {weight}"), "weights are between 0 and 1"));
    }
    let mut items: Vec<(&String, &f64)> = weights.iter().collect();
    // A Python dict has an order and a Rust map has none; errors that name a place should not change between runs.
    items.sort_by_key(|(item, _)| *item);
    let numbered = (1..).zip(items).map(|(at, (item, weight))| (at, item.clone(), *weight));
    Ok(ItemWeights { weights: numbered.collect() })
}

/// A policy that is a dict, as TOML. It comes as JSON.
#[pyfunction]
pub(crate) fn dict_to_toml(json: &str) -> PyResult<String> {
    let value: serde_json::Value = serde_json::from_str(json)
        .map_err(|error| with_hint(error.to_string(), "a policy holds texts, numbers, lists and dicts"))?;
    toml::to_string(&value).map_err(|error| with_hint(error.to_string(), "leave out keys without a value"))
}

/// A policy with all its defaults, as JSON.
#[pyfunction]
pub(crate) fn policy_to_json(policy: GivenPolicy) -> PyResult<String> {
    Ok(policy.request()?.policy().canonical_json())
}

/// The JSON schema of policies: every key and what it may hold.
#[pyfunction]
pub(crate) fn policy_schema() -> String {
    Policy::json_schema().to_string()
}

/// A policy's TOML as JSON, for the builder, which adds to it.
#[pyfunction]
pub(crate) fn toml_to_json(text: &str) -> PyResult<String> {
    let value: toml::Value = toml::from_str(text).map_err(|error| {
        with_hint(
            format!("this is not TOML: {error}"),
            "a table is `[name]`, a key is `name = value`, text is in quotes",
        )
    })?;
    serde_json::to_string(&value)
        .map_err(|error| with_hint(error.to_string(), "a policy holds texts, numbers, lists and tables"))
}
