//! One partition of a topic that several processes share: a stream of its own, with a folder, a key, a sink and a journal
//! of its own.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use shoal_core::stream::StreamPromise;

use super::Start;
use super::group::Members;
use crate::engine::Engine;
use crate::journal::make_folder;
use crate::kafka::{KafkaGroup, KafkaSink};
use crate::lock::FolderLock;
use crate::metrics::Shared;
use crate::runner::Runner;
use crate::{Batch, ConnectorError, Frontier, Seal, Sink, Source, StreamError, owner};

/// A partition that is this process's.
pub(super) struct Partition<'g> {
    pub(super) runner: Runner<'g>,
    /// Freed after the journal is closed: fields are dropped in this order.
    _lock: FolderLock,
}

impl<'g> Partition<'g> {
    /// Takes a partition over: its folder, then what was published of it, then its records. Says who has the folder where
    /// another process still has.
    pub(super) fn take_over(
        members: &Members<'g>,
        partition: u32,
    ) -> Result<Result<Partition<'g>, String>, StreamError> {
        let folder = members.root.join(format!("partition-{partition}"));
        make_folder(&folder)?;
        // First of all: as long as somebody has it, that somebody may publish.
        let lock = match FolderLock::try_take(&folder)? {
            Ok(lock) => lock,
            Err(holder) => return Ok(Err(holder)),
        };
        let key = members.key.of_partition(partition);
        let mut sink = KafkaSink::of_partition(&members.sinks, partition);
        // A key of its own also for the marks: those of another partition cannot be read here.
        sink.seal(Seal::new(key.bytes()));
        let source = PartitionSource { group: Rc::clone(&members.group), partition };
        let (request, options) = (members.request.clone(), members.options);
        let mut start =
            Start::new(members.job, request, Box::new(source), members.stop, members.watcher, options);
        start.dead_letters = dead_letters_of(&start, &folder, partition);
        start.folder = Some(folder);
        start.refuse_foreign_sink(&mut sink)?;
        start.own_folder(&key, owner::claim)?;
        // Sets are drawn for a person and a value. Under one key for all partitions a person gets the same set in each of
        // them; two could be intersected. Everything else is drawn by number, where one key would repeat itself.
        let draws = match start.binding.promise {
            StreamPromise::Sets { .. } => members.key,
            StreamPromise::Groups { .. } | StreamPromise::Crowds { .. } => &key,
        };
        let values = start.binding.values.clone();
        let engine = Engine::build(&start.request, &start.binding, draws, values.as_ref())?;
        let words = members.words.clone();
        let runner = start.runner(engine, &key, Box::new(sink), Shared::default(), words)?;
        Ok(Ok(Partition { runner, _lock: lock }))
    }
}

impl Start<'_> {
    /// A folder that was never used cannot be that of a partition that was published: another one was used then, on another
    /// machine for instance, and whoever has it may still publish.
    fn refuse_foreign_sink(&self, sink: &mut KafkaSink) -> Result<(), StreamError> {
        let Some(folder) = self.folder.as_ref().filter(|folder| !owner::is_claimed(folder)) else {
            return Ok(());
        };
        match sink.last()? {
            Some(last) => Err(StreamError::NotShared { folder: folder.clone(), sink: last.step }),
            None => Ok(()),
        }
    }
}

/// Each partition has a file of dead letters of its own: two processes must not write into one.
fn dead_letters_of(start: &Start<'_>, folder: &Path, partition: u32) -> PathBuf {
    match &start.request.policy().output.dead_letters {
        None => folder.join("dead-letters.ndjson"),
        Some(_) => {
            let named = &start.dead_letters;
            let end = named.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
            named.with_extension(format!("{partition}{end}"))
        }
    }
}

/// A partition as a source. Records do not come through it: those of all partitions are fetched together.
pub(super) struct PartitionSource {
    pub(super) group: Rc<RefCell<KafkaGroup>>,
    pub(super) partition: u32,
}

impl Source for PartitionSource {
    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        self.group.borrow_mut().start(self.partition, frontier)
    }

    fn fetch(&mut self, _max: usize, _wait: Duration) -> Result<Batch, ConnectorError> {
        Ok(Batch::default())
    }

    fn replays(&self) -> bool {
        true
    }

    fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        self.group.borrow().identity()
    }

    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        self.group.borrow().acknowledge(frontier)
    }

    fn lag(&mut self) -> Option<u64> {
        self.group.borrow().lag(self.partition)
    }
}
