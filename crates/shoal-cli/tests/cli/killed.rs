//! A run that is ended from outside leaves nothing behind: not even a hidden file with unverified rows. Signals that ask end it
//! with a word and a code; one that does not ask ends it anyhow.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::project::{PEOPLE, POLICY, TestProject};

#[test]
fn a_killed_run_leaves_nothing() {
    assert_eq!(ended_while_it_waits("KILL").signal(), Some(9));
}

#[test]
fn a_terminated_run_leaves_nothing() {
    assert_eq!(ended_while_it_waits("TERM").code(), Some(143));
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    assert_eq!(ended_while_it_waits("INT").code(), Some(130));
}

/// Enough people for a search that goes on for long after it has said that it begins.
fn many_people() -> String {
    let row = |i: u64| {
        let h = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        format!("{},{},{},{}\n", h % 83, h / 83 % 2, 10_000 + h / 166 % 9_000, h % 7)
    };
    std::iter::once("age,sex,zip,illness\n".to_owned()).chain((0..200_000).map(row)).collect()
}

#[test]
fn a_search_ends_when_it_is_interrupted() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let project = TestProject::empty();
        project.write("people.csv", many_people());
        project.write("policy.toml", POLICY.replace("[columns.name]\nrole = \"identifier\"\n", ""));
        let before = project.everything();
        let args = ["run", "policy.toml", "--report", "reports", "--json"];
        let mut child = project.command(&args).stdin(Stdio::null()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        wait_for_line(&mut stderr, "constructing");
        send(signal, &child);
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{rest}");
        assert!(rest.ends_with("cancelled; nothing was published\n") && !rest.contains("error"), "{rest}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["error"]["exit-code"], code);
        assert_eq!(project.everything(), before);
    }
}

#[test]
fn an_interrupted_comparison_keeps_its_finished_cells() {
    let project = TestProject::empty();
    project.write("people.csv", many_people());
    project.write("policy.toml", POLICY.replace("[columns.name]\nrole = \"identifier\"\n", ""));
    // One cell at a time: the first is quick and the second is not.
    let args =
        ["compare", "policy.toml", "--algorithms", "mondrian,ribbon", "--vary", "k=3", "--threads", "1"];
    let mut child = project.command(&args).stdin(Stdio::null()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    wait_for_line(&mut stderr, "cell 2 of 2: ribbon,k=3");
    send("INT", &child);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{rest}");
    assert!(rest.contains("1 of 2 cells are in `compare`") && !rest.contains("error"), "{rest}");
    let results = project.read("compare/results.csv");
    assert_eq!(results.lines().count(), 2, "{results}");
    let again = project.shoal(&["compare", "policy.toml", "--algorithms", "mondrian", "--vary", "k=3"]);
    assert!(again.ended_with(0).stdout.contains("1 of 1 cells were finished before"));
}

/// Starts a run that waits for more of its standard input, and sends it a signal.
fn ended_while_it_waits(signal: &str) -> ExitStatus {
    let project = TestProject::with_people();
    let before = project.everything();
    let args = ["run", "policy.toml", "--set", "data.source=-", "-o", "out.csv", "--report", "reports"];
    let mut child = project.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut rows = child.stdin.take().unwrap();
    rows.write_all(PEOPLE.as_bytes()).unwrap();
    // The output is begun before the first record is read, so that a place that cannot be written to is known at once.
    wait_for_line(&mut BufReader::new(child.stderr.as_mut().unwrap()), "reading");
    send(signal, &child);
    let status = child.wait().unwrap();
    drop(rows);
    assert_eq!(project.everything(), before);
    status
}

/// Waits until the command says that this stage begins.
fn wait_for_line(stderr: &mut impl BufRead, wanted: &str) {
    let found = stderr.lines().map(Result::unwrap).any(|line| line == wanted);
    assert!(found, "it never said `{wanted}`");
}

fn send(signal: &str, child: &Child) {
    let command = format!("kill -s {signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
}
