//! Sequences, as a person meets them on the command line.

use crate::project::TestProject;

/// Rows in no order: the days say which visit came first.
const VISITS: &str = "\
patient,day,zip,stay,disease
ann,2020-03-09,53715,2,flu
bob,2020-01-04,53715,1,cold
ann,2020-01-02,53715,1,HIV
cid,2020-02-01,53703,3,flu
dot,2020-02-02,53706,3,cold
cid,2020-05-01,53711,1,cold
eva,2020-01-09,53711,4,flu
bob,2020-03-01,53715,2,flu
fay,2020-02-05,53703,2,HIV
gus,2020-04-05,53706,9,cold
dot,2020-05-03,53706,1,flu
hal,2020-01-05,53711,4,cold
";

const POLICY: &str = r#"version = 1

[data]
shape = "sequences"
source = "visits.csv"
id = "patient"
order = ["day"]

[columns.patient]
role = "identifier"
[columns.day]
role = "identifier"
kind = "date"
[columns.zip]
role = "quasi-identifier"
[columns.stay]
role = "quasi-identifier"
kind = "integer"
[columns.disease]
role = "sensitive"

[privacy]
k = 2
c = 0.5
sensitive-values = ["HIV"]

[output]
path = "out.csv"
"#;

pub(crate) fn ward() -> TestProject {
    let ward = TestProject::empty();
    ward.write("visits.csv", VISITS);
    ward.write("policy.toml", POLICY);
    ward
}

#[test]
fn the_whole_way() {
    let ward = ward();
    insta::assert_snapshot!("sequences_check", ward.shoal(&["check", "policy.toml"]).ended_with(0).stdout);
    let ran = ward.run_with_key().ended_with(0);
    insta::assert_snapshot!("sequences_run", ran.timeless());
    insta::assert_snapshot!("sequences_published", ward.read("out.csv"));
    let verified = ward.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    insta::assert_snapshot!("sequences_verify", verified.stdout);
    let measured = ward.shoal(&["measure", "visits.csv", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    insta::assert_snapshot!("sequences_measure", measured.stdout);
}

#[test]
fn a_file_of_others_that_breaks_the_promise_is_told_where() {
    let ward = ward();
    let rows =
        "patient,zip,stay,disease\n1,537*,1,HIV\n1,537*,2,flu\n2,537*,1,HIV\n2,537*,2,flu\n3,53715,1,flu\n";
    ward.write("theirs.csv", rows);
    let broken = ward.shoal(&["verify", "theirs.csv", "--policy", "policy.toml"]).ended_with(1);
    insta::assert_snapshot!("sequences_broken", broken.stdout);
    ward.write("days.csv", "patient,day,zip,stay,disease\n1,2020-01-01,*,*,flu\n2,2020-01-02,*,*,flu\n");
    let withheld = ward.shoal(&["verify", "days.csv", "--policy", "policy.toml"]).ended_with(1);
    assert!(withheld.stdout.contains("`day` must not be published"), "{}", withheld.stdout);
}

#[test]
fn init_proposes_a_policy_that_runs() {
    let ward = ward();
    let init = ward.shoal(&["init", "visits.csv", "--shape", "sequences", "-o", "new.toml"]).ended_with(0);
    insta::assert_snapshot!("sequences_init", init.stdout);
    insta::assert_snapshot!("sequences_init_policy", ward.read("new.toml"));
    // So few people have nothing in common but `*`.
    ward.shoal(&["run", "new.toml", "--quiet", "--allow-total-loss"]).ended_with(0);
}

#[test]
fn bad_requests_say_what_to_do_and_leave_nothing() {
    let ward = ward();
    let before = ward.everything();
    let mut said = String::new();
    for (set, code) in [
        (&["privacy.k=9"][..], 1),
        (&["privacy.c=2"], 2),
        (&["privacy.sensitive-values=[\"Hiv\"]"], 2),
        (&["data.order=[\"zip\"]"], 2),
        (&["data.order=[\"stay\"]", "data.id=zip", "columns.zip.role=identifier"], 2),
        (&["privacy.beta=2"], 2),
        (&["algorithm.name=mondrian"], 2),
        // Everybody has one of these.
        (&["privacy.c=0", "privacy.sensitive-values=[\"HIV\", \"flu\", \"cold\"]"], 1),
    ] {
        let mut words = vec!["run", "policy.toml", "--quiet"];
        set.iter().for_each(|set| words.extend(["--set", set]));
        let failed = ward.shoal(&words).ended_with(code);
        said.push_str(&format!("{set:?}\n{}\n", failed.stderr));
    }
    assert_eq!(ward.everything(), before);
    for (name, text) in [
        ("a person without events", VISITS.replace("hal,2020-01-05,53711,4,cold", "hal,,,,")),
        ("an event out of time", VISITS.replace("ann,2020-03-09", "ann,")),
        ("two at once", VISITS.replace("ann,2020-03-09", "ann,2020-01-02")),
        ("nobody's event", VISITS.replace("eva,", ",")),
        ("no date", VISITS.replace("2020-03-09", "yesterday")),
        ("no events at all", "patient,day,zip,stay,disease\n".to_owned()),
    ] {
        ward.write("visits.csv", text);
        let before = ward.everything();
        let failed = ward.shoal(&["run", "policy.toml", "--quiet"]).ended_with(2);
        said.push_str(&format!("{name}\n{}\n", failed.stderr));
        assert_eq!(ward.everything(), before);
    }
    insta::assert_snapshot!("sequences_errors", said);
}

/// The same against somebody who knows a few values only.
fn partly_known() -> TestProject {
    let ward = ward();
    ward.write("zip.csv", "53703;537**;*\n53706;537**;*\n53711;537**;*\n53715;537**;*\n");
    ward.write("stay.csv", "1;short;*\n2;short;*\n3;long;*\n4;long;*\n9;long;*\n");
    ward.edit_policy("[columns.zip]\n", "[columns.zip]\nhierarchy = \"zip.csv\"\n");
    ward.edit_policy("[columns.stay]\n", "[columns.stay]\nhierarchy = \"stay.csv\"\n");
    ward.edit_policy("c = 0.5\n", "beta = 1.5\nlength = 2\n");
    ward
}

#[test]
fn the_whole_way_against_partial_knowledge() {
    let ward = partly_known();
    insta::assert_snapshot!("knowledge_check", ward.shoal(&["check", "policy.toml"]).ended_with(0).stdout);
    let raw = ward.run_with_key().ended_with(0);
    insta::assert_snapshot!("knowledge_run", raw.timeless());
    insta::assert_snapshot!("knowledge_published", ward.read("out.csv"));
    for algorithm in ["fcla-base1", "halt"] {
        let set = format!("algorithm.name={algorithm}");
        ward.shoal(&["run", "policy.toml", "--quiet", "--force", "--set", &set]).ended_with(0);
        ward.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    }
    let rows = "patient,zip,stay,disease\n1,53703,1,HIV\n1,53715,2,flu\n2,53703,1,flu\n3,53715,2,flu\n";
    ward.write("theirs.csv", rows);
    let broken = ward.shoal(&["verify", "theirs.csv", "--policy", "policy.toml"]).ended_with(1);
    insta::assert_snapshot!("knowledge_broken", broken.stdout);
}

#[test]
fn bad_requests_about_knowledge_say_what_to_do_and_leave_nothing() {
    let ward = partly_known();
    let before = ward.everything();
    let mut said = String::new();
    for (set, code) in [
        (&["privacy.beta=0"][..], 2),
        (&["privacy.beta=-1"], 2),
        (&["privacy.length=0"], 2),
        (&["privacy.k=9"], 1),
        (&["privacy.sensitive-values=[\"gout\"]"], 2),
        (&["privacy.c=0.5"], 2),
        (&["algorithm.name=cbmsa"], 2),
    ] {
        let mut words = vec!["run", "policy.toml", "--quiet"];
        set.iter().for_each(|set| words.extend(["--set", set]));
        let failed = ward.shoal(&words).ended_with(code);
        said.push_str(&format!("{set:?}\n{}\n", failed.stderr));
    }
    insta::assert_snapshot!("knowledge_errors", said);
    assert_eq!(ward.everything(), before);
}

/// Two visits of Ann on one day, and two of Bob.
fn with_ties() -> TestProject {
    let ward = ward();
    ward.write(
        "visits.csv",
        VISITS.replace("ann,2020-03-09", "ann,2020-01-02").replace("bob,2020-03-01", "bob,2020-01-04"),
    );
    ward
}

#[test]
fn all_ties_are_said_in_one_message() {
    let said = with_ties().shoal(&["run", "policy.toml"]).ended_with(2);
    for words in ["2 events of 2 people", "equal in day", "both of `ann`", "both of `bob`", "ties = \"file\""]
    {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
}

#[test]
fn ties_keep_the_order_of_the_file_or_of_a_column() {
    let ward = with_ties();
    let file = ["--set", "data.ties=file", "-o", "file.csv", "--report", "r1"];
    ward.shoal(&[&["run", "policy.toml"], &file[..]].concat()).ended_with(0);
    let leaks = ward.json("r1/audit.json")["leaks"].clone();
    assert!(leaks.as_array().unwrap().iter().any(|leak| leak["kind"] == "file-order" && leak["count"] == 2));
    ward.shoal(&["verify", "file.csv", "--policy", "r1/audit.json", "--original", "visits.csv"])
        .ended_with(0);
    // A column that decides makes the release independent of the order of the rows again.
    let column = ["--set", "data.ties=stay", "-o", "column.csv", "--report", "r2", "--force"];
    ward.shoal(&[&["run", "policy.toml"], &column[..]].concat()).ended_with(0);
    let before = ward.read("column.csv");
    let lines: Vec<String> = ward.read("visits.csv").lines().map(str::to_owned).collect();
    let turned: Vec<&str> =
        [&lines[0]].into_iter().chain(lines[1..].iter().rev()).map(String::as_str).collect();
    ward.write("visits.csv", turned.join("\n"));
    ward.shoal(&[&["run", "policy.toml"], &column[..]].concat()).ended_with(0);
    assert_eq!(ward.read("column.csv"), before);
    let leaks = ward.json("r2/audit.json")["leaks"].clone();
    assert!(leaks.as_array().unwrap().iter().all(|leak| leak["kind"] != "file-order"));
}

#[test]
fn the_order_of_the_file_can_be_the_only_one() {
    let ward = ward();
    let file = ["--set", "data.ties=file", "--set", "data.order=[]"];
    ward.shoal(&[&["run", "policy.toml"], &file[..]].concat()).ended_with(0);
    let said = ward.shoal(&["run", "policy.toml", "--set", "data.order=[]", "--force"]).ended_with(2);
    assert!(said.stderr.contains("ties = \"file\""), "{}", said.stderr);
}

/// Six people of whom no two were ever at the same place: only `*` hides them.
fn nowhere_together(length: &str) -> TestProject {
    let project = TestProject::empty();
    let events = (0..6).flat_map(|person| (0..2).map(move |day| (person, day)));
    let row = |(person, day)| {
        let illness = if (person, day) == (0, 0) { "HIV" } else { "flu" };
        format!("{person},{day},p{person}{day},{illness}\n")
    };
    project.write(
        "visits.csv",
        format!("id,day,place,illness\n{}", events.clone().map(row).collect::<String>()),
    );
    project.write("place.csv", events.map(|(person, day)| format!("p{person}{day};*\n")).collect::<String>());
    let policy = format!(
        r#"version = 1
data = {{ shape = "sequences", source = "visits.csv", id = "id", order = ["day"] }}
columns.id = {{ role = "identifier" }}
columns.day = {{ role = "identifier", kind = "integer" }}
columns.place = {{ role = "quasi-identifier", hierarchy = "place.csv" }}
columns.illness = {{ role = "sensitive" }}
privacy = {{ k = 5, c = 0.9, sensitive-values = ["HIV"]{length} }}
output.path = "out.csv"
"#
    );
    project.write("policy.toml", policy);
    project
}

/// The loss is below 100 % here, because a `*` above twelve places loses eleven twelfths of what is known.
#[test]
fn a_file_of_nothing_but_stars_is_not_a_success() {
    for (length, algorithms) in
        [(", length = 4", &["halt", "fcla", "fcla-base1"][..]), ("", &["cbmsa", "cbmsa-baseline"])]
    {
        for algorithm in algorithms {
            let project = nowhere_together(length);
            let name = format!("algorithm.name={algorithm}");
            let run = ["run", "policy.toml", "--set", &name];
            let said = project.shoal(&run).ended_with(1);
            assert!(said.stderr.contains("nothing is left to use"), "{algorithm}: {said:?}");
            assert!(!project.exists("out.csv"), "{algorithm}");
            project.shoal(&[&run[..], &["--allow-total-loss"]].concat()).ended_with(0);
            // It keeps its promise, and whoever verifies it is told why.
            let verify = ["verify", "out.csv", "--policy", "policy.toml", "--json", "--set", &name];
            let said = project.shoal(&verify).ended_with(0);
            assert!(said.stdout.contains("says-nothing"), "{algorithm}: {said:?}");
        }
    }
}
