//! A source that shares its partitions with other processes.
//!
//! Two clients, because two things must not be mixed up: which partitions are ours, which the broker decides and may change
//! at any moment, and from where each of them is read, which only our own frontier says. The member takes part in the group
//! and reads nothing; the reader is told partition by partition where to start and knows of no group.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext, Rebalance};
use rdkafka::types::RDKafkaErrorCode as Code;

use super::broker::{ANSWER, Broker, is_passing, reason};
use super::source::fetch;
use crate::{Batch, ConnectorError, Frontier, KafkaAddress, RetryPolicy};

/// A partition that came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Assigned(u32),
    Revoked(u32),
}

/// The partitions of a topic that the group gives to this process.
pub(crate) struct KafkaGroup {
    broker: Broker,
    member: Member,
    reader: BaseConsumer,
    /// Looks up where partitions begin and end: the reader must not be moved for that.
    scout: BaseConsumer,
    /// Of each partition that is read, the first offset that has not been handed out.
    next: BTreeMap<u32, u64>,
    /// How many partitions the topic has.
    partitions: u32,
    /// Records without a key, which the broker may have put into any partition.
    without_key: u64,
}

/// Takes part in the group until it is dropped.
struct Member(Option<BaseConsumer<Membership>>);

impl Deref for Member {
    type Target = BaseConsumer<Membership>;

    fn deref(&self) -> &BaseConsumer<Membership> {
        self.0.as_ref().expect("taken by drop only")
    }
}

/// Leaves the group, and does not wait for it longer than for an answer: the client waits until everything is answered that it has sent, and
/// sends a commit again for as long as the broker is away. A group that does not hear of it misses the process after a session's time.
impl Drop for Member {
    fn drop(&mut self) {
        let member = self.0.take();
        let (sender, has_left) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            drop(member);
            sender.send(())
        });
        let _ = has_left.recv_timeout(ANSWER);
    }
}

/// What the group decided and was not asked for yet. Called by `poll`, in its thread.
#[derive(Default)]
struct Membership {
    changes: Mutex<Vec<Change>>,
    /// Whether the group has given it anything, be it nothing.
    joined: AtomicBool,
}

impl ClientContext for Membership {}

impl ConsumerContext for Membership {
    fn post_rebalance(&self, member: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        let mut changes = self.changes.lock().expect("nobody panics with it");
        let numbers = |list: &rdkafka::TopicPartitionList| {
            list.elements().iter().map(|element| element.partition() as u32).collect::<Vec<_>>()
        };
        match rebalance {
            Rebalance::Assign(list) => {
                // It must hold them to be a member, and must not read them. Should it read a little before this is heard,
                // nobody looks at that.
                let _ = member.pause(list);
                self.joined.store(true, Ordering::Relaxed);
                changes.extend(numbers(list).into_iter().map(Change::Assigned));
            }
            Rebalance::Revoke(list) => changes.extend(numbers(list).into_iter().map(Change::Revoked)),
            Rebalance::Error(_) => {}
        }
    }
}

impl KafkaGroup {
    /// Connects. The topic must exist.
    pub(crate) fn open(address: &KafkaAddress, retry: RetryPolicy) -> Result<KafkaGroup, ConnectorError> {
        let broker = Broker::new(address, retry);
        let (reader, scout) = (broker.reader("shoal-reader")?, broker.reader("shoal-scout")?);
        let partitions = broker.partitions_of_source(&scout)?.len() as u32;
        let mut config = broker.config();
        config
            .set("group.id", address.group.as_deref().unwrap_or("shoal"))
            // After that long without a sign of life a process counts as dead, and others take its partitions over. The
            // least that brokers allow by default: nothing is lost by taking over too early, see `lock.rs`.
            .set("session.timeout.ms", "6000")
            .set("heartbeat.interval.ms", "1000")
            // A partition stays where it is unless it has to move: each move is a recovery.
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "latest")
            .set("allow.auto.create.topics", "false");
        let member = config.create_with_context(Membership::default()).map_err(|e| broker.refused(&e))?;
        let member = Member(Some(member));
        Ok(KafkaGroup { broker, member, reader, scout, next: BTreeMap::new(), partitions, without_key: 0 })
    }

    /// How many partitions the topic has.
    pub(crate) fn partitions(&self) -> u32 {
        self.partitions
    }

    /// See [`Source::identity`](crate::Source::identity).
    pub(crate) fn identity(&self) -> Result<Option<String>, ConnectorError> {
        self.broker.identity(&self.scout)
    }

    /// Asks the group for a share.
    pub(crate) fn join(&self) -> Result<(), ConnectorError> {
        self.member.subscribe(&[&self.broker.topic]).map_err(|e| self.broker.refused(&e))
    }

    /// Whether the group has answered. While one of it has died and is not missed yet, that takes a while.
    pub(crate) fn has_joined(&self) -> bool {
        self.member.context().joined.load(Ordering::Relaxed)
    }

    /// Takes part in the group: must be called again and again, or others take over. What changed, in order.
    pub(crate) fn changes(&mut self) -> Result<Vec<Change>, ConnectorError> {
        // A poll hands over one thing at most.
        for _ in 0..4 {
            match self.member.poll(Duration::ZERO) {
                None => break,
                Some(Ok(_)) => {}
                Some(Err(e)) if is_passing(&e) => self.broker.status.away(&reason(&e)),
                // Too slow for the group, or unknown to it: what was ours is revoked, and it joins again by itself.
                Some(Err(e)) if is_left_behind(e.rdkafka_error_code()) => {
                    self.broker.status.notice(&format!("{}: {}", self.broker.status.url(), reason(&e)));
                }
                Some(Err(e)) => return Err(self.broker.refused(&e)),
            }
        }
        Ok(std::mem::take(&mut *self.member.context().changes.lock().expect("nobody panics with it")))
    }

    /// Reads a partition from where the frontier ends; where it says nothing, from what was acknowledged or from the
    /// beginning.
    pub(crate) fn start(&mut self, partition: u32, frontier: &Frontier) -> Result<(), ConnectorError> {
        if let Some((other, _)) = frontier.iter().find(|(other, _)| *other != partition) {
            return Err(self.broker.status.refused(
                format!("what was published for partition {partition} comes from partition {other}"),
                "this is the sink of another stream: publish into a new topic",
            ));
        }
        let wanted = match frontier.next(partition) {
            Some(next) => Some(next),
            None => {
                let committed = self.broker.committed(&self.member, &[partition as i32])?;
                committed.get(&partition).copied()
            }
        };
        let (start, from) = self.broker.start(&self.scout, partition as i32, wanted)?;
        self.next.insert(partition, start);
        let list = self.broker.places(&BTreeMap::from([(partition, from)]))?;
        self.reader.incremental_assign(&list).map_err(|e| self.broker.refused(&e))
    }

    /// Reads a partition no longer.
    pub(crate) fn leave(&mut self, partition: u32) -> Result<(), ConnectorError> {
        if self.next.remove(&partition).is_none() {
            return Ok(());
        }
        let list = self.broker.places(&BTreeMap::from([(partition, 0)]))?;
        self.reader.incremental_unassign(&list).map_err(|e| self.broker.refused(&e))
    }

    /// Records of the partitions that are read; see [`Source::fetch`](crate::Source::fetch).
    pub(crate) fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError> {
        fetch(&self.broker, &self.reader, &mut self.next, &mut self.without_key, max, wait)
    }

    /// How many records came without a key.
    pub(crate) fn without_key(&self) -> u64 {
        self.without_key
    }

    /// Tells the broker how far a partition was read: for people who look at the group from outside. Nothing depends on it,
    /// so it is not waited for, and a process whose partition was taken away meanwhile is not heard.
    pub(crate) fn acknowledge(&self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let list = self.broker.places(&frontier.iter().collect())?;
        let _ = self.member.commit(&list, CommitMode::Async);
        Ok(())
    }

    /// How many records of a partition wait in the broker.
    pub(crate) fn lag(&self, partition: u32) -> Option<u64> {
        let next = self.next.get(&partition)?;
        let (_, end) = self.scout.fetch_watermarks(&self.broker.topic, partition as i32, ANSWER).ok()?;
        Some((end.max(0) as u64).saturating_sub(*next))
    }
}

fn is_left_behind(code: Option<Code>) -> bool {
    matches!(
        code,
        Some(
            Code::PollExceeded
                | Code::UnknownMemberId
                | Code::IllegalGeneration
                | Code::RebalanceInProgress
                | Code::AutoOffsetReset
        )
    )
}
