//! A run: read, anonymize, stage, verify what was staged, measure. What comes back may be published.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use shoal_core::policy::Shape;
use shoal_core::{Cancelled, Policy, Progress};
use shoal_io::{BasketOptions, Content, PeopleOfRecords, WriteError, is_postgres};
use shoal_privacy::{Certificate, Digests, Seen, Staged, Verified};

use crate::audit::{AuditFile, AuditPlaces, Key, PeopleName, PreviousFile, RecodingFile, hash_of_people};
use crate::columns::{in_one_column, read_published};
use crate::earlier::EarlierFile;
use crate::leaks::{add_missing, earlier_release, left_out};
use crate::report::Outgoing;
use crate::report::html::{self, House, HouseFacts, Page};
use crate::transactions::Layout;
use crate::{
    Audit, Leak, PipelineError, ReleaseKey, Report, Request, Seconds, Sink, Source, StagedData, Trace,
    WantedColumns, audit, sequences, table, transactions,
};

/// The name of the file with the people, beside `audit.json`.
pub(crate) const PEOPLE: &str = "audit.people.parquet";

/// A release that was verified and is not published yet. It owns what was staged; dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Release<S> {
    /// What was found, with exact figures, for the publisher.
    pub report: Report,
    /// The edition that goes out with the data.
    pub outgoing: Outgoing,
    /// How the algorithm came to its result.
    pub trace: Trace,
    pub(crate) verified: Verified<S>,
    /// Shared with its copies in other places.
    pub(crate) facts: Arc<Facts>,
}

/// What a release knows of itself beside its data.
#[derive(Debug)]
pub(crate) struct Facts {
    keys: Keys,
    people: Option<Arc<PeopleOfRecords>>,
    input_sha256: String,
    recoding: RecodingFile,
    house: Option<HouseFacts>,
}

/// The secrets of a release.
#[derive(Debug)]
pub(crate) struct Keys {
    /// Of the hashes in its audit.
    pub audit: Key,
    /// By which it and the releases after it remember their people.
    pub people: Key,
    /// By which it was dealt.
    pub release: ReleaseKey,
}

impl<S: Staged<Error = WriteError>> Release<S> {
    /// Publishes what was verified.
    pub fn publish(self) -> Result<S::Receipt, PipelineError> {
        Ok(self.verified.publish()?)
    }
}

impl<S> Release<S> {
    /// Refuses a release that is verified and useless: every promise is kept by a file of nothing but `*`.
    pub fn refuse_total_loss(&self, policy: &Policy) -> Result<(), PipelineError> {
        self.report.refuse_total_loss(policy)
    }

    /// What it means that its reports replace those of a release that it was not compared with.
    pub(crate) fn leak_of_replaced(&self, request: &Request, replaced: &Audit) -> Option<Leak> {
        let is_known = self.is_of(replaced)
            || request.earlier.previous.iter().any(|given| given.is_same_release(replaced));
        let same_source = replaced.is_of_input(&self.facts.input_sha256);
        (!is_known).then(|| earlier_release(request.policy().data.shape, same_source))
    }

    /// Whether an audit is of this release, or of a copy of it.
    pub fn is_of(&self, audit: &Audit) -> bool {
        audit.is_of_release(&self.facts.keys.audit)
    }

    /// What was proven, and about which bytes.
    pub fn certificate(&self) -> &Certificate {
        self.verified.certificate()
    }

    /// The page that stays with the publisher; none where the request did not ask for pages. `audit` is what `audit.json` holds, which lies at
    /// `place`.
    pub fn audit_page(&self, audit: &AuditFile<'_>, place: &Path) -> Option<String> {
        let house = House {
            facts: self.facts.house.as_ref()?,
            output: audit.output.display().to_string(),
            source: match audit.policy.data.source.as_str() {
                "-" => "ORIGINAL".to_owned(),
                address if is_postgres(address) => address.to_owned(),
                source => audit.policy_folder.join(source).display().to_string(),
            },
            audit: place.display().to_string(),
            seed: audit.seed,
            policy: audit.policy.to_toml().unwrap_or_default(),
            policy_hash: audit.policy_hash.clone(),
            input_hash: audit.input_hash.clone(),
        };
        let report = serde_json::to_value(&self.report).expect("a report holds nothing that JSON cannot");
        let promises: Vec<Seen> = self.report.promises.iter().cloned().map(Seen::Judged).collect();
        Some(html::write(&Page {
            report: &report,
            promises: &promises,
            leaks: &self.report.leaks,
            facts: self.outgoing.facts(),
            house: Some(&house),
        }))
    }

    /// Whose each published record is; none where no column tells people apart. It stays with the publisher, beside `audit.json`.
    pub fn people(&self) -> Option<&Arc<PeopleOfRecords>> {
        self.facts.people.as_ref()
    }

    /// What stays with the publisher, as `audit.json` holds it.
    pub fn audit<'a>(&'a self, request: &'a Request, places: AuditPlaces) -> AuditFile<'a> {
        let (policy, key) = (request.policy(), self.facts.keys.audit);
        AuditFile {
            key: key.hex(),
            policy,
            policy_folder: places.policy_folder,
            policy_hash: key.hash(audit::POLICY, policy.canonical_json().as_bytes()),
            input_hash: key.hash(audit::INPUT, self.facts.input_sha256.as_bytes()),
            output: places.output,
            groups: places.groups,
            reused_classes: policy.data.shape == Shape::Table && !request.earlier.previous.is_empty(),
            applied_from: request
                .earlier
                .previous
                .last()
                .filter(|_| request.earlier.applied)
                .map(|audit| audit.hash_by(&key)),
            previous: request
                .earlier
                .previous
                .iter()
                .map(|audit| PreviousFile { audit: audit.place.clone(), audit_hash: audit.hash_by(&key) })
                .collect(),
            seed: policy.algorithm.seed,
            report: &self.report,
            work: Some(&self.trace.counts).filter(|counts| !counts.is_empty()),
            ribbon: self.trace.search.as_ref().filter(|_| self.report.about.algorithm == "ribbon"),
            search: self.trace.search.as_ref().filter(|_| self.report.about.algorithm != "ribbon"),
            release_key: self.facts.keys.release.hex(),
            people: self.people().map(|people| PeopleName {
                file: PEOPLE.to_owned(),
                records: people.persons.len(),
                key: self.facts.keys.people.hex(),
                hash: hash_of_people(&key, people),
            }),
            recoding: &self.facts.recoding,
        }
    }
}

/// What a shape brings back from a run.
pub(crate) struct Draft<S> {
    /// The staged data with their certificate.
    pub release: Verified<S>,
    /// What was found; `seconds` are filled in by [`run`].
    pub report: Report,
    pub outgoing: Outgoing,
    pub input_sha256: String,
    pub recoding: RecodingFile,
    /// Whose each published record is, where that is known.
    pub people: Option<PeopleOfRecords>,
    pub trace: Trace,
    /// What the publisher's page shows of the original, where the request asks for it.
    pub house: Option<HouseFacts>,
}

/// Anonymizes what `from` holds and stages it in `to`. The verifier reads back what was staged; where a promise is broken,
/// nothing is left and the error says which. [`Release::publish`] lets others see the data. Work that `progress` cancels ends
/// with [`PipelineError::Cancelled`], and nothing is left of it either.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use shoal_core::{PolicyDocument, Silent};
/// use shoal_pipeline::{Assets, BatchSink, BatchSource, Request, run};
///
/// let policy = r#"
/// version = 1
/// data.shape = "table"
/// columns.age = { role = "quasi-identifier", kind = "integer" }
/// privacy.k = 2
/// "#;
/// let request = Request::new(PolicyDocument::parse(policy, &[])?, Assets::default())?;
/// let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 64, 30, 67]));
/// let batch = RecordBatch::try_from_iter([("age", ages)])?;
/// let release = run(&request, &mut BatchSource::new("ages", vec![batch]), &mut BatchSink, &Silent)?;
/// assert_eq!(release.certificate().promises()[0].found.to_string(), "2");
/// let published = release.publish()?;
/// assert_eq!(published[0].num_rows(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run<K: Sink>(
    request: &Request,
    from: &mut dyn Source,
    to: &mut K,
    progress: &dyn Progress,
) -> Result<Release<K::Staged>, PipelineError> {
    Cancelled::catch(|| run_to_end(request, from, to, progress))?
}

fn run_to_end<K: Sink>(
    request: &Request,
    from: &mut dyn Source,
    to: &mut K,
    progress: &dyn Progress,
) -> Result<Release<K::Staged>, PipelineError> {
    let started = Instant::now();
    let mut seconds = Seconds::default();
    // Drawn before anything else, so that a system without randomness fails before the work is done.
    let audit = Key::random()?;
    let people = request.earlier.people_key().unwrap_or(audit);
    let keys = Keys { audit, people, release: request.release_key()? };
    let policy = request.policy();
    let draft = match policy.data.shape {
        Shape::Table => table::run(request, &keys, from, to, &mut seconds, progress),
        Shape::Transactions => transactions::run(request, &keys, from, to, &mut seconds, progress),
        Shape::Sequences => sequences::run(request, &keys, from, to, &mut seconds, progress),
        Shape::Stream => Err(PipelineError::IsStream),
    }?;
    let Draft { release: verified, mut report, outgoing, input_sha256, recoding, people, trace, house } =
        draft;
    // After the verifier, which judges records only: bytes of the container that are not records are not covered by its
    // proof.
    refuse_unjudged(request, verified.staged(), progress)?;
    report.notes.extend(policy.preset_note());
    report.leaks.extend(left_out(policy, report.records_in - report.records_out, report.records_in));
    let earlier = &request.earlier;
    // The report to be replaced is about the same input but other bytes: a second release of the same people.
    let again = earlier.replaced.as_ref().is_some_and(|replaced| {
        let given = earlier.previous.iter().any(|previous| previous.is_same_release(replaced));
        replaced.is_of_input(&input_sha256) && replaced.output_sha256 != report.about.output_sha256 && !given
    });
    if again {
        add_missing(&mut report.leaks, vec![earlier_release(policy.data.shape, true)]);
    }
    seconds.total = started.elapsed().as_secs_f64();
    report.seconds = seconds;
    let people = people.map(Arc::new);
    let facts = Arc::new(Facts { keys, people, input_sha256, recoding, house });
    Ok(Release { report, outgoing, trace, verified, facts })
}

/// The published data of an earlier release, and what they are recognized by.
pub(crate) fn read_earlier(
    request: &Request,
    audit: &Audit,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<(EarlierFile, Digests), PipelineError> {
    Ok(match request.policy().data.shape {
        Shape::Transactions => {
            let (data, digests) = transactions::read_published_data(request, published, progress)?;
            (EarlierFile::Transactions(data), digests)
        }
        Shape::Table => {
            let read = published.read_table(&WantedColumns::ALL, progress)?;
            (EarlierFile::Table(in_one_column(&audit.policy, read.table)?), read.sha256.into())
        }
        _ => {
            let read = read_published(request, published, progress)?;
            (EarlierFile::Sequences(read.table), read.sha256.into())
        }
    })
}

/// What this program has staged holds nothing but its data, or it is not published.
pub(crate) fn refuse_unjudged(
    request: &Request,
    staged: &impl StagedData,
    progress: &dyn Progress,
) -> Result<(), PipelineError> {
    match staged.unjudged(content(request.policy()), progress)?.into_iter().next() {
        None => Ok(()),
        Some(finding) => Err(PipelineError::Unjudged { finding: Box::new(finding) }),
    }
}

/// What a file that this policy publishes holds.
pub(crate) fn content(policy: &Policy) -> Content {
    let data = &policy.data;
    match (data.shape, Layout::of(data).published()) {
        (Shape::Transactions, Layout::Basket { separator }) => {
            Content::Baskets(BasketOptions { separator, grouped: true })
        }
        _ => Content::Records,
    }
}

/// What the data of a certificate are recognized by.
pub(crate) fn digests(certificate: &Certificate) -> Digests {
    let groups = certificate.groups_sha256().map(str::to_owned);
    Digests { data: certificate.sha256().to_owned(), groups }
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
