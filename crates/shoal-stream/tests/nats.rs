//! NATS JetStream, with a real server.

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use async_nats::jetstream::{self, Context, stream};
use shoal_stream::nats::{NatsSink, NatsSource};
use shoal_stream::{Address, ConnectorError, Frontier, NatsAddress, RetryPolicy, Sink, Source};
use support::killed;
use support::releases::Releases;
use support::scenarios::{self, Broker, Notices, fetch, lag, records};
use support::server::{Server, program};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// A server with a stream to read.
struct Nats {
    server: Server,
    runtime: Runtime,
    context: Context,
    _folder: TempDir,
}

impl Nats {
    fn start() -> Nats {
        let nats = Nats::with(&["--jetstream"]);
        nats.make("visits", &["visits.>"], stream::RetentionPolicy::Limits);
        nats
    }

    /// A server that puts what is sent to `in.KEY` into one of two subjects, by its key.
    fn partitioned() -> Nats {
        let folder = TempDir::new().unwrap();
        let config = folder.path().join("nats.conf");
        let mapping = r#"mappings = { "in.*": "visits.{{partition(2,1)}}.{{wildcard(1)}}" }"#;
        std::fs::write(&config, mapping).unwrap();
        let nats = Nats::with(&["--jetstream", "--config", config.to_str().unwrap()]);
        nats.make("visits", &["visits.>"], stream::RetentionPolicy::Limits);
        nats
    }

    fn with(options: &[&str]) -> Nats {
        let folder = TempDir::new().unwrap();
        let server = Server::start(|port| {
            let mut command = Command::new(program("nats-server", "SHOAL_NATS_SERVER"));
            command.args(["--addr", "127.0.0.1", "--port", &port.to_string()]).args(options);
            command.arg("--store_dir").arg(folder.path());
            command
        });
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let context = connect(&runtime, server.port());
        Nats { server, runtime, context, _folder: folder }
    }

    fn make(&self, name: &str, subjects: &[&str], retention: stream::RetentionPolicy) {
        let subjects = subjects.iter().map(|s| (*s).to_owned()).collect();
        let config = stream::Config { name: name.to_owned(), subjects, retention, ..Default::default() };
        self.runtime.block_on(self.context.create_stream(config)).unwrap();
    }

    fn send(&self, subject: &str, text: &str) {
        let send = async {
            self.context.publish(subject.to_owned(), text.to_owned().into()).await.unwrap().await.unwrap();
        };
        self.runtime.block_on(send);
    }

    fn address(&self, rest: &str) -> NatsAddress {
        match Address::parse(&format!("nats://127.0.0.1:{}/{rest}", self.server.port())).unwrap() {
            Address::Nats(address) => address,
            other => panic!("{other}"),
        }
    }

    fn open_source(&self, rest: &str) -> Result<NatsSource, ConnectorError> {
        NatsSource::open(&self.address(rest), Notices::default().retry())
    }

    fn open_sink(&self, rest: &str) -> Result<NatsSink, ConnectorError> {
        NatsSink::open(&self.address(rest), Notices::default().retry())
    }
}

impl Broker for Nats {
    fn put(&self, records: &[String]) {
        let put = async {
            for some in records.chunks(1000) {
                let mut answers = Vec::new();
                for record in some {
                    answers.push(self.context.publish("visits.ward", record.clone().into()).await.unwrap());
                }
                for answer in answers {
                    answer.await.unwrap();
                }
            }
        };
        self.runtime.block_on(put);
    }

    fn source_address(&self) -> Address {
        Address::Nats(self.address("visits?subject=visits.ward"))
    }

    fn sink_address(&self) -> Address {
        Address::Nats(self.address("released"))
    }

    fn open_source(address: &Address, retry: RetryPolicy) -> Result<Box<dyn Source>, ConnectorError> {
        let Address::Nats(address) = address else { panic!("{address}") };
        Ok(Box::new(NatsSource::open(address, retry)?))
    }

    fn open_sink(address: &Address, retry: RetryPolicy) -> Result<Box<dyn Sink>, ConnectorError> {
        let Address::Nats(address) = address else { panic!("{address}") };
        Ok(Box::new(NatsSink::open(address, retry)?))
    }

    fn published(&self) -> Vec<(u64, String)> {
        let published = async {
            let mut stream = self.context.get_stream("released").await.unwrap();
            let state = stream.info().await.unwrap().state.clone();
            let mut messages = Vec::new();
            for sequence in state.first_sequence.max(1)..=state.last_sequence {
                let message = stream.get_raw_message(sequence).await.unwrap();
                let header = |name: &str| message.headers.get(name).map(ToString::to_string);
                // Nothing else says where a message comes from: its id is closed like its mark.
                let step = match header("Shoal-Mark") {
                    Some(closed) => {
                        assert_eq!((header("Shoal-Step"), header("Shoal-Frontier")), (None, None));
                        let step = killed::step_of(&closed);
                        assert!(!header("Nats-Msg-Id").unwrap().ends_with(&format!("-{step}")));
                        step
                    }
                    None => header("Shoal-Step").map_or(0, |step| step.parse().unwrap()),
                };
                messages.push((step, String::from_utf8(message.payload.to_vec()).unwrap()));
            }
            messages
        };
        self.runtime.block_on(published)
    }

    fn away(&mut self) {
        self.server.away();
    }

    fn back(&mut self) {
        self.server.back();
        self.context = connect(&self.runtime, self.server.port());
    }
}

fn connect(runtime: &Runtime, port: u16) -> Context {
    let connect = || async {
        let options =
            async_nats::ConnectOptions::with_user_and_password("shoal".to_owned(), "secret".to_owned());
        options.connect(format!("127.0.0.1:{port}")).await
    };
    // A server that listens need not answer yet.
    let end = Instant::now() + Duration::from_secs(180);
    loop {
        match runtime.block_on(connect()) {
            Ok(client) => {
                let _inside = runtime.enter();
                return jetstream::new(client);
            }
            Err(e) => assert!(Instant::now() < end, "{e}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn round_trip() {
    scenarios::round_trip(&Nats::start());
}

#[test]
fn a_killed_process_is_followed_exactly() {
    scenarios::resume(&Nats::start());
}

#[test]
fn a_run_that_is_killed_again_and_again_publishes_everything_once() {
    // Fifty-one times in all.
    killed::modes().iter().for_each(|mode| killed::killed(&Nats::start(), mode, 17, 20..600));
}

/// Not a test: what the one above starts and kills.
#[test]
fn the_child_that_is_killed() {
    killed::child();
}

#[test]
fn nothing_is_published_twice() {
    scenarios::publish_again(&Nats::start());
}

#[test]
fn what_another_key_has_published_is_not_gone_on_with() {
    scenarios::other_key(&Nats::start());
}

#[test]
fn a_second_writer_is_noticed() {
    scenarios::second_writer(&Nats::start());
}

#[test]
fn a_server_that_goes_away_is_waited_for() {
    scenarios::outage(Nats::start());
}

#[test]
fn a_server_that_goes_away_again_and_again_gets_everything_once() {
    scenarios::flicker(Nats::start());
}

#[test]
fn a_server_that_is_not_there_yet_is_waited_for() {
    scenarios::not_there_yet(Nats::start());
}

#[test]
fn a_gap_is_refused() {
    let nats = Nats::start();
    let mut sink = nats.open_sink("released").unwrap();
    sink.publish(&Releases::steps(1, 3).messages()).unwrap();
    let delete =
        async { nats.context.get_stream("released").await.unwrap().delete_message(3).await.unwrap() };
    assert!(nats.runtime.block_on(delete));
    let e = sink.publish(&Releases::steps(4, 9).messages()).unwrap_err();
    assert!(matches!(&e, ConnectorError::Refused { .. }) && e.to_string().contains("deleted"), "{e}");
    assert_eq!(
        nats.runtime.block_on(nats.context.get_stream("released")).unwrap().cached_info().state.messages,
        2
    );
}

#[test]
fn what_the_server_only_remembers_does_not_count_as_published() {
    let nats = Nats::start();
    let mut sink = nats.open_sink("released").unwrap();
    sink.publish(&Releases::steps(1, 3).messages()).unwrap();
    let purge = async { nats.context.get_stream("released").await.unwrap().purge().await.unwrap() };
    nats.runtime.block_on(purge);
    let mut sink = nats.open_sink("released").unwrap();
    assert_eq!(sink.last().unwrap(), None);
    let e = sink.publish(&Releases::steps(1, 9).messages()).unwrap_err();
    assert!(e.to_string().contains("remembers step 1"), "{e}");
    assert!(e.hint().unwrap().contains("duplicate window"));
}

#[test]
fn other_subjects_of_the_stream_disturb_neither_source_nor_sink() {
    let nats = Nats::start();
    nats.make("both", &["in.*", "out"], stream::RetentionPolicy::Limits);
    let mut sink = nats.open_sink("both?subject=out").unwrap();
    for n in 1..=20 {
        nats.send("in.a", &format!("a {n}"));
        nats.send("in.b", &format!("b {n}"));
        sink.publish(&Releases::steps(5 * n - 4, 5 * n).messages()).unwrap();
    }
    let mut source = nats.open_source("both?subject=in.b&consumer=other").unwrap();
    source.seek(&Frontier::default()).unwrap();
    let came = fetch(&mut source, 20);
    let texts: Vec<&[u8]> = came.iter().map(|record| record.bytes.as_slice()).collect();
    assert_eq!((texts[0], texts[19]), (&b"b 1"[..], &b"b 20"[..]));
    let mut frontier = Frontier::default();
    frontier.pass(0, came[9].offset);
    source.acknowledge(&frontier).unwrap();
    let mut source = nats.open_source("both?subject=in.b&consumer=other").unwrap();
    source.seek(&Frontier::default()).unwrap();
    assert_eq!(fetch(&mut source, 10)[0].bytes, b"b 11");
    assert_eq!(sink.last().unwrap().unwrap().step, 100);
}

/// How far a consumer has come is a place among the records of its subject: those of another one that stand before it would be
/// passed over.
#[test]
fn a_consumer_of_another_subject_is_neither_gone_on_from_nor_made_anew() {
    let nats = Nats::start();
    for n in 1..=20 {
        nats.send("visits.a", &format!("a {n}"));
        nats.send("visits.b", &format!("b {n}"));
    }
    let mut first = nats.open_source("visits?subject=visits.a").unwrap();
    first.seek(&Frontier::default()).unwrap();
    let came = fetch(&mut first, 20);
    let mut frontier = Frontier::default();
    frontier.pass(0, came[14].offset);
    first.acknowledge(&frontier).unwrap();
    drop(first);
    for other in ["visits?subject=visits.b", "visits"] {
        for frontier in [Frontier::default(), frontier.clone()] {
            let mut source = nats.open_source(other).unwrap();
            let e = source.seek(&frontier).unwrap_err();
            assert!(e.to_string().contains("the consumer `shoal` reads `visits.a`"), "{e}");
            assert!(e.hint().unwrap().contains("&consumer="), "{e}");
        }
    }
    let mut first = nats.open_source("visits?subject=visits.a").unwrap();
    first.seek(&Frontier::default()).unwrap();
    assert_eq!(fetch(&mut first, 5)[0].bytes, b"a 16");
    let mut second = nats.open_source("visits?subject=visits.b&consumer=second").unwrap();
    second.seek(&Frontier::default()).unwrap();
    assert_eq!(fetch(&mut second, 20)[0].bytes, b"b 1");
    // The whole stream by either of its names.
    for whole in ["visits?consumer=all", "visits?subject=visits.>&consumer=all"] {
        let mut source = nats.open_source(whole).unwrap();
        source.seek(&Frontier::default()).unwrap();
        assert_eq!(fetch(&mut source, 40).len(), 40);
    }
}

#[test]
fn a_stream_that_was_made_anew_is_another_source() {
    let nats = Nats::start();
    let identity = |rest: &str| nats.open_source(rest).unwrap().identity().unwrap().unwrap();
    let first = identity("visits");
    assert_eq!(identity("visits?consumer=other"), first);
    assert_ne!(identity("visits?subject=visits.ward"), first);
    nats.runtime.block_on(nats.context.delete_stream("visits")).unwrap();
    nats.make("visits", &["visits.>"], stream::RetentionPolicy::Limits);
    assert_ne!(identity("visits"), first);
}

#[test]
fn an_acknowledgement_outlives_the_connection_it_was_meant_for() {
    let mut nats = Nats::start();
    nats.put(&records(1..=20));
    let mut source = nats.open_source("visits").unwrap();
    source.seek(&Frontier::default()).unwrap();
    let came = fetch(&mut source, 20);
    nats.away();
    nats.back();
    let mut frontier = Frontier::default();
    frontier.pass(0, came[11].offset);
    source.acknowledge(&frontier).unwrap();
    assert_eq!(source.fetch(50, Duration::from_millis(200)).unwrap().records, []);
    let mut source = nats.open_source("visits").unwrap();
    source.seek(&Frontier::default()).unwrap();
    assert_eq!(fetch(&mut source, 8)[0].bytes, b"record 13");
}

#[test]
fn what_cannot_work_is_refused_with_a_hint() {
    let nats = Nats::start();
    let says = |e: ConnectorError, why: &str, hint: &str| {
        assert!(e.to_string().contains(why), "{e}");
        assert!(e.hint().unwrap().contains(hint), "{:?}", e.hint());
    };
    let e = nats.open_source("missing?subject=ward").err().unwrap();
    says(e, "there is no stream `missing`", "nats stream add missing --subjects ward");
    nats.make("queue", &["queue"], stream::RetentionPolicy::WorkQueue);
    says(nats.open_source("queue").err().unwrap(), "forgets records", "retention `limits`");
    let e = nats.open_sink("visits?subject=elsewhere").err().unwrap();
    says(e, "does not take the subject `elsewhere`", "?subject=NAME");
    let e = nats.open_sink("new?subject=visits.ward").err().unwrap();
    says(e, "subjects overlap", "nats stream info");
    says(nats.open_sink("new?subject=visits.*").err().unwrap(), "a sink needs one subject", "nats://");
    says(nats.open_sink("new?consumer=me").err().unwrap(), "`consumer` is for a source", "nats://");
    nats.put(&records(1..=1));
    let mut sink = nats.open_sink("visits?subject=visits.ward").unwrap();
    says(sink.last().unwrap_err(), "was not written by shoal", "nobody else writes");
    let mut source = nats.open_source("visits?subject=elsewhere").unwrap();
    let e = source.seek(&Frontier::default()).err().unwrap();
    says(e, "filter subject", "check the subject");
}

#[test]
fn a_server_without_jetstream_or_without_the_password_is_refused() {
    let e = Nats::with(&[]).open_source("visits").err().unwrap();
    assert!(e.to_string().contains("has no JetStream"), "{e}");
    let nats = Nats::with(&["--jetstream", "--user", "shoal", "--pass", "secret"]);
    let e = nats.open_source("visits").err().unwrap();
    assert!(e.hint().unwrap().contains("NAME:PASSWORD@"), "{e}");
    nats.make("visits", &["visits.>"], stream::RetentionPolicy::Limits);
    let address = format!("nats://shoal:secret@127.0.0.1:{}/visits", nats.server.port());
    let Address::Nats(address) = Address::parse(&address).unwrap() else { panic!("{address}") };
    NatsSource::open(&address, Notices::default().retry()).unwrap();
}

/// What docs/streams.md says of several processes with NATS: the server spreads keys over subjects, and each process reads
/// one of them.
#[test]
fn a_server_can_spread_people_over_subjects() {
    let nats = Nats::partitioned();
    for n in 0..200 {
        nats.send(&format!("in.p{}", n % 20), &format!("p{} {n}", n % 20));
    }
    let mut people: [std::collections::BTreeSet<String>; 2] = Default::default();
    let mut total = 0;
    for (partition, people) in people.iter_mut().enumerate() {
        let address = format!("visits?subject=visits.{partition}.*&consumer=shoal-{partition}");
        let mut source = nats.open_source(&address).unwrap();
        source.seek(&Frontier::default()).unwrap();
        let there = lag(&mut source) as usize;
        let came = fetch(&mut source, there);
        total += came.len();
        let person = |record: &shoal_stream::Record| {
            let text = String::from_utf8(record.bytes.clone()).unwrap();
            text.split(' ').next().unwrap().to_owned()
        };
        people.extend(came.iter().map(person));
    }
    assert_eq!(total, 200);
    assert!(people.iter().all(|people| people.len() > 3), "{people:?}");
    assert!(people[0].is_disjoint(&people[1]), "{people:?}");
}
