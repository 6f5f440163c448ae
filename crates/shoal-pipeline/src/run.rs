//! The road, walked once: read, anonymize, write beside, verify the written bytes, measure, release. What lies
//! between the doors is each shape's own; what is written, and when it gets its name, is decided here.

use std::path::{Path, PathBuf};
use std::time::Instant;

use shoal_algorithms::table::Account;
use shoal_core::Progress;
use shoal_core::policy::Shape;
use shoal_io::{PendingFile, StagedFolder};
use shoal_privacy::VerifiedRelease;

use crate::containers::refuse_unjudged;
use crate::leaks::kept_order;
use crate::report::{Loss, RecodingFile, Risk};
use crate::targets::Targets;
use crate::{Job, Leak, PipelineError, ReleaseFile, Report, Seconds, Work, sequences, table, transactions};

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

/// What a shape brings back from its road: the proof for the bytes in the pending file, and what to say.
pub(crate) struct Walked {
    pub proof: VerifiedRelease,
    pub input_sha256: String,
    pub algorithm: &'static str,
    pub records_in: usize,
    pub records_out: usize,
    pub records_suppressed: usize,
    pub clusters: usize,
    pub classes: usize,
    pub loss: Loss,
    pub risk: Risk,
    pub recoding: RecodingFile,
    pub notes: Vec<String>,
    pub leaks: Vec<Leak>,
    pub work: Option<Work>,
    pub account: Option<Account>,
}

/// The main job. When it returns an error, nothing has been published.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Outcome, PipelineError> {
    let started = Instant::now();
    let mut seconds = Seconds::default();
    if job.policy().data.shape == Shape::Stream {
        return Err(PipelineError::IsStream);
    }
    let targets = Targets::of(job, options)?;
    // Before the work: a folder that lacks or may not be written to is better known now than in an hour.
    let mut pending = PendingFile::create(&targets.output)?;
    let walked = match job.policy().data.shape {
        Shape::Table => table::walk(job, &mut pending, &mut seconds, progress),
        Shape::Transactions => transactions::walk(job, &mut pending, &mut seconds, progress),
        Shape::Sequences => sequences::walk(job, &mut pending, &mut seconds, progress),
        Shape::Stream => Err(PipelineError::IsStream),
    }?;
    refuse_unjudged(job, &pending)?;
    seconds.total = started.elapsed().as_secs_f64();
    let proof = walked.proof;
    let report = Report {
        version: 1,
        policy_sha256: shoal_io::sha256_hex(job.policy().canonical_json().as_bytes()),
        input_sha256: walked.input_sha256,
        output_sha256: proof.sha256().to_owned(),
        seed: job.policy().algorithm.seed,
        shape: job.policy().data.shape.name(),
        algorithm: walked.algorithm,
        records_in: walked.records_in,
        records_out: walked.records_out,
        records_suppressed: walked.records_suppressed,
        clusters: walked.clusters,
        classes: walked.classes,
        promises: proof.promises().to_vec(),
        loss: walked.loss,
        risk: walked.risk,
        work: walked.work,
        ribbon: walked.account,
        seconds,
        peak_memory_bytes: peak_memory(),
        leaks: kept_order(job.policy()).into_iter().chain(walked.leaks).collect(),
        notes: walked.notes,
    };
    // All bytes are on the disk before anything gets its name; what follows are names only.
    let staged = match &targets.report {
        Some(folder) => Some(stage_reports(job, folder, &report, walked.recoding)?),
        None => None,
    };
    pending.publish(&proof)?;
    if let Some(staged) = staged {
        staged.publish()?;
    }
    Ok(Outcome { output: targets.output, report_folder: targets.report, report })
}

/// `report.json` and `release.json`, written where they will lie, without their names.
fn stage_reports(
    job: &Job,
    folder: &Path,
    report: &Report,
    recoding: RecodingFile,
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
        recoding,
    };
    let files = [("report.json", json(report)), ("release.json", json(&release))];
    let mut staged = StagedFolder::new(folder)?;
    for (name, bytes) in &files {
        staged.add(name, bytes)?;
    }
    Ok(staged)
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

/// Does the work and says how long it took.
pub(crate) fn timed<T>(
    seconds: &mut f64,
    work: impl FnOnce() -> Result<T, PipelineError>,
) -> Result<T, PipelineError> {
    let started = Instant::now();
    let result = work();
    *seconds = started.elapsed().as_secs_f64();
    result
}
