//! A whole run, killed again and again: a process of its own that is ended without warning at some moment, started
//! again, and in the end has published, byte for byte, what a run publishes that nobody disturbs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use shoal_core::policy::StreamAlgorithmName;
use shoal_pipeline::files::Job;
use shoal_stream::{
    Batch, ConnectorError, Frontier, Mark, Message, Record, Seal, Sink, Source, StreamOptions, Watcher, run,
    run_between,
};

use super::child::{KEY, Loud, scatter, write_key};
use super::scenarios::Broker;

/// A policy for every kind of stream. Whoever adds an algorithm adds one here: it does not compile otherwise.
pub(crate) fn modes() -> Vec<&'static str> {
    let of_algorithm = |name: &StreamAlgorithmName| match name {
        StreamAlgorithmName::DelayFree => vec![
            "[privacy]\nl = 3\n[algorithm]\nlearn = 100\nprior = \"uniform\"\n",
            "[privacy]\nl = 3\n[algorithm]\nlearn = 100\nmode = \"paper\"\nmax-open-groups = 50\n",
        ],
        StreamAlgorithmName::Castle => {
            vec!["[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\ndelta = 30\n"]
        }
    };
    StreamAlgorithmName::ALL.iter().flat_map(of_algorithm).collect()
}

const COLUMNS: &str = r#"
person = "who"
[columns.who]
role = "identifier"
[columns.number]
role = "insensitive"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.city]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[state]
dir = "state"
key-file = "key"
"#;

/// Kills a run as many times as `kills` says, then lets it end, and compares.
pub(crate) fn killed(broker: &impl Broker, mode: &str, kills: u64, moments: std::ops::Range<u64>) {
    const AT_A_TIME: u64 = 300;
    let folder = tempfile::tempdir().unwrap();
    write_policy(
        folder.path(),
        mode,
        &broker.source_address().to_string(),
        &broker.sink_address().to_string(),
    );
    let mut records: Vec<String> = Vec::new();
    for kill in 0..kills {
        let more: Vec<String> = (kill * AT_A_TIME..(kill + 1) * AT_A_TIME).map(tuple).collect();
        broker.put(&more);
        records.extend(more);
        let mut child = child_of(folder.path(), None).spawn().unwrap();
        let moment = moments.start + scatter(kill) % (moments.end - moments.start);
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // Longer than the first fetch of a client takes on a busy machine: everything is there already.
    let output = child_of(folder.path(), Some(20)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    let published = broker.published();
    let text: String = published.iter().map(|(_, lines)| lines.as_str()).collect();
    assert!(published.is_sorted_by(|(a, _), (b, _)| a < b), "steps come twice or out of order");
    // The number of a tuple is published as it is, unless all of it is suppressed.
    let mut numbers: Vec<&str> = text.lines().filter_map(|line| line.split("\"number\":").nth(1)).collect();
    numbers.iter_mut().for_each(|number| *number = number.split([',', '}']).next().unwrap());
    numbers.sort_unstable();
    let shown = numbers.len();
    numbers.dedup();
    // Whoever was learned from is not published.
    let expected = records.len() - if mode.contains("learn = 100") { 100 } else { 0 };
    assert_eq!((numbers.len(), shown), (expected, expected), "tuples were lost or released twice");
    assert_eq!(text, undisturbed(mode, &records), "{mode}");
    std::fs::write(folder.path().join("published"), &text).unwrap();
    let job = Job::open(&folder.path().join("policy.toml"), &[]).unwrap();
    let verified =
        shoal_pipeline::files::verify(&job, &folder.path().join("published"), &shoal_core::Silent).unwrap();
    assert!(verified.holds());
}

/// What the process does that is killed. Does nothing where it is not asked to, i.e. as one of the tests.
pub(crate) fn child() {
    let Some(policy) = std::env::var_os("SHOAL_CHILD_POLICY") else { return };
    let idle = std::env::var("SHOAL_CHILD_IDLE").ok().and_then(|seconds| seconds.parse().ok());
    let options = StreamOptions { idle_exit: idle.map(Duration::from_secs), ..StreamOptions::default() };
    let job = Job::open(Path::new(&policy), &[]).unwrap();
    let watcher: Arc<dyn Watcher> = Arc::new(Loud);
    run(&job, &options, &Arc::new(AtomicBool::new(false)), &watcher).unwrap();
}

/// This program, told to be the child.
fn child_of(folder: &Path, idle: Option<u64>) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_child_that_is_killed", "--nocapture"]);
    command.env("SHOAL_CHILD_POLICY", folder.join("policy.toml"));
    if let Some(idle) = idle {
        command.env("SHOAL_CHILD_IDLE", idle.to_string());
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if idle.is_some() {
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
    }
    command
}

fn write_policy(folder: &Path, mode: &str, source: &str, sink: &str) {
    let text = format!(
        "version = 1\n[output]\npath = \"{sink}\"\n[data]\nshape = \"stream\"\nsource = \"{source}\"{COLUMNS}{mode}"
    );
    std::fs::write(folder.join("policy.toml"), text).unwrap();
    write_key(&folder.join("key"));
}

/// The step of a mark that a run has closed; nobody without the key reads it.
pub(crate) fn step_of(closed: &str) -> u64 {
    let other = Seal::new(&[9; 32]);
    assert_eq!(other.open(closed), None);
    Seal::new(&KEY).open(closed).expect("closed with the key of the run").step
}

fn tuple(n: u64) -> String {
    let r = scatter(n);
    let (who, age, illness) = (r % 400, 20 + r % 50, scatter(n + 77_777) % 6);
    let city = ["Ulm", "Bonn", "Kiel"][(r / 50 % 3) as usize];
    format!(r#"{{"who":"p{who}","number":{n},"age":{age},"city":"{city}","illness":"i{illness}"}}"#)
}

/// What the same records become when nobody disturbs the run.
fn undisturbed(mode: &str, records: &[String]) -> String {
    let folder = tempfile::tempdir().unwrap();
    write_policy(folder.path(), mode, "nats://nowhere/IN", "nats://nowhere/OUT");
    let job = Job::open(&folder.path().join("policy.toml"), &[]).unwrap();
    let record =
        |(offset, text): (u64, &String)| Record { partition: 0, offset, bytes: text.clone().into_bytes() };
    let source = Box::new(Fixed((0..).zip(records).map(record).collect()));
    let lines: Arc<std::sync::Mutex<String>> = Arc::default();
    let options = StreamOptions::default();
    run_between(&job, source, Box::new(Kept(Arc::clone(&lines))), &options, &AtomicBool::new(false), &Loud)
        .unwrap();
    std::mem::take(&mut *lines.lock().unwrap())
}

struct Fixed(Vec<Record>);

impl Source for Fixed {
    fn replays(&self) -> bool {
        true
    }

    fn seek(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }

    fn fetch(&mut self, max: usize, _wait: Duration) -> Result<Batch, ConnectorError> {
        let records: Vec<Record> = self.0.drain(..max.min(self.0.len())).collect();
        Ok(Batch { ended: records.is_empty(), records })
    }

    fn acknowledge(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }
}

struct Kept(Arc<std::sync::Mutex<String>>);

impl Sink for Kept {
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        Ok(None)
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        let mut text = self.0.lock().unwrap();
        messages
            .iter()
            .for_each(|message| text.push_str(std::str::from_utf8(message.lines.bytes()).unwrap()));
        Ok(())
    }
}
