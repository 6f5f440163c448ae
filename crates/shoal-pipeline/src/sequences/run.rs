//! A run on sequences: read, anonymize, stage, verify what was staged, measure.

use std::borrow::Cow;
use std::sync::Arc;

use shoal_algorithms::sequences::{SequencesAlgorithm, Work};
use shoal_core::policy::Shape;
use shoal_core::{
    Bound, Hierarchy, Limit, Policy, Progress, RawTable, Role, SUPPRESSED, Sequences, SequencesPromise,
    SequencesRecoding, Table, TableRecoding,
};
use shoal_measure::sequences::{SequencesMeasures, SequencesOptions, measure_sequences};
use shoal_privacy::{
    BoundedKnowledge, Classes, Confidence, ReadBack, SequenceAnonymity, SequencesClaim, SequencesModel,
    VerifiedSequences, verify_sequences,
};

use super::algorithm::algorithm;
use super::compose::compose;
use super::load::{Complete, Loaded, load};
use super::promise::{self, check_values, promise};
use crate::audit::{RecodingFile, SequenceFile};
use crate::columns::{
    Composed, column_forms, quasi_columns, read_table_back, with_alike_merged, with_hierarchies,
};
use crate::leaks::of_sequences;
use crate::order::record_order;
use crate::phases::Phases;
use crate::report::{Counts, Loss, Risk};
use crate::run::{Draft, timed};
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
    let (recoding, work) = timed(&mut seconds.anonymize, || {
        anonymize(policy, &loaded, &working, algorithm.as_ref(), &promise, &phases)
    })?;
    seconds.phases = phases.finish();

    let id = id(request);
    let (staged, origin) = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } = compose(policy, id, &loaded, &working, &recoding.events);
        Ok((to.stage_table(&published, &column_forms(request, &published), progress)?, origin))
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
            ReadBack::of(staged, |staged| read_table_back(staged, progress))?,
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
    Ok(Draft {
        release,
        report,
        input_sha256: loaded.sha256.clone(),
        recoding: recoding_file(request, &published, proof.classes()),
        work: Some(work),
        ribbon: None,
        secret_key: None,
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
) -> Result<(SequencesRecoding, Work), PipelineError> {
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
    Ok((SequencesRecoding { cluster_of, events }, part.work))
}

/// The promise as models that can be checked on the published file alone.
pub(crate) fn models(
    request: &Request,
    promise: &SequencesPromise,
) -> Result<Vec<Box<dyn SequencesModel>>, PipelineError> {
    // The policy's check has refused a k below 2, a c that is not a share and a β that is not positive.
    let k = u32::try_from(promise.k).unwrap_or(u32::MAX);
    let mut models: Vec<Box<dyn SequencesModel>> = Vec::new();
    if let Some(length) = promise.length {
        let model =
            BoundedKnowledge::new(k, length, promise.limits.clone(), trees(request), BoundedKnowledge::WORK);
        models.push(Box::new(model?.counting(promise.support)));
        return Ok(models);
    }
    models.push(Box::new(SequenceAnonymity::new(k)?));
    for Limit { column, values, bound } in &promise.limits {
        match bound {
            Bound::Share(c) => {
                let values = values.clone().unwrap_or_default();
                models.push(Box::new(Confidence::new(column, &values, *c)?));
            }
            // The policy's check refuses β without a length; were it not to, β must not be dropped.
            Bound::Gain(beta) => {
                let why = format!("β = {beta} for `{column}` needs privacy.length");
                return Err(PipelineError::Promise { why });
            }
        }
    }
    Ok(models)
}

/// The hierarchies of the policy, by column: what somebody may know is expressed in their nodes.
fn trees(request: &Request) -> Vec<(String, Arc<Hierarchy>)> {
    let quasi = request.policy().columns.iter().filter(|(_, column)| column.role == Role::QuasiIdentifier);
    let files = quasi.filter_map(|(name, column)| Some((name, column.hierarchy.as_ref()?)));
    files.map(|(name, file)| (name.clone(), Arc::clone(request.hierarchy(file).content))).collect()
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
