//! Lists of items, in terms of the data's items: privacy constraints, utility constraints, weights.

use std::collections::HashMap;

use shoal_core::{SameValue, Transactions};

use crate::{PipelineError, Request};

/// Sets of items, with the numbers of their lines.
pub(crate) struct ItemSets {
    /// The items of each set, ascending.
    pub sets: Vec<Vec<u32>>,
    /// The line of each set, counted from 1.
    pub lines: Vec<usize>,
    /// Where the list comes from.
    pub file: String,
}

/// The sets of a list. Every item must be one of the data's.
pub(crate) fn item_sets(
    request: &Request,
    name: &str,
    what: &'static str,
    data: &Transactions,
) -> Result<ItemSets, PipelineError> {
    let list = request.item_list(name);
    let code_of = codes(data);
    let (mut sets, mut lines) = (Vec::new(), Vec::new());
    for (line, names) in &list.content.sets {
        let mut set = names
            .iter()
            .map(|item| {
                code_of
                    .get(&SameValue::from_text(item))
                    .copied()
                    .ok_or_else(|| unknown(list.place, *line, item))
            })
            .collect::<Result<Vec<u32>, _>>()?;
        set.sort_unstable();
        set.dedup();
        sets.push(set);
        lines.push(*line);
    }
    if sets.is_empty() {
        return Err(PipelineError::NoSets { file: list.place.to_owned(), what });
    }
    Ok(ItemSets { sets, lines, file: list.place.to_owned() })
}

/// The sets of a list by the names of their items, whether the data have them or not.
pub(crate) fn item_names(request: &Request, name: &str) -> Vec<Vec<String>> {
    request.item_list(name).content.sets.iter().map(|(_, set)| set.clone()).collect()
}

/// The weight of each item of the data. Items that the list does not name weigh 1.
pub(crate) fn item_weights(
    request: &Request,
    name: &str,
    data: &Transactions,
) -> Result<Vec<f64>, PipelineError> {
    let list = request.weights(name);
    let code_of = codes(data);
    let mut weights = vec![1.0; data.items().len()];
    for (line, item, weight) in &list.content.weights {
        let code =
            code_of.get(&SameValue::from_text(item)).ok_or_else(|| unknown(list.place, *line, item))?;
        weights[*code as usize] = *weight;
    }
    Ok(weights)
}

/// The items of the data by value: a list may spell them in another way.
fn codes(data: &Transactions) -> HashMap<SameValue, u32> {
    data.items().iter().map(SameValue::from_text).zip(0..).collect()
}

fn unknown(file: &str, line: usize, item: &str) -> PipelineError {
    PipelineError::UnknownItem { file: file.to_owned(), line, item: item.to_owned() }
}
