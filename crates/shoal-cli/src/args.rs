//! The command line: every verb and flag, defined once. Help, completions and man pages follow from here.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use shoal_core::hierarchy::build::{DateStep, Number};

/// Publish data about people so that everybody stays in a crowd.
///
/// Write a policy (`shoal init data.csv` proposes one), look at what it would do (`shoal check policy.toml`),
/// and run it (`shoal run policy.toml`). What is published has been verified from the written bytes; a run
/// whose promise does not hold leaves nothing behind.
#[derive(Debug, Parser)]
#[command(name = "shoal", version, propagate_version = false, after_long_help = EXIT_CODES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(subcommand)]
    pub verb: Verb,
}

const EXIT_CODES: &str = "\
Exit code:
  0  the promise holds, or the verb did what it was asked
  1  the promise does not hold: violations, not feasible, values outside a hierarchy
  2  the request was wrong: policy, data or arguments

Answers go to standard output; progress and errors go to standard error. With --json, standard output holds \
one JSON document: the answer, or {\"error\": {…}}. Where the published file itself goes to standard output, \
the document goes to standard error.";

/// How the program prints.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print the machine form: one JSON document on standard output.
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// With --json: quote values of the data in errors. Standard error always does.
    #[arg(long, global = true, help_heading = "Global options")]
    pub show_values: bool,
    /// Print no progress, and no summary where the product is a file; answers and errors remain.
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Look at the data and write a commented policy with a proposed role for every column.
    Init(InitArgs),
    /// Dry run: read policy, hierarchies and data, print the plan, write nothing.
    ///
    /// The exit code is 1 when the promise cannot be kept, e.g. when k is above the number of records.
    Check(CheckArgs),
    /// The main job: read, anonymize, verify, measure, write.
    Run(RunArgs),
    /// The recoding of an earlier release on new or grown data.
    ///
    /// People of the earlier release stay in the crowd that they were in, newcomers get the same recoding among themselves, and both releases
    /// are judged together before anything is written. The policy is that of the earlier release. The exit code is 1 when
    /// both together would break the promise.
    Apply(ApplyArgs),
    /// Let tuples through as they come: from standard input or a broker, to standard output or a broker.
    ///
    /// Each tuple is anonymized, its lines are read back and verified, and only then do they leave. Runs until the
    /// input ends, nothing comes for --idle-exit, or SIGTERM or SIGINT: then what waits is published. Lines that are
    /// not tuples go to a file of dead letters.
    Stream(StreamArgs),
    /// Does this file keep the policy's promise? Works on any file, ours or not.
    ///
    /// The exit code is 0 when it does, 1 when it does not.
    Verify(VerifyArgs),
    /// Make the report that goes out with a release again: report.html and report.json, from the published file and the policy alone.
    ///
    /// A run makes the same bytes. A report that says something else is replaced with --force only.
    Report(ReportArgs),
    /// Loss of a published file against its original, and the risk before and after.
    Measure(MeasureArgs),
    /// Play the adversary: how close does somebody get who knows what the policy says they may know?
    ///
    /// Works on the original and the published file alone; it knows no algorithm, and counts by itself instead of with the verifier's
    /// code. Prints the measured success of every attack next to the bound that the policy promises. The exit code is 1 when a bound
    /// is beaten.
    Attack(AttackArgs),
    /// Why is this file as coarse as it is: which columns, classes and records drive the loss, and what other settings would change.
    ///
    /// It names records of the original and is for the publisher only.
    Explain(ExplainArgs),
    /// What other settings would cost: a grid of trials, as a table and a page of plots.
    ///
    /// Every algorithm is tried with every combination of the values of all --vary; nothing is published. The folder holds
    /// results.csv, results.parquet and compare.html, all of them for the publisher only. results.csv is written after every
    /// cell, so the same command goes on where an earlier one was ended. --choose writes the policy of a cell.
    ///
    /// The exit code is 0 when at least one cell can be published, 1 when none can.
    Compare(CompareArgs),
    /// Build, show, check and convert hierarchies.
    ///
    /// A hierarchy file has one line per value, from the value to the top, separated by `;` or `,`:
    /// `34;30-39;*`. Files of ARX look the same; those of Amnesia are read, too.
    #[command(subcommand)]
    Hierarchy(HierarchyVerb),
    /// Print the JSON Schema of policies.
    Schema,
    /// Print a completion script for a shell.
    Completions(CompletionsArgs),
    /// Print the manual page of a verb, or write all of them into a folder.
    Man(ManArgs),
    /// Explain a verb, or a term of a summary: `shoal help run`, `shoal help ncp`.
    Help(HelpArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A verb, or a term that a summary, a report or a policy uses; without one, the verbs and the terms are listed.
    #[arg(value_name = "VERB or TERM")]
    pub topic: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The data: .csv, .json, .ndjson, .parquet, .arrow, .feather, .xlsx, .db (also .gz, .zst), a glob in quotes, or postgres://… with --table or
    /// --query.
    #[arg(value_hint = ValueHint::FilePath)]
    pub data: String,
    /// The shape of the data.
    #[arg(long, value_enum, default_value_t = ShapeArg::Table)]
    pub shape: ShapeArg,
    /// Where the policy goes; `-` for standard output.
    #[arg(long, short, value_name = "FILE", default_value = "policy.toml", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Replace the policy where it exists.
    #[arg(long)]
    pub force: bool,
    /// Ask about roles, people and privacy, one question after the other, and write the policy from the answers.
    ///
    /// Questions go to standard error, answers come from standard input, a line each; an empty line accepts what is proposed.
    #[arg(long, conflicts_with = "json")]
    pub ask: bool,
    /// The first line holds the columns' names; found out where neither this nor --no-header is given.
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,
    /// The first line holds values: the columns become `column1`, `column2`, …
    #[arg(long)]
    pub no_header: bool,
    /// The separator between two values of a line; guessed where it is not given.
    #[arg(long, value_name = "CHARACTER")]
    pub separator: Option<String>,
    /// The encoding of the text, e.g. windows-1252; found out where it is not given.
    #[arg(long, value_name = "LABEL")]
    pub encoding: Option<String>,
    /// The sheet of an Excel file; the first that holds anything where it is not given.
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The table of a SQLite file, its only one where it is not given, or of a PostgreSQL database.
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// What is asked of a SQLite file or a PostgreSQL database instead of a table: "select …".
    #[arg(long, value_name = "SELECT", conflicts_with = "table")]
    pub query: Option<String>,
}

/// The shapes of data that this version knows.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ShapeArg {
    /// One record a person.
    Table,
    /// A set of items a person, a line each.
    Transactions,
    /// An ordered list of events a person, a row each.
    Sequences,
    /// Tuples that arrive one by one: JSON lines or CSV rows.
    Stream,
}

/// Changes to a policy, for this call only.
#[derive(Debug, Args)]
pub(crate) struct Overrides {
    /// Override a key of the policy, e.g. `--set privacy.k=20`; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The policy.
    #[arg(value_hint = ValueHint::FilePath)]
    pub policy: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The policy; that of the release where only --key-of is given.
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "key_of")]
    pub policy: Option<PathBuf>,
    /// The published file instead of the policy's: .csv[.gz|.zst] or .parquet; `-` for standard output.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The folder of the reports (report.html, report.json, audit.html, audit.json) instead of the policy's.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub report: Option<PathBuf>,
    /// The audit.json (or its folder) of an earlier release of the same people; may be repeated. The new release holds together
    /// with all of them: people who were together are published among themselves, and newcomers too. The published files are needed.
    #[arg(long, value_name = "RELEASE", value_hint = ValueHint::AnyPath)]
    pub previous: Vec<PathBuf>,
    /// Deprecated, without effect: it is what --previous does.
    #[arg(long, requires = "previous", hide = true)]
    pub reuse_classes: bool,
    /// Publish those, too, who were in a crowd with a few people that are gone. An attacker who knows that somebody is gone
    /// may then find what they had.
    #[arg(long, requires = "previous")]
    pub allow_absent: bool,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Repeat a release: take the secret key from its audit.json (or its folder). The same policy and records then give the same
    /// bytes; every other run draws a key of its own, or reads it from algorithm.key-file.
    #[arg(long, value_name = "RELEASE", value_hint = ValueHint::AnyPath)]
    pub key_of: Option<PathBuf>,
    /// The source of all randomness that is not secret; short for `--set algorithm.seed=N`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// How many threads to use; 0 for one per core. The published bytes do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Replace the published file or table and its reports where they exist.
    #[arg(long)]
    pub force: bool,
    /// Publish the file also where all information is lost; otherwise that ends with exit code 1 and no file.
    #[arg(long)]
    pub allow_total_loss: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    /// The earlier release: its audit.json, or the folder of its reports.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub release: PathBuf,
    /// The new data, in the dialect that the release's policy describes.
    #[arg(value_hint = ValueHint::FilePath)]
    pub data: String,
    /// The published file: .csv[.gz|.zst] or .parquet; `-` for standard output; a table: postgres://…#table.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The folder of the reports (report.html, report.json, audit.html, audit.json); beside the published file where it is not
    /// given.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub report: Option<PathBuf>,
    /// The audit.json (or its folder) of one more release of the same people; may be repeated. Releases that RELEASE itself was
    /// compared with are found without it, unless they have moved.
    #[arg(long, value_name = "RELEASE", value_hint = ValueHint::AnyPath)]
    pub previous: Vec<PathBuf>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// The source of all randomness that is not secret; short for `--set algorithm.seed=N`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// How many threads to use; 0 for one per core. The published bytes do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Replace the published file and its reports where they exist. An earlier release is never replaced.
    #[arg(long)]
    pub force: bool,
    /// Publish those, too, who were in a crowd with a few people that are gone. An attacker who knows that somebody is gone
    /// may then find what they had; otherwise the others of the crowd are left out.
    #[arg(long)]
    pub allow_absent: bool,
    /// Publish the file also where all information is lost; otherwise that ends with exit code 1 and no file.
    #[arg(long)]
    pub allow_total_loss: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// The policy, with  shape = "stream".
    #[arg(value_hint = ValueHint::FilePath)]
    pub policy: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Serve the figures for Prometheus, e.g. at 127.0.0.1:9464; port 0 chooses one.
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<SocketAddr>,
    /// Print a line of figures to standard error every SECONDS seconds; 0 for never.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub status: u32,
    /// Stop when nothing has arrived for this many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub idle_exit: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The published file, or the published table: postgres://…#table.
    #[arg(value_hint = ValueHint::FilePath)]
    pub published: PathBuf,
    /// The policy that makes the promise, or the audit.json of a release. Without it the audit.json of the file is looked for where a
    /// run leaves it: then all that `--set` said is known.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,
    /// The original, in the dialect that the policy describes: then also, is every published value true, and is nobody lost or
    /// doubled?
    #[arg(long, value_name = "DATA", value_hint = ValueHint::FilePath)]
    pub original: Option<PathBuf>,
    /// Refuse a file that holds bytes beside its data: metadata, comments, unused entries of dictionaries. Without it
    /// they are named.
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub overrides: Overrides,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The published file, or the published table: postgres://…#table.
    #[arg(value_hint = ValueHint::FilePath)]
    pub published: PathBuf,
    /// The policy, or the audit.json of the release. Without it the audit.json of the file is looked for where a run leaves it.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,
    /// The folder of report.html and report.json; where it is not given, the one that a run makes for this file.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// Replace a report that says something else.
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub overrides: Overrides,
}

#[derive(Debug, Args)]
pub(crate) struct MeasureArgs {
    /// The original data, in the dialect that the policy describes, and the published file. Counts in a published stream
    /// need no original.
    #[arg(value_names = ["ORIGINAL", "PUBLISHED"], num_args = 1..=2, required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The policy with the columns' roles, kinds and hierarchies, or the audit.json of a release.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub policy: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// stream: count the tuples with this sensitive value; may be repeated. All values where it is not given.
    #[arg(long = "value", value_name = "VALUE", help_heading = "Counts in a published stream")]
    pub values: Vec<String>,
    /// stream: count only tuples of which this is true, e.g. `sex=Female`, `job=clerk|cook` or `age=30..39`; may be repeated.
    #[arg(long = "where", value_name = "COLUMN=VALUE", help_heading = "Counts in a published stream")]
    pub conditions: Vec<String>,
    /// stream: cut the stream into N windows with the same number of tuples each.
    #[arg(long, value_name = "N", help_heading = "Counts in a published stream")]
    pub windows: Option<u64>,
    /// stream: cut the stream into windows of this width in an ordered column; days for dates.
    #[arg(
        long,
        value_name = "COLUMN=WIDTH",
        conflicts_with = "windows",
        help_heading = "Counts in a published stream"
    )]
    pub every: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The published file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub published: PathBuf,
    /// The policy, or the audit.json of the release. Without it the audit.json is looked for where a run leaves it.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub policy: Option<PathBuf>,
    /// The original; the policy's source where it is not given.
    #[arg(long, value_name = "DATA", value_hint = ValueHint::FilePath)]
    pub original: Option<PathBuf>,
    /// tables: the class of this row of the published file, counted from 1 without the header.
    #[arg(long, value_name = "N", group = "about")]
    pub row: Option<u64>,
    /// tables: the class with this number.
    #[arg(long, value_name = "N", group = "about")]
    pub class: Option<u64>,
    /// tables: the classes that lose most in this quasi-identifier.
    #[arg(long, value_name = "NAME", group = "about")]
    pub column: Option<String>,
    /// transactions: what this item of the original is published as, and why.
    #[arg(long, value_name = "ITEM", group = "about")]
    pub item: Option<String>,
    /// sequences: this pseudonym of the published file.
    #[arg(long, value_name = "PSEUDONYM", group = "about")]
    pub person: Option<String>,
    /// Try out what other settings would change: a smaller and a larger k, each column left out, the costliest records left
    /// out. Each is a run that is not published.
    #[arg(long)]
    pub what_if: bool,
    #[command(flatten)]
    pub overrides: Overrides,
}

#[derive(Debug, Args)]
pub(crate) struct AttackArgs {
    /// The original data, in the dialect that the policy describes.
    #[arg(value_hint = ValueHint::FilePath)]
    pub original: PathBuf,
    /// The published file, or the published table: postgres://…#table.
    #[arg(value_hint = ValueHint::FilePath)]
    pub published: PathBuf,
    /// The policy that makes the promise, or the audit.json of a release.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath)]
    pub policy: PathBuf,
    /// An earlier release of the same people, to be attacked together with this one: a published file, or the audit.json (or its folder) of a
    /// release, which knows who was in it; may be repeated. Not for streams.
    #[arg(long, value_name = "RELEASE", value_hint = ValueHint::AnyPath)]
    pub previous: Vec<PathBuf>,
    /// Write what each record risks into this CSV file, which nobody else can read: its crowd, the chance of being linked, the
    /// best guess of each sensitive value. It names people's values and must not leave the house.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub per_person: Option<PathBuf>,
    /// Replace the file of --per-person where it exists.
    #[arg(long, requires = "per_person")]
    pub force: bool,
    #[command(flatten)]
    pub overrides: Overrides,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The policy (.toml, or the audit.json of a release). For a first look it may be the data: then the policy that `init`
    /// proposes is used, and its roles are proposals.
    #[arg(value_name = "POLICY or DATA", value_hint = ValueHint::FilePath)]
    pub policy: PathBuf,
    /// The algorithms; where none is named, those for the shape of the data that the policy allows.
    #[arg(long, value_name = "NAME,NAME,…", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Try these values for a key of the policy, e.g. `--vary k=2,5,10` or `--vary algorithm.seed=1,2,3`; may be repeated. `k` is short
    /// for `privacy.k`.
    #[arg(long, value_name = "KEY=VALUE,VALUE,…")]
    pub vary: Vec<String>,
    /// Short for `--vary k=…`; 2,5,10,20 where data are given and nothing is varied.
    #[arg(long, value_name = "N,N,…")]
    pub k: Option<String>,
    /// The shape of the data, where data are given.
    #[arg(long, value_enum, default_value_t = ShapeArg::Table)]
    pub shape: ShapeArg,
    /// The folder of the results; `compare` beside the policy where it is not given.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// How many threads to use, for all cells together; 0 for one per core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// Throw away results in the folder that were made with another policy, other data or another version; with --choose, replace
    /// the file where it exists.
    #[arg(long)]
    pub force: bool,
    /// Try nothing: write the policy with the settings of this cell, e.g. `--choose ribbon,k=10`.
    #[arg(long, value_name = "ALGORITHM,KEY=VALUE,…", conflicts_with_all = ["algorithms", "vary", "k", "output"])]
    pub choose: Option<String>,
    /// Where the chosen policy goes; beside the policy, with `.chosen` in its name, where it is not given.
    #[arg(long, value_name = "FILE", requires = "choose", value_hint = ValueHint::FilePath)]
    pub write: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HierarchyVerb {
    /// Make a hierarchy from the values of a column.
    Build(BuildArgs),
    /// Draw a hierarchy as a tree with the number of values below each node.
    Show(ShowArgs),
    /// Is the file a tree, and does it hold every value of a column?
    ///
    /// The exit code is 1 when values of the column are missing from it, 2 when it is not a tree.
    Check(HierarchyCheckArgs),
    /// Write a hierarchy in the layout of Shoal, ARX or Amnesia.
    ///
    /// The file may have any of these layouts. Groups and values stay; Amnesia's layout does not keep on which levels a group stands that is on
    /// several, and names all whole numbers where the groups are ranges such as `[20, 29]`.
    Convert(ConvertArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(flatten)]
    pub values: ColumnOf,
    /// How values are grouped.
    #[arg(long, value_enum)]
    pub kind: BuildKind,
    /// intervals: the widths, each a multiple of the one before; chosen from the data where not given.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(Number))]
    pub widths: Vec<Number>,
    /// prefixes: how many characters each level keeps, descending; one fewer a level where not given.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',')]
    pub keep: Vec<usize>,
    /// dates: the steps of the calendar, from fine to coarse; chosen from the data where not given.
    #[arg(long, value_name = "STEP,STEP,…", value_delimiter = ',', value_parser = date_step())]
    pub steps: Vec<DateStep>,
    /// dates: how they are written, in strftime notation.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Where the hierarchy goes; standard output where not given.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace the file where it exists.
    #[arg(long)]
    pub force: bool,
}

/// A column of a data file.
#[derive(Debug, Args)]
pub(crate) struct ColumnOf {
    /// The data: .csv[.gz|.zst], .parquet, a glob in quotes, or `-` for standard input.
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "policy")]
    pub data: Option<String>,
    /// The column.
    #[arg(long, value_name = "NAME")]
    pub column: String,
    /// Read the data as this policy says: source, separator, names, missing values.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath, conflicts_with = "data")]
    pub policy: Option<PathBuf>,
}

/// The ways to build a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildKind {
    /// Numbers into ever wider ranges.
    Intervals,
    /// Codes (zip, for instance) by their first characters.
    Prefixes,
    /// Dates into months, years, decades.
    Dates,
    /// Countries (names, ISO codes) by sub-region and region of the UN.
    Countries,
    /// Diagnoses of ICD-9 by category, block and chapter.
    Icd9,
    /// Diagnoses of ICD-10 by category, block and chapter.
    Icd10,
    /// Occupations of ISCO-08 (codes of up to four digits) by minor, sub-major and major group.
    Isco,
    /// Education (common labels in English, levels of ISCED 2011) by level and by low, medium, high.
    Education,
    /// Every value directly below `*`.
    Flat,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The hierarchy file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The layout to write.
    #[arg(long, value_enum)]
    pub to: HierarchyLayout,
    /// Where the hierarchy goes; standard output where not given.
    #[arg(long, short, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// amnesia: the character that takes the place of blanks in the labels of groups, which Amnesia cannot read.
    #[arg(long, value_name = "CHARACTER")]
    pub blanks_as: Option<char>,
    /// Replace the file where it exists.
    #[arg(long)]
    pub force: bool,
}

/// How a hierarchy is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HierarchyLayout {
    /// A line per value, from the value to the top, separated by `;`.
    Shoal,
    /// The same, which is what ARX reads.
    Arx,
    /// A line per group, `group has child child`, as Amnesia saves them.
    Amnesia,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The hierarchy file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Draw no more than this many levels below the top.
    #[arg(long, value_name = "N")]
    pub depth: Option<u32>,
    /// Draw every child of every node instead of the first few.
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HierarchyCheckArgs {
    /// The hierarchy file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Also look for the values of a column of this file.
    #[arg(long, value_name = "DATA", value_hint = ValueHint::FilePath, requires = "column", conflicts_with = "policy")]
    pub data: Option<String>,
    /// The column.
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Also look for the values of a column of this policy's data.
    #[arg(long, value_name = "POLICY", value_hint = ValueHint::FilePath, requires = "column")]
    pub policy: Option<PathBuf>,
}

/// Reads a step of the calendar, and lets help and completions know all of them.
fn date_step() -> impl TypedValueParser<Value = DateStep> {
    PossibleValuesParser::new(DateStep::ALL.map(DateStep::name)).try_map(|name| name.parse::<DateStep>())
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The verb, e.g. `run` or `hierarchy build`; the program itself where not given.
    #[arg(value_name = "VERB", conflicts_with = "output")]
    pub verb: Vec<String>,
    /// Write a page for every verb into this folder.
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}
