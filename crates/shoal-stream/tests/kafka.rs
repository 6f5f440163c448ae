//! Kafka's protocol, with a real broker (Tansu). It keeps its topics in memory; so it is not killed but cut off.

#[path = "support/deliver.rs"]
mod deliver;
#[path = "support/proxy.rs"]
mod proxy;
mod support;

use std::net::TcpListener;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use deliver::deliver;
use proxy::Proxy;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{Headers, Message};
use rdkafka::{Offset, TopicPartitionList};
use shoal_stream::kafka::{KafkaSink, KafkaSource};
use shoal_stream::{Address, ConnectorError, Frontier, KafkaAddress, RetryPolicy, Sink, Source};
use support::killed;
use support::releases::Releases;
use support::scenarios::{self, Broker, Notices, fetch, records};
use support::server::{Server, program};

/// A broker with a topic to read.
struct Tansu {
    proxy: Proxy,
    _server: Server,
}

impl Tansu {
    fn start() -> Tansu {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let advertised = listener.local_addr().unwrap().port();
        let server = Server::start(|port| {
            let mut command = Command::new(program("tansu", "SHOAL_TANSU"));
            command.args(["broker", "--silent", "--storage-engine", "memory://tansu/"]);
            command.args(["--listener-url", &format!("tcp://127.0.0.1:{port}")]);
            command.args(["--advertised-listener-url", &format!("tcp://127.0.0.1:{advertised}")]);
            command
        });
        let proxy = Proxy::start(listener, server.port());
        let tansu = Tansu { proxy, _server: server };
        tansu.make("visits", 1);
        tansu
    }

    /// Makes a topic, again and again until it is there: a broker that has just started may not have an answer yet.
    fn make(&self, topic: &str, partitions: u32) {
        let mut command = Command::new(program("tansu", "SHOAL_TANSU"));
        command.args(["topic", "create", topic, "--partitions", &partitions.to_string()]);
        command.args(["--broker", &format!("tcp://127.0.0.1:{}", self.proxy.port())]);
        let end = Instant::now() + Duration::from_secs(180);
        loop {
            let output = command.output().unwrap();
            // One that was made although its answer got lost is there, too.
            if output.status.success() || self.has(topic, partitions) {
                return;
            }
            assert!(Instant::now() < end, "{output:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn has(&self, topic: &str, partitions: u32) -> bool {
        let consumer: BaseConsumer = self.config().create().unwrap();
        let found = consumer.fetch_metadata(Some(topic), Duration::from_secs(5));
        found.is_ok_and(|found| found.topics().iter().any(|t| t.partitions().len() == partitions as usize))
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", format!("127.0.0.1:{}", self.proxy.port()));
        config.set("group.id", "test").set("enable.partition.eof", "true");
        config
    }

    fn send(&self, topic: &str, partition: i32, records: &[String]) {
        let records = records.iter().map(|record| (None, record.clone()));
        deliver(&self.config(), topic, Some(partition), records);
    }

    fn address(&self, rest: &str) -> KafkaAddress {
        match Address::parse(&format!("kafka://127.0.0.1:{}/{rest}", self.proxy.port())).unwrap() {
            Address::Kafka(address) => address,
            other => panic!("{other}"),
        }
    }

    fn open_source(&self, rest: &str) -> Result<KafkaSource, ConnectorError> {
        KafkaSource::open(&self.address(rest), Notices::default().retry())
    }

    fn open_sink(&self, rest: &str) -> Result<KafkaSink, ConnectorError> {
        KafkaSink::open(&self.address(rest), Notices::default().retry())
    }
}

impl Broker for Tansu {
    fn put(&self, records: &[String]) {
        self.send("visits", 0, records);
    }

    fn source_address(&self) -> Address {
        Address::Kafka(self.address("visits?group=research"))
    }

    fn sink_address(&self) -> Address {
        Address::Kafka(self.address("released"))
    }

    fn open_source(address: &Address, retry: RetryPolicy) -> Result<Box<dyn Source>, ConnectorError> {
        let Address::Kafka(address) = address else { panic!("{address}") };
        Ok(Box::new(KafkaSource::open(address, retry)?))
    }

    fn open_sink(address: &Address, retry: RetryPolicy) -> Result<Box<dyn Sink>, ConnectorError> {
        let Address::Kafka(address) = address else { panic!("{address}") };
        Ok(Box::new(KafkaSink::open(address, retry)?))
    }

    fn published(&self) -> Vec<(u64, String)> {
        let consumer: BaseConsumer = self.config().create().unwrap();
        let mut list = TopicPartitionList::new();
        list.add_partition_offset("released", 0, Offset::Beginning).unwrap();
        consumer.assign(&list).unwrap();
        let (mut published, end) = (Vec::new(), Instant::now() + Duration::from_secs(180));
        let mut failed = None;
        loop {
            assert!(Instant::now() < end, "{} and no end: {failed:?}", published.len());
            match consumer.poll(Duration::from_secs(1)) {
                Some(Ok(message)) => {
                    let headers = message.headers().map(|headers| headers.get(0)).unwrap();
                    let text = std::str::from_utf8(headers.value.unwrap()).unwrap();
                    let step = match headers.key {
                        "shoal-mark" => {
                            assert_eq!(message.headers().unwrap().count(), 1);
                            killed::step_of(text)
                        }
                        "shoal-step" => text.parse().unwrap(),
                        other => panic!("{other}"),
                    };
                    published.push((step, String::from_utf8(message.payload().unwrap().to_vec()).unwrap()));
                }
                Some(Err(KafkaError::PartitionEOF(_))) => return published,
                // The client goes on by itself once the broker answers again.
                Some(Err(e)) => failed = Some(e),
                None => {}
            }
        }
    }

    fn away(&mut self) {
        self.proxy.cut();
    }

    fn back(&mut self) {
        self.proxy.restore();
    }
}

#[test]
fn round_trip() {
    scenarios::round_trip(&Tansu::start());
}

#[test]
fn a_killed_process_is_followed_exactly() {
    scenarios::resume(&Tansu::start());
}

#[test]
fn a_run_that_is_killed_again_and_again_publishes_everything_once() {
    // Fifty-one times in all.
    killed::modes().iter().for_each(|mode| killed::killed(&Tansu::start(), mode, 17, 200..3000));
}

/// Not a test: what the one above starts and kills.
#[test]
fn the_child_that_is_killed() {
    killed::child();
}

#[test]
fn nothing_is_published_twice() {
    scenarios::publish_again(&Tansu::start());
}

#[test]
fn what_another_key_has_published_is_not_gone_on_with() {
    scenarios::other_key(&Tansu::start());
}

#[test]
fn a_second_writer_is_noticed() {
    scenarios::second_writer(&Tansu::start());
}

#[test]
fn a_broker_that_goes_away_is_waited_for() {
    scenarios::outage(Tansu::start());
}

#[test]
fn a_broker_that_goes_away_again_and_again_gets_everything_once() {
    scenarios::flicker(Tansu::start());
}

#[test]
fn a_broker_that_is_not_there_yet_is_waited_for() {
    scenarios::not_there_yet(Tansu::start());
}

#[test]
fn all_partitions_are_read_and_each_is_taken_up_by_itself() {
    let tansu = Tansu::start();
    tansu.make("wards", 3);
    for partition in 0..3 {
        tansu.send("wards", partition, &records(1..=10));
    }
    let mut source = tansu.open_source("wards").unwrap();
    source.seek(&Frontier::default()).unwrap();
    let mut came = fetch(&mut source, 30);
    came.sort_by_key(|record| (record.partition, record.offset));
    assert!((0..30).all(|n| (came[n].partition, came[n].offset) == (n as u32 / 10, n as u64 % 10)));
    // Partition 2 has been read in part, partition 1 wholly and partition 0 not at all.
    let mut source = tansu.open_source("wards").unwrap();
    source.seek(&"1:10,2:7".parse().unwrap()).unwrap();
    let came = fetch(&mut source, 13);
    let of =
        |partition| came.iter().filter(|r| r.partition == partition).map(|r| r.offset).collect::<Vec<_>>();
    assert_eq!((of(0), of(1), of(2)), ((0..10).collect(), vec![], vec![7, 8, 9]));
    let e = source.seek(&"7:1".parse().unwrap()).unwrap_err();
    assert!(e.to_string().contains("partition 7 has been read before"), "{e}");
}

/// A stream that has published of one partition only goes on in the others where its group is, and not at their beginning: what is there another stream has published.
#[test]
fn partitions_of_which_nothing_was_published_go_on_where_the_group_is() {
    let tansu = Tansu::start();
    tansu.make("wards", 3);
    for partition in 0..3 {
        tansu.send("wards", partition, &records(1..=10));
    }
    let mut source = tansu.open_source("wards?group=clinic").unwrap();
    source.seek(&Frontier::default()).unwrap();
    fetch(&mut source, 30);
    source.acknowledge(&"0:10,1:6,2:4".parse().unwrap()).unwrap();
    drop(source);
    let mut source = tansu.open_source("wards?group=clinic").unwrap();
    // What was published counts where there is any, whatever the group says.
    source.seek(&"0:8".parse().unwrap()).unwrap();
    let came = fetch(&mut source, 12);
    let of =
        |partition| came.iter().filter(|r| r.partition == partition).map(|r| r.offset).collect::<Vec<_>>();
    assert_eq!((of(0), of(1), of(2)), (vec![8, 9], (6..10).collect(), (4..10).collect()));
}

#[test]
fn topics_are_told_apart() {
    let tansu = Tansu::start();
    tansu.make("wards", 1);
    let identity = |rest: &str| tansu.open_source(rest).unwrap().identity().unwrap().unwrap();
    assert_eq!(identity("visits"), identity("visits?group=other"));
    assert_ne!(identity("visits"), identity("wards"));
}

/// The connection breaks while an acknowledgement is on its way: somebody is told, and it arrives when the broker is back. The
/// client's own call would wait for as long as that takes without a word, deaf to a signal.
#[test]
fn an_acknowledgement_that_got_lost_is_not_waited_for_in_silence() {
    let tansu = Tansu::start();
    tansu.put(&records(1..=10));
    let notices = Notices::default();
    let address = tansu.address("visits?group=research");
    let mut source = KafkaSource::open(&address, notices.retry()).unwrap();
    source.seek(&Frontier::default()).unwrap();
    fetch(&mut source, 10);
    // So that the client knows whom to ask.
    source.acknowledge(&"0:3".parse().unwrap()).unwrap();
    tansu.proxy.swallow();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            tansu.proxy.cut();
            notices.wait_until_said("waiting for");
            tansu.proxy.restore();
        });
        source.acknowledge(&"0:7".parse().unwrap()).unwrap();
    });
    assert!(notices.says("waiting for") && notices.says("is back"));
    let mut next = tansu.open_source("visits?group=research").unwrap();
    next.seek(&Frontier::default()).unwrap();
    assert_eq!(fetch(&mut next, 3)[0].offset, 7);

    tansu.proxy.swallow();
    let stopped = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(500));
            tansu.proxy.cut();
            notices.stop.store(true, Ordering::Relaxed);
        });
        source.acknowledge(&"0:9".parse().unwrap())
    });
    assert!(matches!(stopped, Err(ConnectorError::Interrupted { .. })), "{stopped:?}");
}

#[test]
fn what_cannot_work_is_refused_with_a_hint() {
    let tansu = Tansu::start();
    let says = |e: ConnectorError, why: &str, hint: &str| {
        assert!(e.to_string().contains(why), "{e}");
        assert!(e.hint().unwrap().contains(hint), "{:?}", e.hint());
    };
    let e = tansu.open_source("missing").err().unwrap();
    says(e, "there is no topic `missing`", "kafka-topics --create --topic missing");
    says(tansu.open_sink("released?group=a").err().unwrap(), "`group` is for a source", "kafka://");
    tansu.put(&records(1..=1));
    let mut sink = tansu.open_sink("visits").unwrap();
    says(sink.last().unwrap_err(), "message 0 was not written by shoal", "nobody else writes");
    let mut sink = tansu.open_sink("released").unwrap();
    sink.publish(&Releases::steps(1, 2).messages()).unwrap();
    tansu.send("released", 0, &records(1..=1));
    let e = sink.publish(&Releases::steps(3, 4).messages()).unwrap_err();
    says(e, "message 2 was not written by shoal", "nobody else writes");
}
