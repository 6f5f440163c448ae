//! The road of a table: read, anonymize, write beside, verify the written bytes, measure.

use std::borrow::Cow;

use shoal_algorithms::table::{TableAlgorithm, star_suppression};
use shoal_core::policy::SuppressedPolicy;
use shoal_core::{Progress, RawColumn, RawTable, Recoding, Role, SUPPRESSED, Table};
use shoal_io::{ColumnForm, PendingFile, ReadTable, WriteOptions};
use shoal_privacy::{Claim, Classes, KAnonymity, Model, Refusal, verify_release};

use super::algorithm::{algorithm, with_hierarchies};
use super::bind::{Bound, bind};
use super::compose::{Composed, compose};
use super::load::load_from;
use crate::report::{ClassFile, Loss, RecodingFile, Risk};
use crate::run::{Walked, timed};
use crate::{Job, PipelineError, Seconds};

/// Walks the road up to the door: what comes back may be published.
pub(crate) fn walk(
    job: &Job,
    pending: &mut PendingFile,
    seconds: &mut Seconds,
    progress: &dyn Progress,
) -> Result<Walked, PipelineError> {
    let algorithm = algorithm(job.policy())?;
    let (read, bound) = timed(&mut seconds.read, || load_from(job, &job.source()?, progress))?;
    let (working, recoding, mut notes) =
        timed(&mut seconds.anonymize, || anonymize(job, &bound, algorithm.as_ref(), progress))?;
    let clusters = recoding.classes.len();
    let suppressed = recoding.suppressed();

    let origin = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } = compose(job.policy(), &read.table, &working, &recoding);
        shoal_io::write_table(pending, &published, &write_options(job, &published))?;
        pending.finish()?;
        Ok(origin)
    })?;
    drop((working, recoding));

    let (published, proof) = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let published = read_back(job, pending)?;
        let claim = Claim {
            sha256: published.sha256,
            published: &published.table,
            original: &bound.table,
            origin: &origin,
            left_out: bound.table.rows - origin.len(),
        };
        let proof = verify_release(claim, &models(job))?;
        Ok((published.table, proof))
    })?;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        Ok(shoal_measure::measure(&bound.table, &published, proof.classes(), job.policy().privacy.k)?)
    })?;

    if !bound.incomplete.is_empty() {
        notes.push(format!("{} records left out because a value is missing", bound.incomplete.len()));
    }
    Ok(Walked {
        input_sha256: read.sha256,
        algorithm: algorithm.name(),
        records_in: bound.table.rows,
        records_out: published.rows,
        records_suppressed: suppressed,
        clusters,
        classes: proof.classes().len(),
        loss: Loss::Table(measures.loss),
        risk: Risk::Table(measures.risk),
        recoding: recoding_file(job, &published, proof.classes()),
        notes,
        work: None,
        proof: proof.into_release(),
    })
}

/// Runs the algorithm on the complete records. The recoding speaks of all of them.
fn anonymize<'a>(
    job: &Job,
    bound: &'a Bound,
    algorithm: &dyn TableAlgorithm,
    progress: &dyn Progress,
) -> Result<(Cow<'a, Table>, Recoding, Vec<String>), PipelineError> {
    let (working, notes) = if algorithm.needs_hierarchies() {
        with_hierarchies(&bound.table)?
    } else {
        (Cow::Borrowed(&bound.table), Vec::new())
    };
    let mut recoding = if bound.incomplete.is_empty() {
        algorithm.anonymize(&working, progress)?
    } else {
        let complete = complete_rows(bound);
        let part = algorithm.anonymize(&working.select(&complete), progress)?;
        let mut class_of = vec![SUPPRESSED; working.rows];
        for (&row, &class) in complete.iter().zip(&part.class_of) {
            class_of[row as usize] = class;
        }
        Recoding { class_of, classes: part.classes }
    };
    if job.policy().output.suppressed == SuppressedPolicy::Star {
        star_suppression(&mut recoding, &working, job.policy().privacy.k.unwrap_or_default());
    }
    Ok((working, recoding, notes))
}

fn complete_rows(bound: &Bound) -> Vec<u32> {
    let mut complete = vec![true; bound.table.rows];
    bound.incomplete.iter().for_each(|&row| complete[row as usize] = false);
    (0..bound.table.rows as u32).filter(|&row| complete[row as usize]).collect()
}

/// How a published table is written in the dialect of the policy.
pub(crate) fn write_options(job: &Job, published: &RawTable) -> WriteOptions {
    let policy = job.policy();
    let form = |name: &String| match policy.columns.get(name).map(|c| c.role) {
        Some(Role::Sensitive | Role::Insensitive) => ColumnForm::Typed,
        _ => ColumnForm::Text,
    };
    WriteOptions {
        separator: policy.data.separator().bytes().next().unwrap_or(b','),
        columns: published.columns.iter().map(|c| form(&c.name)).collect(),
    }
}

/// The written bytes, read as anybody would read them.
pub(crate) fn read_back(job: &Job, pending: &PendingFile) -> Result<ReadTable, PipelineError> {
    Ok(shoal_io::read_table(&pending.source(job.dialect(true)?), &|_| true, &shoal_core::Silent)?)
}

/// The promises of the policy, as models that can be checked.
pub(crate) fn models(job: &Job) -> Vec<Box<dyn Model>> {
    // The policy's check has refused a k below 2 and every promise that has no model yet.
    let k = job.policy().privacy.k.and_then(|k| KAnonymity::new(u32::try_from(k).unwrap_or(u32::MAX)).ok());
    k.into_iter().map(|k| Box::new(k) as Box<dyn Model>).collect()
}

fn recoding_file(job: &Job, published: &RawTable, classes: &Classes) -> RecodingFile {
    let quasi = quasi_columns(job, published);
    let cells = |row: u32| quasi.iter().map(|c| c.text(row as usize).to_owned()).collect();
    let first_rows = classes.first_rows();
    RecodingFile::Table {
        quasi_identifiers: quasi.iter().map(|c| c.name.clone()).collect(),
        classes: first_rows
            .iter()
            .zip(&classes.sizes)
            .map(|(&row, &size)| ClassFile { cells: cells(row), size })
            .collect(),
    }
}

/// The quasi-identifiers of a published file.
pub(crate) fn quasi_columns<'a>(job: &Job, published: &'a RawTable) -> Vec<&'a RawColumn> {
    let is_quasi = |c: &&RawColumn| job.policy().columns[&c.name].role == Role::QuasiIdentifier;
    published.columns.iter().filter(is_quasi).collect()
}

/// Checks that columns that nobody anonymizes are published as they were, in the claimed order.
pub(crate) fn check_untouched(
    job: &Job,
    before: &RawTable,
    after: &RawTable,
    origin: &[u32],
) -> Result<(), PipelineError> {
    let original = bind(job, before)?.table;
    let left_out = before.rows - origin.len();
    Ok(shoal_privacy::table::conservation::check(&original, after, origin, left_out)
        .map_err(Refusal::Conservation)?)
}
