//! FCLA: fast clustering-based longitudinal data anonymization.
//!
//! Keeps (k,β)^L and (k,C)^L. Somebody may know up to L *items* of a person: values of quasi-identifiers, exact or as
//! any node of the hierarchy below its root, some of them of the same event, and the order of these events. A person
//! *fits* what is known when their published sequence has such events in this order, with cells that lie at, below or above
//! what is known; by the papers' count (`support = "paper"`) only when each is at least as specific. Whatever is known,
//! those who fit are nobody, or at least k people among whom no sensitive value is more frequent than allowed.
//!
//! 1. `groups`: people with similar sequences are put together; many people are cut into blocks of near ones before (see
//!    `blocks` beside this folder), each of which is grouped by itself.
//! 2. `search`: in each cluster, what breaks the promise. It suffices to look at each cluster by itself: if
//!    something known is fine in each of several parts of the people, it is fine in all of them together.
//! 3. `removal`: two ways to get rid of it, the cheaper of which is taken and then refined.
//! 4. The same with the distance of the paper's Base1, and with one cluster of everybody instead of many small ones (`whole`); what loses least
//!    is published. Neither is in the paper.
//!
//! Cost: grouping takes the square of the number of people in a block, or less where there are several, removing about the
//! same for each cluster, since its search has a budget. One cluster of everybody has a budget too where there are several blocks. So
//! all of it grows with the number of blocks. Data sets below [`BlockSizes::FCLA`](super::BlockSizes::FCLA) are not cut.
//!
//! By the papers' count nobody is left out, and no event: what cannot be shown is published as `*`.
//!
//! Where everybody counts who fits, a `*` fits whatever is known, so it hides nobody: a person with a rare combination who
//! publishes `*` is the only one who fits what no other cell names. Then the members of a small cluster publish one and
//! the same sequence (`identical`), events without a partner are left out, and so are people who would have been hidden.
//! Each cluster is whole in every crowd or not in it, which is enough by the same argument as in step 2. `settle` holds the
//! clusters against the shares among those who are published, since leaving people out changes these.

mod crowd;
mod free;
mod groups;
mod growth;
mod identical;
mod itemsets;
mod lattice;
mod pairs;
mod params;
mod refine;
mod removal;
mod search;
mod settle;
mod suppression;
mod tree;
mod whole;

pub use params::{Distance, FclaParams, ValidFclaParams};

use hashbrown::HashMap;
use rayon::prelude::*;
use shoal_core::{
    Cell, Class, Progress, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, Support,
    TableRecoding, Unseen,
};

use crate::Anonymized;
use crate::sequences::blocks;
use crate::sequences::costs::Costs;
use crate::sequences::limits::Limits;
use crate::sequences::terms::Terms;
use crate::sequences::{SequencesAlgorithm, SequencesError, Work};

use crowd::{Draft, GONE};
use groups::{GRAIN, People, group_blocks};
use growth::Group;
use removal::Removal;
use tree::Forest;
use whole::Whole;

impl SequencesAlgorithm for ValidFclaParams {
    fn name(&self) -> &'static str {
        match self.0.distance {
            Distance::Aligned => "fcla",
            Distance::EventPairs => "fcla-base1",
        }
    }

    fn anonymize(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
        let events = data.events();
        let terms = Terms::new(promise, data, self.name())?;
        terms.check_everybody()?;
        let quasi = events.quasi_identifiers();
        let costs = Costs::new(&quasi, events.rows)?;
        let forest = Forest::new(&quasi, &costs)?;
        // Clusters take limits of their own for CBMSA. Here the terms decide about shares, so they get none.
        let no_limits = SequencesPromise {
            k: promise.k,
            length: None,
            support: Support::Paper,
            limits: Vec::new(),
            distributions: Default::default(),
        };
        let limits = Limits::new(&no_limits, events, self.name())?;
        let mut people = People::new(data.iter().collect(), &costs, limits, progress);
        let plan = people.blocks(&terms, self.0.blocks);
        people.grain = blocks::grain(plan.blocks.len(), GRAIN);
        let paper =
            Clustering { data, terms: &terms, people: &people, forest: &forest, blocks: &plan.blocks };
        let mut best = paper.publish(self.0.distance, progress);
        if self.0.alternatives {
            best = better(best, paper.publish(Distance::EventPairs, progress));
        }
        let mut best = best?;
        if self.0.alternatives {
            progress.stage("trying one cluster", 0);
            let is_large = plan.blocks.len() > 1;
            match whole::publish(data, &terms, &forest, &costs, best.loss, is_large, progress)? {
                Whole::Published(draft, more) => {
                    let Work { alignments_computed, alignments_skipped, blocks, .. } = best.work;
                    let work = Work { alignments_computed, alignments_skipped, blocks, ..more };
                    let everybody = [Group { people: draft.people.clone(), hidden: Vec::new() }];
                    let recoding =
                        recode(data, &everybody, std::iter::once(draft), &forest, &costs, terms.support);
                    return Ok(Anonymized { recoding, trace: work.into() });
                }
                Whole::LosesMore => {}
                Whole::GivenUp => best.work.whole_given_up = true,
            }
        }
        let recoding = recode(data, &best.groups, best.drafts.into_iter(), &forest, &costs, terms.support);
        Ok(Anonymized { recoding, trace: best.work.into() })
    }
}

/// By alignments or by pairs of events, whichever loses less: on long histories the cheaper distance does at times, and it takes a
/// fraction of the time. Either may fail where the other does not. The alignments of both are those of the first.
fn better(
    aligned: Result<Clustered, SequencesError>,
    pairs: Result<Clustered, SequencesError>,
) -> Result<Clustered, SequencesError> {
    match (aligned, pairs) {
        (Ok(aligned), Ok(mut pairs)) if pairs.loss < aligned.loss => {
            pairs.work.alignments_computed = aligned.work.alignments_computed;
            pairs.work.alignments_skipped = aligned.work.alignments_skipped;
            Ok(pairs)
        }
        (Err(_), Ok(pairs)) => Ok(pairs),
        (aligned, _) => aligned,
    }
}

/// What clustering needs to know.
struct Clustering<'a> {
    data: &'a Sequences,
    terms: &'a Terms,
    people: &'a People<'a>,
    forest: &'a Forest,
    blocks: &'a [Vec<u32>],
}

/// Clusters and what they publish.
struct Clustered {
    groups: Vec<Group>,
    drafts: Vec<Draft>,
    /// What all events lose together, those of hidden people included.
    loss: f64,
    work: Work,
}

impl Clustering<'_> {
    /// Puts similar people together and publishes each cluster by itself.
    fn publish(&self, distance: Distance, progress: &dyn Progress) -> Result<Clustered, SequencesError> {
        let &Clustering { data, terms, people, forest, blocks } = self;
        let quasi = forest.quasi();
        let mut work = Work { blocks: blocks.len() as u64, ..Work::default() };
        let mut groups = group_blocks(blocks, people, terms, distance, progress, &mut work);
        if groups.is_empty() && terms.support == Support::Compatible {
            // Everybody together keeps the terms, as was checked.
            groups.push(Group { people: (0..data.persons() as u32).collect(), hidden: Vec::new() });
        }

        progress.stage("removing", groups.len() as u64);
        let removal = Removal { people, forest, terms, distance, progress: Unseen(progress) };
        let mut published: Vec<(Draft, Work)> = groups
            .par_iter()
            .with_max_len(1)
            .map(|group| {
                let published = removal.publish(&group.people);
                progress.advance(1);
                published
            })
            .collect();
        published.iter().for_each(|&(_, more)| work += more);
        if terms.support == Support::Compatible && !settle::settle(&mut published, data, terms, quasi) {
            // Nobody is left in small clusters, so all people become one cluster, which keeps the terms unless events that
            // find no partner change the shares: then there is nothing to publish.
            let everybody: Vec<u32> = (0..data.persons() as u32).collect();
            groups = vec![Group { people: everybody.clone(), hidden: Vec::new() }];
            published = vec![removal.publish(&everybody)];
            if !settle::settle(&mut published, data, terms, quasi) {
                return Err(terms.infeasible(&terms.tally(&everybody)));
            }
        }
        let hidden = groups.iter().flat_map(|group| &group.hidden);
        let hidden: usize = hidden.map(|&person| data.events_of(person as usize).len() * quasi).sum();
        let drafts: Vec<Draft> = published.into_iter().map(|(draft, _)| draft).collect();
        let loss = drafts.iter().map(|draft| draft.loss(forest)).sum::<f64>() + hidden as f64;
        Ok(Clustered { groups, drafts, loss, work })
    }
}

/// What the groups publish, as classes of events: those with the same cells are one class.
fn recode(
    data: &Sequences,
    groups: &[Group],
    drafts: impl Iterator<Item = Draft>,
    forest: &Forest,
    costs: &Costs,
    support: Support,
) -> SequencesRecoding {
    let quasi = forest.quasi();
    // Whatever no draft says anything about is hidden.
    let unsaid = |code: u32| match support {
        Support::Compatible => GONE,
        Support::Paper => forest.root(code),
    };
    let mut codes: Vec<u32> = costs.values(0..data.events().rows).iter().map(|&code| unsaid(code)).collect();
    let mut cluster_of = match support {
        Support::Compatible => vec![SUPPRESSED; data.persons()],
        Support::Paper => vec![0; data.persons()],
    };
    let mut clusters = 0;
    for (group, draft) in groups.iter().zip(drafts) {
        // Clusters of which nothing is left have no number.
        if draft.codes.iter().all(|&code| code == GONE) {
            continue;
        }
        for (place, person) in group.everybody().enumerate() {
            let is_published = match draft.starts.get(place..place + 2) {
                Some(bounds) => {
                    draft.codes[bounds[0] * quasi..bounds[1] * quasi].iter().any(|&code| code != GONE)
                }
                // The hidden ones have no place in the draft.
                None => support == Support::Paper,
            };
            if is_published {
                cluster_of[person as usize] = clusters;
            }
        }
        clusters += 1;
        for (&person, bounds) in draft.people.iter().zip(draft.starts.windows(2)) {
            let events = data.events_of(person as usize);
            codes[events.start * quasi..events.end * quasi]
                .copy_from_slice(&draft.codes[bounds[0] * quasi..bounds[1] * quasi]);
        }
    }
    let mut classes = Vec::new();
    let mut class_by: HashMap<&[u32], u32, foldhash::fast::FixedState> = HashMap::default();
    let mut class_of = Vec::with_capacity(data.events().rows);
    for event in codes.chunks_exact(quasi) {
        if event[0] == GONE {
            class_of.push(SUPPRESSED);
            continue;
        }
        let class = *class_by.entry(event).or_insert_with(|| {
            classes.push(Class {
                cells: event.iter().enumerate().map(|(q, &code)| cell(q, code, forest, costs)).collect(),
            });
            classes.len() as u32 - 1
        });
        class_of.push(class);
    }
    SequencesRecoding { cluster_of, events: TableRecoding { class_of, classes } }
}

/// A root says nothing, unless it is the only value there is.
fn cell(quasi: usize, code: u32, forest: &Forest, costs: &Costs) -> Cell {
    if forest.root(code) == code && forest.loss(code) > 0.0 {
        Cell::Suppressed
    } else {
        Cell::Node(costs.node(quasi, code))
    }
}

#[cfg(test)]
mod tests;
