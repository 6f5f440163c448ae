//! What must survive a crash: a snapshot of the state, and every step since. A step is written down before what it
//! releases leaves; the same steps from the same snapshot give the same releases.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use redb::{Database, DatabaseError, ReadableDatabase, ReadableTable, TableDefinition};
use serde::{Deserialize, Serialize};

use crate::{Record, StreamError};

const STEPS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("steps");
const NOTES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("notes");

/// The name of the file in the state folder.
const FILE: &str = "state.redb";

/// One step, as it is written down.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// A tuple came.
    Tuple { partition: u32, offset: u64, bytes: Vec<u8> },
    /// Everything was let out.
    Flush,
}

impl Entry {
    pub(crate) fn of(record: &Record) -> Entry {
        Entry::Tuple { partition: record.partition, offset: record.offset, bytes: record.bytes.clone() }
    }

    /// The record that came, where one did.
    pub(crate) fn record(&self) -> Option<Record> {
        match self {
            Entry::Tuple { partition, offset, bytes } => {
                Some(Record { partition: *partition, offset: *offset, bytes: bytes.clone() })
            }
            Entry::Flush => None,
        }
    }
}

/// The journal of one stream.
pub(crate) struct Journal {
    database: Database,
    path: PathBuf,
}

impl Journal {
    /// Opens the journal in a folder, which is made where it lacks and which nobody else may read. `belongs_to` names
    /// the stream; a journal of another one is refused.
    pub(crate) fn open(folder: &Path, belongs_to: &str) -> Result<Journal, StreamError> {
        make_folder(folder)?;
        let path = folder.join(FILE);
        let database = Database::create(&path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => StreamError::StateInUse { path: path.clone() },
            error => StreamError::State { path: path.clone(), why: error.to_string() },
        })?;
        keep_secret(&path)?;
        let journal = Journal { database, path };
        match journal.note("belongs-to")? {
            None => journal.write(|transaction| {
                transaction.open_table(STEPS)?;
                transaction.open_table(NOTES)?.insert("belongs-to", belongs_to.as_bytes())?;
                Ok(())
            })?,
            Some(other) if other != belongs_to.as_bytes() => {
                return Err(StreamError::OtherStream { path: journal.path });
            }
            Some(_) => {}
        }
        Ok(journal)
    }

    /// Writes steps down, and which one was the last to leave; they are on the disk when this returns.
    pub(crate) fn append(&self, first: u64, entries: &[Entry], published: u64) -> Result<(), StreamError> {
        self.write(|transaction| {
            transaction.open_table(NOTES)?.insert("published", published.to_le_bytes().as_slice())?;
            let mut steps = transaction.open_table(STEPS)?;
            for (step, entry) in (first..).zip(entries) {
                steps.insert(step, encode(entry).as_slice())?;
            }
            Ok(())
        })
    }

    /// Replaces all steps before `next` by a snapshot that holds them.
    pub(crate) fn snapshot(
        &self,
        next: u64,
        state: &impl Serialize,
        published: u64,
    ) -> Result<(), StreamError> {
        let state = encode(state);
        self.write(|transaction| {
            let mut notes = transaction.open_table(NOTES)?;
            notes.insert("snapshot", state.as_slice())?;
            notes.insert("published", published.to_le_bytes().as_slice())?;
            transaction.open_table(STEPS)?.retain_in(..next, |_, _| false)?;
            Ok(())
        })
    }

    /// The last snapshot.
    pub(crate) fn last_snapshot<T: for<'a> Deserialize<'a>>(&self) -> Result<Option<T>, StreamError> {
        match self.note("snapshot")? {
            None => Ok(None),
            Some(bytes) => self.decode(&bytes).map(Some),
        }
    }

    /// The last step that is known to have left. More may have, if the process died right after.
    pub(crate) fn published(&self) -> Result<u64, StreamError> {
        let bytes = self.note("published")?.and_then(|bytes| bytes.try_into().ok());
        Ok(bytes.map_or(0, u64::from_le_bytes))
    }

    /// What is said of a state that cannot be understood.
    pub(crate) fn damaged(&self) -> StreamError {
        StreamError::State { path: self.path.clone(), why: "it cannot be understood".to_owned() }
    }

    /// The steps since the last snapshot, in order.
    pub(crate) fn steps(&self) -> Result<Vec<(u64, Entry)>, StreamError> {
        let read = || -> Result<Vec<(u64, Vec<u8>)>, redb::Error> {
            let transaction = self.database.begin_read()?;
            let steps = transaction.open_table(STEPS)?;
            let all = steps
                .iter()?
                .map(|step| step.map(|(number, bytes)| (number.value(), bytes.value().to_vec())));
            Ok(all.collect::<Result<_, _>>()?)
        };
        let steps = read().map_err(|error| self.failed(&error))?;
        steps.into_iter().map(|(number, bytes)| Ok((number, self.decode(&bytes)?))).collect()
    }

    fn note(&self, name: &str) -> Result<Option<Vec<u8>>, StreamError> {
        let read = || -> Result<Option<Vec<u8>>, redb::Error> {
            let transaction = self.database.begin_read()?;
            match transaction.open_table(NOTES) {
                Ok(notes) => Ok(notes.get(name)?.map(|bytes| bytes.value().to_vec())),
                Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        };
        read().map_err(|error| self.failed(&error))
    }

    fn write(
        &self,
        work: impl FnOnce(&redb::WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StreamError> {
        let all = || {
            let transaction = self.database.begin_write()?;
            work(&transaction)?;
            transaction.commit()?;
            Ok::<(), redb::Error>(())
        };
        all().map_err(|error| self.failed(&error))
    }

    fn decode<T: for<'a> Deserialize<'a>>(&self, bytes: &[u8]) -> Result<T, StreamError> {
        postcard::from_bytes(bytes)
            .map_err(|error| StreamError::State { path: self.path.clone(), why: error.to_string() })
    }

    fn failed(&self, error: &redb::Error) -> StreamError {
        StreamError::State { path: self.path.clone(), why: error.to_string() }
    }
}

/// Makes the folder of the state where it lacks.
pub(crate) fn make_folder(folder: &Path) -> Result<(), StreamError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| StreamError::File { what: "state folder", path: folder.to_owned(), error })
}

/// Lets nobody else read a file, whoever may read its folder.
pub(crate) fn keep_secret(path: &Path) -> Result<(), StreamError> {
    let closed = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    closed.map_err(|error| StreamError::File { what: "file of the state", path: path.to_owned(), error })
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    postcard::to_stdvec(value).expect("memory takes whatever is written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tuple(offset: u64) -> Entry {
        Entry::Tuple { partition: 3, offset, bytes: vec![7; 9] }
    }

    #[test]
    fn steps_and_snapshots_are_there_after_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Journal::open(&folder.path().join("state"), "this").unwrap();
        let journal = open();
        assert_eq!(journal.last_snapshot::<u64>().unwrap(), None);
        journal.append(1, &[tuple(5), tuple(6), Entry::Flush], 0).unwrap();
        drop(journal);
        let journal = open();
        assert_eq!(journal.steps().unwrap(), [(1, tuple(5)), (2, tuple(6)), (3, Entry::Flush)]);
        assert_eq!(journal.published().unwrap(), 0);
        journal.snapshot(3, &42_u64, 2).unwrap();
        drop(journal);
        let journal = open();
        assert_eq!(journal.published().unwrap(), 2);
        assert_eq!(journal.last_snapshot::<u64>().unwrap(), Some(42));
        assert_eq!(journal.steps().unwrap(), [(3, Entry::Flush)]);
    }

    #[test]
    fn nobody_else_may_read_a_state() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        drop(Journal::open(&state, "this").unwrap());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join(FILE))), (0o700, 0o600));
    }

    #[test]
    fn a_state_belongs_to_one_stream_and_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "this").unwrap();
        assert!(matches!(Journal::open(folder.path(), "this"), Err(StreamError::StateInUse { .. })));
        drop(journal);
        assert!(matches!(Journal::open(folder.path(), "that"), Err(StreamError::OtherStream { .. })));
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(Journal::open(&file, "this"), Err(StreamError::File { .. })));
    }
}
