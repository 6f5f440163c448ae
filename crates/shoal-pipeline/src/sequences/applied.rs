//! The recoding of an earlier release on other sequences: people whose histories have grown, and newcomers.
//!
//! Whoever was in the earlier releases stays with those with whom they were in a cluster, in all of them; the cluster's histories are made alike
//! anew. Newcomers are put together among themselves. So somebody's crowd in the new release are people who were in the crowd of the earlier one.

use std::collections::{BTreeMap, HashMap};

use shoal_algorithms::sequences::{SequencesAlgorithm, SequencesError};
use shoal_algorithms::{Anonymized, Trace};
use shoal_core::{
    Bound, Limit, Progress, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, TableRecoding,
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
    let k = previous.iter().filter_map(|audit| audit.policy.privacy.k).chain([promise.k]).max().unwrap_or(2);
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

    let absolute = absolute(promise, data);
    let mut joined = Joined::of(data);
    let mut kept = 0;
    for people in groups.values() {
        match joined.add(data, people, algorithm, &absolute, progress)? {
            true => kept += people.len(),
            false => short += people.len(),
        }
    }
    let settled = newcomers.len() < k || joined.add(data, &newcomers, algorithm, &absolute, progress)?;
    let hidden = newcomers.len() >= k && settled;
    if kept == 0 && !hidden {
        return Err(SequencesError::TooFewPersons { k, persons: newcomers.len() }.into());
    }
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

/// How many are gone from clusters of which others are still there, fewer than k from each.
fn absent(groups: &BTreeMap<Vec<Option<u32>>, Vec<u32>>, histories: &[History], k: usize) -> usize {
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

/// The promise for a part of the people: how frequent a value may be depends on how frequent it is among everybody, and not in the part.
fn absolute(promise: &SequencesPromise, data: &Sequences) -> SequencesPromise {
    let mut limits = Vec::new();
    for limit in &promise.limits {
        let Bound::Gain(_) = limit.bound else {
            limits.push(limit.clone());
            continue;
        };
        let Some(column) = data.events().columns.iter().find(|column| column.name == limit.column) else {
            continue;
        };
        for code in 0..column.domain.len() as u32 {
            let value = column.domain.label(code);
            if limit.values.as_ref().is_some_and(|values| !values.iter().any(|named| named == value)) {
                continue;
            }
            let has = |events: &std::ops::Range<usize>| column.codes[events.clone()].contains(&code);
            let having = data.iter().filter(has).count();
            if having > 0 {
                let allowed = limit.bound.allowed(having as f64 / data.persons() as f64);
                let bound = Bound::Share(allowed.min(1.0));
                limits.push(Limit {
                    column: limit.column.clone(),
                    values: Some(vec![value.to_owned()]),
                    bound,
                });
            }
        }
    }
    SequencesPromise { limits, ..promise.clone() }
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
