use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::BaseConsumer;
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, DeliveryResult, Header, Headers, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};
use rdkafka::types::RDKafkaErrorCode as Code;
use rdkafka::{ClientContext, Message as _};

use super::broker::{ANSWER, Broker, block_on, is_passing, reason};
use crate::retry::BrokerStatus;
use crate::tail::{BrokerSink, MarkHeaders, SinkEnd, Tail, follows, spoken, unpublished};
use crate::{ConnectorError, KafkaAddress, Mark, Message, RetryPolicy};

const HEADERS: MarkHeaders =
    MarkHeaders { mark: "shoal-mark", step: "shoal-step", frontier: "shoal-frontier" };

/// Publishes into one partition of a topic: order matters, and only a partition has one.
///
/// The producer is idempotent and gapless: the broker stores what it sends in order and once, however often it is sent
/// again. Where the producer itself has to give up, what is there is read and a new one goes on behind it. Kafka cannot
/// be told what the last message should be, so a second writer is noticed and not prevented: before a call by where the
/// partition ends, after it by the offsets that the messages got.
pub struct KafkaSink {
    clients: Rc<SinkClients>,
    partition: i32,
    end: SinkEnd,
}

/// What the sinks of a topic share. They are used in turn, so one client of each kind serves all partitions.
pub(crate) struct SinkClients {
    broker: Broker,
    reader: BaseConsumer,
    /// None before the first message, and after one that could not be sent.
    producer: RefCell<Option<BaseProducer<Reports>>>,
}

/// What became of messages: their places in the call, and their offsets.
#[derive(Default)]
struct Reports(Mutex<Vec<(usize, Result<i64, KafkaError>)>>);

impl ClientContext for Reports {}

impl ProducerContext for Reports {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, place: usize) {
        let offset = match result {
            Ok(message) => Ok(message.offset()),
            Err((e, _)) => Err(e.clone()),
        };
        self.0.lock().expect("nobody panics with it").push((place, offset));
    }
}

impl SinkClients {
    /// Connects. Makes the topic, with so many partitions, where it does not exist; says how many it has.
    pub(crate) fn open(
        address: &KafkaAddress,
        partitions: u32,
        retry: RetryPolicy,
    ) -> Result<(Rc<SinkClients>, u32), ConnectorError> {
        let for_source = [("group", address.group.is_some()), ("balance", address.balance)];
        if let Some((key, _)) = for_source.iter().find(|(_, given)| *given) {
            let why = format!("`{key}` is for a source");
            return Err(ConnectorError::Address { url: address.to_string(), why });
        }
        let broker = Broker::new(address, retry);
        let reader = broker.reader("shoal-sink")?;
        let clients = SinkClients { broker, reader, producer: RefCell::new(None) };
        let there = clients.broker.partitions(&clients.reader)?.len();
        let there = if there == 0 { clients.make_topic(partitions)? } else { there };
        Ok((Rc::new(clients), there as u32))
    }

    fn make_topic(&self, partitions: u32) -> Result<usize, ConnectorError> {
        let topic = &self.broker.topic;
        let admin: AdminClient<DefaultClientContext> =
            self.broker.config().create().map_err(|e| self.broker.refused(&e))?;
        // As many copies as the broker makes by itself.
        let new = NewTopic::new(topic, partitions as i32, TopicReplication::Fixed(-1));
        let options = AdminOptions::new().request_timeout(Some(ANSWER)).operation_timeout(Some(ANSWER));
        let made = self.broker.patiently(|| block_on(admin.create_topics([&new], &options)))?;
        match made.into_iter().next() {
            Some(Err((_, code))) if code != Code::TopicAlreadyExists => {
                let hint =
                    format!("make it with  kafka-topics --create --topic {topic} --partitions {partitions}");
                let why = format!("cannot make the topic `{topic}`: {code}");
                return Err(self.broker.status.refused(why, hint));
            }
            _ => {}
        }
        loop {
            let there = self.broker.partitions(&self.reader)?.len();
            if there > 0 {
                let url = self.broker.status.url();
                self.broker.status.notice(&format!("{url}: made the topic `{topic}`"));
                return Ok(there);
            }
            self.broker.wait(&KafkaError::MetadataFetch(Code::LeaderNotAvailable))?;
        }
    }

    fn make_producer(&self) -> Result<BaseProducer<Reports>, ConnectorError> {
        let mut config = self.broker.config();
        config
            .set("enable.idempotence", "true")
            .set("enable.gapless.guarantee", "true")
            .set("acks", "all")
            .set("message.timeout.ms", "0")
            .set("max.in.flight.requests.per.connection", "1")
            .set("retry.backoff.ms", "100")
            .set("linger.ms", "1");
        config.create_with_context(Reports::default()).map_err(|e| self.broker.refused(&e))
    }
}

impl KafkaSink {
    /// Connects, to partition 0. Makes the topic, with one partition, where it does not exist.
    pub fn open(address: &KafkaAddress, retry: RetryPolicy) -> Result<KafkaSink, ConnectorError> {
        let (clients, _) = SinkClients::open(address, 1, retry)?;
        Ok(KafkaSink::of_partition(&clients, 0))
    }

    /// The sink that is one partition of a topic.
    pub(crate) fn of_partition(clients: &Rc<SinkClients>, partition: u32) -> KafkaSink {
        KafkaSink { clients: Rc::clone(clients), partition: partition as i32, end: SinkEnd::default() }
    }

    fn mark_of(&self, message: &BorrowedMessage<'_>) -> Result<Mark, ConnectorError> {
        let header = |name: &str| {
            let mut headers = message.headers()?.iter();
            std::str::from_utf8(headers.find(|header| header.key == name)?.value?).ok()
        };
        HEADERS.read(header, self.end.seal(), FOREIGN).map_err(|(why, hint)| {
            self.clients.broker.status.refused(format!("message {} {why}", message.offset()), hint)
        })
    }

    /// Sends all and waits for all reports: offsets in order. An error says why the producer gave up.
    fn send(
        &self,
        producer: &BaseProducer<Reports>,
        messages: &[Message<'_>],
    ) -> Result<Result<Vec<i64>, KafkaError>, ConnectorError> {
        let mut progress =
            Progress { offsets: vec![-1; messages.len()], left: messages.len(), heard: Instant::now() };
        for (place, message) in messages.iter().enumerate() {
            let marks = HEADERS.write(&message.mark, self.end.seal());
            let headers = marks.iter().fold(OwnedHeaders::new(), |headers, (key, value)| {
                headers.insert(Header { key, value: Some(value) })
            });
            let mut record = BaseRecord::<(), [u8], usize>::with_opaque_to(&self.clients.broker.topic, place)
                .partition(self.partition)
                .payload(message.lines.bytes())
                .headers(headers);
            while let Err((e, back)) = producer.send(record) {
                if e.rdkafka_error_code() != Some(Code::QueueFull) {
                    return Ok(Err(e));
                }
                record = back;
                if let Err(e) = self.hear(producer, &mut progress)? {
                    return Ok(Err(e));
                }
            }
        }
        while progress.left > 0 {
            if let Err(e) = self.hear(producer, &mut progress)? {
                return Ok(Err(e));
            }
        }
        self.clients.broker.status.here();
        Ok(Ok(progress.offsets))
    }

    /// Listens for reports for a moment.
    fn hear(
        &self,
        producer: &BaseProducer<Reports>,
        progress: &mut Progress,
    ) -> Result<Result<(), KafkaError>, ConnectorError> {
        // Always takes this long, whatever comes: every batch waits for it at least once.
        producer.poll(Duration::from_millis(1));
        for (place, offset) in producer.context().0.lock().expect("nobody panics with it").drain(..) {
            match offset {
                Ok(offset) => progress.offsets[place] = offset,
                Err(e) => return Ok(Err(e)),
            }
            progress.left -= 1;
            progress.heard = Instant::now();
        }
        if let Some((code, _)) = producer.client().fatal_error() {
            return Ok(Err(KafkaError::MessageProduction(code)));
        }
        if progress.left > 0 && progress.heard.elapsed() > ANSWER {
            self.clients.broker.status.still_away("no answer")?;
        }
        Ok(Ok(()))
    }

    fn second_writer(&self, before: &Tail, now: &Tail) -> ConnectorError {
        let why = format!(
            "somebody else wrote or deleted there: it ended before offset {} with {}, now before {} with {}",
            before.place,
            spoken(before.mark.as_ref()),
            now.place,
            spoken(now.mark.as_ref())
        );
        self.clients.broker.status.refused(why, FOREIGN)
    }
}

struct Progress {
    offsets: Vec<i64>,
    left: usize,
    heard: Instant,
}

const FOREIGN: &str =
    "give every run a topic that nobody else writes, and let one process at a time write it";

impl BrokerSink for KafkaSink {
    fn end(&mut self) -> &mut SinkEnd {
        &mut self.end
    }

    fn read_tail(&self) -> Result<Tail, ConnectorError> {
        let (place, mark) = self
            .clients
            .broker
            .last(&self.clients.reader, self.partition, |message| self.mark_of(message))?;
        Ok(Tail { place, mark })
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn publish_behind(&mut self, mut tail: Tail, messages: &[Message<'_>]) -> Result<Tail, ConnectorError> {
        loop {
            let rest = unpublished(messages, tail.mark.as_ref());
            let Some(last) = rest.last() else { return Ok(tail) };
            if self.clients.broker.bounds(&self.clients.reader, self.partition)?.1 > tail.place {
                return Err(self.second_writer(&tail, &self.read_tail()?));
            }
            let idle = self.clients.producer.take();
            let producer = match idle {
                Some(producer) => producer,
                None => self.clients.make_producer()?,
            };
            match self.send(&producer, rest)? {
                Ok(offsets) => {
                    let expected =
                        Tail { place: tail.place + rest.len() as u64, mark: Some(last.mark.clone()) };
                    let placed =
                        offsets.iter().zip(tail.place..).all(|(offset, place)| *offset == place as i64);
                    // A message that the broker had already got has no offset in its report.
                    if !placed {
                        let now = self.read_tail()?;
                        if now != expected {
                            return Err(self.second_writer(&expected, &now));
                        }
                    }
                    self.clients.producer.replace(Some(producer));
                    tail = expected;
                }
                Err(e) => {
                    // Without the producer nothing of its queue will be sent any more.
                    producer.purge(rdkafka::producer::PurgeConfig::default().queue().inflight());
                    drop(producer);
                    if !gives_up(&e) {
                        return Err(self.clients.broker.refused(&e));
                    }
                    self.clients.broker.status.still_away(&reason(&e))?;
                    std::thread::sleep(BrokerStatus::PAUSE);
                    // What it sent may have been stored without a report.
                    let now = self.read_tail()?;
                    if !follows(now.mark.as_ref(), tail.mark.as_ref(), rest) {
                        return Err(self.second_writer(&tail, &now));
                    }
                    tail = now;
                }
            }
        }
    }
}

/// Whether a new producer may do better.
fn gives_up(e: &KafkaError) -> bool {
    is_passing(e)
        || matches!(
            e.rdkafka_error_code(),
            Some(
                Code::Fatal
                    | Code::OutOfOrderSequenceNumber
                    | Code::UnknownProducerId
                    | Code::InvalidProducerEpoch
                    | Code::InvalidProducerIdMapping
                    | Code::PurgeQueue
                    | Code::PurgeInflight
                    | Code::GaplessGuarantee
            )
        )
}
