use std::io;
use std::path::PathBuf;

use super::PostgresError;
use crate::format::Layout;

/// Why something cannot be written or published.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The folder of the target does not exist.
    #[error("{}: the folder {} does not exist", path.display(), folder.display())]
    MissingFolder {
        /// The target.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The target is a folder.
    #[error("{}: this is a folder", path.display())]
    IsFolder {
        /// The target.
        path: PathBuf,
    },
    /// The operating system refuses.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The target.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// A PostgreSQL server does not take what it is given.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The table has no column.
    #[error("{}: the table has no column to write", path.display())]
    NoColumns {
        /// The target.
        path: PathBuf,
    },
    /// The Parquet writer refuses.
    #[error("{}: cannot be written as Parquet: {why}", path.display())]
    Parquet {
        /// The target.
        path: PathBuf,
        /// What the Parquet writer said.
        why: String,
    },
    /// Arrow cannot hold the table.
    #[error("the table cannot be given as record batches: {why}")]
    Batches {
        /// What Arrow said.
        why: String,
    },
    /// A format that is read but not written.
    #[error("{}: published data is not written as {} file", path.display(), layout.with_article())]
    NotWritten {
        /// The target.
        path: PathBuf,
        /// The format that its name tells.
        layout: Layout,
    },
    /// A name of a format that is neither read nor written.
    #[error("{}: published data is not written as a {ending} file", path.display())]
    OtherEnding {
        /// The target.
        path: PathBuf,
        /// How its name ends.
        ending: &'static str,
    },
    /// Transactions are lines, and Parquet has none.
    #[error("{}: a Parquet file has no lines of items", path.display())]
    NotABasketFile {
        /// The target.
        path: PathBuf,
    },
    /// An item that would be read back as another one, or as several.
    #[error("{}: the item `{}` cannot be written between separators `{}`", path.display(), item.escape_debug(), separator.escape_debug())]
    UnreadableItem {
        /// The target.
        path: PathBuf,
        /// The item.
        item: String,
        /// What separates items.
        separator: char,
    },
    /// A column of lists, and a format that knows none.
    #[error("{}: a column of lists cannot be written as CSV", path.display())]
    NoLists {
        /// The target.
        path: PathBuf,
    },
    /// A copy of published data does not read back as what was published.
    #[error("{}: what was written does not read back as what was verified", path.display())]
    NotACopy {
        /// The target.
        path: PathBuf,
    },
    /// A column with nulls, a format without them, and a policy that reads empty texts as values.
    #[error("{}: column `{column}` has nulls, which would be empty texts in CSV, and the policy does not read these as missing", path.display())]
    LostNulls {
        /// The target.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// Transactions are to be published without the dictionary of their groups.
    #[error("{}: not published: it holds numbers of groups, and there is no dictionary with it", path.display())]
    WithoutGroups {
        /// The target.
        path: PathBuf,
    },
    /// There is no place for a dictionary of groups.
    #[error("{}: there is no place for a dictionary of groups beside it", path.display())]
    NoPlaceForGroups {
        /// The target.
        path: PathBuf,
    },
    /// The bytes are not those that were verified.
    #[error("{}: not published: SHA-256 {proven} was verified, but the file has {found}", path.display())]
    NotTheVerifiedBytes {
        /// The target.
        path: PathBuf,
        /// The digest in the proof.
        proven: String,
        /// The digest of the file as it is on disk.
        found: String,
    },
}

impl WriteError {
    /// The error for a refused action on a target.
    pub(crate) fn io(path: impl Into<PathBuf>, action: &'static str, source: io::Error) -> WriteError {
        WriteError::Io { path: path.into(), action, source }
    }

    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            WriteError::MissingFolder { .. } => "create the folder, or choose another place",
            WriteError::IsFolder { .. } => "name a file in it",
            WriteError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    "free space or choose another place"
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    "you may not write here; choose another place or ask for permission"
                }
                io::ErrorKind::NotADirectory => {
                    "a part of the path is a file where a folder is needed; choose another place"
                }
                io::ErrorKind::BrokenPipe => "the program that reads the output ended early",
                _ => "check the disk or the connection, then try again",
            },
            WriteError::Postgres(error) => error.hint,
            WriteError::NoColumns { .. } => "give at least one column a role other than identifier",
            WriteError::Parquet { .. } => "write .csv instead",
            WriteError::NotWritten { .. } | WriteError::OtherEnding { .. } => {
                "let the name end in .csv or .parquet (also .csv.gz, .csv.zst): Excel opens CSV, and Arrow reads Parquet"
            }
            WriteError::Batches { .. } => "write a file instead",
            WriteError::NotABasketFile { .. } => "let the name end in .txt, .txt.gz or .txt.zst",
            WriteError::UnreadableItem { .. } => {
                "choose a separator that is in no item, or rename the item; it must not begin like a group"
            }
            WriteError::NoLists { .. } => "write .parquet instead",
            WriteError::NotACopy { .. } => {
                "nothing was written. This is a defect: please report it with the policy; another format may do"
            }
            WriteError::LostNulls { .. } => {
                "write .parquet instead, or name the empty text in  data.missing  and anonymize again"
            }
            WriteError::WithoutGroups { .. } | WriteError::NoPlaceForGroups { .. } => {
                "write the groups out with  output.groups = \"written-out\""
            }
            WriteError::NotTheVerifiedBytes { .. } => {
                "something changed the file between verifying and publishing; find out what, then run again"
            }
        }
    }
}
