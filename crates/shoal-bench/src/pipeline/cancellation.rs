//! How long a run goes on after it was cancelled, at worst: the longest time between two questions of each algorithm.
//!
//! `cargo run --release -p shoal-bench -- pipeline cancellation examples`, with the folder of the examples. One thread: with
//! several, a question of one of them hides that another does not ask.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use shoal_core::Progress;
use shoal_core::policy::{SequencesAlgorithmName, TableAlgorithmName, TransactionsAlgorithmName};
use shoal_pipeline::files::{self, Job, RunOptions, VerifyOptions, measure, verify_with};

/// Measures the time from each question to the next.
struct Gaps(Mutex<Watch>);

struct Watch {
    last: Instant,
    stage: String,
    questions: u64,
    /// The longest wait, in which stage it began, and how many questions came before it.
    longest: (Duration, String, u64),
}

impl Gaps {
    fn new() -> Gaps {
        let longest = (Duration::ZERO, String::new(), 0);
        Gaps(Mutex::new(Watch { last: Instant::now(), stage: "starting".into(), questions: 0, longest }))
    }

    fn ask(&self, stage: Option<&str>) {
        let mut watch = self.0.lock().expect("nobody panics");
        let now = Instant::now();
        let waited = now - watch.last;
        if waited > watch.longest.0 {
            watch.longest = (waited, watch.stage.clone(), watch.questions);
            if waited > Duration::from_millis(50) && std::env::var_os("SHOAL_GAPS").is_some() {
                eprintln!("{waited:?} in {}:\n{}", watch.stage, std::backtrace::Backtrace::force_capture());
            }
        }
        watch.questions += 1;
        watch.stage = stage.map_or_else(|| std::mem::take(&mut watch.stage), str::to_owned);
        // Not counting what it takes to measure.
        watch.last = Instant::now();
    }

    fn print(&self, name: &str) {
        self.ask(None);
        let watch = self.0.lock().expect("nobody panics");
        let (longest, stage, at) = &watch.longest;
        println!(
            "| {name} | {} | {:.1} | {stage}, after {at} |",
            watch.questions,
            longest.as_secs_f64() * 1e3
        );
    }
}

impl Progress for Gaps {
    fn stage(&self, name: &str, _total: u64) {
        self.ask(Some(name));
    }

    fn advance(&self, _done: u64) {
        self.ask(None);
    }

    fn go_on(&self) -> bool {
        self.ask(None);
        true
    }

    fn check(&self) {
        self.ask(None);
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let examples = arguments.first().ok_or("give the folder of the examples")?;
    let examples = Path::new(&examples);
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let folder = tempfile::tempdir()?;
    println!("| | questions | longest wait, ms | in |");
    println!("|---|---|---|---|");
    let adult = examples.join("adult");
    for algorithm in TableAlgorithmName::ALL {
        // Three in four have one salary class, which no crowd can hide transparently.
        if *algorithm == TableAlgorithmName::Transparent {
            continue;
        }
        let set = vec![format!("algorithm.name={}", algorithm.name())];
        one(algorithm.name(), &adult.join("policy.toml"), &adult.join("adult.csv.gz"), &set, folder.path())?;
    }
    let patients = examples.join("patients");
    for algorithm in SequencesAlgorithmName::ALL {
        let mut set = vec![format!("algorithm.name={}", algorithm.name())];
        if !matches!(algorithm, SequencesAlgorithmName::Cbmsa | SequencesAlgorithmName::CbmsaBaseline) {
            set.push("privacy.length=2".into());
        }
        one(
            algorithm.name(),
            &patients.join("policy.toml"),
            &patients.join("visits.csv"),
            &set,
            folder.path(),
        )?;
    }
    let baskets = folder.path().join("baskets.dat");
    let text = made_up_baskets();
    std::fs::write(&baskets, &text)?;
    let items: BTreeSet<&str> = text.split_whitespace().collect();
    let items: Vec<&str> = items.into_iter().collect();
    std::fs::write(folder.path().join("utility.txt"), items.join(" "))?;
    let tree: String = (0..ITEMS).map(|item| format!("i{item};g{};*\n", item / 10)).collect();
    std::fs::write(folder.path().join("items.csv"), tree)?;
    let policy = folder.path().join("policy.toml");
    std::fs::write(
        &policy,
        "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.dat\"\n[privacy]\nk = 5\nm = 2\n[output]\npath = \"o\"\n",
    )?;
    for algorithm in TransactionsAlgorithmName::ALL {
        let mut set = vec![format!("algorithm.name={}", algorithm.name())];
        match algorithm {
            TransactionsAlgorithmName::Apriori => set.push("data.hierarchy=items.csv".into()),
            TransactionsAlgorithmName::Upcta => {
                set.push("utility.constraints=utility.txt".into());
                set.push("utility.max-suppressed=1.0".into());
            }
            TransactionsAlgorithmName::Pcta | TransactionsAlgorithmName::Coat => {}
        }
        one(algorithm.name(), &policy, &baskets, &set, folder.path())?;
    }
    Ok(())
}

/// A run, and what can be asked about its release.
fn one(
    name: &str,
    policy: &Path,
    original: &Path,
    set: &[String],
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    let output = folder.join(format!("{name}.csv"));
    let job = Job::open(policy, set)?;
    let options = RunOptions {
        output: Some(output.clone()),
        report: Some(folder.join(format!("{name}.report"))),
        allow_total_loss: true,
        ..RunOptions::default()
    };
    let gaps = Gaps::new();
    files::run(&job, &options, &gaps).map_err(|error| format!("{name}: {error}"))?;
    gaps.print(name);
    let gaps = Gaps::new();
    verify_with(&job, &output, &VerifyOptions { original: Some(original.to_owned()) }, &gaps)?;
    gaps.print(&format!("{name}, verify"));
    let gaps = Gaps::new();
    measure(&job, Some(original), &output, None, &gaps)?;
    gaps.print(&format!("{name}, measure"));
    Ok(())
}

const ITEMS: u64 = 500;

/// 50,000 baskets of up to ten items, some of which are far more frequent than others.
fn made_up_baskets() -> String {
    let mut state = 1_u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut text = String::new();
    for _ in 0..50_000 {
        let items: Vec<String> = (0..1 + next() % 10)
            .map(|_| {
                // The product of two even draws is small far more often than large.
                let item = (next() % ITEMS) * (next() % ITEMS) / ITEMS;
                format!("i{item}")
            })
            .collect();
        text.push_str(&items.join(" "));
        text.push('\n');
    }
    text
}
