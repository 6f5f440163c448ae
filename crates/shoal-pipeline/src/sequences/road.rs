//! The road of sequences: read, anonymize, write beside, verify the written bytes, measure.

use std::borrow::Cow;
use std::sync::Arc;

use shoal_algorithms::sequences::{SequencesAlgorithm, Work};
use shoal_core::{
    Bound, Hierarchy, Limit, Policy, Progress, RawTable, Role, SUPPRESSED, Sequences, SequencesPromise,
    SequencesRecoding, Table, TableRecoding,
};
use shoal_io::PendingFile;
use shoal_measure::sequences::{SequencesMeasures, SequencesOptions, measure_sequences};
use shoal_privacy::{
    BoundedKnowledge, Classes, Confidence, SequenceAnonymity, SequencesClaim, SequencesModel,
    verify_sequences,
};

use super::algorithm::algorithm;
use super::compose::compose;
use super::load::{Complete, Loaded, load};
use super::promise::{self, check_values, promise};
use crate::audit::{RecodingFile, SequenceFile};
use crate::leaks::of_sequences;
use crate::order::record_order;
use crate::phases::Phases;
use crate::report::{Loss, Risk};
use crate::run::{Walked, timed};
use crate::table::{
    Composed, quasi_columns, read_back, read_hierarchy, with_alike_merged, with_hierarchies, write_options,
};
use crate::{Job, PipelineError, Seconds};

/// Walks the road up to the door: what comes back may be published.
pub(crate) fn walk(
    job: &Job,
    pending: &mut PendingFile,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Walked, PipelineError> {
    let policy = job.policy();
    let algorithm = algorithm(policy);
    let promise = promise(policy);
    let loaded = timed(&mut seconds.read, || {
        let loaded = load(job, &job.source()?, progress)?;
        check_values(job, &promise, &loaded)?;
        Ok(loaded)
    })?;
    let data = &loaded.data;
    let (working, mut notes) = with_hierarchies(data.events())?;
    let phases = Phases::within(progress);
    let (recoding, work) = timed(&mut seconds.anonymize, || {
        anonymize(policy, &loaded, &working, algorithm.as_ref(), &promise, &phases)
    })?;
    seconds.phases = phases.finish();

    let id = id(job);
    let origin = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } = compose(policy, id, &loaded, &working, &recoding.events);
        shoal_io::write_table(pending, &published, &write_options(job, &published))?;
        pending.finish()?;
        Ok(origin)
    })?;
    let clusters = recoding.clusters();
    drop((working, recoding));

    let (published, proof) = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let published = read_back(job, pending)?;
        let claim = SequencesClaim {
            sha256: published.sha256,
            published: &published.table,
            id,
            original: data,
            origin: &origin,
            left_out: data.events().rows - origin.len(),
            order: record_order(job),
        };
        let proof = verify_sequences(claim, &models(job, &promise)?)?;
        Ok((published.table, proof))
    })?;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        take_measures(job, data, &published)
    })?;

    notes.extend(promise::notes(&promise));
    if !loaded.incomplete.is_empty() {
        notes.push(format!("{} events left out because a value is missing", loaded.incomplete.len()));
    }
    let records_out = measures.loss.persons_out as usize;
    Ok(Walked {
        input_sha256: loaded.sha256.clone(),
        algorithm: algorithm.name(),
        records_in: data.persons(),
        records_out,
        records_suppressed: data.persons() - records_out,
        clusters,
        classes: proof.classes().len(),
        loss: Loss::Sequences(measures.loss),
        risk: Risk::Sequences(measures.risk),
        recoding: recoding_file(job, &published, proof.classes()),
        notes,
        leaks: of_sequences(job, &published, id, proof.classes())
            .into_iter()
            .chain(promise::leaks(&promise))
            .collect(),
        work: Some(work),
        account: None,
        secret_key: None,
        proof: proof.into_release(),
    })
}

/// The name of the id column, in the source and in the published file.
pub(crate) fn id(job: &Job) -> &str {
    job.policy().data.id.as_deref().unwrap_or_default()
}

/// How many counts are asked for the average relative error.
const QUERIES: usize = 1000;

/// All measures of a published file.
pub(crate) fn take_measures(
    job: &Job,
    original: &Sequences,
    published: &RawTable,
) -> Result<SequencesMeasures, PipelineError> {
    let policy = job.policy();
    let options = SequencesOptions { k: policy.privacy.k, queries: QUERIES, seed: policy.algorithm.seed };
    Ok(measure_sequences(original, published, id(job), &options)?)
}

/// Runs the algorithm on the complete events. The recoding speaks of all events and everybody.
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
    job: &Job,
    promise: &SequencesPromise,
) -> Result<Vec<Box<dyn SequencesModel>>, PipelineError> {
    // The policy's check has refused a k below 2, a c that is no share and a β that is no gain.
    let k = u32::try_from(promise.k).unwrap_or(u32::MAX);
    let mut models: Vec<Box<dyn SequencesModel>> = Vec::new();
    if let Some(length) = promise.length {
        let model =
            BoundedKnowledge::new(k, length, promise.limits.clone(), trees(job)?, BoundedKnowledge::WORK);
        models.extend(model.ok().map(|model| Box::new(model.counting(promise.support)) as _));
        return Ok(models);
    }
    models.extend(SequenceAnonymity::new(k).ok().map(|model| Box::new(model) as _));
    for Limit { column, values, bound } in &promise.limits {
        if let Bound::Share(c) = bound {
            let values = values.clone().unwrap_or_default();
            models.extend(Confidence::new(column, &values, *c).ok().map(|model| Box::new(model) as _));
        }
    }
    Ok(models)
}

/// The hierarchies of the policy, by column: what somebody may know is said in their nodes.
fn trees(job: &Job) -> Result<Vec<(String, Arc<Hierarchy>)>, PipelineError> {
    let quasi = job.policy().columns.iter().filter(|(_, column)| column.role == Role::QuasiIdentifier);
    let files = quasi.filter_map(|(name, column)| Some((name, column.hierarchy.as_ref()?)));
    files
        .map(|(name, file)| Ok((name.clone(), Arc::new(read_hierarchy(&job.resolve(file), name)?))))
        .collect()
}

fn recoding_file(job: &Job, published: &RawTable, classes: &Classes) -> RecodingFile {
    let quasi = quasi_columns(job, published);
    let cells = |row: usize| quasi.iter().map(|c| c.text(row).to_owned()).collect();
    // The verifier has seen that the rows of a person stand together, and that people are numbered in order.
    let ids = published.column(id(job)).map(|column| column.codes.as_slice()).unwrap_or_default();
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
