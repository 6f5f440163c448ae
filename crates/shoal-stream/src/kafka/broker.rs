use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::BorrowedMessage;
use rdkafka::types::RDKafkaErrorCode as Code;
use rdkafka::{ClientConfig, Message, Offset, TopicPartitionList};

use crate::retry::BrokerStatus;
use crate::{ConnectorError, KafkaAddress, RetryPolicy};

/// After that long without an answer the broker counts as away.
pub(crate) const ANSWER: Duration = Duration::from_secs(3);

/// After that long a record that is there would have come.
const SILENCE: Duration = Duration::from_millis(500);

/// A topic of a broker, and whether the broker is there.
pub(crate) struct Broker {
    pub(crate) status: BrokerStatus,
    pub(crate) topic: String,
    servers: String,
}

impl Broker {
    pub(crate) fn new(address: &KafkaAddress, retry: RetryPolicy) -> Broker {
        let status = BrokerStatus::new(address.to_string(), retry);
        Broker { status, topic: address.topic.clone(), servers: address.servers.join(",") }
    }

    /// What every client is configured with.
    pub(crate) fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.servers)
            .set("client.id", "shoal")
            .set("reconnect.backoff.ms", "100")
            .set("reconnect.backoff.max.ms", "1000")
            .set("socket.timeout.ms", "6000");
        config
    }

    /// A client that reads. It never moves by itself, and commits only what it is told to.
    pub(crate) fn reader(&self, group: &str) -> Result<BaseConsumer, ConnectorError> {
        let mut config = self.config();
        config
            .set("group.id", group)
            // There is no session; but a commit waits for an absent broker as long as this before it says so.
            .set("session.timeout.ms", "6000")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .set("auto.offset.reset", "error")
            .set("fetch.wait.max.ms", "100")
            .set("allow.auto.create.topics", "false");
        config.create().map_err(|e| self.refused(&e))
    }

    /// Does something, and waits while the broker is away.
    pub(crate) fn patiently<T>(
        &self,
        mut what: impl FnMut() -> Result<T, KafkaError>,
    ) -> Result<T, ConnectorError> {
        loop {
            match what() {
                Ok(done) => {
                    self.status.here();
                    return Ok(done);
                }
                Err(e) => self.wait(&e)?,
            }
        }
    }

    /// A pause before the next try; an error where it is no use to wait.
    pub(crate) fn wait(&self, e: &KafkaError) -> Result<(), ConnectorError> {
        if !is_passing(e) {
            return Err(self.refused(e));
        }
        self.status.still_away(&reason(e))?;
        std::thread::sleep(BrokerStatus::PAUSE);
        Ok(())
    }

    /// The partitions of the topic; none where it does not exist.
    pub(crate) fn partitions<C: ConsumerContext>(
        &self,
        reader: &BaseConsumer<C>,
    ) -> Result<Vec<i32>, ConnectorError> {
        self.patiently(|| {
            let metadata = reader.fetch_metadata(Some(&self.topic), ANSWER)?;
            let Some(topic) = metadata.topics().first() else { return Ok(Vec::new()) };
            match topic.error().map(Code::from) {
                None => Ok(topic.partitions().iter().map(rdkafka::metadata::MetadataPartition::id).collect()),
                Some(Code::UnknownTopicOrPartition | Code::UnknownTopic) => Ok(Vec::new()),
                Some(code) => Err(KafkaError::MetadataFetch(code)),
            }
        })
    }

    /// The partitions of a topic that is read, which must exist.
    pub(crate) fn partitions_of_source<C: ConsumerContext>(
        &self,
        reader: &BaseConsumer<C>,
    ) -> Result<Vec<i32>, ConnectorError> {
        let partitions = self.partitions(reader)?;
        if partitions.is_empty() {
            let topic = &self.topic;
            return Err(self.status.refused(
                format!("there is no topic `{topic}`"),
                format!("make it with  kafka-topics --create --topic {topic} --bootstrap-server HOST:PORT"),
            ));
        }
        Ok(partitions)
    }

    /// What tells the topic from others: its cluster, whatever addresses that has, and its name. That a topic was deleted and made anew the
    /// client does not say. Nothing where the cluster has no name.
    pub(crate) fn identity<C: ConsumerContext>(
        &self,
        reader: &BaseConsumer<C>,
    ) -> Result<Option<String>, ConnectorError> {
        // The name of the cluster comes with the answer, and is kept by the client.
        self.partitions(reader)?;
        Ok(identity_of(reader.client().fetch_cluster_id(ANSWER), &self.topic))
    }

    /// What was committed, of those partitions of which anything was.
    pub(crate) fn committed<C: ConsumerContext>(
        &self,
        group: &BaseConsumer<C>,
        partitions: &[i32],
    ) -> Result<BTreeMap<u32, u64>, ConnectorError> {
        let list = self.patiently(|| {
            let mut list = TopicPartitionList::new();
            for partition in partitions {
                list.add_partition(&self.topic, *partition);
            }
            group.committed_offsets(list, ANSWER)
        })?;
        let place = |partition: i32, offset| match offset {
            Offset::Offset(offset) => Some((partition as u32, offset as u64)),
            _ => None,
        };
        Ok(list.elements().iter().filter_map(|e| place(e.partition(), e.offset())).collect())
    }

    /// The first record that is wanted of a partition, and where to start so that it comes.
    pub(crate) fn start(
        &self,
        reader: &BaseConsumer,
        partition: i32,
        wanted: Option<u64>,
    ) -> Result<(u64, u64), ConnectorError> {
        let (first, mut end) = self.bounds(reader, partition)?;
        let start = wanted.unwrap_or(first);
        if start >= end {
            end = self.last(reader, partition, |_| Ok(()))?.0;
        }
        if start > end {
            return Err(self.status.refused(
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
            self.status.notice(&format!("{}: {lost}", self.status.url()));
        }
        let start = start.max(first);
        let from = if start == end { start } else { self.approach(reader, partition, first, start)? };
        Ok((start, from))
    }

    /// Offsets of partitions, as the client wants them.
    pub(crate) fn places(&self, places: &BTreeMap<u32, u64>) -> Result<TopicPartitionList, ConnectorError> {
        let mut list = TopicPartitionList::new();
        for (partition, offset) in places {
            list.add_partition_offset(&self.topic, *partition as i32, Offset::Offset(*offset as i64))
                .map_err(|e| self.refused(&e))?;
        }
        Ok(list)
    }

    /// The first offset in a partition, and one that the next message's is not below. Tansu gives no better: the offset
    /// behind the first message of the last batch.
    pub(crate) fn bounds(&self, reader: &BaseConsumer, partition: i32) -> Result<(u64, u64), ConnectorError> {
        let (low, high) = self.patiently(|| reader.fetch_watermarks(&self.topic, partition, ANSWER))?;
        Ok((low.max(0) as u64, high.max(0) as u64))
    }

    /// The offset of the next message in a partition, as found by reading, and what `look` makes of the last message.
    /// That one need not be right before the end.
    pub(crate) fn last<T>(
        &self,
        reader: &BaseConsumer,
        partition: i32,
        look: impl Fn(&BorrowedMessage<'_>) -> Result<T, ConnectorError>,
    ) -> Result<(u64, Option<T>), ConnectorError> {
        let (low, high) = self.bounds(reader, partition)?;
        let mut back = 1;
        loop {
            let start = high.saturating_sub(back).max(low);
            let last = if start == high { None } else { self.last_from(reader, partition, start, &look)? };
            match last {
                Some((offset, seen)) => return Ok((high.max(offset + 1), Some(seen))),
                None if start == low || start == high => return Ok((high, None)),
                None => back *= 8,
            }
        }
    }

    fn last_from<T>(
        &self,
        reader: &BaseConsumer,
        partition: i32,
        start: u64,
        look: impl Fn(&BorrowedMessage<'_>) -> Result<T, ConnectorError>,
    ) -> Result<Option<(u64, T)>, ConnectorError> {
        let mut last = None;
        self.scan(reader, partition, start, Duration::MAX, |message| {
            last = Some((message.offset() as u64, look(message)?));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(last)
    }

    /// Where to start such that the record at `start` comes, and some before it perhaps.
    ///
    /// At `start`, were it not for brokers like Tansu that leave out the rest of a batch when its beginning is not asked
    /// for. Nobody says where a batch begins; so it goes back until a record comes that is not behind `start`.
    pub(crate) fn approach(
        &self,
        reader: &BaseConsumer,
        partition: i32,
        first: u64,
        start: u64,
    ) -> Result<u64, ConnectorError> {
        let mut back = 0;
        loop {
            let from = start.saturating_sub(back).max(first);
            if from == first {
                return Ok(from);
            }
            let mut reached = false;
            self.scan(reader, partition, from, SILENCE, |message| {
                reached = message.offset() as u64 <= start;
                Ok(ControlFlow::Break(()))
            })?;
            if reached {
                return Ok(from);
            }
            back = (back * 16).max(1);
        }
    }

    /// Looks at messages from an offset on until there are no more, or none comes for `silence`. The reader is assigned to
    /// nothing afterwards.
    fn scan(
        &self,
        reader: &BaseConsumer,
        partition: i32,
        start: u64,
        silence: Duration,
        mut look: impl FnMut(&BorrowedMessage<'_>) -> Result<ControlFlow<()>, ConnectorError>,
    ) -> Result<(), ConnectorError> {
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(&self.topic, partition, Offset::Offset(start as i64))
            .and_then(|()| reader.assign(&list))
            .map_err(|e| self.refused(&e))?;
        let mut heard = Instant::now();
        while heard.elapsed() < silence {
            match reader.poll(BrokerStatus::PAUSE) {
                Some(Ok(message)) => {
                    heard = Instant::now();
                    if look(&message)?.is_break() {
                        break;
                    }
                }
                Some(Err(KafkaError::PartitionEOF(_))) => break,
                Some(Err(e)) => {
                    self.wait(&e)?;
                    heard = Instant::now();
                }
                None => {}
            }
        }
        self.status.here();
        reader.unassign().map_err(|e| self.refused(&e))
    }

    pub(crate) fn refused(&self, e: &KafkaError) -> ConnectorError {
        self.status.refused(reason(e), "see what the broker's log says")
    }
}

/// Not every broker names its cluster, and one that does may not have done so yet. Without the name, a topic cannot be told from one that is called the
/// same in another cluster; and a folder that is bound to a cluster without a name would be refused once the broker says the name.
fn identity_of(cluster: Option<String>, topic: &str) -> Option<String> {
    let cluster = cluster.filter(|cluster| !cluster.is_empty())?;
    Some(format!("kafka {cluster} {topic}"))
}

/// What a client says went wrong.
pub(crate) fn reason(e: &KafkaError) -> String {
    e.rdkafka_error_code().map_or_else(|| e.to_string(), |code| code.to_string())
}

/// Whether it may work later.
pub(crate) fn is_passing(e: &KafkaError) -> bool {
    use Code::*;
    matches!(
        e.rdkafka_error_code(),
        Some(
            BrokerTransportFailure
                | AllBrokersDown
                | Resolve
                | OperationTimedOut
                | TimedOutQueue
                | MessageTimedOut
                | WaitingForCoordinator
                | LeaderNotAvailable
                | NotLeaderForPartition
                | RequestTimedOut
                | NetworkException
                | CoordinatorLoadInProgress
                | CoordinatorNotAvailable
                | NotCoordinator
        )
    )
}

/// Waits for a future in this thread: the client serves it from one of its own.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(std::sync::Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::identity_of;

    #[test]
    fn a_cluster_without_a_name_is_not_taken_for_one() {
        assert_eq!(identity_of(Some("c".to_owned()), "visits"), Some("kafka c visits".to_owned()));
        assert_eq!(identity_of(Some(String::new()), "visits"), None);
        assert_eq!(identity_of(None, "visits"), None);
    }
}
