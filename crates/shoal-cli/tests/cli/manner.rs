//! How the program talks: `--quiet`, `--json`, colours, closed pipes.

use std::io::Read;

use crate::project::TestProject;

#[test]
fn quiet_is_silent_on_success_and_still_tells_errors_and_answers() {
    let project = TestProject::with_people();
    let said = project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));
    let said = project.shoal(&["run", "policy.toml", "-q"]).ended_with(2);
    assert!(said.stderr.starts_with("error: `out.csv` exists already\nhint: "), "{}", said.stderr);
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "-q"]).ended_with(0);
    assert!(said.stdout.contains("holds") && said.stderr.is_empty());
}

#[test]
fn progress_is_plain_lines_where_there_is_no_terminal() {
    let project = TestProject::with_people();
    let said = project.shoal(&["run", "policy.toml"]).ended_with(0);
    let stages: Vec<&str> = said.stderr.lines().collect();
    assert_eq!(stages.first(), Some(&"reading"));
    for stage in ["writing", "verifying", "measuring"] {
        assert!(stages.contains(&stage), "{stages:?}");
    }
    assert!(!said.stderr.contains('\u{1b}') && !said.stdout.contains('\u{1b}'));
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let project = TestProject::with_people();
    let run = |name: &str| {
        let output = project.command(&["check", "nothing.toml"]).env(name, "1").output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(run("CLICOLOR_FORCE").contains("\u{1b}["));
    assert!(!run("NO_COLOR").contains('\u{1b}'));
}

#[test]
fn wrong_arguments_are_errors_in_both_manners() {
    let project = TestProject::empty();
    let said = project.shoal(&["runn"]).ended_with(2);
    assert!(said.stderr.contains("'run'") && said.stdout.is_empty(), "{}", said.stderr);
    let json = project.shoal(&["runn", "--json"]).ended_with(2).json();
    assert!(json["error"]["message"].as_str().unwrap().contains("unrecognized subcommand"));
    project.shoal(&[]).ended_with(2);
    project.shoal(&["run", "policy.toml", "--threads", "100000"]).ended_with(2);
    project.shoal(&["run", "policy.toml", "--seed", "-1"]).ended_with(2);
    project.shoal(&["run", "policy.toml", "--seed", "9223372036854775808"]).ended_with(2);
}

#[test]
fn a_reader_that_leaves_early_is_no_panic() {
    let project = TestProject::with_people();
    let leaf = |at: usize| format!("value-{at};group-{};*\n", at / 2);
    project.write("big.csv", (0..20_000).map(leaf).collect::<String>());
    let mut child = project.command(&["hierarchy", "show", "--all", "big.csv"]).spawn().unwrap();
    let mut first = [0; 8];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // The pipe is closed here, long before all is written.
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told() {
    let project = TestProject::empty();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = project.command(&["schema"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard output cannot be written"));
}
