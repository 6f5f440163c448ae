//! Streams, as somebody meets them who pipes tuples through the command.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::project::{CommandOutput, TestProject};

const POLICY: &str = r#"version = 1

[data]
shape = "stream"
source = "-"
person = "who"

[columns.who]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.city]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
domain = ["asthma", "cold", "cough", "flu", "gout", "HIV"]

[privacy]
l = 3

[state]
key-file = "key"
"#;

/// Which illness the n-th tuple has.
fn illness(n: usize) -> usize {
    (n * n + n / 7) % 6
}

const ILLNESSES: [&str; 6] = ["asthma", "cold", "cough", "flu", "gout", "HIV"];

fn project() -> TestProject {
    let project = TestProject::empty();
    project.write("policy.toml", POLICY);
    project
}

fn tuple(n: usize) -> String {
    let (city, illness) = (["Ulm", "Bonn", "Kiel"][n * 5 % 3], ILLNESSES[illness(n)]);
    format!(r#"{{"who":"p{}","age":{},"city":"{city}","illness":"{illness}"}}"#, n % 40, 20 + n * 7 % 50)
}

fn tuples(count: usize) -> String {
    (0..count).map(|n| tuple(n) + "\n").collect()
}

fn stream(project: &TestProject, set: &[&str], input: &str) -> CommandOutput {
    let mut args = vec!["stream", "policy.toml"];
    set.iter().for_each(|set| args.extend(["--set", set]));
    project.shoal_reading(&args, input)
}

const PUBLISHED: &[&str] = &["algorithm.mode=paper"];
const CASTLE: &[&str] = &[
    "algorithm.name=castle",
    "privacy.k=3",
    "privacy.l=2",
    "algorithm.delta=20",
    "columns.illness.domain=[]",
];

#[test]
fn a_hardened_stream_hides_every_value_and_repeats_itself() {
    let project = project();
    let said = stream(&project, &[], &tuples(250)).ended_with(0);
    assert_eq!(said.stdout.lines().count(), 250);
    let first: serde_json::Value = serde_json::from_str(said.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["age"], 20);
    assert!(first.get("who").is_none() && first.get("illness").is_none());
    assert_eq!(first["values"].as_array().unwrap().len(), 3);
    for (n, line) in said.stdout.lines().enumerate() {
        assert!(line.contains(&format!("\"{}\"", ILLNESSES[illness(n)])), "{line}");
    }
    // The same key gives the same bytes; another key does not.
    assert_eq!(stream(&project, &[], &tuples(250)).stdout, said.stdout);
    assert_ne!(stream(&project, &["state.key-file=other"], &tuples(250)).stdout, said.stdout);
    // The same person with the same illness gets the same values.
    let person = |n: usize| said.stdout.lines().nth(n).unwrap().split("values").nth(1).unwrap().to_owned();
    let again = (40..250).step_by(40).flat_map(|later| (0..10).map(move |n| (n, n + later)));
    let again: Vec<(usize, usize)> = again.filter(|(n, later)| illness(*n) == illness(*later)).collect();
    assert!(again.len() > 2);
    assert!(again.into_iter().all(|(n, later)| person(n) == person(later)));
}

#[test]
fn what_every_mode_publishes_is_verified_and_counted() {
    for (set, tuples_shown) in [(&[][..], 300), (PUBLISHED, 300), (CASTLE, 300)] {
        for format in ["ndjson", "csv"] {
            let project = project();
            let input = match format {
                "csv" => {
                    let row = |n: usize| {
                        let (age, city, illness) =
                            (20 + n * 7 % 50, ["Ulm", "Bonn", "Kiel"][n * 5 % 3], ILLNESSES[illness(n)]);
                        format!("{illness},{age},p{},{city}\n", n % 40)
                    };
                    format!("illness,age,who,city\n{}", (0..300).map(row).collect::<String>())
                }
                _ => tuples(300),
            };
            let format = format!("data.format={format}");
            let set = [set, &[&format]].concat();
            let said = stream(&project, &set, &input).ended_with(0);
            project.write("in", &input);
            project.write("out", &said.stdout);
            let mut with = Vec::new();
            set.iter().for_each(|set| with.extend(["--set", set]));
            let verified =
                project.shoal(&[&["verify", "out", "--policy", "policy.toml", "--json"], &with[..]].concat());
            let verified = verified.ended_with(0).json();
            assert_eq!(verified["tuples"], tuples_shown, "{set:?}");
            let asked =
                ["measure", "in", "out", "--policy", "policy.toml", "--json", "--where", "city=Ulm|Kiel"];
            let measured = project.shoal(&[&asked, &with[..]].concat()).ended_with(0).json();
            assert_eq!(measured["tuples-in"], 300);
            let counts = measured["counts"][0]["counts"].as_array().unwrap();
            let counted: f64 = counts.iter().map(|count| count["count"].as_f64().unwrap()).sum();
            // Whatever becomes of single values, all of them together are all tuples there are.
            assert!((counted - 200.0).abs() < 40.0, "{counted} {set:?}");
        }
    }
}

/// Fifteen hundred people whose illness goes with their city.
fn by_city(n: usize) -> (usize, &'static str, &'static str) {
    let r = n * 7919 % 1500;
    let city = ["Ulm", "Bonn"][r % 2];
    (20 + r % 50, city, ILLNESSES[(r / 2 + 3 * (r % 2) * (r / 4 % 2)) % 6])
}

#[test]
fn a_stream_in_strata_shows_nothing_finer_and_is_verified_and_counted() {
    let project = project();
    let mut prior = std::collections::BTreeMap::new();
    let mut input = String::new();
    for n in 0..1500 {
        let (age, city, illness) = by_city(n);
        *prior.entry((illness, city)).or_insert(0) += 1;
        input.push_str(&format!(
            "{{\"who\":\"p{n}\",\"age\":{age},\"city\":\"{city}\",\"illness\":\"{illness}\"}}\n"
        ));
    }
    let rows = prior.iter().map(|((illness, city), count)| format!("{illness},{city},{count}\n"));
    project.write("prior.csv", format!("value,city,count\n{}", rows.collect::<String>()));
    let strata = [
        "columns.illness.domain=[]",
        "algorithm.prior=conditional",
        "algorithm.strata=[\"city\"]",
        "algorithm.prior-file=prior.csv",
    ];
    let said = stream(&project, &strata, &input).ended_with(0);
    let first = said.stdout.lines().next().unwrap();
    assert!(first.starts_with("{\"age\":\"*\",\"city\":\"Ulm\",\"values\":["), "{first}");
    project.write("in", &input);
    project.write("out", &said.stdout);
    let mut with = Vec::new();
    strata.iter().for_each(|set| with.extend(["--set", set]));
    let verify = |code| {
        project.shoal(&[&["verify", "out", "--policy", "policy.toml"], &with[..]].concat()).ended_with(code)
    };
    verify(0);
    let asked = ["measure", "in", "out", "--policy", "policy.toml", "--json", "--where", "city=Ulm"];
    let measured = project.shoal(&[&asked, &with[..]].concat()).ended_with(0).json();
    let counts = measured["counts"][0]["counts"].as_array().unwrap();
    assert_eq!(counts.len(), 6);
    for count in counts {
        let truth = measured["monitoring"][count["value"].as_str().unwrap()]["mean-count"].as_f64().unwrap();
        let (found, error) = (count["count"].as_f64().unwrap(), count["standard-error"].as_f64().unwrap());
        assert!((found - truth).abs() < 4.5 * error, "{count} {truth}");
    }
    insta::assert_snapshot!(
        "check_strata",
        project.shoal(&[&["check", "policy.toml"], &with[..]].concat()).ended_with(0).stdout
    );
    // A line that says more than its stratum, or another one, is found; and exact lines are another promise.
    for (from, to) in [("\"age\":\"*\"", "\"age\":30"), ("\"city\":\"Ulm\"", "\"city\":\"Kiel\"")] {
        project.write("out", said.stdout.replacen(from, to, 1));
        verify(1);
    }
    // The same key is not used for another design; somebody from nowhere is not published.
    let exact = [&strata[..], &["algorithm.publish=exact"]].concat();
    stream(&project, &exact, &input).ended_with(2);
    let exact = [&exact[..], &["state.key-file=other"]].concat();
    let nowhere = input.lines().next().unwrap().replace("Ulm", "Rome") + "\n";
    let said = stream(&project, &exact, &(nowhere + &input)).ended_with(0);
    assert_eq!(said.stdout.lines().count(), 1500);
    assert!(said.stdout.starts_with("{\"age\":20,\"city\":\"Ulm\""), "{}", &said.stdout[..80]);
    assert!(project.read("policy.dead-letters.ndjson").contains("in no stratum"));
}

#[test]
fn what_was_learned_in_strata_is_written_down_without_anybodys_own_cells() {
    let project = project();
    let line = |n: usize| {
        let (age, city, illness) = by_city(n);
        format!("{{\"who\":\"p{n}\",\"age\":{age},\"city\":\"{city}\",\"illness\":\"{illness}\"}}\n")
    };
    let input: String = (0..2000).map(line).collect();
    let strata = [
        "algorithm.prior=conditional",
        "algorithm.strata=[\"city\",\"age\"]",
        "algorithm.learn=1500",
        "state.dir=state",
    ];
    let said = stream(&project, &strata, &input).ended_with(0);
    assert_eq!(said.stdout.lines().count(), 500);
    let prior = project.read("state/prior.csv");
    assert!(prior.starts_with("stratum,value,\"city\",\"age\",count\n1,"), "{prior}");
    assert!(!prior.contains(",\"37\","), "{prior}");
    // Whoever has that file draws, verifies and counts by the same design.
    project.write("out", &said.stdout);
    let mut with = Vec::new();
    strata.iter().for_each(|set| with.extend(["--set", set]));
    project.shoal(&[&["verify", "out", "--policy", "policy.toml"], &with[..]].concat()).ended_with(0);
    let again = stream(&project, &strata, &(1500..2000).map(line).collect::<String>()).ended_with(0);
    assert_eq!(again.stdout, said.stdout);
}

#[test]
fn a_line_that_is_changed_is_noticed() {
    for set in [&[][..], PUBLISHED] {
        let project = project();
        let published = stream(&project, set, &tuples(50)).ended_with(0).stdout;
        let broken = match set.is_empty() {
            true => published.replacen("\"values\":[\"", "\"values\":[\"HIV\",\"HIV\",\"", 1),
            false => published
                .lines()
                .filter(|line| !line.contains("\"gout\""))
                .map(|line| format!("{line}\n"))
                .collect(),
        };
        assert_ne!(published, broken);
        project.write("out", broken);
        let mut args = vec!["verify", "out", "--policy", "policy.toml"];
        set.iter().for_each(|set| args.extend(["--set", set]));
        let said = project.shoal(&args).ended_with(1);
        assert!(
            said.stdout.contains("breaks the promise") || said.stdout.contains("break the promise"),
            "{}",
            said.stdout
        );
    }
}

#[test]
fn a_bad_line_goes_to_the_dead_letters_and_the_stream_goes_on() {
    let project = project();
    let input = format!(
        "{}\n{{broken\n{}\n{{\"who\":\"x\",\"age\":3,\"city\":\"Ulm\"}}\n{}\n",
        tuple(1),
        tuple(2),
        tuple(3).replace("gout", "plague").replace("flu", "plague")
    );
    // Three of five are far more than one of a hundred.
    let said = stream(&project, &[], &input).ended_with(1);
    assert_eq!(said.stdout.lines().count(), 2);
    insta::assert_snapshot!(project.read("policy.dead-letters.ndjson"));
}

#[test]
fn what_cannot_be_hidden_is_said_before_anything_leaves() {
    let project = project();
    project.write("prior.csv", "value,count\nasthma,6\ncold,1\nflu,1\ngout,1\nHIV,0.\n".replace("0.", "1"));
    let errors = [
        stream(&project, &["privacy.l=7"], &tuples(9)).ended_with(1),
        stream(&project, &["columns.illness.domain=[]", "algorithm.prior-file=prior.csv"], &tuples(9))
            .ended_with(1),
        stream(&project, &["columns.illness.domain=[]", "algorithm.learn=5"], &tuples(2)).ended_with(1),
        stream(&project, &["state.dir=policy.toml/state"], &tuples(9)).ended_with(2),
        stream(&project, &["data.source=nats://localhost"], "").ended_with(2),
    ];
    assert!(errors.iter().all(|said| said.stdout.is_empty()));
    let text: Vec<String> = errors.iter().map(CommandOutput::error).collect();
    insta::assert_snapshot!(text.join("\n"));
    // `run` is not for streams, and `stream` for nothing else.
    let table = TestProject::with_people().shoal(&["stream", "policy.toml"]).ended_with(2);
    assert!(table.error().contains("not about a stream"), "{}", table.error());
    insta::assert_snapshot!("run_of_a_stream", project.shoal(&["run", "policy.toml"]).ended_with(2).error());
}

/// The default build has no brokers.
#[cfg(not(feature = "nats"))]
#[test]
fn a_connector_that_was_not_built_is_named() {
    let said = stream(&project(), &["data.source=nats://localhost/IN"], "").ended_with(2);
    assert!(said.error().contains("built without the connector"), "{}", said.error());
    assert!(said.error().contains("--features nats"), "{}", said.error());
}

#[test]
fn a_key_that_was_used_with_another_prior_is_refused() {
    let project = project();
    stream(&project, &[], &tuples(3)).ended_with(0);
    let said = stream(&project, &["privacy.l=4"], &tuples(3)).ended_with(2);
    insta::assert_snapshot!(said.error());
}

#[test]
fn the_plan_is_told_before_tuples_come() {
    let project = project();
    insta::assert_snapshot!("check_hardened", project.shoal(&["check", "policy.toml"]).ended_with(0).stdout);
    let mut args = vec!["check", "policy.toml"];
    CASTLE.iter().for_each(|set| args.extend(["--set", set]));
    insta::assert_snapshot!("check_castle", project.shoal(&args).ended_with(0).stdout);
    let broker = "data.source=nats://me:secret@localhost/IN?subject=in";
    let said = project.shoal(&["check", "policy.toml", "--set", broker]).ended_with(0).stdout;
    assert!(said.contains("nats://***@localhost/IN?subject=in") && !said.contains("secret"), "{said}");
    project.shoal(&["check", "policy.toml", "--set", "privacy.l=7"]).ended_with(1);
}

#[test]
fn counts_are_answered_without_the_original() {
    let project = project();
    let published = stream(&project, &[], &tuples(600)).ended_with(0).stdout;
    project.write("out", published);
    let args = [
        "measure",
        "out",
        "--policy",
        "policy.toml",
        "--value",
        "flu",
        "--value",
        "cold",
        "--where",
        "age=20..39",
    ];
    let said = project.shoal(&[&args[..], &["--every", "age=10", "--json"]].concat()).ended_with(0).json();
    assert_eq!(said["counts"].as_array().unwrap().len(), 2);
    assert!(said["counts"][0]["counts"][0]["standard-error"].as_f64().unwrap() > 0.0);
    let wrong =
        project.shoal(&["measure", "out", "--policy", "policy.toml", "--where", "height=3"]).ended_with(2);
    insta::assert_snapshot!(wrong.error());
    let people = TestProject::with_people();
    people.shoal(&["measure", "people.csv", "--policy", "policy.toml"]).ended_with(2);
}

#[test]
fn a_stream_that_is_told_to_stop_lets_out_what_waits() {
    let project = project();
    let mut args = vec!["stream", "policy.toml", "--metrics", "127.0.0.1:0", "--status", "1"];
    CASTLE.iter().for_each(|set| args.extend(["--set", set]));
    let mut child = project.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    told.read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().trim().trim_end_matches("/metrics").to_owned();
    input.write_all(tuples(10).as_bytes()).unwrap();
    // Ten have come and wait, fewer than delta.
    let started = Instant::now();
    while !scrape(&address).contains("shoal_waiting 10") {
        assert!(started.elapsed() < Duration::from_secs(180), "{}", scrape(&address));
        std::thread::sleep(Duration::from_millis(20));
    }
    let kill = format!("kill -s TERM {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 10);
    drop(input);
}

/// What is there at the moment; what went wrong where a busy server has broken off.
fn scrape(address: &str) -> String {
    let ask = || {
        let mut connection = TcpStream::connect(address)?;
        write!(connection, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n")?;
        std::io::read_to_string(connection)
    };
    ask().unwrap_or_else(|e| e.to_string())
}

#[test]
fn a_state_goes_on_where_it_stopped() {
    for set in [PUBLISHED, CASTLE] {
        let project = project();
        let set = [set, &["state.dir=state"]].concat();
        let first = stream(&project, &set, &tuples(60)).ended_with(0);
        let second = stream(&project, &[&set[..], &[]].concat(), &tuples(60)).ended_with(0);
        assert!(second.stderr.contains("since the start"), "{}", second.stderr);
        // Groups go on being numbered, and both parts together keep the promise.
        project.write("out", first.stdout + &second.stdout);
        let mut args = vec!["verify", "out", "--policy", "policy.toml"];
        set.iter().for_each(|set| args.extend(["--set", set]));
        project.shoal(&args).ended_with(0);
    }
}

#[test]
fn a_policy_is_proposed_that_runs() {
    let project = TestProject::empty();
    project.write("events.ndjson", tuples(300));
    let said = project.shoal(&["init", "events.ndjson", "--shape", "stream"]).ended_with(0);
    insta::assert_snapshot!("init", said.stdout);
    insta::assert_snapshot!("init_policy", project.read("policy.toml"));
    // A thousand are learned from.
    assert_eq!(stream(&project, &["privacy.l=3"], &tuples(1300)).ended_with(0).stdout.lines().count(), 300);
}
