//! `shoal run`: what it leaves, and that the same request leaves the same bytes.

use crate::project::{PEOPLE, POLICY, TestProject};

fn publish(project: &TestProject, output: &str, args: &[&str]) -> Vec<u8> {
    let mut run = vec!["run", "policy.toml", "-o", output, "--quiet"];
    run.extend(args);
    project.shoal(&run).ended_with(0);
    project.bytes(output)
}

#[test]
fn a_run_leaves_the_file_and_its_reports_and_nothing_else() {
    let project = TestProject::with_people();
    let said = project.shoal(&["run", "policy.toml"]).ended_with(0);
    let names: Vec<String> = project
        .everything()
        .keys()
        .map(|path| path.strip_prefix(project.path("")).unwrap().display().to_string())
        .collect();
    assert_eq!(
        names,
        [
            "out.csv",
            "out.report",
            "out.report/audit.html",
            "out.report/audit.json",
            "out.report/audit.people.parquet",
            "out.report/report.html",
            "out.report/report.json",
            "people.csv",
            "policy.toml"
        ]
    );
    insta::assert_snapshot!("summary", said.timeless());
    assert!(!project.read("out.csv").contains("Ann"), "identifiers are not published");
    assert!(!project.read("out.report/audit.json").contains("Ann"));
}

#[test]
fn threads_and_repetition_do_not_change_a_byte() {
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let project = TestProject::with_people();
        let name = format!("algorithm.name={algorithm}");
        let first = publish(&project, "a.csv", &["--set", &name, "--threads", "1"]);
        let again = ["--set", &name, "--key-of", "a.report"];
        let with_threads = publish(&project, "b.csv", &[&again[..], &["--threads", "2"]].concat());
        assert_eq!(first, with_threads, "{algorithm}");
        assert_eq!(first, publish(&project, "c.csv", &again), "{algorithm}");
        let recoding = |report: &str| project.json(&format!("{report}/audit.json"))["recoding"].clone();
        assert_eq!(recoding("a.report"), recoding("b.report"), "{algorithm}");
    }
}

#[test]
fn rows_stand_in_the_order_of_what_is_published_whatever_the_seed() {
    let project = TestProject::with_people();
    let (a, b) = (publish(&project, "a.csv", &["--seed", "1"]), publish(&project, "b.csv", &["--seed", "2"]));
    assert_eq!(a, b, "the optimum of twelve people is one for all seeds, and so is its order");
    assert_eq!(a, publish(&project, "c.csv", &["--set", "algorithm.seed=1"]));
    let kept = publish(&project, "d.csv", &["--set", "output.keep-order=true"]);
    let illness = |line: &str| line.rsplit(',').next().unwrap().to_owned();
    let column = |text: &str| text.lines().map(illness).collect::<Vec<_>>();
    assert_eq!(column(&String::from_utf8(kept).unwrap()), column(PEOPLE));
}

#[test]
fn set_overrides_the_policy() {
    let project = TestProject::with_people();
    let args = ["run", "policy.toml", "--json", "--set", "privacy.k=6", "--set", "algorithm.name=sbc"];
    let report = project.shoal(&args).ended_with(0).json();
    assert_eq!(report["promises"][0]["asked"], 6);
    assert_eq!(report["algorithm"], "sbc");
    assert!(report["promises"][0]["found"].as_u64().unwrap() >= 6);
}

#[test]
fn the_json_of_a_run_is_its_report_with_what_only_the_publisher_is_told() {
    let project = TestProject::with_people();
    let printed =
        project.shoal(&["run", "policy.toml", "--json", "--report", "where/it/goes"]).ended_with(0).json();
    let written: serde_json::Value =
        serde_json::from_str(&project.read("where/it/goes/report.json")).unwrap();
    for key in ["version", "output-sha256", "shape", "classes", "loss", "risk"] {
        assert_eq!(printed[key], written[key], "{key}");
    }
    for key in [
        "version",
        "output-sha256",
        "shape",
        "algorithm",
        "records-in",
        "records-out",
        "records-suppressed",
        "classes",
        "promises",
        "leaks",
        "loss",
        "risk",
        "notes",
    ] {
        assert!(printed.get(key).is_some(), "{key}");
    }
    for key in ["name", "asked", "found", "holds"] {
        assert!(printed["promises"][0].get(key).is_some(), "{key}");
    }
    assert_eq!(printed["records-in"], 12);
}

#[test]
fn the_source_may_be_standard_input() {
    let project = TestProject::with_people();
    let from_file = publish(&project, "a.csv", &[]);
    let args = ["run", "policy.toml", "--set", "data.source=-", "-o", "b.csv"];
    project.shoal_reading(&args, PEOPLE).ended_with(0);
    assert_eq!(from_file, project.bytes("b.csv"));
}

#[test]
fn every_kind_of_output_is_read_back_and_verified() {
    let project = TestProject::with_people();
    for output in ["a.csv", "a.csv.gz", "a.csv.zst", "a.parquet"] {
        publish(&project, output, &["--force"]);
        let said = project.shoal(&["verify", output, "--policy", "policy.toml"]).ended_with(0);
        assert!(said.stdout.contains("3 asked, 3 found: holds"), "{output}: {}", said.stdout);
        let strict = ["verify", output, "--policy", "policy.toml", "--set", "privacy.k=13"];
        project.shoal(&strict).ended_with(1);
    }
    assert_eq!(project.bytes("a.csv.gz")[..2], [0x1f, 0x8b]);
    assert_eq!(project.bytes("a.csv.zst")[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    assert_eq!(project.bytes("a.parquet")[..4], *b"PAR1");
}

#[test]
fn the_published_file_may_go_to_standard_output() {
    let project = TestProject::with_people();
    let file = publish(&project, "a.csv", &[]);
    for output in ["-", "/dev/stdout"] {
        let said = project.shoal(&["run", "policy.toml", "-o", output]).ended_with(0);
        assert_eq!(said.stdout.as_bytes(), file, "{output}");
        assert!(said.stderr.contains("k-anonymity  3 asked, 3 found: holds"), "{}", said.stderr);
    }
    let said = project.shoal(&["run", "policy.toml", "-o", "-", "--json", "--quiet"]).ended_with(0);
    assert_eq!(said.stdout.as_bytes(), file);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&said.stderr).unwrap()["records-out"], 12);
    project.edit_policy("out.csv", "-");
    let said = project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    assert_eq!((said.stdout.as_bytes(), said.stderr.as_str()), (&file[..], ""));
    let said = project.shoal(&["run", "policy.toml", "--json", "--set", "privacy.k=99"]).ended_with(1);
    assert_eq!(said.stdout, "");
    assert!(said.stderr.contains("\"exit-code\": 1"), "{}", said.stderr);
}

#[test]
fn paths_of_a_policy_are_seen_from_its_folder() {
    let project = TestProject::empty();
    project.write("deep/people.csv", PEOPLE);
    project.write("deep/policy.toml", POLICY);
    project.shoal(&["run", "deep/policy.toml"]).ended_with(0);
    assert!(project.exists("deep/out.csv") && project.exists("deep/out.report/report.json"));
}

/// A file of one class that covers everything keeps every promise, and is worth nothing.
#[test]
fn a_release_that_says_nothing_is_not_a_success() {
    let project = TestProject::with_people();
    let everybody = ["run", "policy.toml", "--set", "privacy.k=12", "--set", "algorithm.name=mondrian"];
    let said = project.shoal(&everybody).ended_with(1);
    assert!(
        said.stderr.contains("nothing is left to use") && said.stderr.contains("--allow-total-loss"),
        "{said:?}"
    );
    assert!(!project.exists("out.csv") && !project.exists("out.report"));
    project.shoal(&[&everybody[..], &["--allow-total-loss"]].concat()).ended_with(0);
    assert!(project.exists("out.csv"));
}

/// A column of one value loses nothing by a `*`, so that not all is lost where all is `*`.
#[test]
fn whoever_verifies_a_table_of_nothing_but_stars_is_told() {
    let project = TestProject::empty();
    project.write("people.csv", "place,land,illness\na,x,flu\nb,x,gout\nc,x,flu\nd,x,acne\n");
    project.write("place.csv", "a;*\nb;*\nc;*\nd;*\n");
    project.write("land.csv", "x;*\n");
    let policy = r#"version = 1
data = { shape = "table", source = "people.csv" }
columns.place = { role = "quasi-identifier", hierarchy = "place.csv" }
columns.land = { role = "quasi-identifier", hierarchy = "land.csv" }
columns.illness = { role = "sensitive" }
privacy.k = 4
output.path = "out.csv"
"#;
    project.write("policy.toml", policy);
    project.write("stars.csv", "place,land,illness\n*,*,acne\n*,*,flu\n*,*,flu\n*,*,gout\n");
    let said = project.shoal(&["verify", "stars.csv", "--policy", "policy.toml"]).ended_with(0);
    assert!(said.stdout.contains("the file says nothing"), "{said:?}");
    project.write("some.csv", "place,land,illness\n*,x,acne\n*,x,flu\n*,x,flu\n*,x,gout\n");
    let said = project.shoal(&["verify", "some.csv", "--policy", "policy.toml"]).ended_with(0);
    assert!(!said.stdout.contains("the file says nothing"), "{said:?}");
}

/// 66,000 different names without a hierarchy are too many for sets of them (2^16 names of 2^16 people are the limit), so that Mondrian takes over.
#[test]
fn whoever_did_the_work_instead_is_named_in_the_summary_and_in_both_reports() {
    let project = TestProject::empty();
    let people: String = (0..66_000).map(|at| format!("n{at}\n")).collect();
    project.write("people.csv", format!("name\n{people}"));
    let parts = ["[columns", "[privacy"].map(|part| POLICY.find(part).unwrap());
    let (head, tail) = (&POLICY[..parts[0]], &POLICY[parts[1]..]);
    project.write("policy.toml", format!("{head}[columns.name]\nrole = \"quasi-identifier\"\n\n{tail}"));
    let said = project.shoal(&["run", "policy.toml"]).ended_with(0).stdout;
    let words =
        "too many different names without a hierarchy for ribbon: mondrian made the classes, without rounds";
    assert!(said.contains(words), "{said}");
    {
        let report = project.json("out.report/audit.json");
        assert_eq!(report["algorithm"], "ribbon");
        let notes = report["notes"].as_array().unwrap();
        assert!(notes.iter().any(|note| note.as_str().unwrap().starts_with(words)), "{notes:?}");
    }
    let audit = project.json("out.report/audit.json");
    assert_eq!(audit["ribbon"]["constructions"][0]["name"], "mondrian");
    // With few names ribbon does it itself, and nothing of the kind is said.
    let few: String = (0..600).map(|at| format!("n{at}\n")).collect();
    project.write("people.csv", format!("name\n{few}"));
    project.shoal(&["run", "policy.toml", "-o", "few.csv"]).ended_with(0);
    let report = project.json("few.report/audit.json");
    assert!(!report["notes"].to_string().contains("mondrian"), "{report}");
}
