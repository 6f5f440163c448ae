//! A run on files: where it may write, what it says about itself, and when everything gets its name.

use std::path::{Path, PathBuf};
use std::time::Instant;

use shoal_algorithms::Trace;
use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_io::{StagedFolder, groups_beside};
use shoal_privacy::Staged;

use super::memory::peak_memory;
use super::targets::{AUDIT, AUDIT_PAGE, REPORT, REPORT_PAGE, Targets, is_file, recorded};
use super::{FileSink, Job, table_key};
use crate::audit::AuditPlaces;
use crate::request::{EarlierFile, EarlierReleases};
use crate::{Audit, PipelineError, Report, Request, Sink, TableSink};

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The published file, instead of the policy's.
    pub output: Option<PathBuf>,
    /// The report's folder, instead of the policy's.
    pub report: Option<PathBuf>,
    /// Whether existing files may be replaced.
    pub force: bool,
    /// The `audit.json`s of earlier releases, or their folders, that this one is compared with.
    pub previous: Vec<PathBuf>,
    /// tables: whether people who were in one of them keep their classes.
    pub reuse_classes: bool,
    /// `apply` to tables and sequences: whether those may be published who were together with a few people that are gone.
    pub allow_absent: bool,
    /// Whether a file that says nothing any more may be published.
    pub allow_total_loss: bool,
}

/// What a run has left.
#[derive(Debug)]
pub struct Outcome {
    /// The published file, or the address of the published table.
    pub output: PathBuf,
    /// The dictionary of its groups, where it has one.
    pub groups: Option<PathBuf>,
    /// The folder of the reports; none where the output is a device and no folder was named.
    pub report_folder: Option<PathBuf>,
    /// What was found, with exact figures; [`Report::outgoing`] is the edition for others.
    pub report: Report,
    /// How the algorithm came to its result.
    pub trace: Trace,
}

/// The main job. When it returns an error, nothing has been published.
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Outcome, PipelineError> {
    Cancelled::catch(|| {
        let previous = options.previous.iter().map(|path| open_audit(path)).collect::<Result<_, _>>()?;
        run_to_end(job, options, Before { previous, applied: false }, progress)
    })?
}

/// The releases that came before.
pub(super) struct Before {
    pub previous: Vec<Audit>,
    /// Whether the recoding of the last one is applied.
    pub applied: bool,
}

pub(super) fn run_to_end(
    job: &Job,
    options: &RunOptions,
    before: Before,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    if job.policy().data.shape == Shape::Stream {
        return Err(PipelineError::IsStream);
    }
    let mut targets = Targets::of(job, options, progress)?;
    // Before the work: a folder that is missing or may not be written to is better known now than in an hour.
    match targets.table.take() {
        None => {
            let mut sink = file_sink(job, &targets.output)?;
            run_into(&mut sink, job, options, before, targets, progress)
        }
        Some(table) => {
            // What somebody else has made meanwhile is not replaced: it was not looked at.
            let replace = options.force && table.exists();
            let mut sink = TableSink::new(table, replace);
            run_into(&mut sink, job, options, before, targets, progress)
        }
    }
}

fn run_into<K: Sink<Staged: Staged<Receipt = PathBuf>>>(
    sink: &mut K,
    job: &Job,
    options: &RunOptions,
    before: Before,
    targets: Targets,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let started = Instant::now();
    let earlier = EarlierReleases {
        previous: before.previous,
        replaced: targets.earlier,
        reuse_classes: options.reuse_classes,
        applied: before.applied,
        allow_absent: options.allow_absent,
        files: Vec::new(),
    };
    let mut request = job.request()?.with_earlier(earlier).with_table_key(table_key::read_or_make(job)?);
    if targets.report.is_some() {
        request = request.with_pages();
    }
    if request.earlier.applied {
        request.earlier.files = earlier_files(job, &request, progress)?;
    }
    let mut release = crate::run(&request, &mut job.source()?, sink, progress)?;
    if !options.allow_total_loss {
        release.refuse_total_loss(job.policy())?;
    }
    release.report.peak_memory_bytes = peak_memory();
    release.report.seconds.total = started.elapsed().as_secs_f64();
    // All bytes are on the disk before anything gets its name; what follows are names only.
    let staged = match &targets.report {
        Some(folder) => {
            let policy_folder = std::path::absolute(job.folder.join("."));
            let places = AuditPlaces {
                policy_folder: policy_folder.unwrap_or_else(|_| job.folder.clone()),
                output: recorded(&targets.output),
                groups: release
                    .report
                    .groups_sha256
                    .as_ref()
                    .map(|_| groups_beside(&recorded(&targets.output))),
            };
            let mut staged = StagedFolder::new(folder)?;
            staged.add(REPORT, &json(&release.report.outgoing()))?;
            let audit = release.audit(&request, places);
            staged.add_closed(AUDIT, &json(&audit))?;
            if let Some(page) = release.report_page() {
                staged.add(REPORT_PAGE, page.as_bytes())?;
            }
            if let Some(page) = release.audit_page(&audit, &recorded(&folder.join(AUDIT))) {
                staged.add_closed(AUDIT_PAGE, page.as_bytes())?;
            }
            Some(staged)
        }
        None => None,
    };
    let (report, trace) = (release.report.clone(), release.trace.clone());
    // The last question: from here on names are given, which is not interrupted half-way.
    progress.check();
    // The data first: a report without its data would claim a release that does not exist. Of a table this is the step that can still fail,
    // on a server that is full or gone: then the reports, which have no names yet, vanish with it. The other way round reports
    // would have to be taken back, and those that they replaced could not be.
    let output = release.publish()?;
    if let Some(staged) = staged {
        staged.publish()?;
    }
    let groups = report.groups_sha256.as_ref().map(|_| groups_beside(&output));
    Ok(Outcome { output, groups, report_folder: targets.report, report, trace })
}

/// A file for the release of a policy.
pub(super) fn file_sink(job: &Job, path: &Path) -> Result<FileSink, PipelineError> {
    let sink = FileSink::create(path, job.published_dialect()?)?;
    Ok(if job.policy().data.shape == Shape::Transactions { sink.with_groups() } else { sink })
}

/// What was published in the earlier releases that the new one is attacked together with. Tables have all of it in their audits.
fn earlier_files(
    job: &Job,
    request: &Request,
    progress: &dyn Progress,
) -> Result<Vec<EarlierFile>, PipelineError> {
    let mut files = Vec::new();
    if job.policy().data.shape == Shape::Table {
        return Ok(files);
    }
    for audit in &request.earlier.previous {
        let lost = |problem: &str| PipelineError::LostFile {
            output: audit.output.clone(),
            problem: problem.to_owned(),
        };
        if is_file(&audit.output) && !audit.output.is_file() {
            return Err(lost("the published file is not there any more"));
        }
        let (file, found) = crate::run::read_earlier(request, &mut job.published(&audit.output)?, progress)?;
        if found.data != audit.output_sha256 {
            return Err(lost("the file is not the one that was published"));
        }
        if found.groups != audit.groups_sha256 {
            return Err(lost("the dictionary of its groups is not the one that was published"));
        }
        files.push(file);
    }
    Ok(files)
}

/// An audit, or the one in a report's folder.
pub(super) fn open_audit(path: &Path) -> Result<Audit, PipelineError> {
    if path.is_dir() { Audit::open(&path.join(AUDIT)) } else { Audit::open(path) }
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("reports hold nothing that JSON cannot");
    bytes.push(b'\n');
    bytes
}
