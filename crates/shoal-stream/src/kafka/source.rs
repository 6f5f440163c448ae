use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Message, Offset, TopicPartitionList};

use shoal_io::stream::LINE_LIMIT;

use super::broker::{ANSWER, Broker, is_passing, reason};
use crate::connector::BATCH_BYTES;
use crate::{Batch, ConnectorError, Frontier, KafkaAddress, Record, RetryPolicy, Source};

/// Reads all partitions of a topic. It is told where to start, and takes part in no balancing: one process reads.
/// What was acknowledged is committed for a consumer group.
pub struct KafkaSource {
    broker: Broker,
    consumer: BaseConsumer,
    /// Of each partition, the first offset that has not been handed out.
    next: BTreeMap<u32, u64>,
    /// Of each partition, the first offset that has not been acknowledged.
    acknowledged: BTreeMap<u32, u64>,
}

impl KafkaSource {
    /// Connects. The topic must exist.
    pub fn open(address: &KafkaAddress, retry: RetryPolicy) -> Result<KafkaSource, ConnectorError> {
        let broker = Broker::new(address, retry);
        let consumer = broker.reader(address.group.as_deref().unwrap_or("shoal"))?;
        let source = KafkaSource { broker, consumer, next: BTreeMap::new(), acknowledged: BTreeMap::new() };
        source.partitions()?;
        Ok(source)
    }

    fn partitions(&self) -> Result<Vec<i32>, ConnectorError> {
        let partitions = self.broker.partitions(&self.consumer)?;
        if partitions.is_empty() {
            let topic = &self.broker.topic;
            return Err(self.broker.status.refused(
                format!("there is no topic `{topic}`"),
                format!("make it with  kafka-topics --create --topic {topic} --bootstrap-server HOST:PORT"),
            ));
        }
        Ok(partitions)
    }

    /// What was committed, of those partitions of which anything was.
    fn committed(&self, partitions: &[i32]) -> Result<BTreeMap<u32, u64>, ConnectorError> {
        let list = self.broker.patiently(|| {
            let mut list = TopicPartitionList::new();
            for partition in partitions {
                list.add_partition(&self.broker.topic, *partition);
            }
            self.consumer.committed_offsets(list, ANSWER)
        })?;
        let place = |partition: i32, offset| match offset {
            Offset::Offset(offset) => Some((partition as u32, offset as u64)),
            _ => None,
        };
        Ok(list.elements().iter().filter_map(|e| place(e.partition(), e.offset())).collect())
    }

    /// The first record that is wanted of a partition, and where to start so that it comes.
    fn start(&self, partition: i32, wanted: Option<u64>) -> Result<(u64, u64), ConnectorError> {
        let (first, mut end) = self.broker.bounds(&self.consumer, partition)?;
        let start = wanted.unwrap_or(first);
        if start >= end {
            end = self.broker.last(&self.consumer, partition, |_| Ok(()))?.0;
        }
        if start > end {
            return Err(self.broker.status.refused(
                format!(
                    "record {} of partition {partition} has been read before, but the topic ends before {end}",
                    start - 1
                ),
                "this is another topic, or it was made anew: publish into a new sink",
            ));
        }
        if start < first {
            let lost =
                format!("records {start} to {} of partition {partition} are no longer there", first - 1);
            self.broker.status.notice(&format!("{}: {lost}", self.broker.status.url()));
        }
        let start = start.max(first);
        let from = if start == end {
            start
        } else {
            self.broker.approach(&self.consumer, partition, first, start)?
        };
        Ok((start, from))
    }

    fn list(&self, places: &BTreeMap<u32, u64>) -> Result<TopicPartitionList, ConnectorError> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in places {
            list.add_partition_offset(&self.broker.topic, *partition as i32, Offset::Offset(*offset as i64))
                .map_err(|e| self.broker.refused(&e))?;
        }
        Ok(list)
    }
}

impl Source for KafkaSource {
    fn replays(&self) -> bool {
        true
    }

    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let partitions = self.partitions()?;
        let mut wanted: BTreeMap<u32, u64> = frontier.iter().collect();
        if wanted.is_empty() {
            wanted = self.committed(&partitions)?;
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
            let (start, before) = self.start(partition, wanted.get(&place).copied())?;
            self.next.insert(place, start);
            from.insert(place, before);
        }
        self.acknowledged = wanted;
        self.consumer.assign(&self.list(&from)?).map_err(|e| self.broker.refused(&e))
    }

    fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError> {
        let end = Instant::now() + wait;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while records.len() < max && bytes < BATCH_BYTES {
            let left = end.saturating_duration_since(Instant::now());
            let retry = if records.is_empty() { left } else { Duration::ZERO };
            match self.consumer.poll(retry) {
                Some(Ok(message)) => {
                    self.broker.status.here();
                    let record = take(&mut self.next, &message);
                    bytes += record.as_ref().map_or(0, |record| record.bytes.len());
                    records.extend(record);
                }
                Some(Err(KafkaError::PartitionEOF(_))) => self.broker.status.here(),
                Some(Err(e)) if is_passing(&e) => self.broker.status.away(&reason(&e)),
                Some(Err(e)) => return Err(self.broker.refused(&e)),
                None if retry.is_zero() || Instant::now() >= end => break,
                None => {}
            }
        }
        Ok(Batch { records, ended: false })
    }

    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let further: BTreeMap<u32, u64> = frontier
            .iter()
            .filter(|(partition, next)| self.acknowledged.get(partition).is_none_or(|before| before < next))
            .collect();
        if further.is_empty() {
            return Ok(());
        }
        let list = self.list(&further)?;
        self.broker.patiently(|| match self.consumer.commit(&list, CommitMode::Sync) {
            // There is nothing behind what is there already.
            Err(KafkaError::ConsumerCommit(RDKafkaErrorCode::NoOffset)) => Ok(()),
            other => other,
        })?;
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

/// The record of a message, unless it was handed out before.
fn take(next: &mut BTreeMap<u32, u64>, message: &BorrowedMessage<'_>) -> Option<Record> {
    let (partition, offset) = (message.partition() as u32, message.offset() as u64);
    let next = next.entry(partition).or_default();
    if offset < *next {
        return None;
    }
    *next = offset + 1;
    // What is longer than a line may be is not kept: its beginning goes to the dead letters, and the topic has the rest.
    let payload = message.payload().unwrap_or_default();
    let bytes = payload[..payload.len().min(LINE_LIMIT)].to_vec();
    Some(Record { partition, offset, bytes })
}
