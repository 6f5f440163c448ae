use std::path::PathBuf;

use crate::PipelineError;

/// Why settings cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A `--vary` is not of its form.
    #[error("`--vary {given}` is not of the form KEY=VALUE,VALUE,…")]
    NotVaried {
        /// As given.
        given: String,
    },
    /// A `--choose` is not of its form.
    #[error("`--choose {given}` is not of the form ALGORITHM,KEY=VALUE,…")]
    NotChosen {
        /// As given.
        given: String,
    },
    /// A name that is no key.
    #[error("`{name}` is not a key of the policy")]
    UnknownKey {
        /// The name.
        name: String,
        /// The dotted key that may be meant.
        near: Option<String>,
    },
    /// A key is varied twice.
    #[error("`{key}` is varied twice")]
    VariedTwice {
        /// The key, dotted.
        key: String,
    },
    /// Algorithms are not a key to vary.
    #[error("`algorithm.name` cannot be varied")]
    VariedAlgorithm,
    /// An algorithm that does not exist, or not for this shape of data.
    #[error("there is no algorithm `{name}` for data of shape `{shape}`")]
    UnknownAlgorithm {
        /// The name.
        name: String,
        /// The shape.
        shape: &'static str,
        /// The names of those that exist.
        known: Vec<&'static str>,
    },
    /// The data can be read only once.
    #[error("standard input can be read only once, and a comparison reads the data for every cell")]
    OnlyOnce,
    /// The folder holds results of something else.
    #[error("`{}` holds results that were made with {what}", folder.display())]
    OtherResults {
        /// The folder.
        folder: PathBuf,
        /// What is different, as a person says it.
        what: String,
    },
    /// The table of results cannot be understood.
    #[error("`{}` cannot be continued: {why}", path.display())]
    BrokenResults {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The chosen policy would see other files.
    #[error("the paths of the policy are relative to `{}`, and `{}` is in another folder", folder.display(), path.display())]
    OtherFolder {
        /// The folder of the policy.
        folder: PathBuf,
        /// Where the chosen policy was to be written.
        path: PathBuf,
    },
    /// A file cannot be read that the results depend on.
    #[error("`{}` cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// The system gives no threads.
    #[error("{threads} threads cannot be started: {why}")]
    NoThreads {
        /// How many were wanted.
        threads: usize,
        /// What it said.
        why: String,
    },
    /// Somebody has ended the comparison.
    #[error("cancelled; {done} of {all} cells are in `{}`, and the same command goes on from there", folder.display())]
    Cancelled {
        /// How many of the cells asked for are finished.
        done: usize,
        /// How many were asked for.
        all: usize,
        /// Where they are.
        folder: PathBuf,
    },
    /// No cell can be tried, and this is why the first one cannot.
    #[error("{error}")]
    Cell {
        /// What is wrong.
        error: Box<PipelineError>,
        /// The `KEY=VALUE`s of the cell.
        set: Vec<String>,
    },
}

impl CompareError {
    /// What is wrong with a cell that is tried with these overrides.
    pub(crate) fn of_cell(error: PipelineError, set: Vec<String>) -> CompareError {
        CompareError::Cell { error: Box::new(error), set }
    }

    /// The message without anything from the data.
    pub fn redacted(&self) -> String {
        match self {
            CompareError::Cell { error, .. } => error.redacted(),
            CompareError::NotVaried { .. }
            | CompareError::NotChosen { .. }
            | CompareError::UnknownKey { .. }
            | CompareError::VariedTwice { .. }
            | CompareError::VariedAlgorithm
            | CompareError::UnknownAlgorithm { .. }
            | CompareError::OnlyOnce
            | CompareError::OtherResults { .. }
            | CompareError::BrokenResults { .. }
            | CompareError::OtherFolder { .. }
            | CompareError::Unreadable { .. }
            | CompareError::NoThreads { .. }
            | CompareError::Cancelled { .. } => self.to_string(),
        }
    }

    /// The hint without anything from the data.
    pub fn redacted_hint(&self) -> Option<String> {
        match self {
            CompareError::Cell { error, .. } => error.redacted_hint(),
            error => error.hint(),
        }
    }

    /// How to fix it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            CompareError::NotVaried { .. } => "for example  --vary k=2,5,10",
            CompareError::NotChosen { .. } => {
                "for example  --choose ribbon,k=10;  every row of compare.html has its own"
            }
            CompareError::UnknownKey { near: Some(near), .. } => {
                return Some(format!("did you mean `{near}`?"));
            }
            CompareError::UnknownKey { near: None, .. } => "`shoal schema` prints every key",
            CompareError::VariedTwice { .. } => "name all its values in one --vary",
            CompareError::VariedAlgorithm => "name the algorithms with  --algorithms a,b",
            CompareError::UnknownAlgorithm { name, known, .. } => {
                return Some(match shoal_core::nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are: {}", known.join(", ")),
                });
            }
            CompareError::OnlyOnce => "put the data into a file",
            CompareError::OtherResults { .. } => {
                "give another folder with -o, or --force to throw those results away"
            }
            CompareError::BrokenResults { .. } => "give --force to begin anew, or another folder with -o",
            CompareError::OtherFolder { .. } => "write it beside the policy",
            CompareError::Unreadable { .. } => "check the name, and that you may read it",
            CompareError::NoThreads { .. } => "give fewer with --threads",
            CompareError::Cancelled { .. } => return None,
            CompareError::Cell { error, .. } => return error.hint(),
        };
        Some(hint.to_owned())
    }
}
