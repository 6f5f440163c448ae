//! HALT: no pattern of up to L values is known to a few, anywhere in the whole data set.
//!
//! A *pattern* is an ordered list of events of which somebody knows some values, exactly or as vaguely as a node
//! of a hierarchy says: "a stay in 2009, later one of two days in the west". It has as many items as values are
//! known; roots say nothing and do not count. A published sequence *fits* when it has, in order, distinct events
//! whose cells lie at, below or above the items; by the papers' count only those that are at least as specific. For every pattern of up to L items that anybody fits, at least k people do, and
//! each sensitive value (those of π, where it is given) is not too frequent among them: at most a share C, or at
//! most (1 + min(β, −ln p))·p, where p is its share among everybody.
//!
//! Broken patterns are searched for depth first over all people and all items. They are hidden by one level for each
//! quasi-identifier, the same for everybody, and by suppressing items wherever they stand, both chosen by
//! broken patterns hidden per loss. By the papers' count a suppressed item is published as `*`. That does not help where
//! everybody counts who fits, since a `*` fits every pattern: there the events that have the item are left out, and people
//! with too many events leave out the last ones. Shares are counted, and p is taken, in what is published. Then the search starts anew, since suppressing takes people out of the crowds
//! of more general patterns, until it finds nothing: the last search is the proof.
//!
//! The search goes *by length*: patterns of one item are cleared first, then those of up to two, up to L. Short
//! patterns decide most of the levels, and on the coarser data there are far fewer long ones. Levels only rise. When
//! one does, suppressing starts anew with the patterns known so far, as most of it was for finer values.
//!
//! **Paper**: M. Sehatkar, S. Matwin, *HALT: hybrid anonymization of longitudinal transactions*, PST 2013; here as
//! the comparator of Amiri, Sánchez and Domingo-Ferrer (FCLA), §2, §5.2 and §6.3, who describe what both share.
//!
//! **Departures**:
//! - By length, as said. By the FCLA paper's description everything up to L is collected first;
//!   [`HaltParams::all_at_once`] does that.
//! - The way down the lattice does not end where the loss rises or where a child hides all patterns (the first
//!   child often does, and is the coarsest but one): it goes on to the bottom, and the best node of all is taken.
//!   The loss of a node includes the suppressing that it still needs.
//! - People with the same published sequence are counted together, and an item that stands in the same
//!   events as the one above it is not looked at. Neither changes what is found.
//! - Gains (β) besides shares (C), by the same search.
//!
//! **Cost**: a step for each pattern that is looked at and each value in the rest of the sequences that fit it. The
//! number of patterns grows about as items^L; [`HaltParams::max_patterns`] is the way to stop. Memory is that of
//! the data, of about a million broken patterns a search, and of L lists of rows a thread.
//!
//! **When another is better**: where the loss counts, [`fcla`](super::fcla), which takes HALT's decision where that is the
//! better one: levels for everybody must suit the rarest combination of all, and for long patterns little is left. HALT
//! publishes every column on one level, which some analyses need, and is faster.

mod decision;
mod items;
mod known;
mod lattice;
mod miner;
mod params;
mod suppression;
#[cfg(test)]
mod tests;
mod view;

pub use params::{HaltParams, ValidHaltParams};

use shoal_core::{NodeId, Progress, Sequences, SequencesPromise, SequencesRecoding, Support};

use self::decision::Decision;
use self::items::Items;
use self::known::Known;
use self::miner::{Meter, Step, Stopped};
use self::view::View;
use super::{SequencesAlgorithm, SequencesError, Work};
use crate::Anonymized;
use crate::sequences::terms::Terms;

const NAME: &str = "halt";

/// What HALT decided, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HaltResult {
    /// What every event is published as.
    pub recoding: SequencesRecoding,
    /// The level of each quasi-identifier, 0 being the values themselves.
    pub levels: Vec<usize>,
    /// How many published items are suppressed.
    pub suppressed_items: usize,
    /// How many patterns were looked at in all searches together.
    pub patterns: u64,
    /// How many broken patterns were found, and hidden.
    pub broken: u64,
    /// How often everything was searched.
    pub searches: u64,
}

impl SequencesAlgorithm for ValidHaltParams {
    fn name(&self) -> &'static str {
        NAME
    }

    fn anonymize(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
        let HaltResult { recoding, suppressed_items, broken, .. } = self.run(data, promise, progress)?;
        let items_suppressed = suppressed_items as u64;
        let work =
            Work { invalid_found: broken, invalid_removed: broken, items_suppressed, ..Work::default() };
        Ok(Anonymized { recoding, trace: work.into() })
    }
}

impl ValidHaltParams {
    /// Decides what every event is published as, and says what it took.
    pub fn run(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<HaltResult, SequencesError> {
        let terms = Terms::new(promise, data, NAME)?;
        let items = Items::new(data.events())?;
        let meter = Meter::new(self.0.max_patterns, progress);
        let length = longest_known(data, &items, &terms);
        let shortest = if self.0.all_at_once { length } else { length.min(1) };
        progress.stage("hiding patterns by length", (length + 1 - shortest) as u64);
        let mut hiding = Hiding::begin(&items, terms.support);
        for length in shortest..=length {
            hiding.go_on(data, &items, &terms, length, &meter, &|_| false)?;
            progress.advance(1);
        }
        let Hiding { decision, found, searches, .. } = hiding;
        Ok(HaltResult {
            recoding: decision.recoding(&items, data),
            suppressed_items: decision.suppressed_items(&items),
            levels: decision.levels,
            patterns: meter.seen(),
            broken: found,
            searches,
        })
    }
}

/// Nobody can know more than everything.
fn longest_known(data: &Sequences, items: &Items<'_>, terms: &Terms) -> usize {
    terms.length.min(data.longest() * items.quasi())
}

/// A decision on its way: it hides all that was found so far.
struct Hiding {
    decision: Decision,
    known: Known,
    found: u64,
    searches: u64,
}

impl Hiding {
    fn begin(items: &Items<'_>, support: Support) -> Hiding {
        Hiding { decision: Decision::finest(items, support), known: Known::new(), found: 0, searches: 0 }
    }

    /// Hides what breaks the terms and is up to `length` long; false when it gave up on the way.
    fn go_on(
        &mut self,
        data: &Sequences,
        items: &Items<'_>,
        terms: &Terms,
        length: usize,
        meter: &Meter<'_>,
        give_up: &dyn Fn(&Decision) -> bool,
    ) -> Result<bool, SequencesError> {
        loop {
            let view = View::new(data, items, &self.decision, terms);
            let published;
            let now = match terms.support {
                Support::Paper => terms,
                Support::Compatible => {
                    published = terms.for_published(view.everybody());
                    &published
                }
            };
            let stopped = |Stopped| SequencesError::TooMuchWork { patterns: meter.most() };
            let mut broken = miner::broken(&view, now, length, meter).map_err(stopped)?;
            self.searches += 1;
            // By the papers' count whoever publishes nothing is not in the view, but in the release.
            let is_deserted = terms.support == Support::Compatible && view.everybody().people == 0;
            if broken.is_empty() && !is_deserted {
                return Ok(true);
            }
            self.found += broken.len() as u64;
            // Patterns of which nothing is known but that there were events: no suppression hides them.
            let bare: Vec<Vec<Step>> = broken
                .extract_if(.., |pattern| pattern.iter().all(|step| items.is_root(step.code)))
                .collect();
            self.known.add(&broken, items);
            self.decision = lattice::hide(&self.known, &self.decision, items, data, meter);
            if (!bare.is_empty() || is_deserted) && !self.cut(&bare, items) {
                return Err(now.infeasible(view.everybody()));
            }
            self.known.forget_below(&self.decision, items);
            if give_up(&self.decision) {
                return Ok(false);
            }
        }
    }
}

impl Hiding {
    /// Hides patterns of roots only: a quasi-identifier that publishes its root here and there does so everywhere, then
    /// people publish fewer events, and where even one is too much, everybody is made alike. False when they are already.
    fn cut(&mut self, bare: &[Vec<Step>], items: &Items<'_>) -> bool {
        let top: Vec<usize> = (0..items.quasi()).map(|quasi| items.highest(quasi)).collect();
        let mut levels = self.decision.levels.clone();
        for quasi in bare.iter().flatten().map(|step| items.quasi_of(step.code)) {
            levels[quasi] = top[quasi];
        }
        if levels != self.decision.levels {
            self.decision = self.decision.at(levels);
            // What the levels do not hide is found again.
            return true;
        }
        let events = |pattern: &Vec<Step>| pattern.iter().filter(|step| !step.joins).count();
        let most = bare.iter().map(events).min().map_or(0, |least| least - 1);
        if most > 0 {
            self.decision.most_events = self.decision.most_events.min(most);
            return true;
        }
        let alike = Decision { most_events: 1, ..self.decision.at(top) };
        let is_new = alike != self.decision;
        self.decision = alike;
        is_new
    }
}

/// HALT's decision for a cluster of another algorithm.
pub(super) enum ForCluster {
    /// This is published.
    Decided(Decided),
    /// It loses too much, or nothing would be left.
    LosesTooMuch,
    /// The search for what must not be known was given up.
    TooMuchWork,
}

/// What is published of a cluster.
pub(super) struct Decided {
    /// For each event and quasi-identifier the node that is published, or nothing where that is suppressed or the event
    /// is left out.
    pub(super) nodes: Vec<Option<NodeId>>,
    /// How many broken patterns were found, and hidden.
    pub(super) found: u64,
    /// How many published items are suppressed.
    pub(super) suppressed_items: u64,
}

/// Decides for the people of a cluster, unless `too_much` says of what is published on the way that it loses too
/// much: what is found later hardly makes it better. Patterns are looked for in at most so many places, if that is limited.
pub(super) fn for_cluster(
    data: &Sequences,
    terms: &Terms,
    too_much: impl Fn(&[Option<NodeId>]) -> bool,
    most_places: Option<u64>,
    progress: &dyn Progress,
) -> Result<ForCluster, SequencesError> {
    let items = Items::new(data.events())?;
    let meter = Meter::of_places(most_places.unwrap_or(u64::MAX), progress);
    let mut hiding = Hiding::begin(&items, terms.support);
    for length in 1..=longest_known(data, &items, terms) {
        let give_up = |decision: &Decision| too_much(&decision.nodes(&items, data));
        match hiding.go_on(data, &items, terms, length, &meter, &give_up) {
            Ok(true) => {}
            Ok(false) | Err(SequencesError::Infeasible { .. } | SequencesError::TooFewPersons { .. }) => {
                return Ok(ForCluster::LosesTooMuch);
            }
            Err(SequencesError::TooMuchWork { .. }) => return Ok(ForCluster::TooMuchWork),
            Err(error) => return Err(error),
        }
    }
    let (found, suppressed_items) = (hiding.found, hiding.decision.suppressed_items(&items) as u64);
    let nodes = hiding.decision.nodes(&items, data);
    Ok(ForCluster::Decided(Decided { nodes, found, suppressed_items }))
}
