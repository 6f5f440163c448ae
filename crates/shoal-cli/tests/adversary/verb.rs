//! `shoal attack` against releases that deserve it, and against those that do not.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::castle::POLICY as CASTLE;
use crate::releases::POLICY as TABLE;
use crate::state::KEY;
use crate::support::{CommandOutput, Dice, TestProject};

fn hospital() -> TestProject {
    let project = TestProject::new();
    let mut dice = Dice::new(7);
    let mut text = "name,age,zip,illness\n".to_owned();
    for number in 0..1_000 {
        let (age, zip, illness) = (18 + dice.below(70), 10_000 + dice.below(500), dice.below(20));
        text.push_str(&format!("person{number},{age},{zip},illness{illness}\n"));
    }
    project.write("people.csv", text);
    project.write("policy.toml", TABLE);
    project
}

fn attack(project: &TestProject, original: &str, published: &str, more: &[&str]) -> CommandOutput {
    project.shoal(&[&["attack", original, published, "--policy", "policy.toml", "--quiet"], more].concat())
}

/// The attacks that beat their bound, by name.
fn beaten(said: &CommandOutput) -> Vec<String> {
    let found: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(found["holds"], said.code == 0);
    let attacks = found["attacks"].as_array().unwrap().iter().filter(|attack| attack["beaten"] == true);
    attacks.map(|attack| attack["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn raw_data_are_beaten_and_a_release_is_not() {
    let project = hospital();
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--quiet"]).ended_with(0);
    let said = attack(&project, "people.csv", "out.csv", &["--json"]).ended_with(0);
    assert_eq!(beaten(&said), Vec::<String>::new());
    // Everybody is in the original, and nobody's value is in what is printed.
    assert!(!said.stdout.contains("illness1") && !said.stdout.contains("person1"), "{}", said.stdout);
    let said = attack(&project, "people.csv", "people.csv", &["--json"]).ended_with(1);
    assert!(beaten(&said).contains(&"linkage".to_owned()), "{}", said.stdout);
    assert!(beaten(&said).contains(&"values left".to_owned()), "{}", said.stdout);
    let said = attack(&project, "people.csv", "people.csv", &[]).ended_with(1);
    assert!(said.stdout.contains("beaten") && said.stdout.contains("not tried"), "{}", said.stdout);
}

/// One cell of one row is another: its class has one fewer, and the row is alone.
#[test]
fn a_split_class_is_beaten() {
    let project = hospital();
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--quiet"]).ended_with(0);
    let text = project.read("out.csv");
    let lines: Vec<&str> = text.lines().collect();
    let class = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let size = |at: usize| lines[1..].iter().filter(|line| class(line) == class(lines[at])).count();
    let small = (1..lines.len()).min_by_key(|&at| size(at)).unwrap();
    // The k that the file keeps.
    let k = format!("privacy.k={}", size(small));
    attack(&project, "people.csv", "out.csv", &["--set", &k]).ended_with(0);
    let (_, illness) = lines[small].rsplit_once(',').unwrap();
    let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    changed[small] = format!("200,99999,{illness}");
    project.write("split.csv", changed.join("\n") + "\n");
    let said = attack(&project, "people.csv", "split.csv", &["--set", &k, "--json"]).ended_with(1);
    assert!(beaten(&said).contains(&"linkage".to_owned()), "{}", said.stdout);
}

#[test]
fn two_naive_releases_are_beaten_together() {
    let project = hospital();
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let other = ["run", "policy.toml", "-o", "second.csv", "--quiet", "--set", "columns.zip.weight=9.0"];
    project.shoal(&other).ended_with(0);
    attack(&project, "people.csv", "second.csv", &[]).ended_with(0);
    for previous in ["first.csv", "first.report", "first.report/audit.json"] {
        let said =
            attack(&project, "people.csv", "second.csv", &["--previous", previous, "--json"]).ended_with(1);
        let names = beaten(&said);
        assert!(names.iter().all(|name| name.starts_with("several releases")), "{names:?}");
        assert_eq!(names.len(), 2, "{names:?}");
    }
    // The same release twice gives nothing away.
    attack(&project, "people.csv", "first.csv", &["--previous", "first.csv"]).ended_with(0);
    // Nor does something else in its place, which therefore is not attacked instead.
    project.write("first.csv", project.read("second.csv"));
    let lost = attack(&project, "people.csv", "second.csv", &["--previous", "first.report"]).ended_with(2);
    assert!(lost.stderr.contains("not the one that was published"), "{}", lost.stderr);
}

/// Classes that are kept hide as before, also together with newcomers.
#[test]
fn kept_classes_are_not_beaten_together() {
    let project = hospital();
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let mut dice = Dice::new(17);
    let mut text = project.read("people.csv");
    for number in 0..100 {
        let (age, zip, illness) = (18 + dice.below(70), 10_000 + dice.below(500), dice.below(20));
        text.push_str(&format!("new{number},{age},{zip},illness{illness}\n"));
    }
    project.write("people.csv", text);
    let second = [
        "run",
        "policy.toml",
        "-o",
        "second.csv",
        "--quiet",
        "--previous",
        "first.report",
        "--reuse-classes",
    ];
    project.shoal(&second).ended_with(0);
    attack(&project, "people.csv", "second.csv", &["--previous", "first.csv"]).ended_with(0);
}

#[test]
fn what_each_person_risks_is_for_its_owner_only() {
    let project = hospital();
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--quiet"]).ended_with(0);
    attack(&project, "people.csv", "out.csv", &["--per-person", "risks.csv"]).ended_with(0);
    let mode = fs::metadata(project.path("risks.csv")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = project.read("risks.csv");
    assert!(text.starts_with("record,crowd,linked,guess of illness,probability of illness\n1,"), "{text}");
    assert_eq!(text.lines().count(), 1_001);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(cells[1].parse::<u32>().unwrap() >= 10 && cells[2].parse::<f64>().unwrap() <= 0.1, "{line}");
    }
    attack(&project, "people.csv", "out.csv", &["--per-person", "risks.csv"]).ended_with(2);
    attack(&project, "people.csv", "out.csv", &["--per-person", "risks.csv", "--force"]).ended_with(0);
}

const BASKETS: &str =
    "version = 1\n[data]\nshape = \"transactions\"\nsource = \"in.txt\"\n[privacy]\nk = 5\nm = 2\n";

#[test]
fn any_two_items_find_a_crowd_in_a_release_and_not_in_raw_data() {
    let project = TestProject::new();
    let mut dice = Dice::new(3);
    let line = |dice: &mut Dice| {
        let items: Vec<String> =
            (0..1 + dice.below(5)).map(|_| format!("i{}", dice.below(40).min(dice.below(40)))).collect();
        items.join(" ") + "\n"
    };
    project.write("in.txt", (0..500).map(|_| line(&mut dice)).collect::<String>());
    project.write("policy.toml", BASKETS);
    project.shoal(&["run", "policy.toml", "-o", "out.txt", "--quiet"]).ended_with(0);
    attack(&project, "in.txt", "out.txt", &[]).ended_with(0);
    let said = attack(&project, "in.txt", "in.txt", &["--json"]).ended_with(1);
    assert_eq!(beaten(&said), ["any items"]);
    // One item too many in one line: a pair that nobody else has.
    let text = project.read("out.txt");
    let lines: Vec<&str> = text.lines().collect();
    let (first, last) = (lines[0], lines.iter().rev().find(|line| !line.contains(lines[0])).unwrap());
    project.write(
        "changed.txt",
        text.replacen(first, &format!("{first} {}", last.split(' ').next().unwrap()), 1),
    );
    let verified = project.shoal(&["verify", "changed.txt", "--policy", "policy.toml"]);
    let said = attack(&project, "in.txt", "changed.txt", &["--json"]);
    assert!(
        verified.code == 1 || said.code == 0,
        "the adversary never sees less than the verifier: {}",
        said.stdout
    );
}

/// The same crowds as castle publishes, once as they are and once in the order of arrival.
#[test]
fn castle_in_arrival_order_is_beaten() {
    let project = TestProject::new();
    project.write("policy.toml", CASTLE);
    let mut dice = Dice::new(11);
    let secrets = dice.shuffled((0..2_000).map(|n| format!("s{n:04}")).collect::<Vec<_>>());
    let tuple = |secret: &String| {
        let (age, city) = (20 + dice.below(60), ["Ulm", "Bonn", "Kiel", "Jena"][dice.below(4)]);
        format!("{{\"age\":{age},\"city\":\"{city}\",\"secret\":\"{secret}\"}}\n")
    };
    let input: String = secrets.iter().map(tuple).collect();
    let published = project.shoal_reading(&["stream", "policy.toml", "--quiet"], &input).ended_with(0).stdout;
    project.write("in.ndjson", &input);
    project.write("out.ndjson", &published);
    let said = attack(&project, "in.ndjson", "out.ndjson", &["--json"]).ended_with(0);
    assert!(said.stdout.contains("which links nobody"), "{}", said.stdout);

    let cells = |line: &&str| line.split("\"secret\"").next().unwrap().to_owned();
    let arrived = |line: &&str| secrets.iter().position(|secret| line.contains(secret.as_str()));
    let lines: Vec<&str> = published.lines().collect();
    let mut by_arrival = String::new();
    for crowd in lines.chunk_by(|a, b| cells(a) == cells(b)) {
        let mut crowd = crowd.to_vec();
        crowd.sort_by_key(arrived);
        crowd.iter().for_each(|line| by_arrival.push_str(&format!("{line}\n")));
    }
    project.write("arrival.ndjson", &by_arrival);
    let said = attack(&project, "in.ndjson", "arrival.ndjson", &["--json"]).ended_with(1);
    assert_eq!(beaten(&said), ["order of arrival"]);
    // A line that leaves alone is known to whoever knows when its tuple came.
    let alone = ["stream", "policy.toml", "--quiet", "--set", "algorithm.reuse=true"];
    project.write("alone.ndjson", project.shoal_reading(&alone, &input).ended_with(0).stdout);
    let said = attack(&project, "in.ndjson", "alone.ndjson", &["--json"]).ended_with(1);
    assert_eq!(beaten(&said), ["order of arrival"]);
}

const SETS: &str = r#"version = 1
[data]
shape = "stream"
source = "-"
person = "who"
[columns.who]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
l = 2
[algorithm]
prior-file = "prior.csv"
"#;

/// A policy with a key of its own that is always the same: of some hundred keys that are drawn, one leads out of an interval for 99.9 %.
fn write_sets(project: &TestProject, mode: &str) {
    let key = format!("key-{mode}");
    project.write(&key, KEY);
    fs::set_permissions(project.path(&key), fs::Permissions::from_mode(0o600)).unwrap();
    project.write("policy.toml", format!("{SETS}mode = \"{mode}\"\n[state]\nkey-file = \"{key}\"\n"));
}

#[test]
fn the_papers_stream_is_beaten_and_the_hardened_one_is_not() {
    let project = TestProject::new();
    project.write("prior.csv", "value,count\na,1\nb,1\nc,1\nd,1\n");
    let mut dice = Dice::new(23);
    // Everybody comes twice with the same illness.
    let ill: Vec<&str> = (0..1_500).map(|_| ["a", "b", "c", "d"][dice.below(4)]).collect();
    let tuple = |n: usize| {
        let who = n % ill.len();
        format!("{{\"who\":\"p{who}\",\"age\":{},\"illness\":\"{}\"}}\n", 1000 + n, ill[who])
    };
    let input: String = (0..3_000).map(tuple).collect();
    project.write("in.ndjson", &input);
    for (mode, expected) in [("hardened", Vec::new()), ("paper", vec!["joining or not", "returning people"])]
    {
        write_sets(&project, mode);
        let published =
            project.shoal_reading(&["stream", "policy.toml", "--quiet"], &input).ended_with(0).stdout;
        project.write("out.ndjson", published);
        let said = attack(&project, "in.ndjson", "out.ndjson", &["--json"]);
        assert_eq!(beaten(&said), expected, "{mode}: {}", said.stdout);
        assert_eq!(said.code, i32::from(!expected.is_empty()));
    }
}

/// One line of a stream is changed so that its promise breaks: the verifier says so, whichever line it is.
#[test]
fn a_changed_line_of_a_stream_is_noticed() {
    let project = TestProject::new();
    project.write("prior.csv", "value,count\na,1\nb,1\nc,1\nd,1\n");
    let mut dice = Dice::new(31);
    let notices = |project: &TestProject, lines: &[String]| {
        project.write("changed.ndjson", lines.concat());
        let verify = ["verify", "changed.ndjson", "--policy", "policy.toml", "--quiet"];
        let noticed = project.shoal(&verify).code == 1;
        noticed || attack(project, "in.ndjson", "changed.ndjson", &[]).code == 1
    };

    let tuple = |n: usize| {
        format!("{{\"who\":\"p{n}\",\"age\":{n},\"illness\":\"{}\"}}\n", ["a", "b", "c", "d"][n % 4])
    };
    let input: String = (0..200).map(tuple).collect();
    project.write("in.ndjson", &input);
    write_sets(&project, "hardened");
    let published = project.shoal_reading(&["stream", "policy.toml", "--quiet"], &input).ended_with(0).stdout;
    let lines: Vec<String> = published.lines().map(|line| format!("{line}\n")).collect();
    assert!(!notices(&project, &lines));
    for _ in 0..10 {
        let at = dice.below(lines.len());
        let (before, set) = lines[at].split_once("\"values\":[").unwrap();
        let first = set.split(',').next().unwrap();
        // One value is no crowd, and neither is the same one twice.
        for values in [first.to_owned(), format!("{first},{first}")] {
            let mut lines = lines.clone();
            lines[at] = format!("{before}\"values\":[{values}]}}\n");
            assert!(notices(&project, &lines), "{}", lines[at]);
        }
    }

    project.write("policy.toml", CASTLE);
    let tuple = |n: usize| {
        let (age, city) = (20 + dice.below(60), ["Ulm", "Bonn", "Kiel", "Jena"][dice.below(4)]);
        format!("{{\"age\":{age},\"city\":\"{city}\",\"secret\":\"s{n:04}\"}}\n")
    };
    let input: String = (0..400).map(tuple).collect();
    project.write("in.ndjson", &input);
    let published = project.shoal_reading(&["stream", "policy.toml", "--quiet"], &input).ended_with(0).stdout;
    let lines: Vec<String> = published.lines().map(|line| format!("{line}\n")).collect();
    assert!(!notices(&project, &lines));
    let cells = |line: &String| line.split("\"secret\"").next().unwrap().to_owned();
    for _ in 0..10 {
        let mut lines = lines.clone();
        let at = dice.below(lines.len());
        // An age of its own: nobody else's line says the same.
        let (before, rest) = lines[at].split_once("\"age\":").unwrap();
        let rest = &rest[rest.find(",\"city\"").unwrap()..];
        lines[at] = format!("{before}\"age\":\"[20, 78.{at}]\"{rest}");
        let alike = lines.iter().filter(|line| cells(line) == cells(&lines[at])).count();
        assert_eq!(alike, 1, "{}", lines[at]);
        assert!(notices(&project, &lines), "{}", lines[at]);
    }
}
