//! The policy: what a data steward asks for, in TOML.
//!
//! The structs here, in `privacy.rs` and in `algorithm.rs` are the only place where keys are defined: the reader, the suggestions for misspelt
//! keys, `--set` and `shoal schema` all follow from them.

mod algorithm;
mod check;
mod document;
mod error;
mod keys;
mod overrides;
mod preset;
mod privacy;
mod rewrite;

pub use algorithm::{
    AlgorithmName, AlgorithmPolicy, ChoicePolicy, DriftPolicy, ModePolicy, ObjectivePolicy, OutliersPolicy,
    PriorPolicy, PublishPolicy, RemainderPolicy, RulesPolicy, SequencesAlgorithmName, ShapeAlgorithm,
    StreamAlgorithmName, TableAlgorithmName, TransactionsAlgorithmName,
};
pub use document::PolicyDocument;
pub use error::{PolicyError, PolicyProblem};
pub use preset::{Preset, PresetText};
pub use privacy::{
    BetaLikenessPolicy, DistanceName, LDiversityKind, LDiversityPolicy, LikenessKind, PrivacyPolicy,
    TClosenessPolicy,
};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Kind, MissingTexts, Role};

/// A policy: where the data are, what each column means, what is promised, how, and where to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Policy {
    /// The version of this language; 1.
    pub version: u32,
    /// Where the data are and how to read them.
    pub data: DataPolicy,
    /// What each column means; every column of the data must be named.
    #[serde(default)]
    pub columns: IndexMap<String, ColumnPolicy>,
    /// What is promised.
    #[serde(default)]
    pub privacy: PrivacyPolicy,
    /// transactions: what must stay useful.
    #[serde(default)]
    pub utility: UtilityPolicy,
    /// How the promise is kept.
    #[serde(default)]
    pub algorithm: AlgorithmPolicy,
    /// streams: what must survive the process.
    #[serde(default, skip_serializing_if = "StatePolicy::is_empty")]
    pub state: StatePolicy,
    /// Where the release goes.
    #[serde(default)]
    pub output: OutputPolicy,
}

/// Where the data are and how to read them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DataPolicy {
    /// The shape of the data.
    pub shape: Shape,
    /// A file (.csv, .json, .ndjson, .parquet, .arrow, .feather, .xlsx, .db; text also with .gz or .zst behind), a glob, or
    /// `-` for standard input, which is CSV. Relative to the
    /// policy's folder. A PostgreSQL database: `postgres://user@host:port/database?sslmode=verify-full`, with `query` or `table`; parts that
    /// are left out, and the password, come from the environment, a service file or a password file, as for psql. Streams: `-`, `nats://…` or `kafka://…`
    /// (with `&balance=partitions` several processes share the partitions of a topic). A policy that is used from code, on data in memory, needs none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The separator between two values of a line: one character, blanks may follow it. A comma where nothing
    /// is given, a blank in a basket file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// How the text of the source is stored: "latin1", "windows-1252", "utf-16" or another label of the WHATWG Encoding
    /// Standard. UTF-8 where nothing is given, unless the file begins with the byte order mark of UTF-16. What is published
    /// is UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// "," where the numbers of integer and decimal columns have a decimal comma, and a point, a blank or an apostrophe between
    /// thousands: `1.234,5`. They are published with a decimal point: `1234.5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<String>,
    /// The sheet of an Excel file; the first that holds anything where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The table or view of a SQLite file, its only table where nothing is given, or of a PostgreSQL database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// What is asked of a SQLite file or of a PostgreSQL database instead of a table: "select …", one statement that only reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Whether the first line names the columns; a name that is empty becomes `column1` after its place. Basket files have no header:
    /// one that looks like a table is refused unless this is `false`. `true` where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// The columns' names where there is no header.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The texts that mean "no value".
    #[serde(default = "defaults::missing")]
    pub missing: Vec<String>,
    /// CSV: whether blanks around values are removed; `true` where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<bool>,
    /// transactions: a line per transaction, a row per item, or a column per item. Streams: a JSON object or a CSV row per tuple.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<DataFormat>,
    /// tables, transactions, streams: the column that says whose record, transaction or tuple it is, an identifier. Without
    /// it every record is taken for another person's; with it promises count people, and a value that somebody has
    /// twice in a crowd counts once. Basket lines have no such column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// tables with `person`: which rows of a person an attacker knows. By all of them people are told apart by the classes that their
    /// rows are in, so that people are hidden with all their rows together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known_rows: Option<KnownRows>,
    /// transactions in long form, sequences: the column that says whose item or event it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// sequences: the columns that order a person's events, the first one first; a further one decides
    /// between events that are equal in those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// sequences: what comes first where the columns of `order` are equal. `"file"` keeps the order of the file, which is then a
    /// part of the data: another order of its rows gives another release. Any other text is the name of a column whose
    /// values decide, text in the order of its letters. Without it such events are an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ties: Option<String>,
    /// transactions, long form: the column of the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// transactions in a table: the column that holds all items of a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<String>,
    /// transactions in a table: what separates two items of a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_separator: Option<String>,
    /// transactions: the hierarchy of the items, for apriori.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<String>,
}

impl DataPolicy {
    /// The texts that mean "no value", as a rule for all texts.
    pub fn missing_texts(&self) -> MissingTexts {
        MissingTexts::new(&self.missing)
    }

    /// Whether the first line names the columns.
    pub fn header(&self) -> bool {
        self.header.unwrap_or(true)
    }

    /// Whether blanks around values are removed.
    pub fn trim(&self) -> bool {
        self.trim.unwrap_or(true)
    }

    /// Leaves out what is said about the text of a CSV file, where the data are none.
    pub fn without_idle_dialect(&mut self) {
        if self.format_without_dialect().is_some() {
            (self.trim, self.header, self.names) = (None, None, Vec::new());
        }
    }

    /// The format of a source whose columns have names and whose values are whole, by its name; none for CSV, and for data
    /// that have no name.
    pub(super) fn format_without_dialect(&self) -> Option<&'static str> {
        const FORMATS: [(&str, &[&str]); 5] = [
            ("a Parquet file", &["parquet"]),
            ("an Arrow file", &["arrow", "feather", "ipc"]),
            ("an Excel file", &["xlsx", "xlsm", "xls", "ods"]),
            ("a SQLite file", &["db", "sqlite", "sqlite3"]),
            ("a JSON file", &["json", "ndjson", "jsonl"]),
        ];
        if is_postgres(&self.source) {
            return Some("a database");
        }
        let name = self.source.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        let (_, ending) = name.rsplit_once('.')?;
        FORMATS.iter().find(|(_, endings)| endings.contains(&ending)).map(|(format, _)| *format)
    }

    /// The separator between two values of a line.
    pub fn separator(&self) -> &str {
        let usual = if self.is_basket() { " " } else { "," };
        self.separator.as_deref().unwrap_or(usual)
    }

    /// What separates two items of a record in a table.
    pub fn item_separator(&self) -> &str {
        self.item_separator.as_deref().unwrap_or(";")
    }

    /// Whether events that `order` cannot tell apart keep the order of the file.
    pub fn ties_keep_file_order(&self) -> bool {
        self.ties.as_deref() == Some("file")
    }

    /// The column that decides between events that `order` cannot tell apart.
    pub fn ties_column(&self) -> Option<&str> {
        self.ties.as_deref().filter(|_| !self.ties_keep_file_order())
    }

    /// Whether the source is a basket file: a line per transaction.
    pub fn is_basket(&self) -> bool {
        self.shape == Shape::Transactions
            && self.items.is_none()
            && self.format.unwrap_or(DataFormat::Basket) == DataFormat::Basket
    }
}

/// Whether a location is the address of a PostgreSQL server and not a file.
pub fn is_postgres(location: &str) -> bool {
    location.starts_with("postgres://") || location.starts_with("postgresql://")
}

/// How transactions or the tuples of a stream are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DataFormat {
    /// transactions: a line per transaction.
    Basket,
    /// transactions: a row per item, with the id of its transaction.
    Long,
    /// transactions: a row per transaction and a column per item, with 0 and 1 or other marks; columns that are no items are
    /// named as identifiers. Published as basket lines.
    OneHot,
    /// streams: a JSON object per line.
    Ndjson,
    /// streams: a row per tuple.
    Csv,
}

/// The shape of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One record a person.
    Table,
    /// A set of items a person.
    Transactions,
    /// An ordered list of events a person.
    Sequences,
    /// Tuples that arrive one by one and leave at once.
    Stream,
}

impl Shape {
    /// The name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Table => "table",
            Shape::Transactions => "transactions",
            Shape::Sequences => "sequences",
            Shape::Stream => "stream",
        }
    }
}

/// What one column means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ColumnPolicy {
    /// What the column means for privacy.
    pub role: Role,
    /// What its values are.
    #[serde(default = "defaults::kind")]
    pub kind: Kind,
    /// How dates are written, in strftime notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// A hierarchy file: then the column is published as its nodes, otherwise as ranges or sets. A sensitive column
    /// has one for the distance of its values in t-closeness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<String>,
    /// What happens to a record without a value here.
    #[serde(default)]
    pub missing: MissingPolicy,
    /// The column's share in distances and loss.
    #[serde(default = "defaults::weight")]
    pub weight: f64,
    /// sequences: the highly sensitive values of a sensitive column, instead of those under `[privacy]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive_values: Vec<String>,
    /// sequences: the share of a crowd that may have one of them, instead of the one under `[privacy]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
    /// tables: how well a crowd's values of a sensitive column are mixed, instead of what `[privacy]` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l_diversity: Option<LDiversityPolicy>,
    /// tables: how near they are to everybody's, instead of what `[privacy]` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t_closeness: Option<TClosenessPolicy>,
    /// tables: how much more frequent than among everybody one of them may be, instead of what `[privacy]` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta_likeness: Option<BetaLikenessPolicy>,
    /// streams: all values that a sensitive column may have, where they are known beforehand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domain: Vec<String>,
}

/// What happens to a record that has no value in a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingPolicy {
    /// "Missing" is a value of its own.
    #[default]
    Category,
    /// The record is left out.
    Suppress,
    /// The run stops.
    Error,
}

/// What must stay useful in transactions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct UtilityPolicy {
    /// A file with the sets of items that may be published as one, a set per line; each item in one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<String>,
    /// coat, upcta: the share of items that may be suppressed; 0.15 where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_suppressed: Option<f64>,
    /// A file with an item and its weight per line; other items weigh 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
}

impl UtilityPolicy {
    /// The share of items that may be suppressed.
    pub fn max_suppressed(&self) -> f64 {
        self.max_suppressed.unwrap_or(0.15)
    }
}

/// What of a stream must survive the process. Both are as secret as the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StatePolicy {
    /// The folder of what must survive a crash. Relative to the policy's folder. Where a broker is the source or the sink and
    /// nothing is given, it is named after the policy: `visits.toml` has `visits.state`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// The file of the key from which random choices come; created where it does not exist. In `dir` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
}

impl StatePolicy {
    fn is_empty(&self) -> bool {
        *self == StatePolicy::default()
    }
}

/// Where the release goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OutputPolicy {
    /// The published file, .csv[.gz|.zst] or .parquet. Relative to the policy's folder. A PostgreSQL database: `postgres://…`, with
    /// `table`. Streams: `-` (where nothing is given), `nats://…` or `kafka://…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The published table, where `path` is a PostgreSQL database: `people_k10`, or with its schema `research.people_k10`. It is a
    /// new table, which gets this name once it is verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The folder of the reports: report.html and report.json for others, audit.html and audit.json for the publisher.
    /// Relative to the policy's folder; where it is not given beside the published file, or for a table in the policy's folder, under
    /// the table's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// tables: whether a suppressed record is left out or kept as `*`; left out where nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<SuppressedPolicy>,
    /// tables, sequences: how ranges of numbers and dates are published, as texts or as two columns. `"columns"` is about every
    /// quasi-identifier of kind integer, decimal or date that has no hierarchy.
    #[serde(default, skip_serializing_if = "RangesPolicy::is_text")]
    pub ranges: RangesPolicy,
    /// transactions: how groups of items are published, written out wherever they occur or as the numbers of a dictionary beside the
    /// published file.
    #[serde(default, skip_serializing_if = "GroupsPolicy::is_auto")]
    pub groups: GroupsPolicy,
    /// Whether the published rows keep the order of the source. Otherwise they are sorted by what is published,
    /// which says nothing more; an order of the source can give people away.
    #[serde(default)]
    pub keep_order: bool,
    /// streams: the file of lines that were not understood. Relative to the policy's folder; beside the state, or
    /// beside the policy, where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead_letters: Option<String>,
    /// streams: the share of a run's lines that may go there. Where more do, the stream ends with exit code 1. 0.01 where
    /// nothing is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_dead_letters: Option<f64>,
}

impl OutputPolicy {
    /// Whether a suppressed record is kept as `*`.
    pub fn keeps_suppressed(&self) -> bool {
        self.suppressed == Some(SuppressedPolicy::Star)
    }
}

/// What is published of a suppressed record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressedPolicy {
    /// Nothing.
    #[default]
    Drop,
    /// A row with `*` in every quasi-identifier.
    Star,
}

/// Which rows of a person an attacker knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnownRows {
    /// All of them.
    #[default]
    All,
    /// One of them. Rows are then hidden one by one, which loses less; the report says so.
    One,
}

/// How ranges of numbers and dates are published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RangesPolicy {
    /// As texts in one column: `[25, 40]`.
    #[default]
    Text,
    /// As numbers or dates in two columns, `age_min` and `age_max`; both are equal where a value is exact. Numbers are written
    /// plainly: `007` as 7, `1.50` as 1.5. Where both are empty, the value is missing, if the column has  missing =
    /// "category"  (then nothing else can be empty, and a run that has to suppress a value there stops), otherwise
    /// suppressed.
    Columns,
}

/// How groups of items are published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GroupsPolicy {
    /// Written out, unless the file would then have more than 64 MiB of items, and more than three times as many as with a dictionary. That is
    /// read off what is published, so that the form says nothing more.
    #[default]
    Auto,
    /// In every transaction that holds one: `(a,b)`.
    WrittenOut,
    /// By their numbers, `(12,)`, which `FILE.groups.csv` beside the published file explains. Where nothing can lie beside it, as
    /// beside standard output, groups are written out.
    Dictionary,
}

impl GroupsPolicy {
    /// Whether it is the usual one. Policies that do not name it keep their hash.
    fn is_auto(&self) -> bool {
        *self == GroupsPolicy::Auto
    }
}

impl RangesPolicy {
    /// Whether it is the usual one. Policies that do not name it keep their hash.
    fn is_text(&self) -> bool {
        *self == RangesPolicy::Text
    }
}

impl Policy {
    /// Whether all rows of a person count together.
    pub fn knows_all_rows(&self) -> bool {
        self.data.person.is_some() && self.data.known_rows.unwrap_or_default() == KnownRows::All
    }

    /// The columns that are published as two, in the order of the policy. It depends on nothing but the policy: whether
    /// the data have ranges there must not show in the header.
    pub fn range_columns(&self) -> impl Iterator<Item = (&str, &ColumnPolicy)> {
        let is_split = |column: &ColumnPolicy| {
            !self.output.ranges.is_text()
                && column.role == Role::QuasiIdentifier
                && column.kind.is_ordered()
                && column.hierarchy.is_none()
        };
        self.columns.iter().filter(move |(_, c)| is_split(c)).map(|(name, c)| (name.as_str(), c))
    }

    /// The JSON Schema of policies.
    pub fn json_schema() -> serde_json::Value {
        schemars::schema_for!(Policy).to_value()
    }

    /// Every key of the tables with fixed names, dotted: `privacy.k`, `algorithm.seed`.
    pub fn keys() -> Vec<String> {
        keys::all(&Policy::json_schema())
    }

    /// The names of all columns of a role, in the order of the policy.
    pub fn columns_of(&self, role: Role) -> Vec<&str> {
        self.columns.iter().filter(|(_, c)| c.role == role).map(|(name, _)| name.as_str()).collect()
    }

    /// The algorithm that is asked for, or the usual one for the shape.
    pub fn algorithm_name(&self) -> AlgorithmName {
        self.algorithm.name.unwrap_or(match self.data.shape {
            Shape::Table if self.privacy.transparent => AlgorithmName::Transparent,
            Shape::Table => AlgorithmName::Ribbon,
            Shape::Transactions => AlgorithmName::Pcta,
            Shape::Sequences if self.privacy.length.is_some() => AlgorithmName::Fcla,
            Shape::Sequences => AlgorithmName::Cbmsa,
            Shape::Stream => AlgorithmName::DelayFree,
        })
    }

    /// Leaves out what an earlier version wrote into every stored policy, whether its author had given it or not: it has the
    /// usual value, so that leaving it out changes nothing.
    pub fn without_written_defaults(&mut self) {
        fn leave_out<T: Default + PartialEq>(key: &mut Option<T>) {
            key.take_if(|value| *value == T::default());
        }
        leave_out(&mut self.algorithm.objective);
        leave_out(&mut self.algorithm.remainder);
        leave_out(&mut self.algorithm.separate_distances);
        leave_out(&mut self.algorithm.choose);
        leave_out(&mut self.output.suppressed);
        self.utility.max_suppressed.take_if(|share| *share == UtilityPolicy::default().max_suppressed());
        self.data.trim.take_if(|trim| *trim);
        self.data.header.take_if(|header| *header);
    }

    /// The policy as a file would hold it, overrides included; an error where TOML cannot say it.
    pub fn to_toml(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }

    /// The policy as canonical JSON: what `policy-hash` in an audit is taken of, overrides included.
    pub fn canonical_json(&self) -> String {
        serde_json::to_string(self).expect("a policy holds nothing that JSON cannot")
    }
}

/// An address of a source or sink as it may be shown: who logs in, and with what, is left out.
pub fn without_password(address: &str) -> String {
    match (address.find("://"), address.rfind('@')) {
        (Some(scheme), Some(at)) if scheme + 3 < at => {
            format!("{}***{}", &address[..scheme + 3], &address[at..])
        }
        _ => address.to_owned(),
    }
}

mod defaults {
    use crate::Kind;

    pub(super) fn missing() -> Vec<String> {
        vec![String::new(), "?".to_owned()]
    }

    pub(super) fn kind() -> Kind {
        Kind::Text
    }

    pub(super) fn weight() -> f64 {
        1.0
    }
}
