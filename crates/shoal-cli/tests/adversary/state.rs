//! Keys, states and files of a stream in the hands of somebody who is careless, or who finds them.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{CommandOutput, Dice, TestProject};

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
[columns.illness]
role = "sensitive"
domain = ["asthma", "cold", "cough", "flu", "gout", "HIV"]
[privacy]
l = 3
[state]
key-file = "key"
"#;

pub(crate) const KEY: &str = "6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a";

fn project(key: &str, mode: u32) -> TestProject {
    let project = TestProject::new();
    project.write("policy.toml", POLICY);
    project.write("key", key);
    fs::set_permissions(project.path("key"), fs::Permissions::from_mode(mode)).unwrap();
    project
}

fn tuple(who: &str, n: usize) -> String {
    let illness = ["asthma", "cold", "cough", "flu", "gout", "HIV"][n % 6];
    format!("{{\"who\":{who},\"age\":{},\"illness\":\"{illness}\"}}\n", 20 + n % 40)
}

fn tuples(count: usize) -> String {
    (0..count).map(|n| tuple(&format!("\"p{n}\""), n)).collect()
}

fn stream(project: &TestProject, set: &[&str], input: &str) -> CommandOutput {
    let mut args = vec!["stream", "policy.toml"];
    set.iter().for_each(|set| args.extend(["--set", set]));
    project.shoal_reading(&args, input)
}

#[test]
fn a_key_that_can_be_guessed_or_read_is_refused_with_what_mends_it() {
    for weak in ["", "1234", &"0".repeat(64), &"ab".repeat(32), &"0123456789abcdef".repeat(4)] {
        let said = stream(&project(weak, 0o600), &[], &tuples(5)).ended_with(2);
        assert!(said.stdout.is_empty() && said.stderr.contains("openssl rand -hex 32"), "{}", said.stderr);
    }
    for mode in [0o644, 0o640, 0o604] {
        let said = stream(&project(KEY, mode), &[], &tuples(5)).ended_with(2);
        assert!(said.stdout.is_empty() && said.stderr.contains("chmod 600"), "{}", said.stderr);
    }
    stream(&project(KEY, 0o600), &[], &tuples(5)).ended_with(0);
}

/// Two designs under one key: whoever returns is seen with two sets, and what is in both is her illness.
#[test]
fn a_key_that_somebody_made_serves_one_design() {
    let project = project(KEY, 0o600);
    let first = stream(&project, &[], &tuples(50)).ended_with(0).stdout;
    assert_eq!(stream(&project, &[], &tuples(50)).ended_with(0).stdout, first);
    let said = stream(&project, &["privacy.l=2"], &tuples(50)).ended_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("new key-file"), "{}", said.stderr);
    // What was noted says nothing about the values to whoever has only the note.
    assert!(project.read("key").starts_with(KEY) && !project.read("key").contains("flu"));
}

#[test]
fn two_policies_that_name_one_folder_do_not_share_it() {
    let project = project(KEY, 0o600);
    let learn = ["columns.illness.domain=[]", "algorithm.learn=60", "state.dir=state"];
    stream(&project, &learn, &tuples(120)).ended_with(0);
    let other =
        ["columns.illness.domain=[]", "algorithm.learn=70", "state.dir=state", "state.key-file=other"];
    let said = stream(&project, &other, &tuples(120)).ended_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("[state] dir"), "{}", said.stderr);
    // A folder whose key is gone is not taken up with a new one.
    fs::remove_file(project.path("key")).unwrap();
    let said = stream(&project, &learn, &tuples(120)).ended_with(2);
    assert!(said.stdout.is_empty() && said.stderr.contains("bring the key back"), "{}", said.stderr);
}

/// Whoever returns under another spelling must not be seen with two sets: what is in both is the illness.
#[test]
fn a_person_in_another_spelling_is_hidden_among_the_same_values() {
    for spellings in [["\"7\"", "7.0", "\" 07\"", "7"], ["\"Ann\"", "\"Ann \"", "\"\\tAnn\"", "\"Ann\""]] {
        let input: String = spellings.iter().map(|who| tuple(who, 5)).collect();
        let said = stream(&project(KEY, 0o600), &[], &input).ended_with(0);
        let mut lines: Vec<&str> = said.stdout.lines().collect();
        lines.dedup();
        assert_eq!((said.stdout.lines().count(), lines.len()), (4, 1), "{}", said.stdout);
    }
}

#[test]
fn what_was_lost_is_counted_by_reason_and_too_much_of_it_is_a_failure() {
    let mut dice = Dice::new(3);
    let bad = [
        "{broken\n",
        "{\"who\":\"p\",\"age\":\"x\",\"illness\":\"flu\"}\n",
        "{\"who\":\"p\",\"illness\":\"plague\"}\n",
    ];
    let lines = |lost: usize| -> String {
        let mut all: Vec<String> = (0..1000 - lost).map(|n| tuple("\"p1\"", n)).collect();
        all.extend((0..lost).map(|n| bad[n % 3].to_owned()));
        dice.shuffled(all).concat()
    };
    let mut lines = lines;
    let few = project(KEY, 0o600);
    let said = stream(&few, &["output.dead-letters=lost"], &lines(9)).ended_with(0);
    for words in
        ["9 in ", "lost", "not-json", "wrong-kind", "unknown-value", "the first at partition 0, offset "]
    {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
    assert!(!said.stderr.contains("plague"), "{}", said.stderr);
    assert_eq!(fs::metadata(few.path("lost")).unwrap().permissions().mode() & 0o777, 0o600);
    let many = lines(12);
    let said = stream(&project(KEY, 0o600), &[], &many).ended_with(1);
    assert_eq!(said.stdout.lines().count(), 988);
    assert!(said.stderr.contains("1.20 % of the lines, and 1.00 % are allowed"), "{}", said.stderr);
    stream(&project(KEY, 0o600), &["output.max-dead-letters=0.012"], &many).ended_with(0);
    stream(&project(KEY, 0o600), &["output.max-dead-letters=0"], &lines(1)).ended_with(1);
}

/// A line without an end is skipped in bounded memory; what comes after it is not lost.
#[test]
fn a_line_of_many_megabytes_is_a_dead_letter_and_no_more() {
    let project = project(KEY, 0o600);
    let input = format!("{}{{\"who\":\"{}\"}}\n{}", tuples(2), "x".repeat(20 << 20), tuples(2));
    let said =
        stream(&project, &["output.dead-letters=lost", "output.max-dead-letters=1"], &input).ended_with(0);
    assert_eq!(said.stdout.lines().count(), 4);
    assert!(said.stderr.contains("line-too-long"), "{}", said.stderr);
    assert!(fs::metadata(project.path("lost")).unwrap().len() < 2 << 20);
}
