//! Every way in which a verb can fail, as data. [`diagnose`](crate::diagnose) turns it into prose.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use shoal_core::hierarchy::AmnesiaError;
use shoal_core::hierarchy::build::BuildError;
use shoal_core::policy::PolicyProblem;
use shoal_core::{HierarchyError, KindError, PolicyError, without_texts};
use shoal_io::{ReadError, SeparatorError, TableOfItems, WriteError};
use shoal_pipeline::PipelineError;
use shoal_pipeline::compare::CompareError;
use shoal_pipeline::propose::shell_word;
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
    #[error("the hierarchy `{}` cannot be converted: {error}", path.display())]
    Amnesia { path: PathBuf, error: AmnesiaError },
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
    /// An encoding that nobody knows.
    #[error("the encoding `{label}` is not known")]
    Encoding {
        /// As it was given.
        label: String,
    },
    /// Tuples of a stream come as lines.
    #[error("`{file}` does not hold a tuple per line")]
    NotAStream {
        /// The file.
        file: String,
    },
    /// A published file whose promise nobody has named.
    #[error("which promise should `{}` keep? No policy was given, and the audit.json of its release was not found", published.display())]
    NoPolicy {
        /// The file.
        published: PathBuf,
    },
    /// `init --ask` without somebody who answers.
    #[error("a question has got no answer: {why}; nothing was written")]
    NoAnswer {
        /// What happened.
        why: String,
    },
    #[error("the folder `{}` cannot be found: {error}", path.display())]
    Folder { path: PathBuf, error: io::Error },
    #[error("`{}` exists already", path.display())]
    Exists { path: PathBuf },
    #[error("`--{flag}` is for hierarchies of {belongs}")]
    WrongFlag { flag: &'static str, belongs: &'static str },
    #[error("there is no verb `{verb}`")]
    NoVerb { verb: String },
    #[error("there is no verb and no term `{topic}`")]
    NoTerm { topic: String, near: Option<String> },
    #[error(transparent)]
    Stream(Box<StreamError>),
    #[error(transparent)]
    Compare(Box<CompareError>),
    /// A comparison that began without a policy has one by now that somebody has changed.
    #[error("`{}` is not what `init` proposes for `{}`", policy.display(), data.display())]
    ChangedProposal { policy: PathBuf, data: PathBuf },
    /// A signal has cancelled the work.
    #[error("cancelled; nothing was published")]
    Cancelled,
    #[error("signal handlers cannot be installed: {error}")]
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
    /// What a pipeline step said about the policy at `path`, with its text and its `--set`s, so that the error can point at them.
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

    /// What went wrong while settings were compared; an error of a cell is one about the policy with what was set for it.
    pub(crate) fn of_comparison(error: CompareError, path: &Path, text: &str) -> Failure {
        match error {
            CompareError::Cell { error, set } => Failure::of_policy(*error, path, text, &set),
            error => Failure::Compare(Box::new(error)),
        }
    }

    /// Whether a signal has ended the work.
    pub(crate) fn is_cancelled(&self) -> bool {
        match self {
            Failure::Cancelled => true,
            Failure::Compare(error) => matches!(**error, CompareError::Cancelled { .. }),
            _ => false,
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

    /// The message without anything from the data, for what is kept and passed on.
    pub(crate) fn redacted(&self) -> String {
        match self {
            Failure::Policy { error, .. } => error.redacted(),
            Failure::Pipeline(error) => error.redacted(),
            Failure::Read(error) => error.redacted(),
            Failure::Write(error) => error.redacted(),
            Failure::Stream(error) => error.redacted(),
            Failure::Compare(error) => error.redacted(),
            Failure::Hierarchy { path, error: _ } | Failure::Amnesia { path, error: _ } => {
                without_texts(self, &[&path.to_string_lossy()])
            }
            Failure::Build { column, error: _ } => without_texts(self, &[column]),
            Failure::NotOfKind { place, column, kind, value: _ } => {
                without_texts(self, &[place, column, kind])
            }
            Failure::NotBaskets { data, .. } => without_texts(self, &[data]),
            // About arguments and files.
            Failure::HierarchyFile { .. }
            | Failure::Format(_)
            | Failure::NoColumn { .. }
            | Failure::Separator(_)
            | Failure::NotTwice
            | Failure::Encoding { .. }
            | Failure::NotAStream { .. }
            | Failure::NoPolicy { .. }
            | Failure::NoAnswer { .. }
            | Failure::Folder { .. }
            | Failure::Exists { .. }
            | Failure::WrongFlag { .. }
            | Failure::NoVerb { .. }
            | Failure::NoTerm { .. }
            | Failure::ChangedProposal { .. }
            | Failure::Cancelled
            | Failure::Signals { .. }
            | Failure::Threads { .. }
            | Failure::Stdout { .. } => self.to_string(),
        }
    }

    /// The hint, unless it may quote the data.
    pub(crate) fn redacted_hint(&self) -> Option<String> {
        match self {
            Failure::Policy { error, .. } if matches!(error.problem, PolicyProblem::Data { .. }) => None,
            Failure::Pipeline(error) => {
                with_flags(error).map(str::to_owned).or_else(|| error.redacted_hint())
            }
            Failure::Stream(error) => error.redacted_hint(),
            Failure::Compare(error) => error.redacted_hint(),
            // They list the header.
            Failure::NoColumn { .. } | Failure::NotBaskets { .. } => None,
            failure => failure.hint(),
        }
    }

    /// How to fix it.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            Failure::Policy { error, .. } if error.hint.is_some() => return error.hint.clone(),
            Failure::Policy { error, .. } => match error.problem {
                PolicyProblem::Syntax { .. } => {
                    "a table is `[name]`, a key is `name = value`, text is in quotes"
                }
                _ => "`shoal schema` prints every key and what it may hold",
            },
            Failure::Pipeline(error) => return with_flags(error).map(str::to_owned).or_else(|| error.hint()),
            Failure::Stream(error) => return error.hint(),
            Failure::Compare(error) => return error.hint(),
            Failure::ChangedProposal { policy, .. } => {
                return Some(format!(
                    "compare the changed policy:  shoal compare {}  ;  or give --force to have roles proposed anew",
                    shell_word(&policy.display().to_string())
                ));
            }
            Failure::Cancelled => return None,
            Failure::Signals { .. } => "try again; the system may be short of memory or other resources",
            Failure::Read(error) => return Some(error.hint().to_string()),
            Failure::Write(error) => return Some(error.hint().to_string()),
            Failure::HierarchyFile { .. } => "check the name, and that it is a text file you may read",
            Failure::Hierarchy { error, .. } => error.hint(),
            Failure::Amnesia { error, .. } => error.hint(),
            Failure::Build { error, .. } => error.hint(),
            Failure::Format(_) => "for example %Y-%m-%d or %d.%m.%Y",
            Failure::NotOfKind { .. } => "fix the value, or build prefixes or flat, which take any value",
            Failure::NoColumn { header, .. } => return Some(format!("it has: {}", header.join(", "))),
            Failure::Separator(error) => error.hint(),
            Failure::Encoding { .. } => "for example windows-1252, latin1, utf-16, shift_jis",
            Failure::NotAStream { .. } => "give a sample of the stream as .csv or .ndjson",
            Failure::NoPolicy { .. } => "give --policy with the policy or the audit.json of its release",
            Failure::NoAnswer { .. } => "answer every question, or leave out --ask and edit the policy",
            Failure::NotTwice => "put the data into a file",
            Failure::NotBaskets { separator, keys, .. } => {
                return Some(as_transactions(*separator, keys.as_ref()));
            }
            Failure::Folder { .. } => "create it first",
            Failure::Exists { .. } => "give --force to replace it, or another name with -o",
            Failure::WrongFlag { flag: "blanks-as", .. } => "leave it out, or give  --to amnesia",
            Failure::WrongFlag { .. } => "leave it out, or give another --kind",
            Failure::NoTerm { near: Some(near), .. } => return Some(format!("did you mean `{near}`?")),
            Failure::NoTerm { near: None, .. } => "`shoal help` lists the verbs and the terms",
            Failure::NoVerb { .. } => "`shoal --help` lists the verbs",
            Failure::Threads { .. } => "give fewer with --threads",
            Failure::Stdout { .. } => "is the disk full?",
        };
        Some(hint.to_owned())
    }
}

/// How to fix what the flags and verbs of the command line fix; none where the pipeline's own hint says it all.
fn with_flags(error: &PipelineError) -> Option<&'static str> {
    Some(match error {
        PipelineError::NoPrior => {
            "give the prior of the run:  --set algorithm.prior-file=…  (it lies in the state folder as prior.csv)"
        }
        PipelineError::StreamOriginal => {
            "leave out --original; the gate has compared every line before it left"
        }
        PipelineError::NoOriginal => "use  shoal measure ORIGINAL PUBLISHED --policy POLICY",
        PipelineError::OnlyStreams => "leave out --value, --where, --windows and --every",
        PipelineError::NoPrevious => "leave out --previous",
        PipelineError::IsStream => "use  shoal stream POLICY",
        PipelineError::NotStream { .. } => "use  shoal run POLICY,  or change data.shape",
        PipelineError::NothingLeft { .. } => {
            "lower k or the other promises, leave columns out, give hierarchies, or publish more records at once; \
             --allow-total-loss publishes it all the same"
        }
        PipelineError::Exists { .. } => "give --force to replace it, or another name with -o",
        PipelineError::OtherReports { .. } => {
            "give --force to replace them, or another folder with --report; an audit.json that is replaced \
             cannot be compared with later releases any more"
        }
        PipelineError::Releases { .. } => {
            "nothing was released.  output.suppressed = \"drop\"  leaves out whom it cannot hide; or publish only one of the releases"
        }
        PipelineError::Incomparable { .. } => {
            "give the audit.json of a release with the same columns, or leave out --previous: then nothing is known about the two \
             together"
        }
        PipelineError::Cohort { .. } => {
            "nothing was released. Give the data of those who are gone as well, or publish the others with --allow-absent, which shows who is gone; or wait until there are more newcomers"
        }
        PipelineError::NothingKept { exposed: 1.., .. } => {
            "nothing was released. Give the data of those who are gone as well, or publish the others with --allow-absent, which shows who is gone; or wait until there are more newcomers"
        }
        PipelineError::Attacked { .. } => {
            "nothing was released. `shoal apply RELEASE DATA` publishes new data so that both hold together; or publish only one of the releases, or leave out people who are in both"
        }
        PipelineError::LostRelease { .. } => {
            "give its audit.json with --previous: the new release must hold together with that one, too"
        }
        PipelineError::StreamApplied => {
            "use  shoal stream POLICY  again: with the same [state] and key it goes on where it was"
        }
        PipelineError::OutputIsInput { .. } => {
            "choose another name with -o; the original would be overwritten"
        }
        PipelineError::NoOutput => "add  [output] path = \"…\"  to the policy, or give -o",
        _ => return None,
    })
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
fn as_transactions(separator: char, keys: Option<&[String; 2]>) -> String {
    let separator = separator.escape_debug();
    let (id, item) = keys.map_or(("…", "…"), |[id, item]| (id.as_str(), item.as_str()));
    format!(
        "a row per item: write under [data]  shape = \"transactions\",  format = \"long\",  id = \"{id}\",  item = \"{item}\",  separator = \
         \"{separator}\";  a column per item:  format = \"one-hot\";  all items of a record in one column:  items = \"…\",  item-separator = \"…\";  if every line is a \
         transaction, give --separator \"{separator}\""
    )
}
