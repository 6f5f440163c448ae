//! A run on sequences: read, anonymize, stage, verify what was staged, measure.

use std::borrow::Cow;

use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_core::policy::Shape;
use shoal_core::{
    Progress, RawTable, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, Support, Table,
    TableRecoding,
};
use shoal_io::PeopleOfRecords;
use shoal_measure::sequences::attack::{SequencesTarget, attack_sequences};
use shoal_measure::sequences::{SequencesMeasures, SequencesOptions, measure_sequences};
use shoal_privacy::{ReadBack, SequencesClaim, VerifiedSequences, verify_sequences};

use super::algorithm::algorithm;
use super::compose::compose;
use super::load::{Complete, Loaded, load};
use super::models::models;
use super::previous::{Earlier, Plan};
use super::promise::{self, check_values, promise_of, promise_of_file};
use crate::attack::attack_in_run;
use crate::audit::{Key, RecodingFile};
use crate::columns::{Composed, read_table_back, stage_table, with_alike_merged, with_hierarchies};
use crate::phases::Phases;
use crate::report::html::{HouseFacts, Published};
use crate::report::{Counts, Loss, Outgoing, Risk};
use crate::run::{Draft, Keys, digests, timed};
use crate::{PipelineError, Report, Request, Seconds, Sink, Source};

/// What comes back may be published. `keys` are the secrets of the release.
pub(crate) fn run<K: Sink>(
    request: &Request,
    keys: &Keys,
    from: &mut dyn Source,
    to: &mut K,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Draft<K::Staged>, PipelineError> {
    let policy = request.policy();
    let algorithm = algorithm(policy)?;
    let promise = promise_of(request);
    let loaded = timed(&mut seconds.read, || {
        let loaded = load(request, &keys.release, from, progress)?;
        check_values(request, &promise, &loaded)?;
        Ok(loaded)
    })?;
    let data = &loaded.data;
    let (working, mut notes) = with_hierarchies(data.events())?;
    let phases = Phases::within(progress);
    let earlier = match request.earlier.previous.is_empty() {
        true => None,
        false => Some(Earlier::read(request, &loaded, &promise)?),
    };
    let Anonymized { recoding, trace } = timed(&mut seconds.anonymize, || {
        let Some(earlier) = &earlier else {
            return anonymize(&loaded, &working, algorithm.as_ref(), &promise, &phases);
        };
        let seen = with_alike_merged(Cow::Borrowed(&working));
        let complete = loaded.complete(&seen);
        let plan = earlier.plan(&loaded, &working, &complete, algorithm.as_ref(), &promise, &phases)?;
        let Plan { anonymized, notes: said } = plan;
        notes.extend(said);
        Ok(anonymized)
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
            order: request.record_order(),
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
        let Some(earlier) = &earlier else { return Ok(Vec::new()) };
        progress.stage("comparing with earlier releases", 0);
        earlier.check(&loaded, &promise, &published, &origin, &cluster_of, progress)
    })?;
    seconds.verify += together;
    let (outgoing, measures) = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        let digests = digests(release.certificate());
        let outgoing = Outgoing::of(&request.public(), Published::Sequences(&published), digests, progress)?;
        Ok((outgoing, take_measures(request, data, &published, progress)?))
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
    report.leaks = outgoing.leaks.clone();
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
    let house = request.pages.then(|| {
        progress.check();
        HouseFacts::of_columns(&loaded.raw, data.events(), &published, &origin, None)
    });
    Ok(Draft {
        release,
        report,
        outgoing,
        input_sha256: loaded.sha256.clone(),
        recoding: RecodingFile { known_by: loaded.known_as.columns.clone(), ..RecodingFile::default() },
        people: Some(people_of(&keys.people, &loaded, &cluster_of, &origin)),
        trace,
        house,
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
    loaded: &Loaded,
    working: &Table,
    algorithm: &dyn SequencesAlgorithm,
    promise: &SequencesPromise,
    progress: &dyn Progress,
) -> Result<Anonymized<SequencesRecoding>, PipelineError> {
    let seen = with_alike_merged(Cow::Borrowed(working));
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

/// Each published person, in the order of pseudonyms, and with whom they were put together.
fn people_of(key: &Key, loaded: &Loaded, cluster_of: &[u32], origin: &[u32]) -> PeopleOfRecords {
    let person_of = loaded.data.person_of();
    let mut persons: Vec<u32> = origin.iter().map(|&event| person_of[event as usize]).collect();
    // The verifier has seen that the rows of a person are next to each other.
    persons.dedup();
    let hashes = loaded.known_as.hashes(&key.of_people());
    PeopleOfRecords {
        persons: persons.iter().map(|&person| hashes[person as usize]).collect(),
        clusters: persons.iter().map(|&person| cluster_of[person as usize]).collect(),
    }
}
