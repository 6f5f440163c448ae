//! A run on sequences: read, anonymize, stage, verify what was staged, measure.

use std::borrow::Cow;

use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_core::policy::Shape;
use shoal_core::{
    Policy, Progress, RawTable, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, Support, Table,
    TableRecoding,
};
use shoal_measure::sequences::attack::{SequencesTarget, attack_sequences};
use shoal_measure::sequences::{SequencesMeasures, SequencesOptions, measure_sequences};
use shoal_privacy::{Classes, ReadBack, SequencesClaim, VerifiedSequences, verify_sequences};

use super::algorithm::algorithm;
use super::compose::compose;
use super::load::{Complete, Loaded, load};
use super::models::models;
use super::promise::{self, check_values, promise};
use crate::attack::attack_in_run;
use crate::audit::{RecodingFile, SequenceFile};
use crate::columns::{
    Composed, quasi_columns, read_table_back, stage_table, with_alike_merged, with_hierarchies,
};
use crate::leaks::of_sequences;
use crate::order::record_order;
use crate::phases::Phases;
use crate::report::html::{HouseFacts, Published, PublishedFacts};
use crate::report::{Counts, Loss, Risk};
use crate::run::{Draft, PageFacts, timed};
use crate::{PipelineError, Report, Request, Seconds, Sink, Source};

/// What comes back may be published.
pub(crate) fn run<K: Sink>(
    request: &Request,
    from: &mut dyn Source,
    to: &mut K,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Draft<K::Staged>, PipelineError> {
    let policy = request.policy();
    let algorithm = algorithm(policy)?;
    let promise = promise(policy);
    let loaded = timed(&mut seconds.read, || {
        let loaded = load(request, from, progress)?;
        check_values(request, &promise, &loaded)?;
        Ok(loaded)
    })?;
    let data = &loaded.data;
    let (working, mut notes) = with_hierarchies(data.events())?;
    let phases = Phases::within(progress);
    let Anonymized { recoding, trace } = timed(&mut seconds.anonymize, || {
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
    drop((working, recoding));

    let verified = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let claim = SequencesClaim {
            id,
            original: data,
            origin: &origin,
            left_out: data.events().rows - origin.len(),
            order: record_order(request),
        };
        let models = models(request, &promise)?;
        Ok(verify_sequences(
            ReadBack::of(staged, |staged| read_table_back(request, staged, progress))?,
            claim,
            &models,
            progress,
        )?)
    })?;
    let VerifiedSequences { release, published, findings: proof } = verified;
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
            promise: &promise,
            seed: policy.algorithm.seed,
        };
        attack_sequences(&target, progress)
    })?;
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
        recoding: recoding_file(request, &published, proof.classes()),
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
    let Complete { data, events, persons } = loaded.complete(&seen);
    let part = algorithm.anonymize(&data, promise, progress)?;
    let mut class_of = vec![SUPPRESSED; working.rows];
    for (&event, &class) in events.iter().zip(&part.recoding.events.class_of) {
        class_of[event as usize] = class;
    }
    let mut cluster_of = vec![SUPPRESSED; loaded.data.persons()];
    for (&person, &cluster) in persons.iter().zip(&part.recoding.cluster_of) {
        cluster_of[person as usize] = cluster;
    }
    let events = TableRecoding { class_of, classes: part.recoding.events.classes };
    Ok(Anonymized { recoding: SequencesRecoding { cluster_of, events }, trace: part.trace })
}

fn recoding_file(request: &Request, published: &RawTable, classes: &Classes) -> RecodingFile {
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
    RecodingFile::Sequences {
        quasi_identifiers: quasi.iter().map(|c| c.name.clone()).collect(),
        classes: classes.first_rows().iter().zip(&classes.sizes).map(class).collect(),
    }
}
