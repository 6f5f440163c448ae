mod broken_promise;
mod convert;
mod hint;
mod value_at;

use std::path::PathBuf;

use shoal_algorithms::sequences::SequencesError;
use shoal_algorithms::table::{ParamsError, TableError};
use shoal_algorithms::transactions::{self, TransactionsError};
use shoal_core::hierarchy::build::BuildError;
use shoal_core::{HierarchyError, Policy, PolicyError};
use shoal_io::stream::LineError;
use shoal_io::{Finding, ReadError, WriteError};
use shoal_measure::MeasureError;
use shoal_measure::attack::Attack;
use shoal_measure::sequences::SequencesMeasureError;
use shoal_measure::stream::{EstimatorError, StreamMeasureError};
use shoal_measure::transactions::TransactionsMeasureError;
use shoal_privacy::matching::NoOrigin;
use shoal_privacy::{ConditionError, Refusal};

use crate::sequences::Ties;
use crate::table::Together;

pub use value_at::ValueAt;

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipelineError {
    /// A file that the policy needs cannot be read.
    #[error("the {what} `{}` cannot be read: {error}", path.display())]
    ReadFile {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
        /// What the system said.
        error: std::io::Error,
    },
    /// The system has no random numbers for a key.
    #[error("the system gives no random numbers: {why}")]
    NoRandomness {
        /// What it said.
        why: String,
    },
    /// A key file cannot be used.
    #[error("the key file `{}` cannot be used: {why}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An audit that does not say by which key its release was dealt.
    #[error("the audit `{}` holds no key of the release, so the release cannot be repeated", path.display())]
    NoReleaseKey {
        /// The audit.
        path: PathBuf,
    },
    /// The policy is wrong.
    #[error("{error}")]
    Policy {
        /// The policy file.
        path: PathBuf,
        /// Its text, to show the place.
        text: String,
        /// What is wrong.
        error: Box<PolicyError>,
    },
    /// The policy does not fit the data.
    #[error("{error}")]
    PolicyAndData {
        /// What is wrong, with the key.
        error: Box<PolicyError>,
    },
    /// Published columns would hold what the preset `safe-harbor` forbids.
    #[error("{}", .findings.join("\n"))]
    SafeHarbor {
        /// What, a sentence each.
        findings: Vec<String>,
    },
    /// The data cannot be read.
    #[error(transparent)]
    Read(Box<ReadError>),
    /// There is no record.
    #[error("`{source_name}` holds a header and no records")]
    NoRecords {
        /// The source.
        source_name: String,
    },
    /// A value is not of its column's kind.
    #[error("{at}: `{}` in column `{}` is not {}", at.value, at.column, article(kind))]
    NotOfKind {
        /// The value.
        at: Box<ValueAt>,
        /// The kind that the policy names.
        kind: &'static str,
    },
    /// A value is missing where the policy says that none may be.
    #[error("{at}: column `{}` has no value", at.column)]
    MissingValue {
        /// The value.
        at: Box<ValueAt>,
    },
    /// A record does not say whose it is.
    #[error("{at}: column `{}`, which names people, has no value", at.column)]
    Nobodys {
        /// The value.
        at: Box<ValueAt>,
    },
    /// A column per item holds something else than whether the item is there.
    #[error("{at}: `{}` in column `{}` does not say whether the item is there", at.value, at.column)]
    NotAMark {
        /// The value.
        at: Box<ValueAt>,
    },
    /// What was asked about is not in the file.
    #[error("there is no {what} {number}: the file has {most}")]
    NoSuchRow {
        /// A row or a class.
        what: &'static str,
        /// Its number.
        number: u64,
        /// How many there are.
        most: usize,
    },
    /// What was asked about is not in the original.
    #[error("`{item}` is not an item of the original")]
    NoSuchItem {
        /// The item.
        item: String,
    },
    /// Only quasi-identifiers lose anything.
    #[error("`{column}` is no quasi-identifier, so nothing of it is lost")]
    NoQuasiIdentifier {
        /// The column.
        column: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// A shape that has nothing of that kind.
    #[error("this cannot be asked about {what}")]
    NotExplained {
        /// The shape.
        what: &'static str,
    },
    /// Several transparent releases must not be tried.
    #[error(
        "a policy with `transparent` cannot be tried out: whoever tries several keys and takes the best has chosen by sensitive values"
    )]
    NoTrial,
    /// A transaction has items of two people.
    #[error("{at}: transaction `{id}` belongs to two people: one of them is `{}` in column `{}`", at.value, at.column)]
    TwoPeople {
        /// The second of them.
        at: Box<ValueAt>,
        /// The id of the transaction.
        id: String,
    },
    /// A value of a quasi-identifier reads like a published generalization.
    #[error("{at}: `{}` in column `{}` looks like a published generalization", at.value, at.column)]
    LooksGeneralized {
        /// The value.
        at: Box<ValueAt>,
    },
    /// A personal k that no crowd can have.
    #[error("{at}: `{}` in column `{}` is not the size of a crowd", at.value, at.column)]
    PersonalK {
        /// The value.
        at: Box<ValueAt>,
    },
    /// A hierarchy is broken.
    #[error("the hierarchy `{}` of column `{column}` is broken: {error}", file)]
    Hierarchy {
        /// The hierarchy file.
        file: String,
        /// The column.
        column: String,
        /// What is wrong.
        error: Box<HierarchyError>,
    },
    /// No hierarchy can be built for a column that needs one.
    #[error("no hierarchy can be built for column `{column}`: {error}")]
    Build {
        /// The column.
        column: String,
        /// Why not.
        error: Box<BuildError>,
    },
    /// A hierarchy misses a value of the data.
    #[error("{at}: `{}` in column `{}` is not in the hierarchy `{}`", at.value, at.column, file)]
    OutsideHierarchy {
        /// The value.
        at: Box<ValueAt>,
        /// The hierarchy file.
        file: String,
    },
    /// Algorithm parameters are wrong.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// Parameters of a transaction algorithm are wrong.
    #[error(transparent)]
    TransactionParams(#[from] transactions::ParamsError),
    /// The policy names an algorithm for another shape of data.
    #[error("`{algorithm}` does not work on data of shape `{shape}`")]
    OtherShape {
        /// The algorithm.
        algorithm: &'static str,
        /// The shape of the data.
        shape: &'static str,
    },
    /// What is promised cannot be checked, so it is not promised.
    #[error("the promise cannot be checked: {why}")]
    Promise {
        /// What is wrong with it.
        why: String,
    },
    /// A promise about a sensitive column promises nothing.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// The algorithm cannot keep the promise.
    #[error(transparent)]
    Infeasible(#[from] TableError),
    /// A file of items names one that the data do not have.
    #[error("{file}:{line}: `{item}` is not an item of the data")]
    UnknownItem {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The item.
        item: String,
    },
    /// A file of sets holds none.
    #[error("the {what} `{}` hold no set of items", file)]
    NoSets {
        /// The file.
        file: String,
        /// What it is.
        what: &'static str,
    },
    /// A line of the weights is not an item and a number.
    #[error("{}:{line}: `{text}` is not an item and a weight between 0 and 1", file)]
    BadWeight {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The line's text.
        text: String,
    },
    /// Utility constraints are not a partition of the items.
    #[error("{}: {problem}", file)]
    Utility {
        /// The file.
        file: String,
        /// Which item is missing or doubled, and where.
        problem: String,
        /// What to do.
        hint: &'static str,
    },
    /// Somebody may know more items than anybody has.
    #[error("m = {m}, but no transaction has more than {most} items")]
    MTooLarge {
        /// The m asked for.
        m: usize,
        /// The size of the largest transaction.
        most: usize,
    },
    /// The promise cannot be kept with so little suppression.
    #[error("{message}")]
    Unreachable {
        /// Which constraint, which items.
        message: String,
        /// What to do.
        hint: &'static str,
    },
    /// The transactions cannot be anonymized as asked.
    #[error(transparent)]
    Transactions(Box<TransactionsError>),
    /// The published transactions cannot be measured against the original.
    #[error(transparent)]
    TransactionMeasure(Box<TransactionsMeasureError>),
    /// An event does not say whose it is.
    #[error("{at}: the event does not say whose it is: column `{}` is empty", at.column)]
    NoId {
        /// The empty id.
        at: Box<ValueAt>,
    },
    /// An event has no place among the others of its person.
    #[error(
        "{file}: record {record}, of `{person}`, has no value in column `{column}`, which orders the events"
    )]
    NoPlaceInOrder {
        /// The file.
        file: String,
        /// Whose event it is.
        person: String,
        /// The record, counted from 1.
        record: usize,
        /// The column.
        column: String,
        /// How many rows the person has.
        rows: usize,
    },
    /// Events of one person cannot be ordered.
    #[error("{}", .0.in_words(true))]
    SameOrder(Box<Ties>),
    /// The sequences cannot be anonymized as asked.
    #[error(transparent)]
    Sequences(Box<SequencesError>),
    /// The published sequences cannot be measured against the original.
    #[error(transparent)]
    SequenceMeasure(Box<SequencesMeasureError>),
    /// The verifier refuses the release.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// The published file cannot be measured against the original.
    #[error(transparent)]
    Measure(Box<MeasureError>),
    /// The published file does not have the columns that the policy names.
    #[error("the published file `{file}` has no column `{column}`")]
    PublishedColumn {
        /// The published file.
        file: String,
        /// The column that is missing.
        column: String,
    },
    /// A line of a stream's file cannot be read.
    #[error("{place}:{line}: {error}")]
    StreamLine {
        /// Where the text comes from: a file, mostly.
        place: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        error: Box<LineError>,
    },
    /// A published stream cannot be measured.
    #[error(transparent)]
    StreamMeasure(Box<StreamMeasureError>),
    /// Counts cannot be estimated with this design.
    #[error(transparent)]
    Estimator(EstimatorError),
    /// The values of a hardened stream are not available.
    #[error("the values that the stream hides among, and their shares, are not available")]
    NoPrior,
    /// A question about a published stream is not understood.
    #[error("`{text}` is not a question about this stream")]
    Question {
        /// The question.
        text: String,
        /// What can be asked about.
        columns: String,
    },
    /// A published file is not true of its original, so that measuring it makes no sense.
    #[error("`{file}` is not true of the original: {error}")]
    Untrue {
        /// The published file.
        file: String,
        /// What is wrong.
        error: Box<NoOrigin>,
    },
    /// A stream was to be compared with an original.
    #[error(
        "the lines of a stream cannot be compared with an original: which tuple a line comes from is not known"
    )]
    StreamOriginal,
    /// The original is needed.
    #[error("without the original there is nothing to measure a published file against")]
    NoOriginal,
    /// A question that is for streams.
    #[error("counts with standard errors are for published streams")]
    OnlyStreams,
    /// Several releases of a stream.
    #[error("a stream has no earlier releases to be attacked together with")]
    NoPrevious,
    /// A stream is asked to run like a file.
    #[error("the policy is about a stream, which has no end to wait for")]
    IsStream,
    /// Something else is asked to run like a stream.
    #[error("the policy is about data of shape `{shape}`, not about a stream")]
    NotStream {
        /// Its shape.
        shape: &'static str,
    },
    /// A file of a format that published data is never in.
    #[error("`{}` is no CSV or Parquet file, and only those can be verified", path.display())]
    NotPublished {
        /// The file.
        path: PathBuf,
    },
    /// The output is one of the inputs.
    #[error("the output `{}` is also an input", path.display())]
    OutputIsInput {
        /// The file.
        path: PathBuf,
    },
    /// What would be published says nothing any more.
    #[error(
        "what would be published says nothing any more, {:.2} % of all information would be lost: nothing is left to use, and nothing was published",
        loss * 100.0
    )]
    NothingLeft {
        /// The share that would be lost.
        loss: f64,
    },
    /// The verifier passed it, and an adversary got further than what is promised.
    #[error(
        "an adversary gets further than promised: \"{}\" succeeds with {:.4} where at most {:.4} is promised; nothing was published",
        attack.name, attack.success, attack.bound.unwrap_or_default()
    )]
    Beaten {
        /// What was tried.
        attack: Box<Attack>,
    },
    /// The output exists and `--force` was not given.
    #[error("`{}` exists already", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The report's folder holds the reports of another output and `--force` was not given.
    #[error("`{}` holds the reports of another release", folder.display())]
    OtherReports {
        /// The folder.
        folder: PathBuf,
    },
    /// Together with earlier releases, the new one breaks a promise.
    #[error("together with {releases} earlier release{}, {found}", if *releases == 1 { "" } else { "s" })]
    Releases {
        /// What is left of the promise.
        found: Box<Together>,
        /// How many earlier releases were given.
        releases: usize,
    },
    /// A new release cannot be compared with an earlier one.
    #[error("the earlier release `{}` cannot be used in a comparison: {problem}", output.display())]
    Incomparable {
        /// Where the earlier release was written to.
        output: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A release whose recoding is to be applied was itself compared with one that is not where it was.
    #[error("`{}` was compared with an earlier release, whose audit is not at `{}` any more, or has changed", by.display(), audit.display())]
    LostRelease {
        /// Where the audit lay.
        audit: PathBuf,
        /// The audit that names it.
        by: PathBuf,
    },
    /// The data are published, and what belongs to them could not be written.
    #[error("`{}` is published, but its reports and its audit are not all there: {error}", output.display())]
    WithoutReports {
        /// The published data.
        output: PathBuf,
        /// What went wrong.
        error: Box<WriteError>,
    },
    /// The published file of an earlier release is needed and is not what it was.
    #[error("the earlier release `{}` cannot be compared with: {problem}", output.display())]
    LostFile {
        /// Where it was written to.
        output: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// People of an earlier release, or newcomers, cannot be hidden among themselves.
    #[error(
        "{records} of people who were in the same earlier releases cannot be hidden among themselves: {why}"
    )]
    Cohort {
        /// How many records they have: `12 transactions`.
        records: String,
        /// Why not.
        why: String,
    },
    /// tables, sequences: nobody is left of whom anything could be published together with earlier releases.
    #[error(
        "nobody can be published together with the earlier releases: {short} are left of groups that cannot keep the promise any more, {exposed} were in a group with \
         people who are gone and would be given away, {newcomers} are new and cannot be hidden among themselves"
    )]
    NothingKept {
        /// How many are left of clusters that cannot keep the promise.
        short: usize,
        /// How many were together with people who are gone and whom the difference of the releases would give away.
        exposed: usize,
        /// How many were in no earlier release.
        newcomers: usize,
    },
    /// An adversary who has earlier releases, too, beats a bound.
    #[error("together with {releases} earlier release{}, {found}", if *releases == 1 { "" } else { "s" })]
    Attacked {
        /// What was found.
        found: String,
        /// How many earlier releases were given.
        releases: usize,
    },
    /// A stream has no recoding to apply.
    #[error("a stream is not applied to other data")]
    StreamApplied,
    /// An audit cannot be understood.
    #[error("`{}` is not the audit of a release: {problem}", path.display())]
    Audit {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Neither the policy nor the command names an output.
    #[error("there is no place to write to")]
    NoOutput,
    /// A database is named where a file is needed.
    #[error("`{verb}` reads files, and the source is a database")]
    OnlyFiles {
        /// What was asked for.
        verb: &'static str,
    },
    /// What was written holds bytes that are not its data.
    #[error("the written file holds bytes that nothing can judge: {}: {}", finding.place, finding.what)]
    Unjudged {
        /// The bytes.
        finding: Box<Finding>,
    },
    /// Writing failed.
    #[error(transparent)]
    Write(Box<WriteError>),
    /// Somebody has cancelled the work before anything was published.
    #[error("cancelled; nothing was published")]
    Cancelled,
}

impl PipelineError {
    /// The policy's check compares the algorithm with the shape; where it is not asked, this is the answer.
    pub(crate) fn other_shape(policy: &Policy) -> PipelineError {
        let (algorithm, shape) = (policy.algorithm_name().name(), policy.data.shape.name());
        PipelineError::OtherShape { algorithm, shape }
    }
}

fn article(kind: &str) -> String {
    match kind {
        "integer" => "an integer".to_owned(),
        kind => format!("a {kind}"),
    }
}
