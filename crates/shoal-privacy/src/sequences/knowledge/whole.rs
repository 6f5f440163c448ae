//! The search over the whole file, one length after another, so that what breaks the promise first is the shortest.

use rayon::prelude::*;

use super::found::Found;
use super::search::{Search, State};

/// How far the search came.
#[derive(Debug)]
pub(super) struct Reached {
    /// What is true of everything up to this length.
    pub(super) found: Found,
    /// The greatest length that was searched to its end.
    pub(super) length: usize,
}

impl Reached {
    /// Whether nothing is left to search: something is broken, or this length is reached.
    pub(super) fn is_decided(&self, length: usize) -> bool {
        self.found.length.is_some() || self.length == length
    }
}

/// Searches until something is broken, the search's length is reached, or the work is over.
pub(super) fn search(search: Search<'_>) -> Reached {
    let groups: Vec<u32> = (0..search.file.groups.len() as u32).collect();
    let (states, found) = search.first(groups);
    let mut reached = Reached { found: Found::new(search.file), length: 0 };
    if search.work.is_over() {
        return reached;
    }
    reached = Reached { found, length: 1 };
    while reached.found.length.is_none() && reached.length < search.length {
        let longer = Search { length: reached.length + 1, ..search };
        let each = states.par_iter().map(|state: &State| longer.run(vec![state.clone()]));
        let found = each.reduce(|| Found::new(search.file), Found::merge);
        if search.work.is_over() {
            break;
        }
        reached = Reached { found: reached.found.merge(found), length: longer.length };
    }
    reached
}
