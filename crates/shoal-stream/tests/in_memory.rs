//! A stream in memory gives, byte for byte, what the command's runner gives for the same tuples, policy and key; and it
//! refuses what would break the promise where its memory is gone.

use std::cell::RefCell;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use shoal_core::policy::{ModePolicy, PriorPolicy, ShapeAlgorithm, StreamAlgorithmName};
use shoal_pipeline::Request;
use shoal_pipeline::files::Job;
use shoal_stream::{
    Batch, ConnectorError, Figures, Frontier, Mark, Message, PushError, Record, Sink, Source, Stream,
    StreamError, StreamKey, StreamOptions, Watcher, run_between,
};

const KEY: [u8; 32] = *b"a test's key, 32 bytes: Zq7%xV!u";

/// How many records a fetch brings: batches of the runner must not show.
const AT_A_TIME: usize = 7;

struct Tuples {
    records: Vec<Record>,
    next: usize,
}

impl Source for Tuples {
    fn seek(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }

    fn fetch(&mut self, max: usize, _wait: Duration) -> Result<Batch, ConnectorError> {
        let records: Vec<Record> =
            self.records[self.next..].iter().take(max.min(AT_A_TIME)).cloned().collect();
        self.next += records.len();
        Ok(Batch { ended: records.is_empty(), records })
    }

    fn replays(&self) -> bool {
        false
    }

    fn acknowledge(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }
}

struct Kept(Rc<RefCell<Vec<u8>>>);

impl Sink for Kept {
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        Ok(None)
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        messages.iter().for_each(|message| self.0.borrow_mut().extend_from_slice(message.lines.bytes()));
        Ok(())
    }
}

struct Silent;

impl Watcher for Silent {
    fn notice(&self, _text: &str) {}
    fn status(&self, _figures: &Figures) {}
}

/// The columns; `head` are further lines of `[data]`.
fn policy(head: &str, rest: &str, age: &str) -> String {
    format!(
        "version = 1\n[data]\nshape = \"stream\"\nsource = \"-\"\n{head}\n[columns.who]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n{age}\n[columns.city]\nrole = \"quasi-identifier\"\n\
         [columns.illness]\nrole = \"sensitive\"\n[state]\nkey-file = \"key\"\n{rest}"
    )
}

const PERSON: &str = "person = \"who\"";

/// Policies for each kind of stream. Whoever adds an algorithm, a mode or a prior adds a policy here: it does not compile
/// otherwise.
fn policies(name: StreamAlgorithmName) -> Vec<String> {
    match name {
        StreamAlgorithmName::DelayFree => {
            let modes = [ModePolicy::Hardened, ModePolicy::Paper, ModePolicy::Published];
            modes.iter().flat_map(|mode| delay_free(*mode)).collect()
        }
        StreamAlgorithmName::Castle => {
            ["", "rules = \"paper\"\nbeta = 4\n", "reuse = true\n", "max-wait = 0.05\n"]
                .iter()
                .map(|more| {
                    format!("[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\ndelta = 20\n{more}")
                })
                .flat_map(|rest| [policy(PERSON, &rest, ""), policy("", &rest, ""), policy(CSV, &rest, "")])
                .collect()
        }
    }
}

fn delay_free(mode: ModePolicy) -> Vec<String> {
    let domain =
        "[columns.illness]\nrole = \"sensitive\"\ndomain = [\"i0\", \"i1\", \"i2\", \"i3\", \"i4\", \"i5\"]";
    match mode {
        ModePolicy::Hardened => {
            let priors = [PriorPolicy::Uniform, PriorPolicy::Calibrated, PriorPolicy::Conditional];
            let mut all: Vec<String> = priors
                .iter()
                .map(|prior| match prior {
                    PriorPolicy::Uniform => "learn = 40\nprior = \"uniform\"",
                    PriorPolicy::Calibrated => "learn = 40\nprior = \"calibrated\"",
                    PriorPolicy::Conditional => "learn = 2000\nprior = \"conditional\"\nstrata = [\"city\"]",
                })
                .map(|rest| policy(PERSON, &format!("[privacy]\nl = 2\n[algorithm]\n{rest}\n"), ""))
                .collect();
            // Without a person the place of a tuple decides, and without learning nothing is held back.
            let plain = policy("", "[privacy]\nl = 3\n", "");
            all.push(plain.replace("[columns.illness]\nrole = \"sensitive\"", domain));
            all.push(policy(CSV, "[privacy]\nl = 2\n[algorithm]\nlearn = 40\n", ""));
            all
        }
        ModePolicy::Paper => vec![
            policy(
                PERSON,
                "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nmode = \"paper\"\nmax-open-groups = 4\n",
                "",
            ),
            policy(CSV, "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nmode = \"paper\"\n", ""),
        ],
        ModePolicy::Published => {
            vec![policy(PERSON, "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nmode = \"published\"\n", "")]
        }
    }
}

const CSV: &str =
    "person = \"who\"\nformat = \"csv\"\nheader = false\nnames = [\"who\", \"age\", \"city\", \"illness\"]";

fn tuples(policy: &str, count: u64) -> Vec<String> {
    let csv = policy.contains("\"csv\"");
    let tuple = |n: u64| {
        let r = shoal_core::mix(n + 1);
        if r.is_multiple_of(23) {
            return "{broken".to_owned();
        }
        let (who, age, illness) = (r % 57, 20 + r % 50, r / 7 % 6);
        let city = ["Ulm", "Bonn", "Kiel"][(r % 3) as usize];
        match csv {
            true => format!("p{who},{age},{city},i{illness}"),
            false => format!(r#"{{"who":"p{who}","age":{age},"city":"{city}","illness":"i{illness}"}}"#),
        }
    };
    (0..count).map(tuple).collect()
}

fn job(folder: &Path, policy: &str) -> Job {
    let path = folder.join("policy.toml");
    std::fs::write(&path, policy).unwrap();
    let digits: String = KEY.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(folder.join("key"), digits).unwrap();
    std::fs::set_permissions(folder.join("key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    Job::open(&path, &[]).unwrap()
}

/// The time of every tuple: the runner has one for a batch, so it does not move within one here.
const NOW: u64 = 1_000;

fn through_the_runner(job: &Job, tuples: &[String]) -> Result<Vec<u8>, StreamError> {
    let records = tuples.iter().zip(0..).map(|(tuple, offset)| Record {
        partition: 0,
        offset,
        bytes: tuple.clone().into_bytes(),
    });
    let lines = Rc::new(RefCell::new(Vec::new()));
    let source = Box::new(Tuples { records: records.collect(), next: 0 });
    let options = StreamOptions { clock: Some(|| NOW), ..StreamOptions::default() };
    let sink = Box::new(Kept(Rc::clone(&lines)));
    run_between(job, source, sink, &options, &AtomicBool::new(false), &Silent)?;
    Ok(lines.take())
}

/// The lines of a stream in memory, and how many tuples it handed back.
fn through_memory(stream: &mut Stream, tuples: &[String]) -> (Vec<u8>, usize) {
    let (mut lines, mut handed_back) = (Vec::new(), 0);
    for tuple in tuples {
        match stream.push(tuple.as_bytes(), NOW) {
            Ok(released) => lines.extend_from_slice(released.bytes()),
            Err(PushError::Tuple(_)) => handed_back += 1,
            Err(PushError::Stream(error)) => panic!("{error}"),
        }
    }
    lines.extend_from_slice(stream.finish().unwrap().bytes());
    (lines, handed_back)
}

fn unused() -> StreamKey {
    StreamKey::unused(KEY).unwrap()
}

#[test]
fn every_algorithm_and_mode_gives_the_lines_of_the_runner() {
    for name in StreamAlgorithmName::ALL {
        for text in policies(*name) {
            let folder = tempfile::tempdir().unwrap();
            let job = job(folder.path(), &text);
            assert_eq!(job.policy().algorithm_name().by_shape(), ShapeAlgorithm::Stream(*name), "{text}");
            let tuples = tuples(&text, 2700);
            let expected =
                through_the_runner(&job, &tuples).unwrap_or_else(|error| panic!("{error}: {text}"));
            let mut stream = Stream::open(&job.request().unwrap(), unused()).unwrap();
            let (lines, handed_back) = through_memory(&mut stream, &tuples);
            assert!(lines.len() > 1000, "{text}");
            assert_eq!(String::from_utf8(lines).unwrap(), String::from_utf8(expected).unwrap(), "{text}");
            assert!(handed_back > 0, "{text}");
            assert!(matches!(stream.push(b"", NOW), Err(PushError::Stream(StreamError::Ended))));
        }
    }
}

fn request(rest: &str) -> (tempfile::TempDir, Request, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let text = policy(PERSON, rest, "");
    let request = job(folder.path(), &text).request().unwrap();
    let tuples = tuples(&text, 200);
    (folder, request, tuples)
}

fn key_use(stream: &mut Stream, tuples: &[String]) -> String {
    for tuple in tuples {
        let _ = stream.push(tuple.as_bytes(), NOW);
    }
    stream.key_use().unwrap().to_owned()
}

#[test]
fn learning_again_under_a_used_key_is_refused_and_what_was_learned_goes_on() {
    let (_folder, request, tuples) = request("[privacy]\nl = 2\n[algorithm]\nlearn = 40\n");
    let mut first = Stream::open(&request, unused()).unwrap();
    assert_eq!(first.key_use(), None);
    let key_use = key_use(&mut first, &tuples);
    let used = StreamKey::used(KEY, &key_use).unwrap();
    // Other tuples come first, so another design is learned.
    let mut again = Stream::open(&request, used.clone()).unwrap();
    let errors: Vec<StreamError> = tuples[60..]
        .iter()
        .filter_map(|tuple| match again.push(tuple.as_bytes(), NOW) {
            Err(PushError::Stream(error)) => Some(error),
            _ => None,
        })
        .collect();
    assert!(matches!(errors[0], StreamError::KeyUsedOtherwise));
    assert!(errors[1..].iter().all(|error| matches!(error, StreamError::Ended)));
    // Whoever comes again gets the same set.
    let learned = first.learned().unwrap().clone();
    let mut again = Stream::open_with_learned(&request, used, learned).unwrap();
    for tuple in &tuples[100..] {
        let sets = [&mut first, &mut again]
            .map(|stream| stream.push(tuple.as_bytes(), NOW).map(|r| r.bytes().to_vec()).ok());
        assert_eq!(sets[0], sets[1]);
    }
}

#[test]
fn groups_are_not_begun_again_under_a_used_key_and_crowds_are() {
    let (_folder, groups, tuples) = request("[privacy]\nl = 3\n[algorithm]\nlearn = 40\nmode = \"paper\"\n");
    let used_for = key_use(&mut Stream::open(&groups, unused()).unwrap(), &tuples);
    let refused = Stream::open(&groups, StreamKey::used(KEY, &used_for).unwrap());
    assert!(matches!(refused, Err(StreamError::MemoryLost)));

    let (_folder, crowds, tuples) = request("[privacy]\nk = 3\n[algorithm]\nname = \"castle\"\ndelta = 20\n");
    let used_for = key_use(&mut Stream::open(&crowds, unused()).unwrap(), &tuples);
    let mut again = Stream::open(&crowds, StreamKey::used(KEY, &used_for).unwrap()).unwrap();
    assert!(!through_memory(&mut again, &tuples).0.is_empty());
    assert!(matches!(
        Stream::open(&crowds, StreamKey::used(KEY, "something else").unwrap()),
        Err(StreamError::KeyUsedOtherwise)
    ));
}

#[test]
fn those_who_wait_leave_by_the_clock_that_is_handed_in() {
    let (_folder, request, tuples) =
        request("[privacy]\nk = 3\n[algorithm]\nname = \"castle\"\ndelta = 100\nmax-wait = 2\n");
    let mut stream = Stream::open(&request, unused()).unwrap();
    let sound = tuples.iter().filter(|tuple| *tuple != "{broken").take(10);
    let leaving: usize =
        sound.map(|tuple| stream.push(tuple.as_bytes(), 5_000).unwrap().lines().count()).sum();
    assert_eq!(leaving, 0);
    assert_eq!(stream.tick(6_999).unwrap().lines().count(), 0);
    assert_eq!(stream.tick(7_000).unwrap().lines().count(), 10);
    assert_eq!(stream.finish().unwrap().lines().count(), 0);
    assert!(matches!(stream.finish(), Err(StreamError::Ended)));
}

#[test]
fn a_stream_that_has_drifted_shows_it_once_and_stops() {
    let domain = "[columns.illness]\nrole = \"sensitive\"\ndomain = [\"i0\", \"i1\", \"i2\", \"i3\"]";
    let folder = tempfile::tempdir().unwrap();
    let text =
        policy("", "[privacy]\nl = 2\n", "").replace("[columns.illness]\nrole = \"sensitive\"", domain);
    let job = job(folder.path(), &text);
    // Everybody has the same illness, and the design is made for four that are equally frequent.
    let tuples = vec![r#"{"who":"p","age":30,"city":"Ulm","illness":"i0"}"#.to_owned(); 20_000];
    let mut stream = Stream::open(&job.request().unwrap(), unused()).unwrap();
    let mut shown = 0;
    let error = tuples.iter().find_map(|tuple| match stream.push(tuple.as_bytes(), NOW) {
        Ok(released) => {
            shown += released.lines().count();
            None
        }
        Err(error) => Some(error),
    });
    assert!(matches!(error, Some(PushError::Stream(StreamError::Drifted { .. }))), "{error:?}");
    assert!(matches!(stream.finish(), Err(StreamError::Drifted { .. })));
    let runner = through_the_runner(&job, &tuples);
    assert!(matches!(runner, Err(StreamError::Drifted { .. })));
    assert!(shown > 0 && shown < tuples.len());
}

#[test]
fn keys_that_can_be_guessed_and_tuples_that_are_too_few_are_refused() {
    assert!(matches!(StreamKey::unused([7; 32]), Err(StreamError::GuessableKey)));
    let (_folder, request, tuples) = request("[privacy]\nl = 5\n[algorithm]\nlearn = 40\n");
    let mut stream = Stream::open(&request, unused()).unwrap();
    stream.push(tuples.iter().find(|tuple| *tuple != "{broken").unwrap().as_bytes(), NOW).unwrap();
    assert!(stream.finish().unwrap_err().is_broken_promise());
}
