//! Sequences together with earlier releases.
//!
//! People who were together in all releases so far are an *atom*. Atoms are clustered one by one, by the policy's algorithm;
//! newcomers are clustered among themselves. An atom is published where the finest release of its people keeps the promise, and the
//! people of it who are gone keep it, too. By the disjoint-union rule all of them together keep it then. What is published is judged
//! by the finest release once more, as a whole.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::{Anonymized, Trace};
use shoal_core::policy::Shape;
use shoal_core::{
    Bound, Cell, Class, Column, Hierarchy, Limit, Place, Progress, RawColumnBuilder, RawTable, Role,
    SUPPRESSED, SameValue, Sequences, SequencesPromise, SequencesRecoding, Table, TableRecoding,
};
use shoal_privacy::refinement::sequences::{
    EventCell, EventColumns, EventRelease, KnownEvents, Lists, everybody, refine,
};
use shoal_privacy::{BrokenPromise, Recognized, Refusal, SequencesModel, SequencesViolation};

use super::load::{Complete, Loaded};
use super::models::models;
use super::run::id;
use crate::columns::{published_columns, reordered};
use crate::earlier::EarlierFile;
use crate::leaks::{LeakKind, Unit, nobody_recognized};
use crate::table::absent;
use crate::{Audit, Leak, PipelineError, Request};

/// Where somebody was in each earlier release: the cluster, or nowhere.
type Was = Vec<Option<u32>>;

/// The earlier releases, and whose their lines are.
pub(super) struct Earlier<'a> {
    request: &'a Request,
    people: Recognized,
    lists: Vec<Lists>,
    /// For each release and person the cluster.
    clusters: Vec<HashMap<u32, u32>>,
    quasi: Vec<(&'a str, Option<&'a Hierarchy>)>,
    unchanged: Vec<&'a str>,
    known: KnownEvents,
}

/// What was decided.
pub(super) struct Plan {
    pub anonymized: Anonymized<SequencesRecoding>,
    pub notes: Vec<String>,
}

impl<'a> Earlier<'a> {
    pub(super) fn read(
        request: &'a Request,
        loaded: &Loaded,
        promise: &'a SequencesPromise,
    ) -> Result<Earlier<'a>, PipelineError> {
        let previous = &request.earlier.previous;
        for audit in previous {
            let incomparable = |problem: &str| PipelineError::Incomparable {
                output: audit.output.clone(),
                problem: problem.to_owned(),
            };
            if audit.policy.data.shape != Shape::Sequences {
                return Err(incomparable("it is not a release of sequences"));
            }
            if audit.recoding.known_by != loaded.known_as.columns {
                return Err(incomparable("it knows people by another column"));
            }
        }
        let people = Recognized::by_hash(&loaded.known_as, previous)?;
        let tree = |name: &str| -> Option<&'a Hierarchy> {
            let file = request.policy().columns.get(name)?.hierarchy.as_ref()?;
            Some(request.hierarchy(file).content.as_ref())
        };
        let quasi = request.policy().columns_of(Role::QuasiIdentifier).into_iter();
        let mut unchanged: Vec<&str> = promise.limits.iter().map(|limit| limit.column.as_str()).collect();
        unchanged.dedup();
        let quasi: Vec<(&str, Option<&Hierarchy>)> = quasi.map(|name| (name, tree(name))).collect();
        let columns = EventColumns { id: id(request), quasi: &quasi, unchanged: &unchanged };
        let (mut lists, mut clusters_of) = (Vec::new(), Vec::new());
        for ((audit, file), persons) in previous.iter().zip(&request.earlier.files).zip(&people.before) {
            let EarlierFile::Sequences(published) = file else { continue };
            lists.push(
                Lists::read(EventRelease { published, persons }, columns).map_err(Refusal::Unverifiable)?,
            );
            let clusters = audit.people()?.0.clusters.clone();
            clusters_of.push(persons.iter().copied().zip(clusters).collect());
        }
        let known = if promise.length.is_some() { KnownEvents::Some } else { KnownEvents::All };
        Ok(Earlier { request, people, lists, clusters: clusters_of, quasi, unchanged, known })
    }

    fn columns(&self) -> EventColumns<'_> {
        EventColumns { id: id(self.request), quasi: &self.quasi, unchanged: &self.unchanged }
    }

    fn was(&self, person: u32) -> Was {
        self.clusters.iter().map(|clusters| clusters.get(&person).copied()).collect()
    }

    /// Everybody who was in an earlier release, by where they were.
    fn atoms(&self) -> BTreeMap<Was, Vec<u32>> {
        let people: BTreeSet<u32> = self.people.before.iter().flatten().copied().collect();
        let mut atoms: BTreeMap<Was, Vec<u32>> = BTreeMap::new();
        people.into_iter().for_each(|person| atoms.entry(self.was(person)).or_default().push(person));
        atoms
    }

    /// The promise with the k of the strictest of all releases.
    fn strictest(&self, promise: &SequencesPromise) -> SequencesPromise {
        let policies = self.request.earlier.previous.iter().map(|audit| &audit.policy);
        let k = policies.filter_map(|policy| policy.privacy.k).max().unwrap_or(0).max(promise.k);
        SequencesPromise { k, ..promise.clone() }
    }

    /// The same, with the shares of everybody in some cells where the promise is about gains.
    fn with_shares(&self, promise: &SequencesPromise, cells: &[EventCell]) -> SequencesPromise {
        let mut promise = self.strictest(promise);
        for limit in promise.limits.iter().filter(|limit| matches!(limit.bound, Bound::Gain(_))) {
            if !promise.distributions.contains_key(&limit.column)
                && let Some(shares) = everybody(cells, id(self.request), &limit.column)
            {
                promise.distributions.insert(limit.column.clone(), shares);
            }
        }
        promise
    }

    /// Whether the finest release of some people keeps a promise, cell by cell.
    fn holds(
        &self,
        people: &[u32],
        now: Option<&Lists>,
        models: &[Box<dyn SequencesModel>],
        progress: &dyn Progress,
    ) -> Result<bool, PipelineError> {
        let lists: Vec<&Lists> = self.lists.iter().chain(now).collect();
        for cell in refine(&lists, people.iter().copied(), self.columns(), self.known) {
            if self.judge(&cell, models, progress)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What breaks the promise in a cell; none where nothing does.
    fn judge(
        &self,
        cell: &EventCell,
        models: &[Box<dyn SequencesModel>],
        progress: &dyn Progress,
    ) -> Result<Option<String>, PipelineError> {
        let broken =
            cell.judge(self.columns(), self.known, models, progress).map_err(Refusal::Unverifiable)?;
        let worst = |broken: &BrokenPromise<SequencesViolation>| match broken.violations.worst.first() {
            Some(violation) => violation.to_string(),
            None => "a part of the people does not keep the promise".to_owned(),
        };
        Ok(broken.first().map(worst))
    }

    /// Finds what can be published.
    pub(super) fn plan(
        &self,
        loaded: &Loaded,
        working: &Table,
        complete: &Complete,
        algorithm: &dyn SequencesAlgorithm,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Plan, PipelineError> {
        let promise = self.strictest(promise);
        let search = Search { earlier: self, loaded, working, complete, algorithm, progress };
        let atoms = self.atoms();
        let mut returning: BTreeMap<Was, Vec<u32>> = BTreeMap::new();
        let mut newcomers = Vec::new();
        for (at, &person) in (0_u32..).zip(&complete.persons) {
            let was = self.was(self.people.now[person as usize]);
            match was.iter().any(Option::is_some) {
                true => returning.entry(was).or_default().push(at),
                false => newcomers.push(at),
            }
        }
        let mut asked = promise.clone();
        // All values there are, so that bounds are about the same ones each time.
        asked.limits = self.bounds(complete, &promise, |_| true);
        for _ in 0..ROUNDS {
            let mut joined = Joined::new(loaded);
            let (mut short, mut gone) = (0, 0);
            for (was, people) in &returning {
                progress.check();
                let all = &atoms[was];
                match search.add(&mut joined, people, &asked, all)? {
                    Added::Published => {}
                    Added::Short => short += people.len(),
                    Added::Exposed => gone += people.len(),
                }
            }
            let kept = joined.people();
            let hidden = !newcomers.is_empty() && search.hide(&mut joined, &newcomers, &asked, asked.k)?;
            if joined.clusters == 0 {
                return Err(PipelineError::NothingKept { short, exposed: gone, newcomers: newcomers.len() });
            }
            let published = |at: usize| joined.events.class_of[complete.events[at] as usize] != SUPPRESSED;
            let limits = stricter(&asked.limits, &self.bounds(complete, &promise, published));
            if limits != asked.limits {
                asked.limits = limits;
                continue;
            }
            let mut notes =
                vec![format!("{kept} people stay with those with whom they were in earlier releases")];
            let mut note = |count: usize, what: &str| {
                if count > 0 {
                    notes.push(format!("{count} {what}"));
                }
            };
            note(
                newcomers.len(),
                match hidden {
                    true => "people are new and are hidden among themselves",
                    false => {
                        "people are left out because they are new and cannot keep the promise among themselves"
                    }
                },
            );
            note(
                short,
                "people are left out because what all releases say of those with whom they were would break the promise",
            );
            note(
                gone,
                "people are left out because those with whom they were and who are gone would be given away by the difference of the releases",
            );
            note(joined.as_before, "people keep what was published of them before");
            let recoding = SequencesRecoding { cluster_of: joined.cluster_of, events: joined.events };
            return Ok(Plan { anonymized: Anonymized { recoding, trace: joined.trace }, notes });
        }
        let why = "the bounds of values do not settle".to_owned();
        Err(PipelineError::Cohort { records: format!("{} people", complete.persons.len()), why })
    }

    /// How frequent values may be: the new release is judged by its own shares, all together by those of everybody.
    fn bounds(
        &self,
        complete: &Complete,
        promise: &SequencesPromise,
        is_published: impl Fn(usize) -> bool,
    ) -> Vec<Limit> {
        let [all, own] = [&self.lists[..], &[]]
            .map(|lists| Everybody::count(self, lists, complete, &is_published).bounds(self, promise));
        stricter(&all, &own)
    }

    /// An error where the new release and the earlier ones break the promise together; else what to say about them.
    pub(super) fn check(
        &self,
        loaded: &Loaded,
        promise: &SequencesPromise,
        published: &RawTable,
        origin: &[u32],
        cluster_of: &[u32],
        progress: &dyn Progress,
    ) -> Result<Vec<Leak>, PipelineError> {
        let releases = self.lists.len();
        let person_of = loaded.data.person_of();
        let mut rows: Vec<u32> = origin.iter().map(|&event| person_of[event as usize]).collect();
        rows.dedup();
        let persons: Vec<u32> = rows.iter().map(|&row| self.people.now[row as usize]).collect();
        let now = Lists::read(EventRelease { published, persons: &persons }, self.columns());
        let now = now.map_err(Refusal::Unverifiable)?;
        let lists: Vec<&Lists> = self.lists.iter().chain([&now]).collect();
        let people: BTreeSet<u32> = lists.iter().flat_map(|lists| lists.people()).collect();
        let cells = refine(&lists, people, self.columns(), self.known);
        let of_all = self.with_shares(promise, &cells);
        // The new release says nothing of those who are not in it: who everybody was, the earlier ones have said.
        let earlier: Vec<&Lists> = self.lists.iter().collect();
        let before: BTreeSet<u32> = earlier.iter().flat_map(|lists| lists.people()).collect();
        let of_earlier = self.with_shares(promise, &refine(&earlier, before, self.columns(), self.known));
        let of_now: HashMap<u32, u32> =
            rows.iter().zip(&persons).map(|(&row, &person)| (person, cluster_of[row as usize])).collect();
        for cell in cells {
            if self.request.earlier.allow_absent && cell.was_in.last() == Some(&false) {
                continue;
            }
            // Who was put together is a place to look for a proof, and no more than that.
            let mut number: HashMap<(Was, Option<u32>), u32> = HashMap::new();
            let part = |person: &u32| {
                let next = number.len() as u32;
                *number.entry((self.was(*person), of_now.get(person).copied())).or_insert(next)
            };
            let part_of: Vec<u32> = cell.people.iter().map(part).collect();
            let parts = cell.places().into_iter().map(|place| part_of[place]).collect();
            let promise = if cell.was_in.last() == Some(&true) { &of_all } else { &of_earlier };
            let models = models(self.request, promise, Some(parts))?;
            if let Some(found) = self.judge(&cell, &models, progress)? {
                return Err(PipelineError::Attacked { found, releases });
            }
        }
        let here: HashSet<u32> = persons.iter().copied().collect();
        let before: BTreeSet<u32> = self.people.before.iter().flatten().copied().collect();
        let returning = before.iter().filter(|person| here.contains(person)).count();
        let gone = if self.request.earlier.allow_absent { before.len() - returning } else { 0 };
        let together = LeakKind::EarlierReleases { count: returning, releases, unit: Unit::People };
        let found = (returning > 0).then(|| together.into());
        let strange = self.people.returning().1;
        Ok([found, absent(gone), nobody_recognized(strange)].into_iter().flatten().collect())
    }
}

/// Of each person of the new original whether they are in a release, by its audit.
pub(super) fn in_release(audit: &Audit, loaded: &Loaded) -> Result<Vec<bool>, PipelineError> {
    let people = Recognized::by_hash(&loaded.known_as, std::slice::from_ref(audit))?;
    let there: HashSet<u32> = people.before.concat().into_iter().collect();
    Ok(people.now.iter().map(|person| there.contains(person)).collect())
}

/// How often parts are hidden, at the most. Bounds become stricter by one person or more each time, so it would end by itself, but perhaps only when nobody is left.
const ROUNDS: usize = 20;

/// How an atom may be published.
enum Way {
    Clustered,
    Whole,
    AsBefore,
}

/// What became of an atom.
enum Added {
    Published,
    /// Those who stay do not keep the promise.
    Short,
    /// Those who are gone do not.
    Exposed,
}

/// Looks for a way to publish parts of the people.
struct Search<'a> {
    earlier: &'a Earlier<'a>,
    loaded: &'a Loaded,
    working: &'a Table,
    complete: &'a Complete,
    algorithm: &'a dyn SequencesAlgorithm,
    progress: &'a dyn Progress,
}

impl Search<'_> {
    /// Adds an atom: clustered anew, or as one cluster, or with what was published before.
    fn add(
        &self,
        joined: &mut Joined,
        people: &[u32],
        asked: &SequencesPromise,
        atom: &[u32],
    ) -> Result<Added, PipelineError> {
        let start = joined.mark();
        let mut stays = false;
        for way in [Way::Clustered, Way::Whole, Way::AsBefore] {
            let done = match way {
                Way::Clustered => self.hide(joined, people, asked, asked.k)?,
                Way::Whole => people.len() > asked.k && self.hide(joined, people, asked, people.len())?,
                Way::AsBefore => self.keep(joined, people),
            };
            if done && self.stays(joined, people, asked)? {
                stays = true;
                if self.gone(joined, people, atom, asked)? {
                    return Ok(Added::Published);
                }
            }
            joined.reset(&start, self.events(people));
        }
        Ok(if stays { Added::Exposed } else { Added::Short })
    }

    fn events(&self, people: &[u32]) -> Vec<(u32, Vec<u32>)> {
        let events = |&at: &u32| {
            let events = self.complete.data.events_of(at as usize);
            (self.complete.persons[at as usize], events.map(|event| self.complete.events[event]).collect())
        };
        people.iter().map(events).collect()
    }

    /// Clusters some people among themselves; whether they could be hidden.
    fn hide(
        &self,
        joined: &mut Joined,
        people: &[u32],
        asked: &SequencesPromise,
        k: usize,
    ) -> Result<bool, PipelineError> {
        if people.len() < k {
            return Ok(false);
        }
        let data = &self.complete.data;
        let (mut events, mut starts) = (Vec::new(), vec![0]);
        for &person in people {
            events.extend(data.events_of(person as usize).map(|event| event as u32));
            starts.push(events.len() as u32);
        }
        let part = Sequences::new(data.events().select(&events), starts).expect("everybody has an event");
        let promise = SequencesPromise { k, ..of_data(asked, data) };
        let found = self.algorithm.anonymize(&part, &promise, self.progress).map_err(PipelineError::from);
        let Anonymized { recoding, trace } = match found {
            Ok(done) => done,
            Err(error) if error.is_broken_promise() => return Ok(false),
            Err(error) => return Err(error),
        };
        let first = joined.events.classes.len() as u32;
        for (&event, &class) in events.iter().zip(&recoding.events.class_of) {
            if class != SUPPRESSED {
                joined.events.class_of[self.complete.events[event as usize] as usize] = first + class;
            }
        }
        for (&person, &cluster) in people.iter().zip(&recoding.cluster_of) {
            if cluster != SUPPRESSED {
                let person = self.complete.persons[person as usize];
                joined.cluster_of[person as usize] = joined.clusters + cluster;
            }
        }
        joined.clusters += recoding.clusters() as u32;
        joined.events.classes.extend(recoding.events.classes);
        joined.trace_of(trace);
        Ok(true)
    }

    /// Publishes what the last release published of people, where that is still true; whether it is of anybody.
    fn keep(&self, joined: &mut Joined, people: &[u32]) -> bool {
        let Some(lists) = self.earlier.lists.last() else { return false };
        let mut any = false;
        for (person, events) in self.events(people) {
            let before = lists.events_of(self.earlier.people.now[person as usize]);
            let mut left = events.iter();
            // The first event that may be the one leaves most to those after it.
            let found: Option<Vec<(u32, Class)>> = before
                .map(|(quasi, unchanged)| {
                    left.find_map(|&event| Some((event, self.still_true(event, quasi, unchanged)?)))
                })
                .collect();
            let Some(found) = found.filter(|found| !found.is_empty()) else { continue };
            for (event, class) in found {
                joined.events.class_of[event as usize] = joined.events.classes.len() as u32;
                joined.events.classes.push(class);
            }
            joined.cluster_of[person as usize] = joined.clusters;
            joined.as_before += 1;
            any = true;
        }
        joined.clusters += u32::from(any);
        any
    }

    /// The cells of an earlier event, where it may be this one.
    fn still_true(
        &self,
        event: u32,
        quasi: &[Option<String>],
        unchanged: &[Option<String>],
    ) -> Option<Class> {
        let row = event as usize;
        for (name, before) in self.earlier.unchanged.iter().zip(unchanged) {
            let column = self.loaded.raw.column(name)?;
            let now = (column.null != Some(column.codes[row])).then(|| column.text(row));
            let same = match (now, before) {
                (Some(now), Some(before)) => SameValue::from_text(now) == SameValue::from_text(before),
                (None, None) => true,
                _ => false,
            };
            if !same {
                return None;
            }
        }
        let mut cells = Vec::new();
        for column in self.working.quasi_identifiers() {
            let at = self.earlier.quasi.iter().position(|(name, _)| *name == column.name)?;
            let text = quasi[at].as_deref()?;
            if text == "*" {
                cells.push(Cell::Suppressed);
                continue;
            }
            let bound = column.hierarchy.as_ref()?;
            let (tree, code) = (bound.tree(), column.codes[row]);
            let node = tree.node(text)?;
            tree.leaves_below(node).contains(&bound.leaf_of(code)).then_some(())?;
            cells.push(if tree.is_leaf(node) { Cell::Exact(code) } else { Cell::Node(node) });
        }
        Some(Class { cells })
    }

    /// Whether those of an atom who are published keep the promise in all releases together.
    fn stays(
        &self,
        joined: &Joined,
        people: &[u32],
        asked: &SequencesPromise,
    ) -> Result<bool, PipelineError> {
        let (earlier, request) = (self.earlier, self.earlier.request);
        let (mut origin, mut persons, mut published) = (Vec::new(), Vec::new(), Vec::new());
        let mut ids = RawColumnBuilder::new(id(request).to_owned());
        for (person, events) in self.events(people) {
            let before = origin.len();
            origin
                .extend(events.iter().filter(|&&event| joined.events.class_of[event as usize] != SUPPRESSED));
            if origin.len() > before {
                persons.push(earlier.people.now[person as usize]);
                published.push(person);
                let number = persons.len().to_string();
                (before..origin.len()).for_each(|_| ids.push(&number, Place::default()));
            }
        }
        if persons.is_empty() {
            return Ok(false);
        }
        // A class is rendered once for each call, so only those of the part are handed on.
        let mut number: HashMap<u32, u32> = HashMap::new();
        let mut classes = Vec::new();
        let mut class_of: HashMap<u32, u32> = HashMap::new();
        for &event in &origin {
            let class = joined.events.class_of[event as usize];
            let next = classes.len() as u32;
            let own = *number.entry(class).or_insert(next);
            if own == next {
                classes.push(joined.events.classes[class as usize].clone());
            }
            class_of.insert(event, own);
        }
        let raw = RawTable {
            columns: self.loaded.raw.columns.iter().map(|column| reordered(column, &origin)).collect(),
            rows: origin.len(),
            files: Vec::new(),
        };
        let recoding =
            TableRecoding { class_of: origin.iter().map(|event| class_of[event]).collect(), classes };
        let table = self.working.select(&origin);
        let all: Vec<u32> = (0..origin.len() as u32).collect();
        let mut columns = vec![ids.finish()];
        columns.extend(published_columns(request.policy(), &raw, &table, &recoding, &all));
        let file = RawTable { columns, rows: origin.len(), files: Vec::new() };
        let now = Lists::read(EventRelease { published: &file, persons: &persons }, earlier.columns());
        let now = now.map_err(Refusal::Unverifiable)?;
        earlier.holds(&persons, Some(&now), &models(request, asked, None)?, self.progress)
    }

    /// Whether those of an atom who are not published keep the promise in the earlier releases, or may be given away.
    fn gone(
        &self,
        joined: &Joined,
        people: &[u32],
        atom: &[u32],
        asked: &SequencesPromise,
    ) -> Result<bool, PipelineError> {
        let (earlier, request) = (self.earlier, self.earlier.request);
        let is_here =
            |&&at: &&u32| joined.cluster_of[self.complete.persons[at as usize] as usize] != SUPPRESSED;
        let here = people.iter().filter(is_here);
        let here: HashSet<u32> =
            here.map(|&at| earlier.people.now[self.complete.persons[at as usize] as usize]).collect();
        let gone: Vec<u32> = atom.iter().copied().filter(|person| !here.contains(person)).collect();
        if gone.is_empty() || request.earlier.allow_absent {
            return Ok(true);
        }
        earlier.holds(&gone, None, &models(request, asked, None)?, self.progress)
    }
}

/// How many people have each value of a column in any appearance, and who everybody is.
#[derive(Default)]
struct Everybody {
    people: BTreeSet<u32>,
    /// By unchanged column and value, as it looks: as it was first written, and who has it.
    having: BTreeMap<(usize, SameValue), (String, BTreeSet<u32>)>,
}

impl Everybody {
    fn add(&mut self, person: u32, column: usize, value: &str) {
        let key = (column, SameValue::from_text(value));
        self.having.entry(key).or_insert_with(|| (value.to_owned(), BTreeSet::new())).1.insert(person);
    }

    /// Those of some earlier releases, and of the new one as far as they are published.
    fn count(
        earlier: &Earlier<'_>,
        lists: &[Lists],
        complete: &Complete,
        is_published: impl Fn(usize) -> bool,
    ) -> Everybody {
        let mut all = Everybody::default();
        for lists in lists {
            for person in lists.people() {
                all.people.insert(person);
                for (_, unchanged) in lists.events_of(person) {
                    let values = unchanged.iter().enumerate();
                    values.for_each(|(at, value)| all.add(person, at, value.as_deref().unwrap_or_default()));
                }
            }
        }
        let columns = &complete.data.events().columns;
        let columns =
            earlier.unchanged.iter().map(|name| columns.iter().find(|column| column.name == **name));
        let columns: Vec<Option<&Column>> = columns.collect();
        for (events, &row) in complete.data.iter().zip(&complete.persons) {
            let person = earlier.people.now[row as usize];
            for event in events.filter(|&event| is_published(event)) {
                all.people.insert(person);
                for (at, column) in columns.iter().enumerate() {
                    let Some(column) = column else { continue };
                    all.add(person, at, column.domain.label(column.codes[event]));
                }
            }
        }
        all
    }

    /// The promise for a part of the people: how frequent a value may be depends on how frequent it is among everybody, and not in the part.
    fn bounds(&self, earlier: &Earlier<'_>, promise: &SequencesPromise) -> Vec<Limit> {
        let mut limits = Vec::new();
        for limit in &promise.limits {
            // Where it is said who everybody is, what is published has no part in it.
            if matches!(limit.bound, Bound::Share(_)) || promise.distributions.contains_key(&limit.column) {
                limits.push(limit.clone());
                continue;
            }
            let at = earlier.unchanged.iter().position(|name| *name == limit.column);
            let is_named = |value: &SameValue| {
                let is_it = |named: &String| SameValue::from_text(named) == *value;
                limit.values.as_ref().is_none_or(|values| values.iter().any(is_it))
            };
            let named =
                self.having.iter().filter(|((column, look), _)| Some(*column) == at && is_named(look));
            for (_, (value, having)) in named {
                let allowed = limit.bound.allowed(having.len() as f64 / self.people.len() as f64).min(1.0);
                let (column, values) = (limit.column.clone(), Some(vec![value.clone()]));
                limits.push(Limit { column, values, bound: Bound::Share(allowed) });
            }
        }
        limits
    }
}

/// The limits that an algorithm can look at: those of values that the data have, by their spelling there.
fn of_data(promise: &SequencesPromise, data: &Sequences) -> SequencesPromise {
    let spelled = |limit: &Limit| {
        let Some(values) = &limit.values else { return Some(limit.clone()) };
        let column = data.events().columns.iter().find(|column| column.name == limit.column)?;
        let looks = |label: &&str| {
            values.iter().any(|value| SameValue::from_text(value) == SameValue::from_text(label))
        };
        let labels = (0..column.domain.len() as u32).map(|code| column.domain.label(code)).filter(looks);
        let values: Vec<String> = labels.map(str::to_owned).collect();
        (!values.is_empty()).then(|| Limit { values: Some(values), ..limit.clone() })
    };
    SequencesPromise { limits: promise.limits.iter().filter_map(spelled).collect(), ..promise.clone() }
}

/// The lower one of each two bounds. Bounds that could rise again might take turns for ever.
fn stricter(asked: &[Limit], found: &[Limit]) -> Vec<Limit> {
    let lower = |asked: &Limit| {
        // A value that nobody shows is in no crowd.
        let folded = |limit: &Limit| -> Option<Vec<SameValue>> {
            Some(limit.values.as_ref()?.iter().map(|value| SameValue::from_text(value)).collect())
        };
        let same = found.iter().find(|found| found.column == asked.column && folded(found) == folded(asked));
        match (asked.bound, same.map(|found| found.bound)) {
            (Bound::Share(one), Some(Bound::Share(other))) => {
                Limit { bound: Bound::Share(one.min(other)), ..asked.clone() }
            }
            _ => asked.clone(),
        }
    };
    asked.iter().map(lower).collect()
}

/// The recodings of parts of the people, put together, about all events and everybody.
struct Joined {
    cluster_of: Vec<u32>,
    clusters: u32,
    events: TableRecoding,
    trace: Trace,
    /// How many people keep what was published of them.
    as_before: usize,
}

/// How far `Joined` had come.
struct Mark {
    clusters: u32,
    classes: usize,
    as_before: usize,
}

impl Joined {
    fn new(loaded: &Loaded) -> Joined {
        let class_of = vec![SUPPRESSED; loaded.data.events().rows];
        Joined {
            cluster_of: vec![SUPPRESSED; loaded.data.persons()],
            clusters: 0,
            events: TableRecoding { class_of, classes: Vec::new() },
            trace: Trace::default(),
            as_before: 0,
        }
    }

    fn people(&self) -> usize {
        self.cluster_of.iter().filter(|&&cluster| cluster != SUPPRESSED).count()
    }

    fn mark(&self) -> Mark {
        Mark { clusters: self.clusters, classes: self.events.classes.len(), as_before: self.as_before }
    }

    /// Takes back what was added of some people since then.
    fn reset(&mut self, mark: &Mark, people: Vec<(u32, Vec<u32>)>) {
        self.clusters = mark.clusters;
        self.as_before = mark.as_before;
        self.events.classes.truncate(mark.classes);
        for (person, events) in people {
            self.cluster_of[person as usize] = SUPPRESSED;
            events.iter().for_each(|&event| self.events.class_of[event as usize] = SUPPRESSED);
        }
    }

    fn trace_of(&mut self, trace: Trace) {
        match self.trace.counts.is_empty() {
            true => self.trace.counts = trace.counts,
            false => {
                self.trace.counts.0.iter_mut().for_each(|(name, count)| *count += trace.counts.get(name));
            }
        }
    }
}
