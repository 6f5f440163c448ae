//! How one cluster is published: the cheapest valid way that was found.

use shoal_core::{Support, Unseen};

use crate::sequences::Work;

use super::Distance;
use super::crowd::Draft;
use super::groups::People;
use super::identical::identical;
use super::lattice::generalize;
use super::refine::refine;
use super::search::Budget;
use super::tree::Forest;
use crate::sequences::terms::Terms;

/// What a search for invalid sequences in one cluster may do, in simple operations: a fraction of a second. Where it is
/// not enough, all members publish the same, which is always valid.
const SEARCH: u64 = 50_000_000;
/// What may be done to publish more of a cluster that is valid already, in the same units.
const REFINING: u64 = 20_000_000;

/// All that publishing depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removal<'a> {
    pub(super) people: &'a People<'a>,
    pub(super) forest: &'a Forest,
    pub(super) terms: &'a Terms,
    pub(super) distance: Distance,
    pub(super) progress: Unseen<'a>,
}

impl Removal<'_> {
    /// What people who stand together publish, so that every pattern that they support keeps the terms.
    pub(super) fn publish(&self, people: &[u32]) -> (Draft, Work) {
        let Removal { forest, terms, progress, .. } = *self;
        let original = self.original(people);
        let mut work = Work::default();
        let mut same = identical(&original, self.people, self.distance, forest, terms.support, &mut work);
        if terms.support == Support::Compatible {
            // Showing more of some members makes the others the only ones who fit what those do not show, so there
            // is next to nothing to refine in a cluster of about k people.
            work.clusters_identical += 1;
            return (same, work);
        }
        refine(&mut same, &original, forest, terms, &mut Budget::new(REFINING, &progress));
        let Some(mut levelled) = generalize(&original, forest, terms, &mut Budget::new(SEARCH, &progress))
        else {
            work.clusters_identical += 1;
            return (same, work);
        };
        work.invalid_found += levelled.found;
        work.invalid_removed += levelled.found;
        refine(&mut levelled.draft, &original, forest, terms, &mut Budget::new(REFINING, &progress));
        if same.loss(forest) <= levelled.draft.loss(forest) {
            work.clusters_identical += 1;
            return (same, work);
        }
        work.items_suppressed += levelled.items_suppressed;
        (levelled.draft, work)
    }

    fn original(&self, people: &[u32]) -> Draft {
        let mut original = Draft { people: people.to_vec(), starts: vec![0], codes: Vec::new() };
        for &person in people {
            original.codes.extend_from_slice(&self.people.alone(person).events);
            original.starts.push(original.codes.len() / self.forest.quasi());
        }
        original
    }
}
