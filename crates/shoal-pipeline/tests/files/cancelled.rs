//! Cancelled work ends at the next question and leaves nothing, whatever it was doing.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use shoal_core::policy::{SequencesAlgorithmName, TableAlgorithmName, TransactionsAlgorithmName};
use shoal_core::{Cancelled, Progress};
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::{self, RunOptions, VerifyOptions};

use crate::project::TestProject;

/// Counts the questions and cancels from a certain one on.
struct CancelAt {
    asked: AtomicUsize,
    at: usize,
}

impl CancelAt {
    fn new(at: usize) -> CancelAt {
        CancelAt { asked: AtomicUsize::new(0), at }
    }

    fn ask(&self) {
        if self.asked.fetch_add(1, Ordering::Relaxed) + 1 >= self.at {
            Cancelled::throw();
        }
    }
}

impl Progress for CancelAt {
    fn stage(&self, _name: &str, _total: u64) {
        self.ask();
    }

    fn advance(&self, _done: u64) {
        self.ask();
    }

    fn go_on(&self) -> bool {
        self.ask();
        true
    }

    fn check(&self) {
        self.ask();
    }
}

/// Does the work once to its end, and then once for each of several questions at which it is cancelled; after each `left` must
/// be as before. Returns how many questions there were.
fn cancel_everywhere<T>(
    what: &str,
    work: impl Fn(&dyn Progress) -> Result<T, PipelineError>,
    left: impl Fn() -> Vec<String>,
    undo: impl Fn(),
) -> usize {
    let before = left();
    let whole = CancelAt::new(usize::MAX);
    if let Err(error) = work(&whole) {
        panic!("{what}: {error}");
    }
    undo();
    assert_eq!(left(), before, "{what}");
    let questions = whole.asked.into_inner();
    for at in [1, 2, questions / 4, questions / 2, questions * 3 / 4, questions - 1, questions] {
        let progress = CancelAt::new(at.max(1));
        match work(&progress) {
            Err(PipelineError::Cancelled) => {}
            // `transparent` draws from the operating system's randomness, so one run may ask fewer questions than another and
            // end before it is cancelled. What must never happen is that it went on after the question.
            Ok(_) => {
                let asked = progress.asked.into_inner();
                assert!(asked < at, "{what} goes on after question {at} of {questions}");
                assert!(at > 2, "{what} asks only {asked} questions");
                undo();
            }
            Err(error) => panic!("{what}, cancelled at question {at} of {questions}: {error}"),
        }
        assert_eq!(left(), before, "{what}, cancelled at question {at} of {questions}");
    }
    questions
}

/// Cancels a run, and what can be asked about its release. Returns how many questions the run has.
fn cancel_all_verbs(project: &TestProject, set: &[&str], data: &str, output: &str) -> usize {
    let what = set.join(" ");
    let job = project.job(set);
    // Apriori loses everything on these few baskets.
    let options = RunOptions { allow_total_loss: true, ..RunOptions::default() };
    let run = |progress: &dyn Progress| files::run(&job, &options, progress);
    let remove = || {
        std::fs::remove_file(project.path(output)).unwrap();
        std::fs::remove_dir_all(project.path("reports")).unwrap();
    };
    // One thread: then an algorithm without secret randomness asks the same questions in every run.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    alone.install(|| {
        let questions = cancel_everywhere(&what, run, || project.files(), remove);
        cancel_everywhere(&what, |p| files::check(&job, p), || project.files(), || ());
        run(&shoal_core::Silent).unwrap();
        let (original, published) = (project.path(data), project.path(output));
        let options = VerifyOptions { original: Some(original.clone()) };
        let verify = |p: &dyn Progress| files::verify_with(&job, &published, &options, p);
        let measure =
            |p: &dyn Progress| files::measure(&job, Some(&original), Path::new(&published), None, p);
        assert!(cancel_everywhere(&what, verify, || project.files(), || ()) > 10, "verify: {what}");
        assert!(cancel_everywhere(&what, measure, || project.files(), || ()) > 10, "measure: {what}");
        remove();
        questions
    })
}

const TABLE: &str = r#"
version = 1
[data]
shape = "table"
source = "people.csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.zip]
role = "quasi-identifier"
[columns.sex]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[privacy]
k = 4
[output]
path = "out.csv"
report = "reports"
"#;

fn people() -> String {
    let row = |i: u32| format!("{},{},{},i{}\n", 18 + i * 29 % 61, 53700 + i * 13 % 17, i % 2, i * 7 % 5);
    std::iter::once("age,zip,sex,illness\n".to_owned()).chain((0..600).map(row)).collect()
}

#[test]
fn every_algorithm_for_tables_can_be_cancelled() {
    for algorithm in TableAlgorithmName::ALL {
        let project = TestProject::with(TABLE, "people.csv", &people());
        let name = format!("algorithm.name={}", algorithm.name());
        let transparent = ["privacy.transparent=true", "privacy.l-diversity={ kind = \"distinct\", l = 2 }"];
        let mut set = vec![name.as_str()];
        if *algorithm == TableAlgorithmName::Transparent {
            set.extend(transparent);
        }
        let questions = cancel_all_verbs(&project, &set, "people.csv", "out.csv");
        assert!(questions > 30, "{name}: only {questions}");
    }
}

const TRANSACTIONS: &str = r#"
version = 1
[data]
shape = "transactions"
source = "baskets.dat"
[privacy]
k = 5
m = 2
[output]
path = "out.dat"
report = "reports"
"#;

fn baskets() -> String {
    let item = |at: u32, i: u32| format!("a{}", (i * i + at * 31 + i * at) % 40 % (1 + (i + at) % 40));
    let line = |i: u32| (0..1 + i % 7).map(|at| item(at, i)).collect::<Vec<_>>().join(" ") + "\n";
    (0..400).map(line).collect()
}

#[test]
fn every_algorithm_for_transactions_can_be_cancelled() {
    for algorithm in TransactionsAlgorithmName::ALL {
        let project = TestProject::with(TRANSACTIONS, "baskets.dat", &baskets());
        let name = format!("algorithm.name={}", algorithm.name());
        let mut set = vec![name.as_str()];
        match algorithm {
            TransactionsAlgorithmName::Apriori => {
                let tree: String = (0..40).map(|item| format!("a{item};b{};*\n", item / 5)).collect();
                project.write("items.csv", tree);
                set.push("data.hierarchy=items.csv");
            }
            TransactionsAlgorithmName::Upcta => {
                let text = baskets();
                let all: BTreeSet<&str> = text.split_whitespace().collect();
                let all: Vec<&str> = all.into_iter().collect();
                project.write("utility.txt", all.join(" ") + "\n");
                set.extend(["utility.constraints=utility.txt", "utility.max-suppressed=1.0"]);
            }
            TransactionsAlgorithmName::Pcta | TransactionsAlgorithmName::Coat => {}
        }
        let questions = cancel_all_verbs(&project, &set, "baskets.dat", "out.dat");
        assert!(questions > 30, "{name}: only {questions}");
    }
}

const SEQUENCES: &str = r#"
version = 1
[data]
shape = "sequences"
source = "visits.csv"
id = "who"
order = ["day"]
[columns.who]
role = "identifier"
[columns.day]
role = "identifier"
kind = "integer"
[columns.year]
role = "quasi-identifier"
kind = "integer"
[columns.zip]
role = "quasi-identifier"
[columns.disease]
role = "sensitive"
[privacy]
k = 3
c = 0.8
sensitive-values = ["d0"]
[output]
path = "out.csv"
report = "reports"
"#;

fn visits() -> String {
    let mut text = "who,day,year,zip,disease\n".to_owned();
    for person in 0..80 {
        for visit in 0..=(person * 7 + 3) % 4 {
            let (year, zip) = (2010 + (person + visit) % 3, 53700 + (person * 13 + visit) % 5);
            text.push_str(&format!("id{person},{visit},{year},{zip},d{}\n", (person * 5 + visit * 3) % 6));
        }
    }
    text
}

#[test]
fn every_algorithm_for_sequences_can_be_cancelled() {
    for algorithm in SequencesAlgorithmName::ALL {
        let project = TestProject::with(SEQUENCES, "visits.csv", &visits());
        let name = format!("algorithm.name={}", algorithm.name());
        let bounded = [
            "privacy.length=2",
            "privacy.sensitive-values=[]",
            "columns.zip.hierarchy=zip.csv",
            "columns.year.hierarchy=year.csv",
        ];
        project.write("zip.csv", (53700..53705).map(|zip| format!("{zip};537**;*\n")).collect::<String>());
        project.write("year.csv", (2010..2013).map(|year| format!("{year};201*;*\n")).collect::<String>());
        let mut set = vec![name.as_str()];
        match algorithm {
            SequencesAlgorithmName::Cbmsa | SequencesAlgorithmName::CbmsaBaseline => {}
            SequencesAlgorithmName::Fcla
            | SequencesAlgorithmName::FclaBase1
            | SequencesAlgorithmName::Halt => set.extend(bounded),
        }
        let questions = cancel_all_verbs(&project, &set, "visits.csv", "out.csv");
        assert!(questions > 30, "{name}: only {questions}");
    }
}

/// Puts a folder where the audit is about to get its name, at the last question: the reports are written by then, and nothing has a name.
struct InTheWay(std::path::PathBuf);

impl Progress for InTheWay {
    fn stage(&self, _name: &str, _total: u64) {}

    fn advance(&self, _done: u64) {}

    fn check(&self) {
        if self.0.parent().is_some_and(Path::exists) {
            let _ = std::fs::create_dir(&self.0);
        }
    }
}

/// The last step can fail when the data have their name already; whoever reads the error must not think that nothing was published.
#[test]
fn an_error_after_the_data_are_published_says_that_they_are() {
    let ages: String = (0..40).map(|age| format!("{}\n", age % 7)).collect();
    let policy = "version = 1\ndata = { shape = \"table\", source = \"ages.csv\" }\ncolumns.age = { role = \"quasi-identifier\", kind = \"integer\" }\nprivacy.k = 3\noutput.path = \"out.csv\"\n";
    let project = TestProject::with(policy, "ages.csv", &format!("age\n{ages}"));
    let in_the_way = InTheWay(project.path("out.report/audit.json"));
    let error = files::run(&project.job(&[]), &RunOptions::default(), &in_the_way).unwrap_err();
    assert!(matches!(&error, PipelineError::WithoutReports { .. }), "{error}");
    assert!(error.to_string().contains("is published, but"), "{error}");
    assert!(project.path("out.csv").exists() && !project.path("out.report/report.json").exists());
}
