//! A process that shares the partitions of a topic with others: takes over what the group gives it, gives up what the group
//! takes away, and runs what it has, one batch after the other in one thread.
//!
//! That no record is published twice does not depend on what the group says, which may be old: it depends on the lock of
//! the partition's folder, which is held from before what was published is looked at until after the last message. The folder
//! above them the processes hold together, so that no single process, which knows nothing of partitions, uses it meanwhile.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shoal_pipeline::Request;
use shoal_pipeline::files::{Job, state_folder};
use shoal_pipeline::stream::{Words, words};

use super::Start;
use super::partition::{Partition, PartitionSource};
use crate::engine::Engine;
use crate::figures::numbers;
use crate::identity::{self, has_memory};
use crate::journal::make_folder;
use crate::kafka::{Change, KafkaGroup, SinkClients};
use crate::lock::FolderLock;
use crate::metrics::{self, Shared};
use crate::owner::{self, Owner};
use crate::partition_figures::{GroupFigures, Sum};
use crate::runner::{BATCH, WAIT};
use crate::{
    ConnectorError, Figures, KafkaAddress, Record, RetryPolicy, StreamError, StreamKey, StreamOptions,
    Watcher,
};

/// How long a partition that somebody still has is waited for before it is said, and how often it is said again.
const SAID_AFTER: Duration = Duration::from_secs(5);
const SAID_EVERY: Duration = Duration::from_secs(60);
/// How often it is tried.
const TRY_EVERY: Duration = Duration::from_millis(50);
/// How often figures are left for whoever asks for them.
const FIGURES_EVERY: Duration = Duration::from_millis(500);
/// How often the lag is asked for where no status is reported.
const LAG_EVERY: Duration = Duration::from_secs(10);

/// Runs as one process of a group until somebody asks to stop, or nothing comes for as long as the options say.
pub(crate) fn run_group(
    job: &Job,
    (source, sink): (&KafkaAddress, &KafkaAddress),
    options: &StreamOptions,
    stop: &AtomicBool,
    watcher: &dyn Watcher,
    retry: &dyn Fn() -> RetryPolicy,
) -> Result<Figures, StreamError> {
    let shared = Shared::default();
    if let Some(address) = options.metrics {
        let bound = metrics::serve(address, shared.clone())?;
        watcher.notice(&format!("the figures are at http://{bound}/metrics"));
    }
    let request = job.request()?;
    let group = KafkaGroup::open(source, retry())?;
    let partitions = group.partitions();
    let group = Rc::new(RefCell::new(group));
    let (sinks, there) = SinkClients::open(sink, partitions, retry())?;
    if there < partitions {
        return Err(ConnectorError::Refused {
            url: sink.to_string(),
            why: format!("it has {there} partitions, and the source has {partitions}"),
            hint: format!(
                "partition p of the source goes to partition p of the sink: name a topic with {partitions} partitions, or one \
                 that does not exist yet"
            ),
        }
        .into());
    }
    // A broker is one side at least, so there is a folder.
    let root = state_folder(job).unwrap_or_else(|| job.folder.clone());
    make_folder(&root)?;
    // Before anything is locked that others wait for: a broker that is away may keep this process waiting for long.
    let identity = group.borrow().identity()?;
    // Held until the process ends, as a single process holds it alone: both would publish the same records.
    let in_use = |_| StreamError::StateInUse { path: root.clone() };
    let _shared = FolderLock::try_share(&root)?.map_err(in_use)?;
    let (key, words) = {
        let Some(_lock) = lock_key(&root, stop, watcher)? else { return Ok(Figures::default()) };
        // Nothing is read by it.
        let source = PartitionSource { group: Rc::clone(&group), partition: 0 };
        let start = Start::new(job, request.clone(), Box::new(source), stop, watcher, options);
        start.own_group(&root, partitions, identity.as_deref())?
    };
    let members = Members { job, request, words, options, stop, watcher, root, key: &key, group, sinks };
    let started = Instant::now();
    let mut process = Process {
        owned: BTreeMap::new(),
        members,
        shared,
        awaited: BTreeMap::new(),
        gone: Sum::new(started),
        said_keyless: false,
    };
    process.run()
}

/// Keeps others from making a key as long as this process looks for one: processes that start together must not make two.
/// Others need it for moments only; one that hangs is waited for, not without a word, until somebody asks to stop.
fn lock_key(
    root: &Path,
    stop: &AtomicBool,
    watcher: &dyn Watcher,
) -> Result<Option<FolderLock>, StreamError> {
    let mut say_at = Instant::now() + SAID_AFTER;
    while !stop.load(Ordering::Relaxed) {
        let holder = match FolderLock::try_take_key(root)? {
            Ok(lock) => return Ok(Some(lock)),
            Err(holder) => holder,
        };
        if Instant::now() >= say_at {
            say_at = Instant::now() + SAID_EVERY;
            watcher.notice(&format!("{holder} looks for the key: waiting until it has one or ends"));
        }
        std::thread::sleep(TRY_EVERY);
    }
    Ok(None)
}

/// What all partitions of a process share.
pub(super) struct Members<'g> {
    /// For the places of files only; what the policy asks for is in `request`.
    pub(super) job: &'g Job,
    pub(super) request: Request,
    pub(super) words: Words,
    pub(super) options: &'g StreamOptions,
    pub(super) stop: &'g AtomicBool,
    pub(super) watcher: &'g dyn Watcher,
    /// The state folder, with a folder for each partition.
    pub(super) root: PathBuf,
    pub(super) key: &'g StreamKey,
    pub(super) group: Rc<RefCell<KafkaGroup>>,
    pub(super) sinks: Rc<SinkClients>,
}

struct Process<'g> {
    /// Partitions that are run here. Dropped first: others may have them, however long it takes to leave the group.
    owned: BTreeMap<u32, Partition<'g>>,
    members: Members<'g>,
    shared: Shared,
    /// Partitions that the group has given to this process and another one still has.
    awaited: BTreeMap<u32, Awaited>,
    /// What was done for partitions that are others' now.
    gone: Sum,
    /// Whether it was said that records have no key.
    said_keyless: bool,
}

struct Awaited {
    tried: Option<Instant>,
    /// When it is to be said that it is waited for.
    say_at: Instant,
}

impl Start<'_> {
    /// Makes or reads the key, binds it to its use and the folder to the stream. Called by one process at a time.
    fn own_group(
        &self,
        root: &Path,
        partitions: u32,
        source: Option<&str>,
    ) -> Result<(StreamKey, Words), StreamError> {
        let words = words(&self.request, &self.binding);
        self.warn(&words);
        let key = self.read_key()?;
        let mut identity = self.identity();
        if has_memory(self.binding.promise) {
            // With another number of partitions people move to other ones, away from what is remembered of them.
            identity.push_str(&format!(" in {partitions} partitions"));
        }
        let sink = self.sink_name();
        let owner = Owner { policy: &identity, sink: sink.as_deref(), source };
        owner::check(root, &key.key, &owner)?;
        let values = self.binding.values.as_ref();
        let engine = Engine::build(&self.request, &self.binding, &key.key, values)?;
        let key_use = identity::of_key_use(self.request.policy(), self.binding.promise, &engine);
        key.bind(&key_use, Some(root))?;
        owner::claim(root, &key.key, &owner)?;
        Ok((key.key, words))
    }
}

impl Process<'_> {
    fn run(&mut self) -> Result<Figures, StreamError> {
        let options = self.members.options;
        self.members.group.borrow().join()?;
        let (mut reported, mut shown, mut busy) = (Instant::now(), Instant::now(), Instant::now());
        while !self.members.stop.load(Ordering::Relaxed) {
            // Whoever waits for a share is not idle.
            if self.follow_group()? || !self.members.group.borrow().has_joined() {
                busy = Instant::now();
            }
            let max = BATCH * self.owned.len().max(1);
            let batch = self.members.group.borrow_mut().fetch(max, WAIT)?;
            if !batch.records.is_empty() {
                self.take(batch.records)?;
                self.mind_keys();
                busy = Instant::now();
            }
            for partition in self.owned.values_mut() {
                partition.runner.let_time_pass()?;
            }
            if options.idle_exit.is_some_and(|limit| busy.elapsed() >= limit) {
                return self.end();
            }
            if reported.elapsed() >= options.status_every.unwrap_or(LAG_EVERY) {
                self.owned.values_mut().for_each(|partition| partition.runner.ask_lag());
                if options.status_every.is_some() {
                    self.members.watcher.status(&self.figures());
                }
                reported = Instant::now();
            }
            if shown.elapsed() >= FIGURES_EVERY {
                self.shared.set(self.figures());
                shown = Instant::now();
            }
        }
        // What waits goes on to wait, with whoever takes the partition over.
        let figures = self.figures();
        self.owned.values_mut().try_for_each(|partition| partition.runner.hand_over())?;
        self.owned.clear();
        Ok(figures)
    }

    /// Nothing comes any more: lets out what waits in the partitions that are run here.
    fn end(&mut self) -> Result<Figures, StreamError> {
        for partition in self.owned.values_mut() {
            partition.runner.finish()?;
        }
        let figures = self.figures();
        self.owned.clear();
        Ok(figures)
    }

    /// Does what the group has decided; says whether anything changed.
    fn follow_group(&mut self) -> Result<bool, StreamError> {
        let changes = self.members.group.borrow_mut().changes()?;
        for change in &changes {
            match change {
                Change::Assigned(partition) => self.expect(*partition)?,
                Change::Revoked(partition) => self.give_up(*partition)?,
            }
        }
        let taken = self.take_over()?;
        if taken || !changes.is_empty() {
            let mine = numbers(self.owned.keys());
            let all = self.members.group.borrow().partitions();
            self.members.watcher.notice(&format!("partitions of this process: {mine} (of {all})"));
            self.shared.set(self.figures());
        }
        Ok(taken || !changes.is_empty())
    }

    fn expect(&mut self, partition: u32) -> Result<(), StreamError> {
        let group = self.members.group.borrow();
        if partition >= group.partitions() {
            return Err(StreamError::MorePartitions { before: group.partitions(), partition });
        }
        self.awaited.insert(partition, Awaited { tried: None, say_at: Instant::now() + SAID_AFTER });
        Ok(())
    }

    /// Seals a partition, so that another process goes on where this one stopped. Records that were fetched and not taken
    /// are not touched: they come to the next one.
    fn give_up(&mut self, partition: u32) -> Result<(), StreamError> {
        self.awaited.remove(&partition);
        self.members.group.borrow_mut().leave(partition)?;
        if let Some(mut owned) = self.owned.remove(&partition) {
            owned.runner.hand_over()?;
            self.gone.add_gone(&owned.runner.figures(), owned.runner.times());
        }
        Ok(())
    }

    /// Takes over those of the awaited partitions that nobody has any more.
    fn take_over(&mut self) -> Result<bool, StreamError> {
        let mut taken = Vec::new();
        for (partition, awaited) in &mut self.awaited {
            if awaited.tried.is_some_and(|tried| tried.elapsed() < TRY_EVERY) {
                continue;
            }
            awaited.tried = Some(Instant::now());
            match Partition::take_over(&self.members, *partition)? {
                Ok(owned) => taken.push((*partition, owned)),
                Err(holder) => {
                    if Instant::now() >= awaited.say_at {
                        awaited.say_at = Instant::now() + SAID_EVERY;
                        self.members.watcher.notice(&format!(
                            "partition {partition} was given to this process, and {holder} still has its state: waiting until it \
                             lets go or ends"
                        ));
                    }
                }
            }
        }
        let any = !taken.is_empty();
        for (partition, owned) in taken {
            self.awaited.remove(&partition);
            self.owned.insert(partition, owned);
        }
        Ok(any)
    }

    /// Takes records, each partition's by itself.
    fn take(&mut self, records: Vec<Record>) -> Result<(), StreamError> {
        let mut by_partition: BTreeMap<u32, Vec<Record>> = BTreeMap::new();
        for record in records {
            by_partition.entry(record.partition).or_default().push(record);
        }
        for (partition, records) in by_partition {
            // What is read is owned; see `give_up`.
            let Some(owned) = self.owned.get_mut(&partition) else { continue };
            for records in records.chunks(BATCH) {
                owned.runner.take(records)?;
            }
        }
        Ok(())
    }

    /// Says once that records come without a key, where a person should always be in one partition.
    fn mind_keys(&mut self) {
        let names_person = self.members.request.policy().data.person.is_some();
        if names_person && !self.said_keyless && self.members.group.borrow().without_key() > 0 {
            self.said_keyless = true;
            self.members.watcher.notice(
                "records come without a key: the broker may put a person's records into several partitions, where they are out of \
                 order; let producers send the person as the key",
            );
        }
    }

    fn figures(&self) -> Figures {
        let mut sum = self.gone.clone();
        for (partition, owned) in &self.owned {
            sum.add(*partition, &owned.runner.figures(), owned.runner.times());
        }
        let group = self.members.group.borrow();
        let figures = GroupFigures {
            total: group.partitions(),
            awaited: self.awaited.keys().copied().collect(),
            records_without_key: group.without_key(),
            ..GroupFigures::default()
        };
        sum.finish(figures, self.members.words.clone(), &self.members.root)
    }
}
