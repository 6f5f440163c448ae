//! Sequences together with earlier releases.
//!
//! People who were together in all releases so far are an *atom*. Atoms are published one by one ([`search`]): clustered by the policy's
//! algorithm, or with what was published before. Newcomers are clustered among themselves. An atom is published where the
//! finest release of its people keeps the promise, and the people of it who are gone keep it, too. By the disjoint-union rule
//! all of them together keep it then. What is published is judged by the finest release once more, as a whole.
//!
//! Where one to k − 1 people of an atom are gone, the difference of the releases would show them. Then as many others are left out
//! as make them a crowd, if enough people stay; otherwise the whole atom is.

mod bounds;
mod part;
mod search;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_core::policy::Shape;
use shoal_core::{Bound, Hierarchy, Progress, RawTable, Role, SequencesPromise, SequencesRecoding, Table};
use shoal_privacy::refinement::sequences::{
    EventCell, EventColumns, EventRelease, KnownEvents, Lists, everybody, refine,
};
use shoal_privacy::{BrokenPromise, Recognized, Refusal, SequencesModel, SequencesViolation};

use self::bounds::{bounds, stricter, tightened};
use self::part::Joined;
use self::search::{Added, Search};
use super::load::{Complete, Loaded};
use super::models::models;
use super::run::id;
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
    /// What is published as it is: first the columns that limits are about.
    unchanged: Vec<&'a str>,
    limited: usize,
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
        let (unchanged, limited) = unchanged(request, promise);
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
        Ok(Earlier { request, people, lists, clusters: clusters_of, quasi, unchanged, limited, known })
    }

    fn columns(&self) -> EventColumns<'_> {
        EventColumns { id: id(self.request), quasi: &self.quasi, unchanged: &self.unchanged }
    }

    /// The places of the columns that limits are about.
    fn limited(&self) -> std::ops::Range<usize> {
        0..self.limited
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
        let broken = cell.judge(self.columns(), models, progress).map_err(Refusal::Unverifiable)?;
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
        let person_of = loaded.data.person_of();
        let search = Search { earlier: self, loaded, working, complete, algorithm, person_of, progress };
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
        asked.limits = bounds(self, complete, &promise, |_| true);
        for round in 0..ROUNDS {
            let mut joined = Joined::new(loaded);
            let mut left_out = LeftOut::default();
            for (was, people) in &returning {
                progress.check();
                match search.publish(people, &asked, &atoms[was])? {
                    Added::Published(part) => {
                        left_out.companions += people.len() - part.cluster_of.len();
                        joined.add(*part);
                    }
                    Added::Short => left_out.short += people.len(),
                    Added::Exposed => left_out.exposed += people.len(),
                }
            }
            let kept = joined.people;
            match search.hide(&newcomers, &asked, asked.k)? {
                Some(part) if !newcomers.is_empty() => joined.add(part),
                _ => left_out.newcomers = newcomers.len(),
            }
            if joined.people == 0 {
                let LeftOut { short, exposed, newcomers, .. } = left_out;
                return Err(PipelineError::NothingKept { short, exposed, newcomers });
            }
            let published = |at: usize| joined.is_published(complete.events[at]);
            let limits = stricter(&asked.limits, &bounds(self, complete, &promise, published));
            if limits != asked.limits {
                asked.limits = tightened(limits, round);
                continue;
            }
            let mut notes =
                vec![format!("{kept} people stay with those with whom they were in earlier releases")];
            notes.extend(left_out.notes(newcomers.len(), joined.as_before));
            return Ok(Plan { anonymized: joined.anonymized(), notes });
        }
        let why = "the bounds of values do not settle".to_owned();
        Err(PipelineError::Cohort { records: format!("{} people", complete.persons.len()), why })
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
                let (was, next) = (self.was(*person), number.len() as u32);
                let is_new = was.iter().all(Option::is_none);
                let now = of_now.get(person).copied().filter(|_| is_new);
                *number.entry((was, now)).or_insert(next)
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

/// The columns that are published unchanged, those with limits first, and how many these are. An attacker compares what at least two
/// releases show, so a column that none of the earlier ones has is of no use.
fn unchanged<'a>(request: &'a Request, promise: &'a SequencesPromise) -> (Vec<&'a str>, usize) {
    let mut unchanged: Vec<&str> = promise.limits.iter().map(|limit| limit.column.as_str()).collect();
    unchanged.dedup();
    let limited = unchanged.len();
    let is_shown = |name: &str| {
        let has =
            |file: &EarlierFile| matches!(file, EarlierFile::Sequences(file) if file.column(name).is_some());
        request.earlier.files.iter().any(has)
    };
    let others =
        [Role::Sensitive, Role::Insensitive].into_iter().flat_map(|role| request.policy().columns_of(role));
    let others: Vec<&str> = others.filter(|name| !unchanged.contains(name) && is_shown(name)).collect();
    unchanged.extend(others);
    (unchanged, limited)
}

/// How many people are left out, and why.
#[derive(Default)]
struct LeftOut {
    short: usize,
    exposed: usize,
    companions: usize,
    newcomers: usize,
}

impl LeftOut {
    fn notes(&self, newcomers: usize, as_before: usize) -> Vec<String> {
        let counts = [
            (newcomers - self.newcomers, "people are new and are hidden among themselves"),
            (
                self.newcomers,
                "people are left out because they are new and cannot keep the promise among themselves",
            ),
            (
                self.short,
                "people are left out because what all releases say of those with whom they were would break the promise",
            ),
            (
                self.exposed,
                "people are left out because those with whom they were and who are gone would be given away by the difference of the releases",
            ),
            (self.companions, "people are left out to hide those among whom they were and who are gone"),
            (as_before, "people keep what was published of them before"),
        ];
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
    }
}

/// How often parts are published, at the most. Bounds become stricter by one person or more each time, so it would end by itself, but
/// perhaps only when nobody is left.
const ROUNDS: usize = 20;
