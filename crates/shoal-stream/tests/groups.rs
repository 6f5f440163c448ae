//! Several processes that share the partitions of a topic, killed and stopped again and again.
//!
//! The broker is librdkafka's own mock cluster: Tansu, which the other tests use, keeps a member that was killed in the group
//! and leaves its partitions to nobody until somebody else joins.

#[path = "support/child.rs"]
mod child;
#[path = "support/deliver.rs"]
mod deliver;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use child::{Loud, scatter, write_key};
use deliver::deliver;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use rdkafka::{Offset, TopicPartitionList};
use shoal_pipeline::files::Job;
use shoal_stream::{Figures, StreamError, StreamOptions, Watcher, run};

const PARTITIONS: i32 = 4;

/// After so many seconds without a record a process ends where everything was sent before: longer than the first fetch of a client takes
/// on a busy machine.
const IDLE: u64 = 20;

const HARDENED: &str = "[privacy]\nl = 3\n[algorithm]\nprior = \"uniform\"\n";
const PAPER: &str = "[privacy]\nl = 3\n[algorithm]\nmode = \"paper\"\nmax-open-groups = 50\n";
const CASTLE: &str = "[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\ndelta = 30\n";

/// A broker, and a policy for processes that share its topic `visits`.
struct Group {
    cluster: MockCluster<'static, DefaultProducerContext>,
    folder: tempfile::TempDir,
    sent: u64,
}

impl Group {
    fn start(mode: &str) -> Group {
        let cluster = MockCluster::new(1).unwrap();
        cluster.create_topic("visits", PARTITIONS, 1).unwrap();
        cluster.create_topic("released", PARTITIONS, 1).unwrap();
        cluster.create_topic("narrow", PARTITIONS - 1, 1).unwrap();
        let group = Group { cluster, folder: tempfile::tempdir().unwrap(), sent: 0 };
        group.write_policy("policy.toml", mode, "released", "state");
        write_key(&group.folder.path().join("key"));
        group
    }

    fn write_policy(&self, name: &str, mode: &str, sink: &str, state: &str) {
        let servers = self.cluster.bootstrap_servers();
        let text = format!(
            r#"version = 1
[output]
path = "kafka://{servers}/{sink}"
[data]
shape = "stream"
source = "kafka://{servers}/visits?group=research&balance=partitions"
person = "who"
[columns.who]
role = "identifier"
[columns.number]
role = "insensitive"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
{domain}
[state]
dir = "{state}"
key-file = "key"
{mode}"#,
            domain = if mode.contains("castle") {
                ""
            } else {
                "domain = [\"i0\", \"i1\", \"i2\", \"i3\", \"i4\", \"i5\"]"
            },
        );
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", self.cluster.bootstrap_servers());
        config.set("group.id", "test").set("enable.partition.eof", "true");
        config
    }

    /// Puts more tuples into the topic; the key, a person, decides the partition.
    fn send(&mut self, count: u64) {
        let record = |n| {
            let who = format!("p{}", scatter(n) % 400);
            let (age, illness) = (20 + scatter(n) % 50, scatter(n + 77_777) % 6);
            let tuple = format!(r#"{{"who":"{who}","number":{n},"age":{age},"illness":"i{illness}"}}"#);
            (Some(who), tuple)
        };
        deliver(&self.config(), "visits", None, (self.sent..self.sent + count).map(record));
        self.sent += count;
    }

    /// The lines of each partition of the sink, read by a client that knows nothing of shoal.
    fn released(&self) -> BTreeMap<i32, String> {
        let consumer: BaseConsumer = self.config().create().unwrap();
        let mut list = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            list.add_partition_offset("released", partition, Offset::Beginning).unwrap();
        }
        consumer.assign(&list).unwrap();
        let (mut lines, mut ended, mut failed) = (BTreeMap::new(), 0, None);
        let end = Instant::now() + Duration::from_secs(180);
        while ended < PARTITIONS {
            assert!(Instant::now() < end, "there is no end: {failed:?}");
            match consumer.poll(Duration::from_secs(1)) {
                Some(Ok(message)) => {
                    let text = std::str::from_utf8(message.payload().unwrap()).unwrap();
                    lines.entry(message.partition()).or_insert_with(String::new).push_str(text);
                }
                Some(Err(KafkaError::PartitionEOF(_))) => ended += 1,
                // The client goes on by itself once the broker answers again.
                Some(Err(e)) => failed = Some(e),
                None => {}
            }
        }
        lines
    }

    /// The numbers of the tuples that were released, in order.
    fn numbers(&self) -> Vec<u64> {
        let all: String = self.released().into_values().collect();
        let number = |line: &str| {
            let digits = line.split("\"number\":").nth(1)?;
            digits.split([',', '}']).next()?.parse().ok()
        };
        let mut numbers: Vec<u64> = all.lines().filter_map(number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Everything that was sent was released once, and what was released keeps its promise, partition by partition.
    fn all_is_there_once(&self) {
        let numbers = self.numbers();
        let mut distinct = numbers.clone();
        distinct.dedup();
        assert_eq!(distinct.len(), numbers.len(), "tuples were released twice");
        assert_eq!(numbers, (0..self.sent).collect::<Vec<_>>(), "tuples were lost");
        let job = Job::open(&self.folder.path().join("policy.toml"), &[]).unwrap();
        let released = self.released();
        assert_eq!(released.len(), PARTITIONS as usize);
        for (partition, lines) in released {
            let file = self.folder.path().join(format!("released-{partition}"));
            std::fs::write(&file, lines).unwrap();
            let verified = shoal_pipeline::files::verify(&job, &file, &shoal_core::Silent).unwrap();
            assert!(verified.holds(), "partition {partition}");
        }
    }

    fn process(&self, idle: Option<u64>) -> Process {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "a_process_of_the_group", "--nocapture"]);
        command.env("SHOAL_CHILD_POLICY", self.folder.path().join("policy.toml"));
        if let Some(idle) = idle {
            command.env("SHOAL_CHILD_IDLE", idle.to_string());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let (output, heard) = (child.stdout.take().unwrap(), Arc::clone(&said));
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                heard.lock().unwrap().push(line);
            }
        });
        Process { input: child.stdin.take(), child, said }
    }
}

/// A process of the group.
struct Process {
    child: Child,
    /// Closing it asks the process to stop.
    input: Option<ChildStdin>,
    said: Arc<Mutex<Vec<String>>>,
}

impl Process {
    /// Waits until it has said something that holds these words.
    fn says(&self, words: &str) {
        let end = Instant::now() + Duration::from_secs(180);
        while !self.said.lock().unwrap().iter().any(|line| line.contains(words)) {
            assert!(Instant::now() < end, "not said: {words}: {:#?}", self.said.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Forgets what it has said.
    fn forget(&self) {
        self.said.lock().unwrap().clear();
    }

    /// Waits until it runs so many partitions.
    fn has(&self, count: usize) {
        let end = Instant::now() + Duration::from_secs(180);
        let owned = |line: &String| {
            let list = line.split("partitions of this process: ").nth(1)?.split(" (of").next()?.to_owned();
            Some(if list == "none" { 0 } else { list.split(", ").count() })
        };
        while self.said.lock().unwrap().iter().rev().find_map(owned) != Some(count) {
            assert!(Instant::now() < end, "not {count} partitions: {:#?}", self.said.lock().unwrap());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Asks it to stop, or waits until it ends by itself.
    fn ends(mut self, ask: bool) {
        if ask {
            drop(self.input.take());
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{:#?}", self.said.lock().unwrap());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test: what the others start, kill and stop.
#[test]
fn a_process_of_the_group() {
    let Some(policy) = std::env::var_os("SHOAL_CHILD_POLICY") else { return };
    let idle = std::env::var("SHOAL_CHILD_IDLE").ok().and_then(|seconds| seconds.parse().ok());
    let options = StreamOptions { idle_exit: idle.map(Duration::from_secs), ..StreamOptions::default() };
    let job = Job::open(Path::new(&policy), &[]).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        asked.store(true, Ordering::Relaxed);
    });
    let watcher: Arc<dyn Watcher> = Arc::new(Loud);
    let figures = run(&job, &options, &stop, &watcher).unwrap();
    println!("ended with {}", figures.to_line());
}

/// Two processes; one is killed, the other takes over; it comes back, the other is killed; one is asked to stop; all the
/// time records come.
fn shared_and_killed(mode: &str) {
    let mut group = Group::start(mode);
    group.send(400);
    let (first, second) = (group.process(None), group.process(None));
    first.has(2);
    second.has(2);
    group.send(400);
    // In the middle of it.
    std::thread::sleep(Duration::from_millis(scatter(mode.len() as u64) % 300));
    first.kill();
    group.send(400);
    second.has(4);
    let third = group.process(None);
    third.has(2);
    group.send(400);
    std::thread::sleep(Duration::from_millis(scatter(mode.len() as u64 + 1) % 300));
    second.kill();
    group.send(400);
    // While the dead one is still thought alive, another comes.
    let fourth = group.process(None);
    fourth.has(2);
    group.send(400);
    third.ends(true);
    fourth.has(4);
    group.send(400);
    fourth.ends(true);
    // The last one ends the stream: what waits for a crowd leaves.
    group.process(Some(IDLE)).ends(false);
    group.all_is_there_once();
}

/// All at once, because most of the time is spent waiting until a broker misses a process that is dead.
#[test]
fn nothing_is_lost_or_doubled_when_processes_die_or_hang() {
    std::thread::scope(|scope| {
        for mode in [HARDENED, PAPER, CASTLE] {
            scope.spawn(move || shared_and_killed(mode));
        }
        scope.spawn(stopped_and_gone_on);
        scope.spawn(refused);
        scope.spawn(alone_or_together);
        scope.spawn(stopped_while_the_broker_is_away);
    });
}

/// A process that was stopped and not killed may go on at any moment and write where it left off. So nobody takes its
/// partitions before it has let go of them.
fn stopped_and_gone_on() {
    let mut group = Group::start(HARDENED);
    group.send(400);
    let (first, second) = (group.process(None), group.process(None));
    first.has(2);
    second.has(2);
    group.send(2000);
    first.signal("-STOP");
    group.send(400);
    // The broker has given everything to the second one, and it waits for two partitions.
    second.says("still has its state");
    second.has(2);
    second.forget();
    first.forget();
    first.signal("-CONT");
    // It learns that it was thought dead, lets go, and joins again.
    first.has(0);
    second.says("partitions of this process: 0, 1, 2, 3");
    first.has(2);
    group.send(400);
    let end = Instant::now() + Duration::from_secs(180);
    while group.numbers().len() < group.sent as usize {
        assert!(Instant::now() < end, "{} of {}", group.numbers().len(), group.sent);
        std::thread::sleep(Duration::from_millis(200));
    }
    first.ends(true);
    second.ends(true);
    group.all_is_there_once();
}

/// A process that reads all partitions by itself and the processes of a group would publish the same records: the folder is
/// the one's or the others'.
fn alone_or_together() {
    let mut group = Group::start(HARDENED);
    let path = group.folder.path().join("policy.toml");
    let together = std::fs::read_to_string(&path).unwrap();
    let alone = group.folder.path().join("alone.toml");
    std::fs::write(&alone, together.replace("&balance=partitions", "")).unwrap();
    let try_to = |policy: &Path, watcher: Arc<dyn Watcher>, stop: &Arc<AtomicBool>| {
        let job = Job::open(policy, &[]).unwrap();
        run(&job, &StreamOptions::default(), stop, &watcher)
    };
    let never = Arc::new(AtomicBool::new(false));

    group.send(400);
    let member = group.process(None);
    member.has(PARTITIONS as usize);
    let e = try_to(&alone, Arc::new(Loud), &never).unwrap_err();
    assert!(matches!(e, StreamError::StateInUse { .. }), "{e}");
    assert!(e.hint().unwrap().contains("balance=partitions"), "{e}");
    member.ends(true);

    // As a single process would hold it.
    let lock = std::fs::File::open(group.folder.path().join("state/lock")).unwrap();
    lock.lock().unwrap();
    let e = try_to(&path, Arc::new(Loud), &never).unwrap_err();
    assert!(matches!(e, StreamError::StateInUse { .. }), "{e}");
    drop(lock);

    // As one that hangs while it makes the key.
    let key = std::fs::File::open(group.folder.path().join("state/key-lock")).unwrap();
    key.lock().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let watcher = Arc::new(StopsWhenTold { words: "looks for the key", stop: Arc::clone(&stop) });
    assert_eq!(try_to(&path, watcher, &stop).unwrap().tuples_now, 0);
    drop(key);
    group.process(Some(IDLE)).ends(false);
    group.all_is_there_once();
}

/// Asks the stream to stop once it has said something that holds these words.
struct StopsWhenTold {
    words: &'static str,
    stop: Arc<AtomicBool>,
}

impl Watcher for StopsWhenTold {
    fn notice(&self, text: &str) {
        if text.contains(self.words) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn status(&self, _figures: &Figures) {}
}

/// What was committed for the group is on its way when the broker goes away. The client would send it again until the broker is back, and
/// nobody would have the partitions meanwhile.
fn stopped_while_the_broker_is_away() {
    let mut group = Group::start(HARDENED);
    // No commit is answered.
    let lost = vec![RDKafkaRespErr::RD_KAFKA_RESP_ERR__TRANSPORT; 10_000];
    group.cluster.request_errors(RDKafkaApiKey::OffsetCommit, &lost);
    let mut process = group.process(None);
    process.has(PARTITIONS as usize);
    group.send(400);
    let end = Instant::now() + Duration::from_secs(180);
    while group.numbers().len() < group.sent as usize {
        assert!(Instant::now() < end, "{} of {}", group.numbers().len(), group.sent);
        std::thread::sleep(Duration::from_millis(100));
    }
    group.cluster.broker_down(1).unwrap();
    process.says("waiting for");
    drop(process.input.take());
    let end = Instant::now() + Duration::from_secs(180);
    while process.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "it does not end: {:#?}", process.said.lock().unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What cannot be shared is refused.
fn refused() {
    let mut group = Group::start(HARDENED);
    group.send(400);
    let try_to = |policy: &str| {
        let job = Job::open(&group.folder.path().join(policy), &[]).unwrap();
        let options =
            StreamOptions { idle_exit: Some(Duration::from_secs(IDLE)), ..StreamOptions::default() };
        run(&job, &options, &Arc::new(AtomicBool::new(false)), &(Arc::new(Loud) as Arc<_>))
    };
    group.write_policy("narrow.toml", HARDENED, "narrow", "narrow-state");
    let e = try_to("narrow.toml").unwrap_err();
    assert!(e.to_string().contains("it has 3 partitions, and the source has 4"), "{e}");
    assert!(e.hint().unwrap().contains("a topic with 4 partitions"), "{e}");

    let figures = try_to("policy.toml").unwrap();
    assert_eq!(figures.tuples_now, 400);
    let partitions = figures.partitions.as_ref().unwrap();
    assert_eq!((partitions.total, partitions.owned.len(), partitions.records_without_key), (4, 4, 0));
    assert_eq!(partitions.owned.values().map(|partition| partition.tuples).sum::<u64>(), 400);
    group.all_is_there_once();

    // As from another machine, with the same key and a state of its own.
    group.write_policy("elsewhere.toml", HARDENED, "released", "elsewhere");
    let e = try_to("elsewhere.toml").unwrap_err();
    assert!(matches!(e, StreamError::NotShared { .. }), "{e}");
    // With the state of another partition.
    let state = group.folder.path().join("state");
    std::fs::rename(state.join("partition-0"), state.join("other")).unwrap();
    std::fs::rename(state.join("partition-1"), state.join("partition-0")).unwrap();
    std::fs::rename(state.join("other"), state.join("partition-1")).unwrap();
    let e = try_to("policy.toml").unwrap_err();
    assert!(matches!(e, StreamError::OtherStream { .. }), "{e}");
}

/// Not a test: a broker for `scripts/measure-groups`, until its input ends. `SHOAL_BROKER` says how many partitions.
#[test]
fn a_broker_for_measurements() {
    let Some(partitions) = std::env::var("SHOAL_BROKER").ok().and_then(|text| text.parse().ok()) else {
        return;
    };
    let cluster = MockCluster::new(1).unwrap();
    for topic in std::env::var("SHOAL_TOPICS").unwrap_or_default().split(',') {
        cluster.create_topic(topic, partitions, 1).unwrap();
    }
    println!("\nbroker at {}", cluster.bootstrap_servers());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
