use std::collections::BTreeMap;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::message::BorrowedMessage;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Message, TopicPartitionList};

use shoal_io::stream::LINE_LIMIT;

use super::broker::{ANSWER, Broker, is_passing, reason};
use crate::connector::BATCH_BYTES;
use crate::{Batch, ConnectorError, Frontier, KafkaAddress, Record, RetryPolicy, Source};

/// Reads all partitions of a topic. It is told where to start, and takes part in no balancing: one process reads.
/// What was acknowledged is committed for a consumer group.
pub struct KafkaSource {
    broker: Broker,
    /// Shared with a commit that waits for an answer.
    consumer: Arc<BaseConsumer>,
    /// Of each partition, the first offset that has not been handed out.
    next: BTreeMap<u32, u64>,
    /// Of each partition, the first offset that has not been acknowledged.
    acknowledged: BTreeMap<u32, u64>,
}

impl KafkaSource {
    /// Connects. The topic must exist.
    pub fn open(address: &KafkaAddress, retry: RetryPolicy) -> Result<KafkaSource, ConnectorError> {
        let broker = Broker::new(address, retry);
        let consumer = Arc::new(broker.reader(address.group.as_deref().unwrap_or("shoal"))?);
        let source = KafkaSource { broker, consumer, next: BTreeMap::new(), acknowledged: BTreeMap::new() };
        source.broker.partitions_of_source(&source.consumer)?;
        Ok(source)
    }

    /// Commits once. Says so where no answer comes, and gives up where somebody wants to stop.
    ///
    /// In a thread of its own, since the client's call has no time limit: a request whose connection broke is sent again for
    /// as long as the broker is away, without a word.
    fn commit(&self, list: TopicPartitionList) -> Result<KafkaResult<()>, ConnectorError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let consumer = Arc::clone(&self.consumer);
        std::thread::spawn(move || answer.send(consumer.commit(&list, CommitMode::Sync)));
        loop {
            match answered.recv_timeout(ANSWER) {
                Ok(result) => return Ok(result),
                Err(mpsc::RecvTimeoutError::Timeout) => self.broker.status.still_away("no answer")?,
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    panic!("the thread of a commit ended without an answer")
                }
            }
        }
    }
}

impl Source for KafkaSource {
    fn replays(&self) -> bool {
        true
    }

    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let partitions = self.broker.partitions_of_source(&self.consumer)?;
        let mut wanted: BTreeMap<u32, u64> = frontier.iter().collect();
        // A partition of which nothing was published yet is not in the frontier, and goes on where the group has come to: another stream may have published what is before that, under
        // another key, and whoever has both could compare them.
        for (partition, next) in self.broker.committed(&self.consumer, &partitions)? {
            wanted.entry(partition).or_insert(next);
        }
        if let Some(partition) = wanted.keys().find(|partition| !partitions.contains(&(**partition as i32))) {
            return Err(self.broker.status.refused(
                format!("partition {partition} has been read before, but the topic does not have it"),
                "this is another topic, or it was made anew: publish into a new sink",
            ));
        }
        let mut from = BTreeMap::new();
        self.next.clear();
        for partition in partitions {
            let place = partition as u32;
            let (start, before) =
                self.broker.start(&self.consumer, partition, wanted.get(&place).copied())?;
            self.next.insert(place, start);
            from.insert(place, before);
        }
        self.acknowledged = wanted;
        self.consumer.assign(&self.broker.places(&from)?).map_err(|e| self.broker.refused(&e))
    }

    fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError> {
        // One process reads everything, so keys do not matter.
        let mut without_key = 0;
        fetch(&self.broker, &self.consumer, &mut self.next, &mut without_key, max, wait)
    }

    fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        self.broker.identity(&*self.consumer)
    }

    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let further: BTreeMap<u32, u64> = frontier
            .iter()
            .filter(|(partition, next)| self.acknowledged.get(partition).is_none_or(|before| before < next))
            .collect();
        if further.is_empty() {
            return Ok(());
        }
        loop {
            match self.commit(self.broker.places(&further)?)? {
                // The second: there is nothing behind what is there already.
                Ok(()) | Err(KafkaError::ConsumerCommit(RDKafkaErrorCode::NoOffset)) => break,
                Err(e) => self.broker.wait(&e)?,
            }
        }
        self.broker.status.here();
        self.acknowledged.extend(further);
        Ok(())
    }

    fn lag(&mut self) -> Option<u64> {
        let behind = |(partition, next): (&u32, &u64)| {
            let (_, end) =
                self.consumer.fetch_watermarks(&self.broker.topic, *partition as i32, ANSWER).ok()?;
            Some((end.max(0) as u64).saturating_sub(*next))
        };
        self.next.iter().map(behind).sum()
    }
}

/// At most `max` records of what a reader is assigned to; `next` says what was handed out, and `without_key` counts.
pub(super) fn fetch(
    broker: &Broker,
    reader: &BaseConsumer,
    next: &mut BTreeMap<u32, u64>,
    without_key: &mut u64,
    max: usize,
    wait: Duration,
) -> Result<Batch, ConnectorError> {
    let end = Instant::now() + wait;
    let (mut records, mut bytes) = (Vec::new(), 0);
    while records.len() < max && bytes < BATCH_BYTES {
        let left = end.saturating_duration_since(Instant::now());
        let retry = if records.is_empty() { left } else { Duration::ZERO };
        match reader.poll(retry) {
            Some(Ok(message)) => {
                broker.status.here();
                let Some(record) = take(next, &message) else { continue };
                bytes += record.bytes.len();
                *without_key += u64::from(message.key().is_none());
                records.push(record);
            }
            Some(Err(KafkaError::PartitionEOF(_))) => broker.status.here(),
            Some(Err(e)) if is_passing(&e) => broker.status.away(&reason(&e)),
            Some(Err(e)) => return Err(broker.refused(&e)),
            None if retry.is_zero() || Instant::now() >= end => break,
            None => {}
        }
    }
    Ok(Batch { records, ended: false })
}

/// The record of a message, unless it was handed out before.
fn take(next: &mut BTreeMap<u32, u64>, message: &BorrowedMessage<'_>) -> Option<Record> {
    let (partition, offset) = (message.partition() as u32, message.offset() as u64);
    // Of a partition that is read no longer, something may still be on its way.
    let next = next.get_mut(&partition)?;
    if offset < *next {
        return None;
    }
    *next = offset + 1;
    // What is longer than a line may be is not kept: its beginning goes to the dead letters, and the topic has the rest.
    let payload = message.payload().unwrap_or_default();
    let bytes = payload[..payload.len().min(LINE_LIMIT)].to_vec();
    Some(Record { partition, offset, bytes })
}
