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
//! ([`Bound::allowed`](shoal_core::Bound::allowed), with p taken from the published file, or from all published files where
//! this one is a part of them: [`BoundedKnowledge::among`]). Whoever fits something known
//! fits everything more general, so for k the most special items would do; but the bounds are not monotone: a coarser
//! sequence can break one where all finer ones keep it, because crowds overlap. So every node that some cell fits is tried.
//!
//! The answer is exact. Alike people are counted in [`groups`]; what needs no search is [`settled`]; the rest is
//! searched in the [`whole`] file while it is short, and in [`cells`] when it is long. A search that needs more than
//! the stated work gives no answer, and a promise without an answer does not hold.
//!
//! What makes long histories and a large L cheap is the disjoint-union rule: where people can be divided so that in every
//! part each crowd is empty or keeps the promise, it is kept by all together, because sizes add and a share of a union
//! lies between the shares of its parts. Such a division is a proof that is checked part by part ([`ends`]), in a time that
//! grows with the number of parts. Whoever made the file may say which parts these are
//! ([`BoundedKnowledge::in_parts`]); otherwise, by the papers' count, what is published shows most of them ([`revealed`]), and the rest is guessed
//! ([`likeness`]). A part that does not keep the promise by itself proves nothing either way: what breaks it is held against
//! the whole file, and the part is widened.

mod apart;
mod cells;
mod ends;
mod error;
mod found;
mod groups;
mod index;
mod items;
mod likeness;
mod outcome;
mod revealed;
mod search;
mod settled;
#[cfg(test)]
mod tests;
mod values;
mod whole;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use shoal_core::{ColumnBound, Distribution, Hierarchy, Limit, MissingTexts, Progress, RawColumn, Support};

pub use error::KnowledgeError;

use self::cells::Cells;
use self::found::{Break, Found};
use self::groups::{Groups, Step};
use self::index::Index;
use self::items::Items;
use self::search::{Search, Work};
use self::settled::Settled;
use self::values::Values;
use self::whole::Reached;
use super::{SequencesModel, SequencesView, SequencesViolation};
use crate::{Classes, Figure, KTooSmall, Outcome, Promise, Unverifiable, Violations};

/// (k,β)^L or (k,C)^L, by the bounds of its limits.
///
/// ```
/// use std::sync::{Arc, OnceLock};
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
    parts: Option<Vec<u32>>,
    everybody: BTreeMap<String, Distribution>,
    missing: MissingTexts,
}

impl BoundedKnowledge {
    /// How much is looked at before a search is given up, unless something else is asked for: the items of groups,
    /// each time that one of them is held against a known sequence. It is a minute or two on two cores. Parts, and what is cheap, are tried before that with at most
    /// three quarters as much.
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
        let (support, everybody) = (Support::Compatible, BTreeMap::new());
        let missing = MissingTexts::default();
        Ok(BoundedKnowledge { k, length, limits, trees, support, work, parts: None, everybody, missing })
    }

    /// The same promise, with those in a crowd whom `support` counts.
    #[must_use]
    pub fn counting(self, support: Support) -> BoundedKnowledge {
        BoundedKnowledge { support, ..self }
    }

    /// The same promise about a file that is a part of something larger: by column, how many of everybody who is
    /// published have each value. Gains are compared with these shares and not with those of the file. By the
    /// disjoint-union rule, parts of different people that keep such a promise keep it together, whatever somebody knows: any
    /// node of the hierarchies can be known of any part, those included that no cell of the part names.
    #[must_use]
    pub fn among(self, everybody: BTreeMap<String, Distribution>) -> BoundedKnowledge {
        BoundedKnowledge { everybody, ..self }
    }

    /// The same promise where these texts stand for no value. An event without one has no secret; a limit that names one of
    /// these texts is about it all the same.
    #[must_use]
    pub fn without(self, missing: MissingTexts) -> BoundedKnowledge {
        BoundedKnowledge { missing, ..self }
    }

    /// Where to look for a proof: a number for each row of the file, the same for people who, taken by themselves, keep the
    /// promise. Nobody has to believe it. Every part is searched, and parts that do not keep the promise by themselves are
    /// widened like all other cells, so what is said here only makes the answer cheap or costly.
    #[must_use]
    pub fn in_parts(self, part_of_row: Vec<u32>) -> BoundedKnowledge {
        BoundedKnowledge { parts: Some(part_of_row), ..self }
    }

    /// The part of each person; nothing where the parts are not of this file, or are one.
    fn part_of_person(&self, view: &SequencesView<'_>) -> Option<Vec<u32>> {
        let of_row = self.parts.as_ref().filter(|parts| parts.len() == view.events().published().rows)?;
        let of_person: Vec<u32> =
            (0..view.people()).map(|person| of_row[view.rows_of(person)[0] as usize]).collect();
        of_person.iter().any(|part| *part != of_person[0]).then_some(of_person)
    }

    /// The file, with people of different parts in different groups.
    fn read(
        &self,
        view: &SequencesView<'_>,
        columns: &[Quasi<'_>],
        part_of: Option<&[u32]>,
    ) -> Result<Published, Unverifiable> {
        let items = Items::new(columns, self.support);
        let groups = Groups::new(view, &items, part_of);
        let values = Values::new(view, &groups, &self.limits, &self.missing, &self.everybody)?;
        Ok(Published::new(items, groups, values, self.k, self.support))
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

/// The part of all work that is done before parts are looked at. It must be little, since it is in vain for long files.
const QUICK: u64 = 1024;

/// How often a file must be gone through within that work for a search of it to be tried. Two values that are known take
/// about as many rounds as there are items.
const QUICK_ROUNDS: u64 = 64;

type Quasi<'a> = (&'a RawColumn, &'a Arc<Hierarchy>);

/// The file, as the search sees it.
#[derive(Debug)]
struct Published {
    items: Items,
    groups: Groups,
    values: Values,
    k: u32,
    support: Support,
    index: OnceLock<Index>,
}

impl Published {
    fn new(items: Items, groups: Groups, values: Values, k: u32, support: Support) -> Published {
        Published { items, groups, values, k, support, index: OnceLock::new() }
    }

    /// Which groups have which items, made when it is first asked for.
    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.items, &self.groups))
    }

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
    fn promise(&self) -> Promise {
        let bound = |limit: &Limit| ColumnBound { column: limit.column.clone(), bound: limit.bound };
        Promise::Knowledge {
            k: self.k,
            length: self.length,
            support: self.support,
            bounds: self.limits.iter().map(bound).collect(),
        }
    }

    fn verify(&self, view: &SequencesView<'_>) -> Result<Outcome<SequencesViolation>, Unverifiable> {
        let columns = self.columns(view)?;
        let file = self.read(view, &columns, None)?;
        let (length, work, progress) = (self.length, self.work, view.progress());
        let alone = settled::settle_alone(&file);
        if !alone.is_open.contains(&true) {
            let answer = Answer { found: alone.found(&file), given_up: None };
            return Ok(outcome::outcome(view, &file, &answer));
        }
        // In a short file everything is found out about crowds, and not only that each part keeps the promise.
        let cheap = work / QUICK;
        if items_in(&file) <= cheap / QUICK_ROUNDS {
            let settled = settled::settle(&file, cheap, progress);
            if let Ok(answer) = quick(&file, &settled, length, cheap, progress) {
                return Ok(outcome::outcome(view, &file, &answer));
            }
        }
        if let Some(part_of) = self.part_of_person(view) {
            let split = self.read(view, &columns, Some(&part_of))?;
            let part_of = split.groups.of_each(&part_of);
            if let Some(found) = by_parts(&split, &part_of, length, work / 2, progress) {
                return Ok(outcome::outcome(view, &split, &Answer { found, given_up: None }));
            }
        }
        if let Some(found) = by_revealed_parts(&file, length, work / 4, progress) {
            return Ok(outcome::outcome(view, &file, &Answer { found, given_up: None }));
        }
        Ok(outcome::outcome(view, &file, &answer(&file, length, work, progress)))
    }

    fn verify_apart(
        &self,
        view: &SequencesView<'_>,
        lists: &SequencesView<'_>,
        list_of_row: &[u32],
    ) -> Result<Outcome<SequencesViolation>, Unverifiable> {
        let parts = self.part_of_person(view).unwrap_or_else(|| vec![0; lists.people()]);
        let holds = self.holds_apart(&parts, lists, list_of_row)?;
        let words =
            if holds { "crowds are large enough" } else { "a crowd is too small, or too many have a value" };
        let found = Figure::Words(format!("{words} where a release may have left out what another one says"));
        Ok(Outcome { found, holds, violations: Violations { total: 0, worst: Vec::new(), all: Vec::new() } })
    }
}

impl BoundedKnowledge {
    /// Whether the crowds of each part keep the promise, where the lists of a person have no order to each other.
    fn holds_apart(
        &self,
        parts: &[u32],
        lists: &SequencesView<'_>,
        list_of_row: &[u32],
    ) -> Result<bool, Unverifiable> {
        let columns = self.columns(lists)?;
        let person = |person: usize| {
            let of_events: Vec<u32> =
                lists.rows_of(person).iter().map(|&row| list_of_row[row as usize]).collect();
            (parts[person], of_events)
        };
        let same_lists = Classes::of_keys((0..lists.people()).map(person)).class_of;
        let file = self.read(lists, &columns, Some(&same_lists))?;
        let mut groups_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (group, part) in (0..).zip(file.groups.of_each(parts)) {
            groups_of.entry(part).or_default().push(group);
        }
        Ok(groups_of.values().all(|groups| {
            let work = Work::new(self.work / QUICK, lists.progress());
            let search = Search { file: &file, is_open: &[], length: self.length, work: &work };
            apart::holds(search, groups, lists, list_of_row)
        }))
    }
}

/// What is found out about a file.
#[derive(Debug)]
struct Answer {
    found: Found,
    /// Where the search was given up: the work it was given, and up to which length nothing breaks the promise.
    given_up: Option<(u64, usize)>,
}

/// What is found where every part is a cell, for a start; nothing when the work is over.
fn by_parts(
    file: &Published,
    part_of: &[u32],
    length: usize,
    work: u64,
    progress: &dyn Progress,
) -> Option<Found> {
    let settled = settled::settle_alone(file);
    let cells = Cells::of_parts(file, &settled.bundles, &settled.is_open, part_of);
    let work = Work::new(work, progress);
    let found = cells::search(Search { file, is_open: &settled.is_open, length, work: &work }, cells)?;
    Some(settled.found(file).merge(found))
}

/// What is found where the parts that the file itself shows are cells, for a start; nothing when the work is over, or where
/// these parts are too small for most people.
fn by_revealed_parts(file: &Published, length: usize, work: u64, progress: &dyn Progress) -> Option<Found> {
    if file.support != Support::Paper {
        // Who was put together publishes one and the same sequence then, and is safe already, or was not put together.
        return None;
    }
    let settled = settled::settle_alone(file);
    let parts = revealed::parts(file, length, progress);
    let cells = Cells::of_revealed(file, &settled.bundles, &settled.is_open, &parts, progress)?;
    let work = Work::new(work, progress);
    let found = cells::search(Search { file, is_open: &settled.is_open, length, work: &work }, cells)?;
    Some(settled.found(file).merge(found))
}

fn answer(file: &Published, length: usize, work: u64, progress: &dyn Progress) -> Answer {
    // Companions are looked for among all who share the rarest item, which takes too long where these are many.
    let settled = settled::settle(file, work / 64, progress);
    // First what is cheap, then cells, and then whatever is left goes into the whole file.
    let cheap = work / 64;
    let short = match quick(file, &settled, length, cheap, progress) {
        Ok(answer) => return answer,
        Err(reached) => reached,
    };
    let base = settled.found(file);
    let length = known_at_most(file, length);
    let cells = Cells::of_nearest(file, &settled.bundles, &settled.is_open, progress);
    let half = (work - cheap) / 2;
    let in_cells = Work::new(half, progress);
    let search = Search { file, is_open: &settled.is_open, length, work: &in_cells };
    if let Some(found) = cells::search(search, cells) {
        return Answer { found: base.merge(found), given_up: None };
    }
    let rest = Work::new(work - cheap - half, progress);
    let long = whole::search(Search { work: &rest, ..search });
    let given_up = (!long.is_decided(length)).then_some((work, long.length.max(short.length)));
    Answer { found: base.merge(long.found), given_up }
}

/// The answer where little work finds it, otherwise how far it led.
fn quick(
    file: &Published,
    settled: &Settled,
    length: usize,
    work: u64,
    progress: &dyn Progress,
) -> Result<Answer, Reached> {
    let base = settled.found(file);
    if !settled.is_open.contains(&true) {
        return Ok(Answer { found: base, given_up: None });
    }
    let (most, length) = (longest(file), known_at_most(file, length));
    // By the papers' count somebody's whole sequence is the most that can be known, and what it finds decides. Otherwise
    // more can be known than is published: which of the values below a cell it is.
    if most == length && file.support == Support::Paper {
        let found = settled.broken(file);
        if found.length.is_some() {
            return Ok(Answer { found: base.merge(found), given_up: None });
        }
    }
    let work = Work::new(work, progress);
    let short = whole::search(Search { file, is_open: &settled.is_open, length, work: &work });
    if short.is_decided(length) {
        return Ok(Answer { found: base.merge(short.found), given_up: None });
    }
    Err(short)
}

/// How many items all sequences have.
fn items_in(file: &Published) -> u64 {
    (0..file.groups.len() as u32).map(|group| file.groups.whole(group).len() as u64).sum()
}

/// How many items the longest sequence has.
fn longest(file: &Published) -> usize {
    (0..file.groups.len() as u32).map(|group| file.groups.whole(group).len()).max().unwrap_or(0)
}

/// How many items can be known, of up to `length` that are asked for.
fn known_at_most(file: &Published, length: usize) -> usize {
    length.min(longest(file))
}
