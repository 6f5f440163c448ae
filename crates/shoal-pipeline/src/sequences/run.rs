//! A run on sequences: read, anonymize, stage, verify what was staged, measure.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_core::policy::Shape;
use shoal_core::{
    Bound, Place, Policy, Progress, RawColumn, RawColumnBuilder, RawTable, Role, SUPPRESSED, Sequences,
    SequencesPromise, SequencesRecoding, Support, Table, TableRecoding,
};
use shoal_measure::sequences::attack::{SequencesTarget, attack_sequences};
use shoal_measure::sequences::{SequencesMeasures, SequencesOptions, measure_sequences};
use shoal_privacy::{
    Classes, ReadBack, Refusal, SequencesClaim, SequencesView, VerifiedSequences, verify_sequences,
};

use super::algorithm::algorithm;
use super::applied::{self, Applied, History};
use super::compose::compose;
use super::load::{Complete, Loaded, load};
use super::models::models;
use super::promise::{self, check_values, promise_of, promise_of_file};
use super::releases;
use crate::attack::attack_in_run;
use crate::audit::{Key, RecodingFile, SequenceFile};
use crate::columns::{
    Composed, quasi_columns, read_table_back, reordered, stage_table, with_alike_merged, with_hierarchies,
};
use crate::leaks::of_sequences;
use crate::order::record_order;
use crate::phases::Phases;
use crate::report::html::{HouseFacts, Published, PublishedFacts};
use crate::report::{Counts, Loss, Risk};
use crate::run::{Draft, PageFacts, timed};
use crate::table::absent;
use crate::{PipelineError, Report, Request, Seconds, Sink, Source};

/// What comes back may be published. `release_key` is the key by which the release remembers its people.
pub(crate) fn run<K: Sink>(
    request: &Request,
    release_key: &Key,
    from: &mut dyn Source,
    to: &mut K,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Draft<K::Staged>, PipelineError> {
    let policy = request.policy();
    let algorithm = algorithm(policy)?;
    let promise = promise_of(request);
    let loaded = timed(&mut seconds.read, || {
        let loaded = load(request, from, progress)?;
        check_values(request, &promise, &loaded)?;
        Ok(loaded)
    })?;
    let data = &loaded.data;
    let (working, mut notes) = with_hierarchies(data.events())?;
    let phases = Phases::within(progress);
    let mut absent_leak = None;
    let Anonymized { recoding, trace } = timed(&mut seconds.anonymize, || {
        if request.earlier.applied {
            let (done, said, gone) =
                anonymize_applied(request, &loaded, &working, algorithm.as_ref(), &promise, &phases)?;
            notes.extend(said);
            absent_leak = absent(gone);
            return Ok(done);
        }
        anonymize(policy, &loaded, &working, algorithm.as_ref(), &promise, &phases)
    })?;
    seconds.phases = phases.finish();

    let id = id(request);
    let (staged, origin) = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } = compose(policy, id, &loaded, &working, &recoding.events);
        Ok((stage_table(request, to, &published, progress)?, origin))
    })?;
    let clusters = recoding.clusters();
    let cluster_of = recoding.cluster_of;
    drop((working, recoding.events));

    let verified = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let claim = SequencesClaim {
            id,
            original: data,
            origin: &origin,
            left_out: data.events().rows - origin.len(),
            order: record_order(request),
        };
        // Who was put together is a place to look for a proof, and no more than that.
        let person_of = data.person_of();
        let parts = origin.iter().map(|&event| cluster_of[person_of[event as usize] as usize]).collect();
        let models = models(request, &promise, Some(parts))?;
        Ok(verify_sequences(
            ReadBack::of(staged, |staged| read_table_back(request, staged, progress))?,
            claim,
            &models,
            progress,
        )?)
    })?;
    let VerifiedSequences { release, published, findings: proof } = verified;
    let mut together = 0.0;
    let earlier_leaks = timed(&mut together, || {
        if request.earlier.previous.is_empty() {
            return Ok(Vec::new());
        }
        progress.stage("comparing with earlier releases", 0);
        check_cohorts(request, &promise, &loaded, &published, &origin, progress)?;
        releases::check(request, &loaded, &published, &origin, progress)
    })?;
    seconds.verify += together;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        take_measures(request, data, &published, progress)
    })?;

    notes.extend(promise::notes(&promise));
    if !loaded.incomplete.is_empty() {
        notes.push(format!("{} events left out because a value is missing", loaded.incomplete.len()));
    }
    let records_out = measures.loss.persons_out as usize;
    let counts = Counts {
        records_in: data.persons(),
        records_out,
        records_suppressed: data.persons() - records_out,
        clusters,
        classes: proof.classes().len(),
    };
    let (loss, risk) = (Loss::Sequences(measures.loss), Risk::Sequences(measures.risk));
    let mut report =
        Report::new(Shape::Sequences, algorithm.name(), release.certificate(), counts, loss, risk);
    report.notes = notes;
    report.leaks = of_sequences(request, &published, id, proof.classes());
    report.leaks.extend(promise::leaks(&promise));
    report.leaks.extend(loaded.ties.leak());
    // The papers' count is known to be beaten; the report then shows by how much.
    let weaker = promise.support == Support::Paper;
    report.attacks = attack_in_run(request, report.records_in, weaker, seconds, || {
        let target = SequencesTarget {
            original: data,
            source_rows: &loaded.source_place,
            published: &published,
            id,
            promise: &promise_of_file(request),
            seed: policy.algorithm.seed,
        };
        attack_sequences(&target, progress)
    })?;
    report.leaks.extend(earlier_leaks);
    report.leaks.extend(absent_leak);
    let pages = request.pages.then(|| {
        progress.check();
        PageFacts {
            published: PublishedFacts::of(&report.outgoing(), Published::Sequences(&published)),
            house: HouseFacts::of_columns(&loaded.raw, data.events(), &published, &origin, None),
        }
    });
    Ok(Draft {
        release,
        report,
        input_sha256: loaded.sha256.clone(),
        recoding: RecodingFile::Sequences {
            quasi_identifiers: quasi_columns(request, &published).iter().map(|c| c.name.clone()).collect(),
            classes: class_files(request, &published, proof.classes()),
            known_by: loaded.known_as.columns.clone(),
            clusters: cluster_files(release_key, &loaded, &cluster_of, &origin),
        },
        trace,
        secret_key: None,
        pages,
    })
}

/// The name of the id column, in the source and in the published file.
pub(crate) fn id(request: &Request) -> &str {
    request.policy().data.id.as_deref().unwrap_or_default()
}

/// How many counts are asked for the average relative error.
const QUERIES: usize = 1000;

/// All measures of a published file.
pub(crate) fn take_measures(
    request: &Request,
    original: &Sequences,
    published: &RawTable,
    progress: &dyn Progress,
) -> Result<SequencesMeasures, PipelineError> {
    let policy = request.policy();
    let options = SequencesOptions { k: policy.privacy.k, queries: QUERIES, seed: policy.algorithm.seed };
    Ok(measure_sequences(original, published, id(request), &options, progress)?)
}

/// Runs the algorithm on the complete events. The recoding is about all events and everybody.
fn anonymize(
    policy: &Policy,
    loaded: &Loaded,
    working: &Table,
    algorithm: &dyn SequencesAlgorithm,
    promise: &SequencesPromise,
    progress: &dyn Progress,
) -> Result<Anonymized<SequencesRecoding>, PipelineError> {
    let seen = with_alike_merged(policy, Cow::Borrowed(working));
    let complete = loaded.complete(&seen);
    let part = algorithm.anonymize(&complete.data, promise, progress)?;
    Ok(of_everybody(part, &complete, loaded))
}

/// What was decided about people with complete events, for everybody.
fn of_everybody(
    part: Anonymized<SequencesRecoding>,
    complete: &Complete,
    loaded: &Loaded,
) -> Anonymized<SequencesRecoding> {
    let Complete { events, persons, .. } = complete;
    let mut class_of = vec![SUPPRESSED; loaded.data.events().rows];
    for (&event, &class) in events.iter().zip(&part.recoding.events.class_of) {
        class_of[event as usize] = class;
    }
    let mut cluster_of = vec![SUPPRESSED; loaded.data.persons()];
    for (&person, &cluster) in persons.iter().zip(&part.recoding.cluster_of) {
        cluster_of[person as usize] = cluster;
    }
    let events = TableRecoding { class_of, classes: part.recoding.events.classes };
    Anonymized { recoding: SequencesRecoding { cluster_of, events }, trace: part.trace }
}

/// The same where the recoding of an earlier release is applied, with what is to be said about it, and how many are gone who are too few. People whom both releases together would give away are
/// left out, with all who must stay with them.
fn anonymize_applied(
    request: &Request,
    loaded: &Loaded,
    working: &Table,
    algorithm: &dyn SequencesAlgorithm,
    promise: &SequencesPromise,
    progress: &dyn Progress,
) -> Result<(Anonymized<SequencesRecoding>, Vec<String>, usize), PipelineError> {
    let policy = request.policy();
    let seen = with_alike_merged(policy, Cow::Borrowed(working));
    let complete = loaded.complete(&seen);
    let mut excluded = vec![false; loaded.data.persons()];
    loop {
        let Applied { anonymized, groups, absent, mut notes } =
            applied::apply(request, &loaded.known_as, &complete, algorithm, promise, &excluded, progress)?;
        let anonymized = of_everybody(anonymized, &complete, loaded);
        let Composed { published, origin } =
            compose(policy, id(request), loaded, working, &anonymized.recoding.events);
        let found = releases::together(request, loaded, &published, &origin, progress)?;
        let broken: HashSet<u32> = found.into_iter().flat_map(|together| together.broken).collect();
        let before = excluded.iter().filter(|out| **out).count();
        for group in groups.iter().filter(|group| group.iter().any(|person| broken.contains(person))) {
            group.iter().for_each(|&person| excluded[person as usize] = true);
        }
        let out = excluded.iter().filter(|out| **out).count();
        // Nobody more can be left out: what is still broken, the check of the published file refuses.
        if out == before {
            if out > 0 {
                notes.push(format!(
                    "{out} people are left out because their lines in both releases together would give somebody away"
                ));
            }
            return Ok((anonymized, notes, absent));
        }
    }
}

/// Whether the people of each cohort, those who were in exactly the same earlier releases, keep the promise by themselves. Gains are about everybody and are not asked
/// of a part.
fn check_cohorts(
    request: &Request,
    promise: &SequencesPromise,
    loaded: &Loaded,
    published: &RawTable,
    origin: &[u32],
    progress: &dyn Progress,
) -> Result<(), PipelineError> {
    let previous = &request.earlier.previous;
    let histories =
        previous.iter().map(|audit| History::of(audit, &loaded.known_as)).collect::<Result<Vec<_>, _>>()?;
    let person_of = loaded.data.person_of();
    let mut rows_of: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
    for (row, &event) in (0..).zip(origin) {
        let person = person_of[event as usize] as usize;
        let was = histories.iter().map(|history| history.cluster_of[person].is_some()).collect();
        rows_of.entry(was).or_default().push(row);
    }
    let limits = promise.limits.iter().filter(|limit| matches!(limit.bound, Bound::Share(_))).cloned();
    let of_part = SequencesPromise { limits: limits.collect(), ..promise.clone() };
    let models = models(request, &of_part, None)?;
    let quasi: Vec<&str> = request.policy().columns_of(Role::QuasiIdentifier);
    for rows in rows_of.values() {
        let columns = published.columns.iter().map(|column| match column.name == id(request) {
            true => renumbered(column, rows),
            false => reordered(column, rows),
        });
        let part = RawTable { columns: columns.collect(), rows: rows.len(), files: Vec::new() };
        let view = SequencesView::new(&part, id(request), &quasi)
            .map_err(Refusal::Unverifiable)?
            .with_progress(progress);
        for model in &models {
            if !model.verify(&view).map_err(Refusal::Unverifiable)?.holds {
                let why = "the published lines do not keep the promise among themselves".to_owned();
                return Err(PipelineError::Cohort { records: format!("{} events", rows.len()), why });
            }
        }
    }
    Ok(())
}

/// The pseudonyms of some rows, from 1 on again: the verifier takes gaps for a message.
fn renumbered(ids: &RawColumn, rows: &[u32]) -> RawColumn {
    let mut builder = RawColumnBuilder::new(ids.name.clone());
    let (mut number, mut last) = (0, None);
    for &row in rows {
        let code = ids.codes[row as usize];
        number += u32::from(last != Some(code));
        last = Some(code);
        builder.push(&number.to_string(), Place::default());
    }
    builder.finish()
}

/// Who was put together, by keyed hashes; only people of whom something is published.
fn cluster_files(key: &Key, loaded: &Loaded, cluster_of: &[u32], origin: &[u32]) -> Vec<Vec<String>> {
    let person_of = loaded.data.person_of();
    let people: BTreeSet<u32> = origin.iter().map(|&event| person_of[event as usize]).collect();
    let hashes = loaded.known_as.hashes(key);
    let mut clusters: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for person in people {
        let hash = hashes[person as usize].clone();
        clusters.entry(cluster_of[person as usize]).or_default().push(hash);
    }
    clusters.values_mut().for_each(|people| people.sort_unstable());
    clusters.into_values().collect()
}

fn class_files(request: &Request, published: &RawTable, classes: &Classes) -> Vec<SequenceFile> {
    let quasi = quasi_columns(request, published);
    let cells = |row: usize| quasi.iter().map(|c| c.text(row).to_owned()).collect();
    // The verifier has seen that the rows of a person are next to each other, and that people are numbered in order.
    let ids = published.column(id(request)).map(|column| column.codes.as_slice()).unwrap_or_default();
    let people: Vec<&[u32]> = ids.chunk_by(|a, b| a == b).collect();
    let mut starts = vec![0];
    people.iter().for_each(|rows| starts.push(starts[starts.len() - 1] + rows.len()));
    let class = |(&person, &size): (&u32, &u32)| {
        let rows = starts[person as usize]..starts[person as usize + 1];
        SequenceFile { events: rows.map(cells).collect(), size }
    };
    classes.first_rows().iter().zip(&classes.sizes).map(class).collect()
}
