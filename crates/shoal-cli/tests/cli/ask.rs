//! `shoal init --ask`: a dialogue that writes the policy which an editor would have written.

use crate::project::{PEOPLE, TestProject};

/// Visits with dates that can be read in two ways, and two columns that could name people.
fn visits() -> String {
    let row = |i: usize| {
        let (month, day) = (i % 3 + 1, i / 3 % 12 + 1);
        let diagnosis = if i.is_multiple_of(9) { "HIV" } else { ["flu", "cold", "gout"][i % 3] };
        format!("c{},p{},{},{month:02}/{day:02}/2020,{diagnosis}\n", i / 3, i / 6, 20 + i / 6)
    };
    let rows: String = (0..120).map(row).collect();
    format!("case_id,patient_id,age,admitted,diagnosis\n{rows}")
}

#[test]
fn whoever_accepts_everything_gets_the_proposal() {
    let project = TestProject::empty();
    project.write("people.csv", PEOPLE);
    project.shoal(&["init", "people.csv", "-o", "plain.toml"]).ended_with(0);
    let accepted = "\n".repeat(20);
    project.shoal_reading(&["init", "people.csv", "--ask", "-o", "asked.toml"], &accepted).ended_with(0);
    let plain = project.read("plain.toml").replace("plain.toml", "asked.toml");
    assert_eq!(project.read("asked.toml"), plain);
}

#[test]
fn answers_become_the_policy() {
    let project = TestProject::empty();
    project.write("people.csv", PEOPLE);
    // Nobody has two records; name, age, sex as proposed, zip is sensitive, illness by its full name; 3 alike; 2 values; a name.
    let answers = "-\n\n\nwhat\n\ns\nsensitive\n1\n3\n2\nmine.csv\n";
    let said = project.shoal_reading(&["init", "people.csv", "--ask"], answers).ended_with(0);
    insta::assert_snapshot!("ask", said.stderr);
    let policy = project.read("policy.toml");
    for line in ["k = 3\n", "l-diversity = { kind = \"distinct\", l = 2 }", "path = \"mine.csv\""] {
        assert!(policy.contains(line), "{policy}");
    }
    assert!(policy.contains("[columns.zip]\nrole = \"sensitive\""), "{policy}");
    assert!(policy.contains("proposed was quasi-identifier"), "{policy}");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project.shoal(&["verify", "mine.csv", "--policy", "policy.toml"]).ended_with(0);
}

#[test]
fn another_person_has_another_order() {
    let project = TestProject::empty();
    project.write("visits.csv", visits());
    // A column that does not exist is asked about again, and so is a format that does not fit.
    let answers = "nobody\ncase_id\nadmitted\na\n%Y-%m-%d\n%m/%d/%Y\n4\nHIV\n2\n0.5\n\n";
    let args = ["init", "visits.csv", "--shape", "sequences", "--ask"];
    let said = project.shoal_reading(&args, answers).ended_with(0);
    assert!(said.stderr.contains("There is no column `nobody`"), "{}", said.stderr);
    assert!(said.stderr.contains("is not written so"), "{}", said.stderr);
    assert!(said.stderr.contains("A share lies between 0 and 1"), "{}", said.stderr);
    let policy = project.read("policy.toml");
    for line in
        ["id = \"case_id\"", "c = 0.5", "sensitive-values = [\"HIV\"]", "format = \"%m/%d/%Y\"", "k = 4"]
    {
        assert!(policy.contains(line), "{policy}");
    }
    assert!(!policy.contains("QUESTION"), "{policy}");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
}

#[test]
fn baskets_and_streams_are_asked_about_too() {
    let project = TestProject::empty();
    project.write("baskets.txt", "a b c\n".repeat(9) + "a d\n");
    let args = ["init", "baskets.txt", "--shape", "transactions", "--ask"];
    let said = project.shoal_reading(&args, "0\n3\n1\n").ended_with(0);
    assert!(said.stderr.contains("a whole number from 2 to 10"), "{}", said.stderr);
    let policy = project.read("policy.toml");
    assert!(policy.contains("\nk = 3 ") && policy.contains("\nm = 1 "), "{policy}");
    project.shoal(&["run", "policy.toml"]).ended_with(0);

    project.write("people.csv", PEOPLE);
    let args = ["init", "people.csv", "--shape", "stream", "--ask", "--force"];
    project.shoal_reading(&args, "-\na\n3\n").ended_with(0);
    assert!(project.read("policy.toml").contains("\nl = 3\n"));
}

#[test]
fn without_an_answer_nothing_is_written() {
    let project = TestProject::empty();
    project.write("people.csv", PEOPLE);
    let before = project.everything();
    let said = project.shoal_reading(&["init", "people.csv", "--ask"], "\n\n").ended_with(2);
    assert!(said.stderr.contains("standard input has ended; nothing was written"), "{}", said.stderr);
    assert_eq!(project.everything(), before);
    project.shoal(&["init", "people.csv", "--ask", "--json"]).ended_with(2);
}
