//! Releases that were made in memory: copied to files, recognized there, and applied from there.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use shoal_core::Silent;
use shoal_pipeline::audit::AuditPlaces;
use shoal_pipeline::files::{self, Job, RunOptions, SavedFile};
use shoal_pipeline::{
    Audit, BatchSink, BatchSource, EarlierReleases, PipelineError, Release, ReleaseKey, Request,
    StagedBatches, run,
};

const POLICY: &str = r#"
version = 1
data = { shape = "table", source = "-" }
columns.name = { role = "identifier" }
columns.age = { role = "quasi-identifier", kind = "integer" }
columns.illness = { role = "sensitive" }
privacy.k = 3
"#;

/// So many people; the first ones are the same in all sources.
fn source(people: usize) -> BatchSource {
    source_of(people, "n")
}

/// The same under names that begin in this way.
fn source_of(people: usize, prefix: &str) -> BatchSource {
    let names: ArrayRef =
        Arc::new((0..people).map(|n| Some(format!("{prefix}{n}"))).collect::<StringArray>());
    let ages: ArrayRef =
        Arc::new((0..people).map(|n| Some(20 + (n * n % 40) as i64)).collect::<Int64Array>());
    // Null and empty text, which CSV cannot tell apart, in one class.
    let illness = |n: usize| match n % 4 {
        0 => None,
        1 => Some(""),
        _ => Some("flu"),
    };
    let illness: ArrayRef = Arc::new((0..people).map(illness).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter([("name", names), ("age", ages), ("illness", illness)]).unwrap();
    BatchSource::new("people", vec![batch])
}

fn job(folder: &Path) -> Job {
    Job::of_text(POLICY, folder, &[]).unwrap()
}

fn released(request: &Request, people: usize) -> Release<StagedBatches> {
    run(request, &mut source(people), &mut BatchSink, &Silent).unwrap()
}

fn audit(release: &Release<StagedBatches>, request: &Request) -> Audit {
    let places = AuditPlaces { output: "memory".into(), ..AuditPlaces::default() };
    let text = serde_json::to_string(&release.audit(request, places)).unwrap();
    let audit = Audit::parse(Path::new("not saved"), &text).unwrap();
    audit.with_people(release.people().unwrap().clone()).unwrap()
}

/// The request with the data of its only earlier release.
fn with_data(request: Request, earlier: &Release<StagedBatches>) -> Request {
    let data = || Box::new(BatchSource::new("earlier", earlier.hand_out().unwrap()));
    request.with_earlier_data(|_| Ok(data()), &Silent).unwrap()
}

fn save(
    release: &Release<StagedBatches>,
    request: &Request,
    folder: &Path,
    name: &str,
    force: bool,
) -> Result<(), PipelineError> {
    let policy: SavedFile = ("policy.toml".to_owned(), POLICY.to_owned());
    let below: SavedFile = ("below/more.txt".to_owned(), "more".to_owned());
    files::save(release, &job(folder), request, name, &[policy, below], force, &Silent).map(drop)
}

#[test]
fn a_saved_release_is_verified_by_what_lies_in_its_folder() {
    let project = tempfile::tempdir().unwrap();
    for name in ["data.csv", "data.parquet"] {
        let folder = project.path().join(name);
        let request = job(&folder).request().unwrap();
        let release = released(&request, 40);
        save(&release, &request, &folder, name, false).unwrap();
        let file = folder.join(name);
        assert_eq!(files::audit_of(&file), Some(folder.join("audit.json")));
        // With the audit as the policy: a release of ours, whose digest is that of the file.
        let opened = Job::open(&folder.join("audit.json"), &[]).unwrap();
        assert!(files::verify(&opened, &file, &Silent).unwrap().holds());
        let report: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap();
        let bytes =
            shoal_io::read_table(&shoal_io::Source::new(file.display().to_string()), &|_| true, &Silent);
        assert_eq!(report["output-sha256"], bytes.unwrap().sha256);
        assert_ne!(report["output-sha256"], release.report.about.output_sha256.as_str());
        assert_eq!(std::fs::read_to_string(folder.join("below/more.txt")).unwrap(), "more");
        // Nothing is replaced without being asked for.
        assert!(matches!(save(&release, &request, &folder, name, false), Err(PipelineError::Exists { .. })));
        save(&release, &request, &folder, name, true).unwrap();
    }
    let (folder, request) = (project.path().join("data.csv"), job(project.path()).request().unwrap());
    let release = released(&request, 40);
    let other = save(&release, &request, &folder, "other.csv", false);
    assert!(matches!(other, Err(PipelineError::OtherReports { .. })), "{other:?}");
    assert!(!folder.join("other.csv").exists());
}

#[test]
fn a_chain_is_the_same_in_memory_and_in_files() {
    let project = tempfile::tempdir().unwrap();
    let (one, two) = (project.path().join("one"), project.path().join("two"));
    let request = job(&one).request().unwrap();
    let first = released(&request, 40);
    let earlier = EarlierReleases::applied(audit(&first, &request), Vec::new(), &|_| None).unwrap();
    assert!(earlier.applied && earlier.previous.len() == 1);
    let applied = with_data(job(&two).request().unwrap().with_earlier(earlier), &first);
    let second = released(&applied, 60);
    // Saved after the second one was made from it, the first one is recognized all the same.
    save(&first, &request, &one, "data.csv", false).unwrap();
    save(&second, &applied, &two, "data.csv", false).unwrap();
    let find = |given: Vec<Audit>| {
        EarlierReleases::applied(files::open_audit(&two).unwrap(), given, &|_| None)
            .map(|all| all.previous.len())
    };
    assert_eq!(find(vec![files::open_audit(&one).unwrap()]).unwrap(), 2);
    assert!(matches!(find(Vec::new()), Err(PipelineError::LostRelease { .. })));
    // Another release of the same people is not the one that is named.
    let other = released(&request, 40);
    assert!(matches!(find(vec![audit(&other, &request)]), Err(PipelineError::LostRelease { .. })));
    // Nor is the first one, once somebody has changed who is in it or what was promised to them.
    let text = std::fs::read_to_string(one.join("audit.json")).unwrap();
    let changes: [fn(&mut serde_json::Value); 3] = [
        |audit| audit["people"]["hash"] = "0".into(),
        |audit| audit["policy"]["privacy"]["k"] = 2.into(),
        |audit| audit["reused-classes"] = true.into(),
    ];
    for change in changes {
        let mut changed: serde_json::Value = serde_json::from_str(&text).unwrap();
        change(&mut changed);
        let changed = Audit::parse(Path::new("changed"), &changed.to_string()).unwrap();
        assert!(matches!(find(vec![changed]), Err(PipelineError::LostRelease { .. })));
    }

    // Not over the release that it comes from, even where that is asked for: it would name itself as the earlier one, and nothing could be applied any more.
    let known = EarlierReleases::applied(files::open_audit(&one).unwrap(), Vec::new(), &|_| None).unwrap();
    let beside = job(&one).request().unwrap().with_earlier(known);
    let beside =
        beside.with_earlier_data(|audit| files::published_earlier(&job(&one), audit), &Silent).unwrap();
    for name in ["data.csv", "other.csv"] {
        let refused = save(&released(&beside, 60), &beside, &one, name, true).unwrap_err();
        assert!(matches!(refused, PipelineError::OutputIsInput { .. }), "{name}: {refused}");
    }
    assert_eq!(std::fs::read_to_string(one.join("audit.json")).unwrap(), text);

    // The command line goes on from the folder.
    std::fs::write(project.path().join("people.csv"), csv(60)).unwrap();
    let data = project.path().join("people.csv");
    let opened = files::open_applied(&one, &data.to_string_lossy(), &[]).unwrap();
    let output = Some(project.path().join("three.csv"));
    let options = RunOptions { output, key_of: Some(two.clone()), ..RunOptions::default() };
    files::apply(&opened, &one, &options, &Silent).unwrap();
    let saved = std::fs::read_to_string(two.join("data.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(project.path().join("three.csv")).unwrap(), saved);
}

/// Two releases with the same bytes may be about different people, and one release may have several bytes: what it is, its key says.
#[test]
fn releases_are_told_apart_by_more_than_their_bytes() {
    let project = tempfile::tempdir().unwrap();
    let request = job(project.path()).request().unwrap();
    let request = request.with_release_key(Some(ReleaseKey::from_bytes([7; 32])));
    let (first, other) = (released(&request, 40), released(&request, 40));
    assert_eq!(first.report.about.output_sha256, other.report.about.output_sha256);
    let held = |given: Vec<Audit>| {
        EarlierReleases::applied(audit(&first, &request), given, &|_| None).unwrap().previous.len()
    };
    assert_eq!(held(vec![audit(&other, &request)]), 2);
    assert_eq!(held(vec![audit(&other, &request), audit(&other, &request)]), 2);
    assert_eq!(held(vec![audit(&first, &request)]), 1);
    // Its copy in a file has another digest, and is the same release.
    let folder = project.path().join("first");
    save(&first, &request, &folder, "data.csv", false).unwrap();
    let saved = files::open_audit(&folder).unwrap();
    assert_ne!(saved.output_sha256, first.report.about.output_sha256);
    assert_eq!(held(vec![saved]), 1);
}

/// A date that is written with a time, or another notation of a number: nobody is found, and nobody should believe that the releases hold together.
#[test]
fn it_is_said_where_nobody_of_an_earlier_release_is_recognized() {
    let project = tempfile::tempdir().unwrap();
    let request = job(project.path()).request().unwrap();
    let first = released(&request, 40);
    let again = |source: &mut BatchSource| {
        let mut earlier = EarlierReleases::default();
        earlier.previous = vec![audit(&first, &request)];
        let request = with_data(request.clone().with_earlier(earlier), &first);
        let release = run(&request, source, &mut BatchSink, &Silent).unwrap();
        release.report.leaks.iter().map(|leak| leak.kind.name()).collect::<Vec<_>>()
    };
    let same = again(&mut source(40));
    assert!(same.contains(&"earlier-releases") && !same.contains(&"nobody-recognized"), "{same:?}");
    let other = again(&mut source_of(40, "N-"));
    assert!(!other.contains(&"earlier-releases") && other.contains(&"nobody-recognized"), "{other:?}");
}

/// A folder is moved as a whole; where it was lies another release by then.
#[test]
fn a_saved_release_is_read_from_where_it_lies() {
    let project = tempfile::tempdir().unwrap();
    let tree = |town: &str| format!("n0;{town};*\nn1;{town};*\nn2;{town};*\nn3;{town};*\n");
    let policy = POLICY.replace(
        "columns.name = { role = \"identifier\" }",
        "columns.name = { role = \"quasi-identifier\", hierarchy = \"names.csv\" }",
    );
    let save = |folder: &Path, town: &str| {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("names.csv"), tree(town)).unwrap();
        let job = Job::of_text(&policy, folder, &[]).unwrap();
        let request = job.request().unwrap();
        let release = released(&request, 4);
        files::save(&release, &job, &request, "data.csv", &[], false, &Silent).unwrap();
    };
    let (place, moved) = (project.path().join("release"), project.path().join("archive"));
    save(&place, "Ulm");
    std::fs::rename(&place, &moved).unwrap();
    save(&place, "Bonn");
    for (folder, town) in [(&place, "Bonn"), (&moved, "Ulm")] {
        let opened = Job::open(&folder.join("audit.json"), &[]).unwrap();
        let hierarchy = std::fs::read_to_string(opened.resolve("names.csv")).unwrap();
        assert!(hierarchy.contains(town));
        assert!(files::verify(&opened, &folder.join("data.csv"), &Silent).unwrap().holds());
    }
}

#[test]
fn saving_writes_over_no_input_and_says_what_it_replaces() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path();
    let policy = POLICY.replace("source = \"-\"", "source = \"data.csv\"");
    std::fs::write(folder.join("data.csv"), csv(40)).unwrap();
    let job = Job::of_text(&policy, folder, &[]).unwrap();
    let request = job.request().unwrap();
    let save = |people: usize, name: &str| {
        files::save(&released(&request, people), &job, &request, name, &[], true, &Silent)
    };
    // Not even where it is asked for: it is the only original.
    let refused = save(40, "data.csv").unwrap_err();
    assert!(matches!(refused, PipelineError::OutputIsInput { .. }), "{refused}");
    assert_eq!(std::fs::read_to_string(folder.join("data.csv")).unwrap(), csv(40));
    let leaks = || {
        let audit: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("audit.json")).unwrap()).unwrap();
        audit["leaks"].to_string()
    };
    save(40, "out.csv").unwrap();
    assert!(!leaks().contains("earlier-release"), "{}", leaks());
    // Another release of the same source, and one of another.
    save(40, "out.csv").unwrap();
    assert!(leaks().contains("another release of the same source"), "{}", leaks());
    save(60, "out.csv").unwrap();
    assert!(leaks().contains("another release of other data"), "{}", leaks());
    // A copy of the release that lies there already is no news.
    let release = released(&request, 60);
    for name in ["out.csv", "out.parquet"] {
        files::save(&release, &job, &request, name, &[], true, &Silent).unwrap();
    }
    assert!(!leaks().contains("earlier-release"), "{}", leaks());
}

/// Null and the empty text are two values where the policy says that only `?` is missing. In CSV they would be one, and every class would have one value too few.
#[test]
fn what_would_be_another_value_in_the_file_is_not_saved() {
    let project = tempfile::tempdir().unwrap();
    let policy = POLICY
        .replace("source = \"-\" }", "source = \"-\", missing = [\"?\"] }")
        .replace("privacy.k = 3", "privacy = { k = 3, l-diversity = { kind = \"distinct\", l = 2 } }");
    let job = Job::of_text(&policy, project.path(), &[]).unwrap();
    let request = job.request().unwrap();
    let release = released(&request, 40);
    let save = |name: &str| files::save(&release, &job, &request, name, &[], false, &Silent);
    let refused = save("data.csv").unwrap_err();
    assert!(refused.to_string().contains("`illness` has nulls"), "{refused}");
    assert!(refused.hint().unwrap().contains(".parquet"));
    assert_eq!(std::fs::read_dir(project.path()).unwrap().count(), 0);
    // Parquet tells them apart, and what lies there keeps the promise.
    let saved = save("data.parquet").unwrap();
    assert!(files::verify(&job, &saved, &Silent).unwrap().holds());
}

/// The same people as a file.
fn csv(people: usize) -> String {
    let illness = |n: usize| if n % 4 < 2 { "" } else { "flu" };
    let line = |n: usize| format!("n{n},{},{}\n", 20 + n * n % 40, illness(n));
    "name,age,illness\n".to_owned() + &(0..people).map(line).collect::<String>()
}
