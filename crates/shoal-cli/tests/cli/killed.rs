//! A run that is ended from outside leaves nothing behind: not even a hidden file with unverified rows.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::workshop::{PEOPLE, Workshop};

#[test]
fn a_killed_run_leaves_nothing() {
    assert_eq!(ended_from_outside("KILL").signal(), Some(9));
}

#[test]
fn a_terminated_run_leaves_nothing() {
    assert_eq!(ended_from_outside("TERM").signal(), Some(15));
}

/// Starts a run that waits for more of its standard input, and sends it a signal.
fn ended_from_outside(signal: &str) -> ExitStatus {
    let shop = Workshop::with_people();
    let before = shop.everything();
    let args = ["run", "policy.toml", "--set", "data.source=-", "-o", "out.csv", "--report", "reports"];
    let mut child = shop.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let mut rows = child.stdin.take().unwrap();
    rows.write_all(PEOPLE.as_bytes()).unwrap();
    wait_until_it_reads(&mut child);
    let command = format!("kill -s {signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    let status = child.wait().unwrap();
    drop(rows);
    assert_eq!(shop.everything(), before);
    status
}

/// The output is begun before the first record is read, so that a place that cannot be written to is known
/// at once.
fn wait_until_it_reads(child: &mut Child) {
    let mut line = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "reading\n");
}
