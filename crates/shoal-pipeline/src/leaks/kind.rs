//! What a release can give away although its promise holds: each kind with its figures.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use shoal_core::policy::Shape;

/// Something that a release gives away and that its promise does not cover. It names no raw value. What it means is
/// said in words in one place, [`Leak::text`].
#[derive(Clone, Debug, PartialEq)]
pub struct Leak {
    /// What kind of leak it is, with its figures.
    pub kind: LeakKind,
    /// The column that it is about, where it is about one.
    pub column: Option<String>,
}

/// The kinds of leaks with their figures. `count` is how many records, people, items or values a leak touches.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "the figures are those of the kind's sentence")]
pub enum LeakKind {
    /// All quasi-identifiers are `*`, or no transaction has an item.
    SaysNothing { count: usize, unit: Unit },
    /// Classes whose members have one value.
    OneValueClasses { count: usize, unit: Unit, classes: usize, of_classes: usize },
    /// How well a sensitive value can be guessed: `likely-classes` and `count` are those guessed more often right than wrong.
    BestGuess { count: usize, unit: Unit, best: f64, overall: f64, likely_classes: usize, of_classes: usize },
    /// Nothing limits what classes give away of a sensitive column.
    NoCondition {},
    /// A published column whose values most records have alone.
    UniqueValues { count: usize, of: usize },
    /// The policy says that an attacker knows one row of a person.
    KnownRows {},
    /// Published columns whose values together most records have alone.
    UniqueCombinations { count: usize, of: usize, columns: Vec<String> },
    /// A published column reads like free text.
    FreeText { count: usize, words: f64 },
    /// A published column holds what an identifier holds.
    NamesPeople { count: usize, of: usize },
    /// An identifier repeats, and no column says who is who.
    RepeatedIdentifier { count: usize, of: usize, unit: Unit },
    /// People whose published sequence nobody else has.
    UniqueSequences { count: usize, of: usize, length: usize },
    /// People whose number of events fewer than k people have.
    RareNumbers { count: usize, of: usize, k: usize },
    /// Published items that fewer than k transactions have.
    RareItems { count: usize, of: usize, k: u32 },
    /// How well an item that is a secret can be guessed by a reader who knows up to `known` other items of a person: `count`
    /// transactions with a secret hold items that make the guess right more often than wrong.
    SensitiveItems { count: usize, known: usize, best: f64, overall: f64 },
    /// Transactions that no other one equals; `m` is how many items the promise lets an attacker know.
    UniqueTransactions {
        count: usize,
        of: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        m: Option<usize>,
    },
    /// Records of the source that are not in the file.
    LeftOut { count: usize, of: usize, unit: Unit, reason: LeftOut },
    /// Crowds were made by looking at sensitive values.
    NotTransparent {
        #[serde(skip)]
        remedy: Remedy,
    },
    /// The records stand in the order of the source.
    KeptOrder {},
    /// Events that the order's columns do not tell apart stand in the order of the source.
    FileOrder { count: usize, columns: String },
    /// Crowds are counted as the papers count them.
    PaperSupport {},
    /// The report's folder held another release.
    EarlierRelease {
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
        same_source: bool,
        #[serde(skip)]
        shape: Shape,
    },
    /// Earlier releases that were judged together with this one; `count` records or people were in them.
    EarlierReleases { count: usize, releases: usize, unit: Unit },
    /// Earlier releases in which nobody of this one was found.
    NobodyRecognized { count: usize },
    /// People of earlier releases who are not in this one, fewer than k of those with whom they were.
    AbsentPeople { count: usize },
    /// Who was in the earlier release is not known.
    UnknownCohorts { reason: UnknownCohorts },
    /// Which record of the original a row comes from is not certain.
    OneAssignment { by_audit: bool },
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Rows of a table.
    Records,
    /// People.
    People,
    /// Events of sequences.
    Events,
    /// Transactions.
    Transactions,
}

/// Why records are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// The promise speaks of sensitive values, so these may decide.
    SensitiveValues,
    /// A sensitive value may be missing.
    MissingSensitiveValue,
    /// Too few others are like them, or a value is missing.
    FewAlike,
}

/// What helps against crowds that were made by looking at sensitive values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A key of the policy.
    Transparent,
    /// There is none.
    Nothing,
}

/// Why it is not known who was in an earlier release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownCohorts {
    /// No column names people.
    NoColumn,
    /// The releases know people by different columns.
    OtherColumns,
}

impl From<LeakKind> for Leak {
    fn from(kind: LeakKind) -> Leak {
        Leak { kind, column: None }
    }
}

impl LeakKind {
    /// The leak, about this column.
    pub(crate) fn of_column(self, column: impl Into<String>) -> Leak {
        Leak { kind: self, column: Some(column.into()) }
    }

    /// How many records, people, items or values it touches, where that can be counted: the figure `count` of its kind.
    pub fn count(&self) -> Option<usize> {
        let figures = serde_json::to_value(self).ok()?;
        usize::try_from(figures.get("count")?.as_u64()?).ok()
    }
}

/// `kind`, `column`, the figures, and `text`.
impl Serialize for Leak {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", self.kind.name())?;
        if let Some(column) = &self.column {
            map.serialize_entry("column", column)?;
        }
        if let serde_json::Value::Object(figures) =
            serde_json::to_value(&self.kind).map_err(serde::ser::Error::custom)?
        {
            for (name, figure) in figures.iter().filter(|(_, figure)| !figure.is_null()) {
                map.serialize_entry(name, figure)?;
            }
        }
        map.serialize_entry("text", &self.text())?;
        map.end()
    }
}
