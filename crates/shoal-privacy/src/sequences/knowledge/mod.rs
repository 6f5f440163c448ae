//! (k,β)^L and (k,C)^L: crowds of people who share what somebody may know, which is up to L values of their events.
//!
//! An *item* is a quasi-identifier with a node of its hierarchy other than the root. A *known sequence* is a list of
//! events in order, each with one item or more and at most one per quasi-identifier; its length is its number of items.
//! Somebody who knows only that there was an event knows nothing: the number of events is not a quasi-identifier. A
//! known sequence *fits* a person who has, in order, distinct events whose cells lie at, below or above its items
//! ([`Support::Compatible`]): the person may be the one. Any node of a hierarchy can be known, also one that no cell
//! names. By the papers' count ([`Support::Paper`]) cells must lie at or below the items; then somebody who publishes less
//! than is known about them is in no crowd at all, though everybody can see that they may be the one. Texts that
//! the tree does not know hang directly below the root and are items of their own.
//!
//! The promise: for every known sequence of up to L items that fits anybody, the crowd of those whom it fits has at
//! least k people, and of each sensitive value by itself no greater share than its bound allows
//! ([`Bound::allowed`](shoal_core::Bound::allowed), with p taken from the published file). Whoever fits something known
//! fits everything more general, so for k the most special items would do; but the bounds are not monotone: a coarser
//! sequence can break one where all finer ones keep it, because crowds overlap. So every node that some cell fits is tried.
//!
//! The answer is exact. Alike people are counted in [`groups`]; what needs no search is [`settled`]; the rest is
//! searched in the [`whole`] file while it is short, and in [`cells`] when it is long. A search that needs more than
//! the stated work gives no answer, and a promise without an answer does not hold.

mod cells;
mod error;
mod found;
mod groups;
mod items;
mod outcome;
mod search;
mod settled;
#[cfg(test)]
mod tests;
mod values;
mod whole;

use std::sync::Arc;

use shoal_core::{Bound, Hierarchy, Limit, Progress, RawColumn, Support};

pub use error::KnowledgeError;

use self::cells::Cells;
use self::found::{Break, Found};
use self::groups::{Groups, Step};
use self::items::Items;
use self::search::{Search, Work};
use self::values::Values;
use self::whole::Reached;
use super::{SequencesModel, SequencesView, SequencesViolation};
use crate::{Figure, KTooSmall, Outcome, Unverifiable};

/// (k,β)^L or (k,C)^L, by the bounds of its limits.
///
/// ```
/// use std::sync::Arc;
/// use shoal_core::{Hierarchy, RawTable};
/// use shoal_privacy::{BoundedKnowledge, SequencesModel, SequencesView};
///
/// let lines = [["Bonn", "west", "*"], ["Köln", "west", "*"], ["Kiel", "north", "*"], ["Husum", "north", "*"]];
/// let trees = vec![("town".to_owned(), Arc::new(Hierarchy::from_rows(&lines.map(Vec::from))?))];
/// // Whoever knows up to two values of a person, and their order, finds at least two people.
/// let model = BoundedKnowledge::new(2, 2, Vec::new(), trees, BoundedKnowledge::WORK)?;
/// let holds = |rows: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let file = RawTable::from_rows(&["id", "town"], rows);
///     Ok(model.verify(&SequencesView::new(&file, "id", &["town"])?)?.holds)
/// };
/// assert!(holds(&[vec!["1", "west"], vec!["1", "Kiel"], vec!["2", "west"], vec!["2", "Kiel"]])?);
/// // Everybody was in the west, but whoever was in Kiel afterwards is alone.
/// assert!(!holds(&[vec!["1", "west"], vec!["1", "Kiel"], vec!["2", "west"]])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct BoundedKnowledge {
    k: u32,
    length: usize,
    limits: Vec<Limit>,
    trees: Vec<(String, Arc<Hierarchy>)>,
    support: Support,
    work: u64,
}

impl BoundedKnowledge {
    /// How much is looked at before a search is given up, unless something else is asked for: the items of groups,
    /// each time that one of them is held against a known sequence. It is a minute or two on two cores.
    pub const WORK: u64 = 50_000_000_000;

    /// The promise for a `k` of at least 2 and a `length` L of at least 1. Each limit is a bound for one column, for
    /// the values that it names or for all. `trees` are the policy's, by column; every quasi-identifier needs one.
    /// Everybody counts who may be the one; [`counting`](BoundedKnowledge::counting) says otherwise.
    pub fn new(
        k: u32,
        length: usize,
        limits: Vec<Limit>,
        trees: Vec<(String, Arc<Hierarchy>)>,
        work: u64,
    ) -> Result<BoundedKnowledge, KnowledgeError> {
        let k = KTooSmall::check(k)?;
        if length == 0 {
            return Err(KnowledgeError::NothingKnown);
        }
        limits.iter().try_for_each(KnowledgeError::check)?;
        Ok(BoundedKnowledge { k, length, limits, trees, support: Support::Compatible, work })
    }

    /// The same promise, with those in a crowd whom `support` counts.
    #[must_use]
    pub fn counting(self, support: Support) -> BoundedKnowledge {
        BoundedKnowledge { support, ..self }
    }

    /// The quasi-identifiers with their trees.
    fn columns<'a>(&'a self, view: &SequencesView<'a>) -> Result<Vec<Quasi<'a>>, Unverifiable> {
        let tree = |column: &&'a RawColumn| {
            let tree = self.trees.iter().find(|(name, _)| *name == column.name);
            let lacking = || Unverifiable::NoHierarchy { column: column.name.clone() };
            tree.map(|(_, tree)| (*column, tree)).ok_or_else(lacking)
        };
        view.events().quasi().iter().map(tree).collect()
    }
}

type Quasi<'a> = (&'a RawColumn, &'a Arc<Hierarchy>);

/// The file, as the search sees it.
#[derive(Debug)]
struct Published {
    items: Items,
    groups: Groups,
    values: Values,
    k: u32,
    support: Support,
}

impl Published {
    /// Whether a group would break the promise if it were a crowd.
    fn breaks_alone(&self, group: u32) -> bool {
        self.groups.sizes[group as usize] < self.k || self.is_above(group)
    }

    /// Whether a group has too large a share of a value.
    fn is_above(&self, group: u32) -> bool {
        let size = self.groups.sizes[group as usize];
        let is_above = |&(value, count): &(u32, u32)| !self.values.allows(value, count, size);
        self.values.of(group).iter().any(is_above)
    }

    /// How a crowd of groups that something known is true of breaks the promise, if it does.
    fn break_of(&self, crowd: &[u32], known: &[Step]) -> Option<Break> {
        let (people, counts) = (self.groups.people(crowd), self.values.count(crowd));
        Break::of(&self.values, self.k, people, &counts, || known.to_vec())
    }
}

impl SequencesModel for BoundedKnowledge {
    fn name(&self) -> String {
        let is_gain = |limit: &Limit| matches!(limit.bound, Bound::Gain(_));
        let of = |letter, asked: bool| if asked { letter } else { "" };
        let gain = of(",β", self.limits.iter().any(is_gain));
        let share = of(",C", !self.limits.iter().all(is_gain));
        format!("(k{gain}{share})^L")
    }

    fn asked(&self) -> Figure {
        let limit = |limit: &Limit| {
            let column = if self.limits.len() > 1 { format!(" for {}", limit.column) } else { String::new() };
            match limit.bound {
                Bound::Gain(beta) => format!("β = {beta}{column}, "),
                Bound::Share(c) => format!("C = {c}{column}, "),
            }
        };
        let limits: String = self.limits.iter().map(limit).collect();
        let count = match self.support {
            Support::Compatible => "",
            Support::Paper => ", by the papers' count",
        };
        Figure::Words(format!("k = {}, {limits}L = {}{count}", self.k, self.length))
    }

    fn verify(&self, view: &SequencesView<'_>) -> Result<Outcome<SequencesViolation>, Unverifiable> {
        let columns = self.columns(view)?;
        let items = Items::new(&columns, self.support);
        let groups = Groups::new(view, &items, self.support);
        let values = Values::new(view, &groups, &self.limits)?;
        let file = Published { items, groups, values, k: self.k, support: self.support };
        Ok(outcome::outcome(view, &file, &answer(&file, self.length, self.work, view.progress())))
    }
}

/// What is found out about a file.
#[derive(Debug)]
struct Answer {
    found: Found,
    /// Where the search was given up: the work it was given, and up to which length nothing breaks the promise.
    given_up: Option<(u64, usize)>,
}

fn answer(file: &Published, length: usize, work: u64, progress: &dyn Progress) -> Answer {
    let settled = settled::settle(file, work, progress);
    let base = settled.found(file);
    if !settled.is_open.contains(&true) {
        return Answer { found: base, given_up: None };
    }
    let most = (0..file.groups.len() as u32).map(|group| file.groups.whole(group).len()).max();
    let length = length.min(most.unwrap_or(0));
    // By the papers' count somebody's whole sequence is the most that can be known, and what it finds decides. Otherwise
    // more can be known than is published: which of the values below a cell it is.
    if most == Some(length) && file.support == Support::Paper {
        let found = settled.broken(file);
        if found.length.is_some() {
            return Answer { found: base.merge(found), given_up: None };
        }
    }
    // First what is cheap, then cells, and then whatever is left goes into the whole file.
    let mut left = work;
    let mut spend = |share: u64| {
        let part = left / share;
        left -= part;
        Work::new(part, progress)
    };
    let whole = |work: &Work<'_>| whole::search(Search { file, is_open: &settled.is_open, length, work });
    let is_decided = |reached: &Reached| reached.found.length.is_some() || reached.length == length;
    let short = whole(&spend(64));
    if is_decided(&short) {
        return Answer { found: base.merge(short.found), given_up: None };
    }
    let cells = Cells::of_nearest(file, &settled.bundles, &settled.is_open);
    let search = Search { file, is_open: &settled.is_open, length, work: &spend(2) };
    if let Some(found) = cells::search(search, cells) {
        return Answer { found: base.merge(found), given_up: None };
    }
    let long = whole(&spend(1));
    let given_up = (!is_decided(&long)).then_some((work, long.length.max(short.length)));
    Answer { found: base.merge(long.found), given_up }
}
