//! Everything that can keep a verb from its end, as data. [`diagnose`](crate::diagnose) makes prose of it.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use shoal_core::hierarchy::build::BuildError;
use shoal_core::policy::PolicyProblem;
use shoal_core::{HierarchyError, KindError, PolicyError};
use shoal_io::{ReadError, SeparatorError, TableOfItems, WriteError};
use shoal_pipeline::{PipelineError, without_quotes};
use shoal_stream::StreamError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The policy is wrong, or wrong for the data.
    #[error("{error}")]
    Policy { at: PolicyPlace, error: Box<PolicyError> },
    #[error(transparent)]
    Pipeline(Box<PipelineError>),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("the hierarchy `{}` cannot be read: {error}", path.display())]
    HierarchyFile { path: PathBuf, error: io::Error },
    #[error("the hierarchy `{}` is broken: {error}", path.display())]
    Hierarchy { path: PathBuf, error: HierarchyError },
    #[error("no hierarchy can be built for column `{column}`: {error}")]
    Build { column: String, error: BuildError },
    #[error(transparent)]
    Format(#[from] KindError),
    #[error("{place}: `{value}` in column `{column}` is not {kind}")]
    NotOfKind { place: String, column: String, value: String, kind: &'static str },
    #[error("`{file}` has no column `{column}`")]
    NoColumn { file: String, column: String, header: Vec<String> },
    #[error(transparent)]
    Separator(#[from] SeparatorError),
    #[error("`init` cannot look at standard input: it looks at the data more than once")]
    NotTwice,
    #[error("{data}: {}", not_baskets(columns, *kind))]
    NotBaskets {
        data: String,
        columns: Vec<String>,
        separator: char,
        kind: TableOfItems,
        keys: Option<[String; 2]>,
    },
    #[error("the folder `{}` cannot be found: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("`{}` exists already", path.display())]
    Exists { path: PathBuf },
    #[error("`--{flag}` is for hierarchies of {belongs}")]
    WrongFlag { flag: &'static str, belongs: &'static str },
    #[error("there is no verb `{verb}`")]
    NoVerb { verb: String },
    #[error(transparent)]
    Stream(Box<StreamError>),
    /// A signal has cancelled the work.
    #[error("cancelled; nothing was published")]
    Cancelled,
    #[error("signals cannot be listened to: {error}")]
    Signals { error: io::Error },
    #[error("{threads} threads cannot be started: {error}")]
    Threads { threads: u16, error: rayon::ThreadPoolBuildError },
    #[error("standard output cannot be written: {error}")]
    Stdout { error: io::Error },
}

/// Where a policy is wrong.
#[derive(Debug)]
pub(crate) enum PolicyPlace {
    /// In its file, at these bytes of its text where they are known.
    File { path: PathBuf, text: String, span: Option<Range<usize>> },
    /// On the command line: `--set KEY=VALUE`.
    Set(String),
}

impl PolicyPlace {
    /// A key that `--set` gave is not to be looked for in the file.
    fn of(path: &Path, text: &str, set: &[String], error: &PolicyError) -> PolicyPlace {
        let key_of = |given: &str| given.split('=').next().unwrap_or_default().trim().replace('"', "");
        let given = set.iter().rev().find(|given| match &error.key {
            // An unknown table such as `privcy` is named without the key inside that `--set` gave.
            Some(key) => {
                let inside = || key_of(given).starts_with(&format!("{key}."));
                key_of(given) == *key || (error.span.is_none() && inside())
            }
            // Neither a key nor a place in the file: only `--set` is left.
            None => error.span.is_none(),
        });
        match given {
            Some(given) => PolicyPlace::Set(given.clone()),
            None => {
                PolicyPlace::File { path: path.to_owned(), text: text.to_owned(), span: error.span.clone() }
            }
        }
    }
}

impl Failure {
    /// What a pipeline step said about the policy at `path`, whose text and `--set`s are at hand to point at.
    pub(crate) fn of_policy(error: PipelineError, path: &Path, text: &str, set: &[String]) -> Failure {
        match error {
            PipelineError::Policy { text, error, .. } => {
                Failure::Policy { at: PolicyPlace::of(path, &text, set, &error), error }
            }
            PipelineError::PolicyAndData { error } => {
                Failure::Policy { at: PolicyPlace::of(path, text, set, &error), error }
            }
            PipelineError::Cancelled => Failure::Cancelled,
            error => Failure::Pipeline(Box::new(error)),
        }
    }

    /// Whether the request was right and the promise cannot be kept.
    pub(crate) fn is_broken_promise(&self) -> bool {
        match self {
            Failure::Pipeline(error) => error.is_broken_promise(),
            Failure::Stream(error) => error.is_broken_promise(),
            _ => false,
        }
    }

    /// The message without any value of the data, for what goes into logs.
    pub(crate) fn without_values(&self) -> String {
        match self {
            Failure::Pipeline(error) => error.without_values(),
            Failure::Read(_) | Failure::Stream(_) | Failure::Build { .. } => {
                without_quotes(&self.to_string())
            }
            Failure::NotOfKind { place, column, kind, .. } => {
                format!("{place}: a value in column `{column}` is not {kind}")
            }
            // The others speak of policies, arguments and files.
            _ => self.to_string(),
        }
    }

    /// How to mend it.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Failure::Policy { error, .. } if error.hint.is_some() => return error.hint.clone(),
            Failure::Policy { error, .. } => match error.problem {
                PolicyProblem::Syntax { .. } => {
                    "a table is `[name]`, a key is `name = value`, text is in quotes"
                }
                _ => "`shoal schema` prints every key and what it may hold",
            },
            Failure::Pipeline(error) => return error.hint(),
            Failure::Stream(error) => return error.hint(),
            Failure::Cancelled => return None,
            Failure::Signals { .. } => "try again; the system may be short of something",
            Failure::Read(error) => return Some(error.hint().to_string()),
            Failure::Write(error) => return Some(error.hint().to_string()),
            Failure::HierarchyFile { .. } => "check the name, and that it is a text file you may read",
            Failure::Hierarchy { error, .. } => error.hint(),
            Failure::Build { error, .. } => error.hint(),
            Failure::Format(_) => "for example %Y-%m-%d or %d.%m.%Y",
            Failure::NotOfKind { .. } => "mend the value, or build prefixes or flat, which take any value",
            Failure::NoColumn { header, .. } => return Some(format!("it has: {}", header.join(", "))),
            Failure::Separator(error) => error.hint(),
            Failure::NotTwice => "put the data into a file",
            Failure::NotBaskets { separator, kind, keys, .. } => {
                return Some(as_transactions(*separator, *kind, keys.as_ref()));
            }
            Failure::Folder { .. } => "create it first",
            Failure::Exists { .. } => "give --force to replace it, or another name with -o",
            Failure::WrongFlag { .. } => "leave it out, or give another --kind",
            Failure::NoVerb { .. } => "`shoal --help` lists the verbs",
            Failure::Threads { .. } => "give fewer with --threads",
            Failure::Stdout { .. } => "is the disk full?",
        };
        Some(hint.to_owned())
    }
}

/// Why a file is not read as baskets.
fn not_baskets(columns: &[String], kind: TableOfItems) -> String {
    const SHOWN: usize = 4;
    let names: Vec<String> = columns.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = if columns.len() > SHOWN { ", …" } else { "" };
    let what = match kind {
        TableOfItems::Long => "a row per item",
        TableOfItems::OneHot => "a column per item",
        TableOfItems::Other => "a header",
    };
    format!(
        "this looks like a table with {what} ({}{more}) and not like a line of items per transaction",
        names.join(", ")
    )
}

/// How such a table becomes transactions.
fn as_transactions(separator: char, kind: TableOfItems, keys: Option<&[String; 2]>) -> String {
    let separator = separator.escape_debug();
    if kind == TableOfItems::OneHot {
        return "write a row per item that is there (format = \"long\", id and item), or treat it as a table:  --shape table"
            .to_owned();
    }
    let (id, item) = keys.map_or(("…", "…"), |[id, item]| (id.as_str(), item.as_str()));
    format!(
        "a row per item: write under [data]  shape = \"transactions\",  format = \"long\",  id = \"{id}\",  item = \"{item}\",  separator = \
         \"{separator}\";  all items of a record in one column:  items = \"…\",  item-separator = \"…\";  if every line is a \
         transaction, give --separator \"{separator}\""
    )
}
