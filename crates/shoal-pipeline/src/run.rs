//! The road, walked once: read, anonymize, write beside, verify the written bytes, measure, release. What lies
//! between the doors is each shape's own; what is written, and when it gets its name, is decided here.

use std::path::{Path, PathBuf};
use std::time::Instant;

use shoal_algorithms::table::Account;
use shoal_core::Progress;
use shoal_core::policy::Shape;
use shoal_io::{PendingFile, StagedFolder};
use shoal_privacy::VerifiedRelease;

use crate::audit::{self, AuditFile, Key, RecodingFile};
use crate::containers::refuse_unjudged;
use crate::leaks::{add_missing, earlier_release, left_out, of_policy};
use crate::report::{Loss, Risk};
use crate::table::History;
use crate::targets::{AUDIT, REPORT, Targets, recorded};
use crate::{Audit, Job, Leak, PipelineError, Report, Seconds, Work, sequences, table, transactions};

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The published file, instead of the policy's.
    pub output: Option<PathBuf>,
    /// The report's folder, instead of the policy's.
    pub report: Option<PathBuf>,
    /// Whether existing files may be replaced.
    pub force: bool,
    /// The `audit.json`s of earlier releases, or their folders, that this one is held against.
    pub previous: Vec<PathBuf>,
    /// tables: whether people who were in one of them keep their classes.
    pub reuse_classes: bool,
}

/// What a run has left.
#[derive(Debug)]
pub struct Outcome {
    /// The published file.
    pub output: PathBuf,
    /// The folder of the reports; none where the output is a device and no folder was named.
    pub report_folder: Option<PathBuf>,
    /// What was found, with exact figures; [`Report::outgoing`] is the edition for others.
    pub report: Report,
    /// What the search did, where an algorithm counts it.
    pub work: Option<Work>,
    /// Which construction `ribbon` started from and what each step gained.
    pub ribbon: Option<Account>,
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
    /// The secret key of the run, in hexadecimal digits. It must never go into what leaves the house.
    pub secret_key: Option<String>,
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
    let history = History {
        key: Key::random()?,
        previous: options.previous.iter().map(|path| open_audit(path)).collect::<Result<_, _>>()?,
        in_folder: targets.earlier,
        reuse_classes: options.reuse_classes,
    };
    let walked = match job.policy().data.shape {
        Shape::Table => table::walk(job, &mut pending, &history, &mut seconds, progress),
        Shape::Transactions => transactions::walk(job, &mut pending, &mut seconds, progress),
        Shape::Sequences => sequences::walk(job, &mut pending, &mut seconds, progress),
        Shape::Stream => Err(PipelineError::IsStream),
    }?;
    refuse_unjudged(job, &pending)?;
    seconds.total = started.elapsed().as_secs_f64();
    let proof = walked.proof;
    let mut leaks = walked.leaks;
    leaks.extend(left_out(job.policy(), walked.records_in - walked.records_out, walked.records_in));
    add_missing(&mut leaks, of_policy(job.policy()));
    let shape = job.policy().data.shape;
    let again = history.in_folder.as_ref().is_some_and(|earlier| {
        let given = history.previous.iter().any(|previous| previous.output_sha256 == earlier.output_sha256);
        earlier.is_of_input(&walked.input_sha256) && earlier.output_sha256 != proof.sha256() && !given
    });
    // Tables are held against the earlier releases that are given; of other shapes it can only be said that there are some.
    if again || (shape != Shape::Table && !history.previous.is_empty()) {
        add_missing(&mut leaks, vec![earlier_release(shape)]);
    }
    let report = Report {
        version: audit::VERSION,
        output_sha256: proof.sha256().to_owned(),
        shape: job.policy().data.shape.name(),
        algorithm: walked.algorithm,
        records_in: walked.records_in,
        records_out: walked.records_out,
        records_suppressed: walked.records_suppressed,
        clusters: walked.clusters,
        classes: walked.classes,
        promises: proof.promises().to_vec(),
        leaks,
        loss: walked.loss,
        risk: walked.risk,
        seconds,
        peak_memory_bytes: peak_memory(),
        notes: walked.notes,
    };
    // All bytes are on the disk before anything gets its name; what follows are names only.
    let staged = match &targets.report {
        Some(folder) => {
            let key = history.key;
            let audit = AuditFile {
                key: key.hex(),
                policy: job.policy(),
                policy_folder: std::path::absolute(job.folder.join("."))
                    .unwrap_or_else(|_| job.folder.clone()),
                policy_hash: key.hash(audit::POLICY, job.policy().canonical_json().as_bytes()),
                input_hash: key.hash(audit::INPUT, walked.input_sha256.as_bytes()),
                output: recorded(&targets.output),
                seed: job.policy().algorithm.seed,
                reused_classes: history.reuse_classes,
                report: &report,
                work: walked.work,
                ribbon: walked.account.as_ref(),
                secret_key: walked.secret_key,
                recoding: walked.recoding,
            };
            let mut staged = StagedFolder::new(folder)?;
            staged.add(REPORT, &json(&report.outgoing()))?;
            staged.add_closed(AUDIT, &json(&audit))?;
            Some(staged)
        }
        None => None,
    };
    pending.publish(&proof)?;
    if let Some(staged) = staged {
        staged.publish()?;
    }
    let (work, ribbon) = (walked.work, walked.account);
    Ok(Outcome { output: targets.output, report_folder: targets.report, report, work, ribbon })
}

/// An audit, or the one in a report's folder.
fn open_audit(path: &Path) -> Result<Audit, PipelineError> {
    if path.is_dir() { Audit::open(&path.join(AUDIT)) } else { Audit::open(path) }
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
