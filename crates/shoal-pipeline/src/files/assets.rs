//! The files that a policy names beside its data, each read and parsed once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use shoal_core::{Hierarchy, hierarchy};
use shoal_io::{Limits, Source};

use super::{Job, stream};
use crate::request::{hierarchies_of, item_lists_of};
use crate::table::parse_population;
use crate::transactions::Layout;
use crate::{Assets, ItemList, ItemWeights, PipelineError};

/// Reads everything that the policy names and that is not given.
pub(super) fn read(job: &Job, given: Assets) -> Result<Assets, PipelineError> {
    let policy = job.policy();
    let separator = Layout::of(&policy.data).list_separator();
    let mut assets = given;
    // Columns often share a file; they share the tree, too.
    let mut trees: HashMap<&str, Arc<Hierarchy>> = HashMap::new();
    for (key, name) in hierarchies_of(policy) {
        if assets.has_hierarchy(name) {
            continue;
        }
        let path = job.resolve(name);
        if !trees.contains_key(name) {
            let column = key.strip_prefix("columns.").and_then(|key| key.strip_suffix(".hierarchy"));
            trees.insert(name, Arc::new(read_hierarchy(&path, column.unwrap_or("(items)"))?));
        }
        assets = assets.with_hierarchy_from(name, &path.to_string_lossy(), Arc::clone(&trees[name]));
    }
    for (key, name) in item_lists_of(policy) {
        if assets.has_item_list(name) {
            continue;
        }
        let path = job.resolve(name);
        let what = if key == "privacy.constraints" { "privacy constraints" } else { "utility constraints" };
        let list = ItemList::from_text(&read_items(&path, what)?, separator);
        assets = assets.with_item_list_from(name, &path.to_string_lossy(), list);
    }
    if let Some(name) = policy.utility.weights.as_ref().filter(|name| !assets.has_weights(name)) {
        let path = job.resolve(name);
        let weights =
            ItemWeights::from_text(&read_items(&path, "weights")?, separator).map_err(|(line, text)| {
                PipelineError::BadWeight { file: path.to_string_lossy().into_owned(), line, text }
            })?;
        assets = assets.with_weights_from(name, &path.to_string_lossy(), weights);
    }
    if let Some(name) = &policy.algorithm.prior_file {
        let path = job.resolve(name);
        assets = assets.with_prior_from(name, &path.to_string_lossy(), stream::read_prior(job, &path)?);
    }
    if let Some(name) = &policy.privacy.population {
        let place = job.resolve(name).to_string_lossy().into_owned();
        let raw = shoal_io::read_table(&Source::new(place.clone()), &|_| true, &shoal_core::Silent)?.table;
        assets = assets.with_population_from(name, &place, parse_population(&job.document, &place, &raw)?);
    }
    Ok(assets)
}

/// Reads a hierarchy file.
fn read_hierarchy(path: &Path, column: &str) -> Result<Hierarchy, PipelineError> {
    let text = shoal_io::read_text_file(path, Limits::HIERARCHY)
        .map_err(|error| PipelineError::ReadFile { path: path.to_owned(), what: "hierarchy", error })?;
    hierarchy::from_text(&text).map_err(|error| PipelineError::Hierarchy {
        file: path.to_string_lossy().into_owned(),
        column: column.to_owned(),
        error: Box::new(error),
    })
}

fn read_items(path: &Path, what: &'static str) -> Result<String, PipelineError> {
    shoal_io::read_text_file(path, Limits::ITEM_LIST).map_err(|error| PipelineError::ReadFile {
        path: path.to_owned(),
        what,
        error,
    })
}
