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

/// How steps and snapshots are written. Another version may write them otherwise, and must not read these.
const FORMAT: u64 = 2;

/// One step, as it is written down. Time is in milliseconds; what is decided by the clock is decided again by the time that
/// stands here, so that a replay gives the same bytes.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// A tuple came.
    Tuple { time: u64, partition: u32, offset: u64, bytes: Vec<u8> },
    /// Time passed, and somebody's time was up.
    Tick { time: u64 },
    /// Everything was let out.
    Flush,
}

/// What is known to have left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// The last step of which everything has left. More may have, if the process died right after.
    pub(crate) step: u64,
    /// The last step that had a message.
    pub(crate) message: u64,
}

impl Entry {
    pub(crate) fn of(record: &Record, time: u64) -> Entry {
        Entry::Tuple { time, partition: record.partition, offset: record.offset, bytes: record.bytes.clone() }
    }

    /// When it happened; a flush is at no time.
    pub(crate) fn time(&self) -> Option<u64> {
        match self {
            Entry::Tuple { time, .. } | Entry::Tick { time } => Some(*time),
            Entry::Flush => None,
        }
    }

    /// The record that came, where one did.
    pub(crate) fn record(&self) -> Option<Record> {
        match self {
            Entry::Tuple { partition, offset, bytes, .. } => {
                Some(Record { partition: *partition, offset: *offset, bytes: bytes.clone() })
            }
            Entry::Tick { .. } | Entry::Flush => None,
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
        if !path.exists() {
            create_whole(&path)?;
        }
        let database = Database::create(&path).map_err(|error| match error {
            DatabaseError::DatabaseAlreadyOpen => StreamError::StateInUse { path: path.clone() },
            error => StreamError::State { path: path.clone(), why: error.to_string() },
        })?;
        keep_secret(&path)?;
        let journal = Journal { database, path };
        let format = FORMAT.to_le_bytes();
        match (journal.note("belongs-to")?, journal.note("format")?) {
            (None, _) => journal.write(|transaction| {
                transaction.open_table(STEPS)?;
                let mut notes = transaction.open_table(NOTES)?;
                notes.insert("belongs-to", belongs_to.as_bytes())?;
                notes.insert("format", format.as_slice())?;
                Ok(())
            })?,
            (Some(_), found) if found.as_deref() != Some(format.as_slice()) => {
                return Err(StreamError::OtherFormat { path: journal.path });
            }
            (Some(other), _) if other != belongs_to.as_bytes() => {
                return Err(StreamError::OtherStream { path: journal.path });
            }
            (Some(_), _) => {}
        }
        Ok(journal)
    }

    /// Writes steps down, and what has left; they are on the disk when this returns.
    pub(crate) fn append(&self, first: u64, entries: &[Entry], left: Left) -> Result<(), StreamError> {
        self.write(|transaction| {
            note_left(&mut transaction.open_table(NOTES)?, left)?;
            let mut steps = transaction.open_table(STEPS)?;
            for (step, entry) in (first..).zip(entries) {
                steps.insert(step, encode(entry).as_slice())?;
            }
            Ok(())
        })
    }

    /// Replaces all steps before `next` by a snapshot that holds them.
    pub(crate) fn snapshot(&self, next: u64, state: &impl Serialize, left: Left) -> Result<(), StreamError> {
        let state = encode(state);
        self.write(|transaction| {
            let mut notes = transaction.open_table(NOTES)?;
            notes.insert("snapshot", state.as_slice())?;
            note_left(&mut notes, left)?;
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

    /// What is known to have left.
    pub(crate) fn left(&self) -> Result<Left, StreamError> {
        let number = |name: &str| -> Result<u64, StreamError> {
            let Some(bytes) = self.note(name)? else { return Ok(0) };
            Ok(u64::from_le_bytes(bytes.try_into().map_err(|_| self.damaged())?))
        };
        Ok(Left { step: number("published")?, message: number("last-message")? })
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

/// Makes an empty database under another name first. redb writes the beginning of a new file in several steps, and a
/// process that is killed between them would leave a file that nobody can open again.
fn create_whole(path: &Path) -> Result<(), StreamError> {
    let begun = path.with_extension(format!("{}.new", std::process::id()));
    let failed = |why: String| StreamError::State { path: begun.clone(), why };
    // Left by a killed process that had the same number.
    let _ = fs::remove_file(&begun);
    drop(Database::create(&begun).map_err(|error| failed(error.to_string()))?);
    keep_secret(&begun)?;
    // A link instead of a rename: where another process was quicker, its database stays, and opening it says that it is in use.
    // Where the file system knows no links, the database is made in its place after all.
    let _ = fs::hard_link(&begun, path);
    fs::remove_file(&begun).map_err(|error| failed(error.to_string()))
}

fn note_left(notes: &mut redb::Table<'_, &str, &[u8]>, left: Left) -> Result<(), redb::Error> {
    notes.insert("published", left.step.to_le_bytes().as_slice())?;
    notes.insert("last-message", left.message.to_le_bytes().as_slice())?;
    Ok(())
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
        Entry::Tuple { time: 5, partition: 3, offset, bytes: vec![7; 9] }
    }

    #[test]
    fn a_killed_beginning_is_not_in_the_way_and_an_open_journal_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        make_folder(&state).unwrap();
        // What a process leaves that was killed while it made its database.
        fs::write(state.join(format!("state.{}.new", std::process::id())), [0; 100]).unwrap();
        let journal = Journal::open(&state, "this").unwrap();
        let names = || fs::read_dir(&state).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
        assert_eq!(names(), [FILE]);
        assert!(matches!(Journal::open(&state, "this"), Err(StreamError::StateInUse { .. })));
        // Another process that found no file yet does not replace this one.
        create_whole(&state.join(FILE)).unwrap();
        assert_eq!(names(), [FILE]);
        journal.append(1, &[tuple(5)], Left { step: 0, message: 0 }).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&state, "this").unwrap().steps().unwrap(), [(1, tuple(5))]);
    }

    #[test]
    fn steps_and_snapshots_are_there_after_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Journal::open(&folder.path().join("state"), "this").unwrap();
        let journal = open();
        assert_eq!(journal.last_snapshot::<u64>().unwrap(), None);
        let left = |step, message| Left { step, message };
        journal.append(1, &[tuple(5), Entry::Tick { time: 9 }, Entry::Flush], left(0, 0)).unwrap();
        drop(journal);
        let journal = open();
        assert_eq!(
            journal.steps().unwrap(),
            [(1, tuple(5)), (2, Entry::Tick { time: 9 }), (3, Entry::Flush)]
        );
        assert_eq!(journal.left().unwrap(), left(0, 0));
        journal.snapshot(3, &42_u64, left(2, 1)).unwrap();
        drop(journal);
        let journal = open();
        assert_eq!(journal.left().unwrap(), left(2, 1));
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
    fn a_state_of_another_version_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), "this").unwrap();
        let old = |transaction: &redb::WriteTransaction| {
            transaction.open_table(NOTES)?.remove("format")?;
            Ok(())
        };
        journal.write(old).unwrap();
        drop(journal);
        assert!(matches!(Journal::open(folder.path(), "this"), Err(StreamError::OtherFormat { .. })));
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
