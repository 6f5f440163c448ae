//! castle against whoever knows who came when.
//!
//! A crowd used to leave in the order of arrival: of 2,000 lines 2,000 were linked to their people. Now the order of a crowd
//! says nothing, no line leaves without its crowd, and nobody waits forever.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::support::{Dice, TestProject};

pub(crate) const POLICY: &str = r#"version = 1
[data]
shape = "stream"
source = "-"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.city]
role = "quasi-identifier"
[columns.secret]
role = "sensitive"
[privacy]
k = 5
[algorithm]
name = "castle"
delta = 60
"#;

const PEOPLE: usize = 2000;

/// Everybody has a secret of their own, in an order that has nothing to do with that of arrival.
fn arrivals() -> (Vec<String>, Vec<String>) {
    let mut dice = Dice::new(11);
    let secrets = dice.shuffled((0..PEOPLE).map(|n| format!("s{n:04}")).collect());
    let tuple = |secret: &String| {
        let (age, city) = (20 + dice.below(60), ["Ulm", "Bonn", "Kiel", "Jena"][dice.below(4)]);
        format!(r#"{{"age":{age},"city":"{city}","secret":"{secret}"}}"#)
    };
    (secrets.iter().map(tuple).collect(), secrets)
}

/// What every line says before its secret, and the secret.
fn read(line: &str) -> (&str, &str) {
    let (cells, rest) = line.split_once("\"secret\":\"").unwrap();
    (cells, rest.trim_end_matches(['"', '}']))
}

/// Neighbouring lines that look alike.
fn crowds(published: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = published.lines().collect();
    let alike = |a: &&str, b: &&str| read(a).0 == read(b).0;
    lines.chunk_by(alike).map(<[&str]>::to_vec).collect()
}

fn publish(set: &[&str]) -> (String, String, Vec<String>) {
    let project = TestProject::new();
    project.write("policy.toml", POLICY);
    let (tuples, secrets) = arrivals();
    let mut args = vec!["stream", "policy.toml"];
    set.iter().for_each(|set| args.extend(["--set", set]));
    let said = project.shoal_reading(&args, &(tuples.join("\n") + "\n")).ended_with(0);
    assert_eq!(said.stdout.lines().count(), PEOPLE);
    (said.stdout, said.stderr, secrets)
}

/// The adversary knows who came when and even who is in which crowd. In each crowd she gives the first line to whoever
/// came first, and so on. Without any knowledge she is right once per crowd in the mean, whatever its size.
#[test]
fn the_order_of_a_crowd_links_no_line_to_an_arrival() {
    for rules in ["nearest", "paper"] {
        let (published, _, secrets) = publish(&[&format!("algorithm.rules={rules}")]);
        let arrived = |secret: &str| secrets.iter().position(|known| known == secret);
        let (mut right, mut number) = (0, 0);
        for crowd in crowds(&published) {
            let shown: Vec<&str> = crowd.iter().map(|line| read(line).1).filter(|s| *s != "*").collect();
            let mut by_arrival = shown.clone();
            by_arrival.sort_by_key(|secret| arrived(secret));
            right += shown.iter().zip(&by_arrival).filter(|(line, guess)| line == guess).count();
            number += 1;
        }
        // The fixed points of a random permutation: 1 in the mean, with variance 1.
        let most = number as f64 + 5.0 * (number as f64).sqrt();
        assert!(number > 20 && right as f64 <= most, "{rules}: {right} of {PEOPLE} in {number} crowds");
    }
}

/// A line that leaves alone, into a class that is out already, leaves when the time of its tuple is up: whoever knows
/// arrivals counts δ back and has the name. So every line leaves with its whole crowd unless the policy says otherwise.
#[test]
fn no_line_leaves_without_its_crowd() {
    for rules in ["nearest", "paper"] {
        let rules = format!("algorithm.rules={rules}");
        let (published, stderr, _) = publish(&[&rules]);
        for crowd in crowds(&published) {
            let distinct: BTreeSet<&str> = crowd.iter().map(|line| read(line).1).collect();
            assert!(distinct.len() >= 5 || distinct.contains("*"), "{crowd:?}");
        }
        let shown = published.lines().filter(|line| read(line).1 != "*").count();
        assert!(shown > PEOPLE * 9 / 10, "{shown} of {PEOPLE} are shown");
        assert!(!stderr.contains("knows its line"), "{stderr}");
    }
    let (published, stderr, _) = publish(&["algorithm.reuse=true"]);
    assert!(crowds(&published).iter().any(|crowd| crowd.len() == 1));
    assert!(stderr.contains("knows its line"), "{stderr}");
}

/// δ counts tuples. When no more come, those that wait leave all the same, and the stream goes on.
#[test]
fn nobody_waits_for_ever_when_the_input_pauses() {
    let project = TestProject::new();
    project.write("policy.toml", POLICY);
    let mut child = Command::new(env!("CARGO_BIN_EXE_shoal"))
        .args(["stream", "policy.toml", "--quiet", "--set", "algorithm.max-wait=0.2"])
        .current_dir(project.path("."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)).ok();
    });
    let (tuples, _) = arrivals();
    input.write_all((tuples[..60].join("\n") + "\n").as_bytes()).unwrap();
    input.flush().unwrap();
    // The input stays open. A minute is far longer than it takes, and the test still ends if nothing comes.
    let left = (0..60).map_while(|_| lines.recv_timeout(Duration::from_secs(60)).ok()).count();
    assert_eq!(left, 60);
    drop(input);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
}
