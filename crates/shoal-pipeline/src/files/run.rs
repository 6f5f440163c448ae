//! A run on files: where it may write, what it says about itself, and when everything gets its name.

use std::path::{Path, PathBuf};
use std::time::Instant;

use shoal_algorithms::Trace;
use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Progress};
use shoal_io::{StagedFolder, WriteError, groups_beside, is_postgres};
use shoal_privacy::Staged;

use super::memory::peak_memory;
use super::targets::{
    AUDIT, AUDIT_PAGE, REPORT, REPORT_PAGE, Targets, is_file, recorded, refuse_to_replace_earlier,
};
use super::{FileSink, Job, release_key};
use crate::audit::AuditPlaces;
use crate::run::PEOPLE;
use crate::{
    Audit, EarlierReleases, Outgoing, PipelineError, Release, Report, Request, Sink, Source, TableSink,
};

/// What the command line says beyond the policy.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The published file, instead of the policy's.
    pub output: Option<PathBuf>,
    /// The report's folder, instead of the policy's.
    pub report: Option<PathBuf>,
    /// Whether existing files may be replaced.
    pub force: bool,
    /// The `audit.json` of an earlier release, or its folder: this one is dealt by the same key.
    pub key_of: Option<PathBuf>,
    /// The `audit.json`s of earlier releases, or their folders, that this one is compared with.
    pub previous: Vec<PathBuf>,
    /// Whether those may be published who were together with a few people that are gone.
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
    /// The key file that was made.
    pub new_key_file: Option<PathBuf>,
    /// Where the key is that of an earlier release: whether these are the same bytes.
    pub repeats: Option<bool>,
    /// The folder of the reports; none where the output is a device and no folder was named.
    pub report_folder: Option<PathBuf>,
    /// What was found, with exact figures, for the publisher.
    pub report: Report,
    /// The edition that went out with the data.
    pub outgoing: Outgoing,
    /// How the algorithm came to its result.
    pub trace: Trace,
}

/// The main job. When it returns an error, nothing has been published, unless it says so ([`PipelineError::WithoutReports`]).
pub fn run(job: &Job, options: &RunOptions, progress: &dyn Progress) -> Result<Outcome, PipelineError> {
    Cancelled::catch(|| {
        let previous = options.previous.iter().map(|path| open_audit(path)).collect::<Result<_, _>>()?;
        run_to_end(job, options, EarlierReleases { previous, ..EarlierReleases::default() }, progress)
    })?
}

pub(super) fn run_to_end(
    job: &Job,
    options: &RunOptions,
    earlier: EarlierReleases,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    if job.policy().data.shape == Shape::Stream {
        return Err(PipelineError::IsStream);
    }
    refuse_to_replace(job, &earlier.previous, options)?;
    let mut targets = Targets::of(job, options, progress)?;
    // Before the work: a folder that is missing or may not be written to is better known now than in an hour.
    match targets.table.take() {
        None => {
            let mut sink = file_sink(job, &targets.output)?;
            run_into(&mut sink, job, options, earlier, targets, progress)
        }
        Some(table) => {
            // What somebody else has made meanwhile is not replaced: it was not looked at.
            let replace = options.force && table.exists();
            let mut sink = TableSink::new(table, replace);
            run_into(&mut sink, job, options, earlier, targets, progress)
        }
    }
}

/// Refuses to write over a release that the result has to hold together with.
fn refuse_to_replace(job: &Job, previous: &[Audit], options: &RunOptions) -> Result<(), PipelineError> {
    let Some(output) = job.place_of_output(options.output.as_deref())? else { return Ok(()) };
    let named = job.policy().output.report.as_ref().map(|path| job.resolve(path));
    let report = options.report.clone().or(named).or_else(|| job.usual_report_folder(&output));
    let audit = report.map(|folder| recorded(&folder.join(AUDIT)));
    refuse_to_replace_earlier(previous, Some(&recorded(&output)), audit.as_deref())
}

fn run_into<K: Sink<Staged: Staged<Receipt = PathBuf>>>(
    sink: &mut K,
    job: &Job,
    options: &RunOptions,
    earlier: EarlierReleases,
    targets: Targets,
    progress: &dyn Progress,
) -> Result<Outcome, PipelineError> {
    let started = Instant::now();
    let earlier =
        EarlierReleases { replaced: targets.earlier, allow_absent: options.allow_absent, ..earlier };
    let repeated = options.key_of.as_deref().map(open_audit).transpose()?;
    let (key, new_key_file) = match &repeated {
        Some(audit) => (Some(audit.release_key()?), None),
        None => release_key::read_or_make(job)?,
    };
    let mut request = job.request()?.with_earlier(earlier).with_release_key(key);
    if targets.report.is_some() {
        request = request.with_pages();
    }
    request = request.with_earlier_data(|audit| published_earlier(job, audit), progress)?;
    let mut release = crate::run(&request, &mut job.source()?, sink, progress)?;
    if !options.allow_total_loss {
        release.refuse_total_loss(job.policy())?;
    }
    release.report.peak_memory_bytes = peak_memory();
    release.report.seconds.total = started.elapsed().as_secs_f64();
    // All bytes are on the disk before anything gets its name; what follows are names only.
    let staged = match &targets.report {
        Some(folder) => {
            let groups = release.report.about.groups_sha256.as_ref();
            let groups = groups.map(|_| groups_beside(&recorded(&targets.output)));
            let places = audit_places(job, recorded(&targets.output), groups);
            Some(stage_reports(&release, &request, folder, places)?)
        }
        None => None,
    };
    let (report, outgoing, trace) = (release.report.clone(), release.outgoing.clone(), release.trace.clone());
    // The last question: from here on names are given, which is not interrupted half-way.
    progress.check();
    // The data first: a report without its data would claim a release that does not exist. Of a table this is the step that can still fail,
    // on a server that is full or gone: then the reports, which have no names yet, vanish with it. The other way round reports
    // would have to be taken back, and those that they replaced could not be.
    let output = release.publish()?;
    if let Some(staged) = staged {
        staged.publish().map_err(|error| without_reports(&output, error))?;
    }
    let groups = report.about.groups_sha256.as_ref().map(|_| groups_beside(&output));
    let repeats = repeated.map(|audit| audit.output_sha256 == report.about.output_sha256);
    let report_folder = targets.report;
    Ok(Outcome { output, groups, new_key_file, repeats, report_folder, report, outgoing, trace })
}

/// The data have their name already, and cannot be taken back from whoever has seen them.
pub(super) fn without_reports(output: &Path, error: WriteError) -> PipelineError {
    PipelineError::WithoutReports { output: output.to_owned(), error: Box::new(error) }
}

/// What an audit says of places.
pub(super) fn audit_places(job: &Job, output: PathBuf, groups: Option<PathBuf>) -> AuditPlaces {
    let policy_folder = std::path::absolute(job.folder.join("."));
    AuditPlaces { policy_folder: policy_folder.unwrap_or_else(|_| job.folder.clone()), output, groups }
}

/// The reports of a release, written and without names.
pub(super) fn stage_reports<S>(
    release: &Release<S>,
    request: &Request,
    folder: &Path,
    places: AuditPlaces,
) -> Result<StagedFolder, PipelineError> {
    let mut staged = StagedFolder::new(folder)?;
    let audit = release.audit(request, places);
    // They get their names in this order: what a later release needs comes first.
    if let Some(people) = release.people() {
        let problem = |problem| PipelineError::Audit { path: folder.join(PEOPLE), problem };
        staged.add_closed(PEOPLE, &people.to_parquet().map_err(problem)?)?;
    }
    staged.add_closed(AUDIT, &json(&audit))?;
    for (name, bytes) in outgoing_files(&release.outgoing) {
        staged.add(name, &bytes)?;
    }
    if let Some(page) = release.audit_page(&audit, &recorded(&folder.join(AUDIT))) {
        staged.add_closed(AUDIT_PAGE, page.as_bytes())?;
    }
    Ok(staged)
}

/// The files of the edition that goes out.
pub(super) fn outgoing_files(outgoing: &Outgoing) -> [(&'static str, Vec<u8>); 2] {
    [(REPORT, json(outgoing)), (REPORT_PAGE, outgoing.page().into_bytes())]
}

/// A file for the release of a policy.
pub(super) fn file_sink(job: &Job, path: &Path) -> Result<FileSink, PipelineError> {
    let sink = FileSink::create(path, job.published_dialect()?)?;
    Ok(if job.policy().data.shape == Shape::Transactions { sink.with_groups() } else { sink })
}

/// What an earlier release has published, where it was written to.
pub fn published_earlier(job: &Job, audit: &Audit) -> Result<Box<dyn Source>, PipelineError> {
    let lost = |problem: &str| {
        let problem = problem.to_owned();
        PipelineError::LostFile { output: audit.output.clone(), problem }
    };
    // In the dialect in which it was written.
    let job = &job.changed(|policy| policy.clone_from(&audit.policy), &[])?;
    if audit.output.to_str().is_some_and(is_postgres) {
        return Ok(Box::new(job.published(&audit.output)?));
    }
    if !is_file(&audit.output) {
        // What can be read there now is something else, the new data for instance.
        return Err(lost("it was not written to a file"));
    }
    // A release that has moved lies beside its audit where Python has saved it, and beside the folder of its reports where the command line has written it. Whoever reads
    // the file compares its digest.
    let name = audit.output.file_name().unwrap_or_default();
    let moved = audit.place.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    let Some(file) = [audit.output.clone()].into_iter().chain(moved).find(|file| file.is_file()) else {
        return Err(lost("the published file is not there any more"));
    };
    Ok(Box::new(job.published(&file)?))
}

/// An audit, or the one in a report's folder.
pub fn open_audit(path: &Path) -> Result<Audit, PipelineError> {
    Audit::open_with_people(&audit_path(path))
}

/// Where the audit of a release is, given itself or the folder of the release's reports.
pub fn audit_path(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(AUDIT) } else { path.to_owned() }
}

fn json(value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).expect("reports hold nothing that JSON cannot");
    bytes.push(b'\n');
    bytes
}
