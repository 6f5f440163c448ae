//! The road, walked once: read, anonymize, write beside, verify the written bytes, measure, release.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use shoal_algorithms::table::{TableAlgorithm, star_suppression};
use shoal_core::policy::SuppressedPolicy;
use shoal_core::{Column, Progress, RawColumn, RawTable, Recoding, Role, SUPPRESSED, Table};
use shoal_io::{ColumnForm, PendingFile, ReadTable, StagedFolder, WriteOptions};
use shoal_privacy::{Claim, Classes, KAnonymity, Model, VerifiedRelease, verify_release};

use crate::algorithm::{algorithm, with_hierarchies};
use crate::bind::Bound;
use crate::compose::{Composed, compose};
use crate::load::load_from;
use crate::report::{ClassFile, RecodingFile};
use crate::targets::Targets;
use crate::{Job, PipelineError, ReleaseFile, Report, Seconds};

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The published file, instead of the policy's.
    pub output: Option<PathBuf>,
    /// The report's folder, instead of the policy's.
    pub report: Option<PathBuf>,
    /// Whether existing files may be replaced.
    pub force: bool,
}

/// What a run has left.
#[derive(Debug)]
pub struct Outcome {
    /// The published file.
    pub output: PathBuf,
    /// The folder of the reports; none where the output is a device and no folder was named.
    pub report_folder: Option<PathBuf>,
    /// The report.
    pub report: Report,
}

/// The main job. When it returns an error, nothing has been published.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Outcome, PipelineError> {
    let started = Instant::now();
    let mut seconds = Seconds::default();
    let targets = Targets::of(job, options)?;
    let algorithm = algorithm(job.policy())?;
    // Before the work: a folder that lacks or may not be written to is better known now than in an hour.
    let mut pending = PendingFile::create(&targets.output)?;

    let (read, bound) = timed(&mut seconds.read, || load_from(job, &job.source()?, progress))?;
    let (working, recoding, mut notes) =
        timed(&mut seconds.anonymize, || anonymize(job, &bound, algorithm.as_ref(), progress))?;
    let clusters = recoding.classes.len();
    let suppressed = recoding.suppressed();

    let origin = timed(&mut seconds.write, || {
        progress.stage("writing", 0);
        let Composed { published, origin } = compose(job.policy(), &read.table, &working, &recoding);
        shoal_io::write_table(&mut pending, &published, &write_options(job, &published))?;
        pending.finish()?;
        Ok(origin)
    })?;
    drop((working, recoding));

    let (published, proof) = timed(&mut seconds.verify, || {
        progress.stage("verifying", 0);
        let published = read_back(job, &pending)?;
        let claim = Claim {
            sha256: published.sha256,
            published: &published.table,
            original: &bound.table,
            origin: &origin,
            left_out: bound.table.rows - origin.len(),
        };
        let proof = verify_release(claim, &models(job)).map_err(|r| PipelineError::Refused(Box::new(r)))?;
        Ok((published.table, proof))
    })?;
    let measures = timed(&mut seconds.measure, || {
        progress.stage("measuring", 0);
        Ok(shoal_measure::measure(&bound.table, &published, proof.classes(), job.policy().privacy.k)?)
    })?;

    if !bound.incomplete.is_empty() {
        notes.push(format!("{} records left out because a value is missing", bound.incomplete.len()));
    }
    seconds.total = started.elapsed().as_secs_f64();
    let report = Report {
        version: 1,
        policy_sha256: shoal_io::sha256_hex(job.policy().canonical_json().as_bytes()),
        input_sha256: read.sha256,
        output_sha256: proof.sha256().to_owned(),
        seed: job.policy().algorithm.seed,
        shape: "table",
        algorithm: algorithm.name(),
        records_in: bound.table.rows,
        records_out: published.rows,
        records_suppressed: suppressed,
        clusters,
        classes: proof.classes().len(),
        promises: proof.promises().to_vec(),
        loss: measures.loss,
        risk: measures.risk,
        seconds,
        peak_memory_bytes: peak_memory(),
        notes,
    };
    // All bytes are on the disk before anything gets its name; what follows are names only.
    let staged = match &targets.report {
        Some(folder) => Some(stage_reports(job, folder, &report, &published, &proof)?),
        None => None,
    };
    pending.publish(&proof)?;
    if let Some(staged) = staged {
        staged.publish()?;
    }
    Ok(Outcome { output: targets.output, report_folder: targets.report, report })
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
        let part = algorithm.anonymize(&select(&working, &complete), progress)?;
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

fn select(table: &Table, rows: &[u32]) -> Table {
    let columns = table.columns.iter().map(|column| Column {
        name: column.name.clone(),
        role: column.role,
        domain: column.domain.clone(),
        hierarchy: column.hierarchy.clone(),
        weight: column.weight,
        codes: rows.iter().map(|&row| column.codes[row as usize]).collect(),
    });
    Table { columns: columns.collect(), rows: rows.len() }
}

fn write_options(job: &Job, published: &RawTable) -> WriteOptions {
    let policy = job.policy();
    let form = |name: &String| match policy.columns.get(name).map(|c| c.role) {
        Some(Role::Sensitive | Role::Insensitive) => ColumnForm::Typed,
        _ => ColumnForm::Text,
    };
    WriteOptions {
        separator: policy.data.separator.bytes().next().unwrap_or(b','),
        columns: published.columns.iter().map(|c| form(&c.name)).collect(),
    }
}

/// The written bytes, read as anybody would read them.
fn read_back(job: &Job, pending: &PendingFile) -> Result<ReadTable, PipelineError> {
    Ok(shoal_io::read_table(&pending.source(job.dialect(true)?), &|_| true, &shoal_core::Silent)?)
}

/// The promises of the policy, as models that can be checked.
pub(crate) fn models(job: &Job) -> Vec<Box<dyn Model>> {
    // The policy's check has refused a k below 2 and every promise that has no model yet.
    let k = job.policy().privacy.k.and_then(|k| KAnonymity::new(u32::try_from(k).unwrap_or(u32::MAX)).ok());
    k.into_iter().map(|k| Box::new(k) as Box<dyn Model>).collect()
}

/// `report.json` and `release.json`, written where they will lie, without their names.
fn stage_reports(
    job: &Job,
    folder: &Path,
    report: &Report,
    published: &RawTable,
    proof: &VerifiedRelease,
) -> Result<StagedFolder, PipelineError> {
    let release = ReleaseFile {
        version: 1,
        policy: job.policy(),
        policy_sha256: &report.policy_sha256,
        input_sha256: &report.input_sha256,
        output_sha256: &report.output_sha256,
        seed: report.seed,
        algorithm: report.algorithm,
        promises: &report.promises,
        recoding: recoding_file(job, published, proof.classes()),
    };
    let files = [("report.json", json(report)), ("release.json", json(&release))];
    let mut staged = StagedFolder::new(folder)?;
    for (name, bytes) in &files {
        staged.add(name, bytes)?;
    }
    Ok(staged)
}

fn recoding_file(job: &Job, published: &RawTable, classes: &Classes) -> RecodingFile {
    let is_quasi = |c: &&RawColumn| job.policy().columns[&c.name].role == Role::QuasiIdentifier;
    let quasi: Vec<&RawColumn> = published.columns.iter().filter(is_quasi).collect();
    let cells = |row: u32| quasi.iter().map(|c| c.text(row as usize).to_owned()).collect();
    let first_rows = classes.first_rows();
    RecodingFile {
        quasi_identifiers: quasi.iter().map(|c| c.name.clone()).collect(),
        classes: first_rows
            .iter()
            .zip(&classes.sizes)
            .map(|(&row, &size)| ClassFile { cells: cells(row), size })
            .collect(),
    }
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("reports hold nothing that JSON cannot");
    bytes.push(b'\n');
    bytes
}

/// The most memory the process has held, from the system's own account of it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> Result<T, PipelineError>) -> Result<T, PipelineError> {
    let started = Instant::now();
    let result = work();
    *seconds = started.elapsed().as_secs_f64();
    result
}
