//! The recoding of an earlier release on other sequences: people whose histories have grown, and newcomers.
//!
//! Whoever was in the earlier releases stays with those with whom they were in a cluster, in all of them; the cluster's histories are made alike
//! anew. Newcomers are put together among themselves. So somebody's crowd in the new release are people who were in the crowd of the earlier one.

use std::collections::{BTreeMap, HashMap};

use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::{Anonymized, Trace};
use shoal_core::{
    Bound, Column, Limit, Progress, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding,
    TableRecoding, canonical_text,
};

use super::load::Complete;
use crate::audit::{PERSON, RecodingFile};
use crate::cohorts::KnownAs;
use crate::{Audit, PipelineError, Request};

/// What was decided, and what is to be said about it.
pub(super) struct Applied {
    pub anonymized: Anonymized<SequencesRecoding>,
    /// Those who stay together, by their numbers among all people.
    pub groups: Vec<Vec<u32>>,
    /// How many are gone who are fewer than k of a cluster, of which others are still there.
    pub absent: usize,
    pub notes: Vec<String>,
}

/// Recodes people who have a complete event. `known` names all people of the data, `excluded` those who are left out in any case.
pub(super) fn apply(
    request: &Request,
    known: &KnownAs,
    complete: &Complete,
    algorithm: &dyn SequencesAlgorithm,
    promise: &SequencesPromise,
    excluded: &[bool],
    progress: &dyn Progress,
) -> Result<Applied, PipelineError> {
    let previous = &request.earlier.previous;
    let histories = previous.iter().map(|audit| History::of(audit, known)).collect::<Result<Vec<_>, _>>()?;
    let data = &complete.data;
    let mut groups: BTreeMap<Vec<Option<u32>>, Vec<u32>> = BTreeMap::new();
    let mut newcomers = Vec::new();
    for (person, &of_all) in (0..).zip(&complete.persons) {
        let was: Vec<Option<u32>> = histories.iter().map(|h| h.cluster_of[of_all as usize]).collect();
        if excluded[of_all as usize] {
            continue;
        }
        match was.iter().any(Option::is_some) {
            true => groups.entry(was).or_default().push(person),
            false => newcomers.push(person),
        }
    }
    let k = greatest_k(request);
    let (mut short, mut exposed) = (0, 0);
    groups.retain(|_, people| {
        let enough = people.len() >= k;
        short += if enough { 0 } else { people.len() };
        enough
    });
    let absent = match request.earlier.allow_absent {
        true => absent(&groups, &histories, k),
        false => {
            hide_those_who_left(&mut groups, &histories, k, &mut exposed);
            0
        }
    };

    let parts = Parts { data, groups: &groups, newcomers: &newcomers, k };
    let Some(Hidden { joined, kept, failed, newcomers: hidden }) =
        parts.settle(algorithm, promise, progress)?
    else {
        return Err(PipelineError::NothingKept {
            short: short + groups.values().map(Vec::len).sum::<usize>(),
            exposed,
            newcomers: newcomers.len(),
            excluded: excluded.iter().filter(|out| **out).count(),
        });
    };
    short += failed;
    let mut notes = vec![format!("{kept} people stay with those with whom they were in earlier releases")];
    let mut note = |count: usize, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    match hidden {
        true => note(newcomers.len(), "people are new and are hidden among themselves"),
        false => note(
            newcomers.len(),
            "people are left out because they are new and cannot keep the promise among themselves",
        ),
    }
    note(
        short,
        "people are left out because those who are left of their earlier cluster cannot keep the promise",
    );
    note(
        exposed,
        "people are left out because a few of their earlier cluster are gone, whose lines the difference of the two releases would show",
    );
    let recoding = SequencesRecoding {
        cluster_of: joined.cluster_of,
        events: TableRecoding { class_of: joined.class_of, classes: joined.classes },
    };
    let of_all = |people: &Vec<u32>| people.iter().map(|&person| complete.persons[person as usize]).collect();
    let groups = groups.values().map(of_all).collect();
    Ok(Applied { anonymized: Anonymized { recoding, trace: joined.trace }, groups, absent, notes })
}

/// Where people were in an earlier release.
pub(super) struct History {
    /// Of each person the cluster.
    pub cluster_of: Vec<Option<u32>>,
    /// How many people each cluster had.
    sizes: Vec<usize>,
}

impl History {
    pub(super) fn of(audit: &Audit, known: &KnownAs) -> Result<History, PipelineError> {
        let incomparable = |problem: &str| PipelineError::Incomparable {
            output: audit.output.clone(),
            problem: problem.to_owned(),
        };
        let RecodingFile::Sequences { known_by, clusters, .. } = &audit.recoding else {
            return Err(incomparable("it is not a release of sequences"));
        };
        if clusters.is_empty() {
            return Err(incomparable("it does not say who was put together; its version was another one"));
        }
        if *known_by != known.columns {
            return Err(incomparable("it knows people by another column"));
        }
        let key = audit.key().ok_or_else(|| incomparable("its key is broken"))?;
        let mut of_hash: HashMap<&str, u32> = HashMap::new();
        for (number, people) in (0..).zip(clusters) {
            of_hash.extend(people.iter().map(|hash| (hash.as_str(), number)));
        }
        let cluster = |text: &String| of_hash.get(&key.hash(PERSON, text.as_bytes())[..32]).copied();
        Ok(History {
            cluster_of: known.texts.iter().map(cluster).collect(),
            sizes: clusters.iter().map(Vec::len).collect(),
        })
    }
}

/// Leaves out whole clusters of which only a few are not in the new release, until there are none.
fn hide_those_who_left(
    groups: &mut BTreeMap<Vec<Option<u32>>, Vec<u32>>,
    histories: &[History],
    k: usize,
    left_out: &mut usize,
) {
    loop {
        let before = groups.len();
        for (release, history) in histories.iter().enumerate() {
            let mut present = vec![0; history.sizes.len()];
            for (was, people) in groups.iter() {
                if let Some(cluster) = was[release] {
                    present[cluster as usize] += people.len();
                }
            }
            let shows = |cluster: u32| {
                let gone = history.sizes[cluster as usize] - present[cluster as usize];
                (1..k).contains(&gone)
            };
            groups.retain(|was, people| {
                let out = was[release].is_some_and(shows);
                *left_out += if out { people.len() } else { 0 };
                !out
            });
        }
        // What was left out of one cluster may be a few of one in another release.
        if groups.len() == before {
            return;
        }
    }
}

/// The k of the releases that a new one must hold together with, and its own.
pub(super) fn greatest_k(request: &Request) -> usize {
    let policies = request.earlier.previous.iter().map(|audit| &audit.policy).chain([request.policy()]);
    policies.filter_map(|policy| policy.privacy.k).max().unwrap_or(2)
}

/// How many are gone from clusters of which others are still there, fewer than k from each. `groups` are people by where they were in each release.
pub(super) fn absent(
    groups: &BTreeMap<Vec<Option<u32>>, Vec<u32>>,
    histories: &[History],
    k: usize,
) -> usize {
    let mut absent = 0;
    for (release, history) in histories.iter().enumerate() {
        let mut present = vec![0; history.sizes.len()];
        for (was, people) in groups {
            if let Some(cluster) = was[release] {
                present[cluster as usize] += people.len();
            }
        }
        let gone = history.sizes.iter().zip(&present).filter(|(_, present)| **present > 0);
        absent += gone.map(|(size, present)| size - present).filter(|&gone| gone < k).sum::<usize>();
    }
    absent
}

/// The people of whom a release is made, in parts that are hidden among themselves.
struct Parts<'a> {
    data: &'a Sequences,
    groups: &'a BTreeMap<Vec<Option<u32>>, Vec<u32>>,
    newcomers: &'a [u32],
    k: usize,
}

/// What became of them.
struct Hidden {
    joined: Joined,
    /// How many of the groups are published, and how many are not.
    kept: usize,
    failed: usize,
    /// Whether newcomers are published.
    newcomers: bool,
}

/// How often parts are hidden, at the most. Bounds become stricter by one person or more each time, so it would end by itself, but perhaps only when nobody is left.
const ROUNDS: usize = 20;

impl Parts<'_> {
    /// Hides each part in itself. How frequent a value may be in a crowd depends on how frequent it is among those who are published, and who that is is known only afterwards: then
    /// the parts are hidden anew with the bounds that this gives. None where nobody can be published.
    fn settle(
        &self,
        algorithm: &dyn SequencesAlgorithm,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Option<Hidden>, PipelineError> {
        let mut asked = of_part(promise, self.data, |_| true);
        for _ in 0..ROUNDS {
            let done = self.hide_each(algorithm, &asked, progress)?;
            if done.kept == 0 && !done.newcomers {
                return Ok(None);
            }
            let is_published = |event: usize| done.joined.class_of[event] != SUPPRESSED;
            let limits = stricter(&asked.limits, &of_part(promise, self.data, is_published).limits);
            if limits == asked.limits {
                return Ok(Some(done));
            }
            asked.limits = limits;
        }
        Ok(None)
    }

    fn hide_each(
        &self,
        algorithm: &dyn SequencesAlgorithm,
        of_part: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Hidden, PipelineError> {
        let mut joined = Joined::of(self.data);
        let (mut kept, mut failed) = (0, 0);
        for people in self.groups.values() {
            match joined.add(self.data, people, algorithm, of_part, progress)? {
                true => kept += people.len(),
                false => failed += people.len(),
            }
        }
        let enough = self.newcomers.len() >= self.k;
        let hidden = enough && joined.add(self.data, self.newcomers, algorithm, of_part, progress)?;
        Ok(Hidden { joined, kept, failed, newcomers: hidden })
    }
}

/// The promise for a part of the people: how frequent a value may be depends on how frequent it is among all people of whom something is published, and not in the part.
fn of_part(
    promise: &SequencesPromise,
    data: &Sequences,
    is_published: impl Fn(usize) -> bool,
) -> SequencesPromise {
    let people = data.iter().filter(|events| events.clone().any(&is_published)).count();
    let mut limits = Vec::new();
    for limit in &promise.limits {
        // Where it is said who everybody is, what is published has no part in it.
        if matches!(limit.bound, Bound::Share(_)) || promise.distributions.contains_key(&limit.column) {
            limits.push(limit.clone());
            continue;
        }
        let Some(column) = data.events().columns.iter().find(|column| column.name == limit.column) else {
            continue;
        };
        // Of values that look alike the column may show another one than the promise names.
        let is_named = |value: &str| {
            let is_it = |named: &String| canonical_text(named) == canonical_text(value);
            limit.values.as_ref().is_none_or(|values| values.iter().any(is_it))
        };
        for (code, having) in (0..).zip(having(data, column, &is_published)) {
            let value = column.domain.label(code);
            // A value that nobody shows is in no crowd.
            let allowed = match having {
                0 => 1.0,
                _ => limit.bound.allowed(having as f64 / people as f64).min(1.0),
            };
            if is_named(value) {
                let (column, values) = (limit.column.clone(), Some(vec![value.to_owned()]));
                limits.push(Limit { column, values, bound: Bound::Share(allowed) });
            }
        }
    }
    SequencesPromise { limits, ..promise.clone() }
}

/// How many people have each value of a column in one of their published events.
fn having(data: &Sequences, column: &Column, is_published: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut having = vec![0; column.domain.len()];
    let mut own: Vec<u32> = Vec::new();
    for events in data.iter() {
        own.extend(events.filter(|&event| is_published(event)).map(|event| column.codes[event]));
        own.sort_unstable();
        own.dedup();
        own.drain(..).for_each(|code| having[code as usize] += 1);
    }
    having
}

/// The lower one of each two bounds. Bounds that could rise again might take turns for ever.
fn stricter(asked: &[Limit], found: &[Limit]) -> Vec<Limit> {
    let lower = |(asked, found): (&Limit, &Limit)| match (asked.bound, found.bound) {
        (Bound::Share(one), Bound::Share(other)) => {
            Limit { bound: Bound::Share(one.min(other)), ..asked.clone() }
        }
        _ => asked.clone(),
    };
    asked.iter().zip(found).map(lower).collect()
}

/// The recodings of parts of the people, put together.
struct Joined {
    cluster_of: Vec<u32>,
    clusters: u32,
    class_of: Vec<u32>,
    classes: Vec<shoal_core::Class>,
    trace: Trace,
}

impl Joined {
    fn of(data: &Sequences) -> Joined {
        Joined {
            cluster_of: vec![SUPPRESSED; data.persons()],
            clusters: 0,
            class_of: vec![SUPPRESSED; data.events().rows],
            classes: Vec::new(),
            trace: Trace::default(),
        }
    }

    /// Adds some people; whether they could be hidden among themselves.
    fn add(
        &mut self,
        data: &Sequences,
        people: &[u32],
        algorithm: &dyn SequencesAlgorithm,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<bool, PipelineError> {
        let (mut events, mut starts) = (Vec::new(), vec![0]);
        for &person in people {
            events.extend(data.events_of(person as usize).map(|event| event as u32));
            starts.push(events.len() as u32);
        }
        let part = Sequences::new(data.events().select(&events), starts).expect("everybody has an event");
        let Anonymized { recoding, trace } =
            match algorithm.anonymize(&part, promise, progress).map_err(PipelineError::from) {
                Ok(done) => done,
                Err(error) if error.is_broken_promise() => return Ok(false),
                Err(error) => return Err(error),
            };
        let first = self.classes.len() as u32;
        for (&event, &class) in events.iter().zip(&recoding.events.class_of) {
            if class != SUPPRESSED {
                self.class_of[event as usize] = first + class;
            }
        }
        for (&person, &cluster) in people.iter().zip(&recoding.cluster_of) {
            if cluster != SUPPRESSED {
                self.cluster_of[person as usize] = self.clusters + cluster;
            }
        }
        self.clusters += recoding.clusters() as u32;
        self.classes.extend(recoding.events.classes);
        match self.trace.counts.is_empty() {
            true => self.trace.counts = trace.counts,
            false => {
                self.trace.counts.0.iter_mut().for_each(|(name, count)| *count += trace.counts.get(name));
            }
        }
        Ok(true)
    }
}
