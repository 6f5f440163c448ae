//! Histories that are published again after they have grown.

use std::collections::BTreeMap;

use crate::support::{CommandOutput, Dice, TestProject, csv};

const K: usize = 3;
const PLACES: [&str; 4] = ["Bonn", "Koeln", "Kiel", "Husum"];

fn policy(promise: &str, algorithm: &str) -> String {
    format!(
        r#"version = 1
[data]
shape = "sequences"
source = "visits.csv"
id = "patient"
order = ["visit"]
[columns.patient]
role = "identifier"
[columns.visit]
role = "identifier"
kind = "integer"
[columns.place]
role = "quasi-identifier"
hierarchy = "places.csv"
[columns.illness]
role = "sensitive"
[privacy]
k = 3
{promise}
[algorithm]
name = "{algorithm}"
"#
    )
}

/// Of each patient place and illness of every visit.
type Histories = BTreeMap<String, Vec<(usize, usize)>>;

fn visit(dice: &mut Dice) -> (usize, usize) {
    (dice.below(4), dice.below(5))
}

fn draw(dice: &mut Dice, prefix: &str, people: usize) -> Histories {
    (0..people)
        .map(|number| (format!("{prefix}{number}"), (0..=dice.below(3)).map(|_| visit(dice)).collect()))
        .collect()
}

fn write(project: &TestProject, name: &str, histories: &Histories) {
    let mut text = "patient,visit,place,illness\n".to_owned();
    for (patient, visits) in histories {
        for (number, (place, illness)) in visits.iter().enumerate() {
            let illness = if *illness == 0 { "HIV".to_owned() } else { format!("flu{illness}") };
            text.push_str(&format!("{patient},{number},{},{illness}\n", PLACES[*place]));
        }
    }
    project.write(name, text);
}

fn hospital(seed: u64, promise: &str, algorithm: &str) -> (TestProject, Histories) {
    let project = TestProject::new();
    project.write("places.csv", "Bonn;West;*\nKoeln;West;*\nKiel;North;*\nHusum;North;*\n");
    project.write("policy.toml", policy(promise, algorithm));
    let histories = draw(&mut Dice::new(seed), "p", 40);
    write(&project, "visits.csv", &histories);
    // Who is put together is dealt by the key, so tests that look at crowds by hand have one.
    project.write_key("key");
    let args = ["run", "policy.toml", "-o", "first.csv", "--quiet", "--allow-total-loss"];
    project.shoal(&[&args[..], &["--set", "algorithm.key-file=key"]].concat()).ended_with(0);
    (project, histories)
}

fn apply(project: &TestProject, release: &str, data: &str, out: &str) -> CommandOutput {
    project.shoal(&["apply", release, data, "-o", out, "--json", "--allow-total-loss"])
}

/// The published people: place and illness of each event.
fn people(project: &TestProject, file: &str) -> Vec<Vec<(String, String)>> {
    let mut lines: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
    for row in csv(&project.read(file)).1 {
        lines.entry(row[0].parse().unwrap()).or_default().push((row[1].clone(), row[2].clone()));
    }
    lines.into_values().collect()
}

fn may_be(cell: &str, place: usize) -> bool {
    let region = if place < 2 { "West" } else { "North" };
    cell == PLACES[place] || cell == region || cell == "*"
}

/// Whether the events of two lines can be laid onto somebody's, in order; tried out one after the other.
fn possible(one: &[(String, String)], two: &[(String, String)], known: &[(usize, usize)]) -> bool {
    let Some(((place, _), rest)) = known.split_first() else { return one.is_empty() && two.is_empty() };
    let first = one.first().filter(|(cell, _)| may_be(cell, *place));
    let second = two.first().filter(|(cell, _)| may_be(cell, *place));
    possible(one, two, rest)
        || (first.is_some() && possible(&one[1..], two, rest))
        || (second.is_some() && possible(one, &two[1..], rest))
        || (first.zip(second).is_some_and(|(a, b)| a.1 == b.1) && possible(&one[1..], &two[1..], rest))
}

/// Everybody who was in the first release and may be in the second has k lines in each that can be theirs in both, or none.
fn check(project: &TestProject, old: &Histories) {
    let (first, second) = (people(project, "first.csv"), people(project, "second.csv"));
    for (patient, known) in old {
        let fits = |line: &&Vec<(String, String)>| possible(line, &[], known);
        let one: Vec<_> = first.iter().filter(fits).collect();
        let two: Vec<_> = second.iter().filter(fits).collect();
        let left = one.iter().filter(|one| two.iter().any(|two| possible(one, two, known))).count();
        let right = two.iter().filter(|two| one.iter().any(|one| possible(one, two, known))).count();
        assert!(left.min(right) == 0 || left.min(right) >= K, "{patient}: {left} and {right}");
    }
}

#[test]
fn grown_histories_stay_with_whom_they_were() {
    for seed in 1..5 {
        let (project, mut old) = hospital(seed, "", "cbmsa");
        let mut dice = Dice::new(seed + 50);
        for visits in old.values_mut() {
            if dice.below(2) == 0 {
                visits.push(visit(&mut dice));
            }
        }
        let mut all = old.clone();
        all.extend(draw(&mut dice, "n", 15));
        write(&project, "grown.csv", &all);
        let said = apply(&project, "first.report", "grown.csv", "second.csv").ended_with(0);
        assert!(said.stdout.contains("people stay with those with whom they were"), "{}", said.stdout);
        // Where nobody is left out everybody can be asked about.
        let is_complete = |file: &str, of: &Histories| people(&project, file).len() == of.len();
        if is_complete("first.csv", &old) && is_complete("second.csv", &all) {
            check(&project, &old);
        }
        let said = project.second_release_holds("grown.csv");
        assert!(said.stdout.contains("several releases, linkage"), "{}", said.stdout);
    }
}

#[test]
fn two_runs_of_the_same_people_may_be_beaten_where_the_applied_one_is_not() {
    // Run anew, people get other company; whoever knows their visits intersects the two crowds.
    let mut beaten = 0;
    for seed in 1..5 {
        let (project, mut old) = hospital(seed, "", "cbmsa");
        let mut dice = Dice::new(seed + 50);
        for visits in old.values_mut() {
            visits.push(visit(&mut dice));
        }
        write(&project, "visits.csv", &old);
        project
            .shoal(&["run", "policy.toml", "-o", "naive.csv", "--quiet", "--allow-total-loss"])
            .ended_with(0);
        let attack = [
            "attack",
            "visits.csv",
            "naive.csv",
            "--policy",
            "naive.report/audit.json",
            "--previous",
            "first.report",
        ];
        beaten += usize::from(project.shoal(&attack).code == 1);
        apply(&project, "first.report", "visits.csv", "second.csv").ended_with(0);
        let attack = [
            "attack",
            "visits.csv",
            "second.csv",
            "--policy",
            "second.report/audit.json",
            "--previous",
            "first.report",
        ];
        project.shoal(&attack).ended_with(0);
    }
    assert!(beaten > 0, "a run that does not know the first release breaks what both promise");
}

#[test]
fn a_third_release_and_people_who_are_gone() {
    let (project, mut all) = hospital(7, "", "cbmsa");
    all.extend(draw(&mut Dice::new(8), "n", 20));
    write(&project, "grown.csv", &all);
    apply(&project, "first.report", "grown.csv", "second.csv").ended_with(0);
    all.extend(draw(&mut Dice::new(9), "m", 20));
    // One leaves: whoever was with them is left out, or the difference would show their line.
    all.remove("p0");
    write(&project, "more.csv", &all);
    let said = apply(&project, "second.report", "more.csv", "third.csv").ended_with(0);
    assert!(said.stdout.contains("(2 given)"), "{}", said.stdout);
    assert!(said.stdout.contains("people are left out because"), "{}", said.stdout);
}

#[test]
fn other_promises_about_histories_are_applied_too() {
    let with_values = "sensitive-values = [\"HIV\"]";
    for (promise, algorithm) in [
        (format!("c = 0.7\n{with_values}"), "cbmsa"),
        (format!("length = 2\nbeta = 3.0\n{with_values}"), "fcla"),
        (format!("length = 2\nc = 0.7\n{with_values}"), "halt"),
    ] {
        let (project, mut all) = hospital(21, &promise, algorithm);
        all.extend(draw(&mut Dice::new(22), "n", 30));
        write(&project, "grown.csv", &all);
        let said = apply(&project, "first.report", "grown.csv", "second.csv").ended_with(0);
        assert!(
            said.stdout.contains("people stay with those with whom they were"),
            "{algorithm}: {}",
            said.stdout
        );
    }
}

/// Every other row spells its person in capitals and with a blank.
fn spelled_two_ways(text: &str) -> String {
    let spelled = |(at, line): (usize, &str)| match at % 2 {
        1 => format!(" {}{}\n", line[..1].to_uppercase(), &line[1..]),
        _ => format!("{line}\n"),
    };
    text.lines().enumerate().map(spelled).collect()
}

#[test]
fn somebody_spelled_two_ways_is_one_person() {
    let ways = [
        ("", "cbmsa"),
        ("", "cbmsa-baseline"),
        ("length = 2", "fcla"),
        ("length = 2", "fcla-base1"),
        ("length = 2", "halt"),
    ];
    for (promise, algorithm) in ways {
        let (project, _) = hospital(3, promise, algorithm);
        project.write("respelled.csv", spelled_two_ways(&project.read("visits.csv")));
        let run = ["run", "policy.toml", "-o", "second.csv", "--quiet", "--allow-total-loss"];
        let same_key = ["--key-of", "first.report", "--set", "data.source=respelled.csv"];
        project.shoal(&[&run[..], &same_key].concat()).ended_with(0);
        assert_eq!(project.read("second.csv"), project.read("first.csv"), "{algorithm}");
        let policy = ["--policy", "second.report/audit.json"];
        let verify = ["verify", "second.csv", "--original", "respelled.csv"];
        project.shoal(&[&verify[..], &policy].concat()).ended_with(0);
        let measure = ["measure", "respelled.csv", "second.csv", "--json"];
        let said = project.shoal(&[&measure[..], &policy].concat()).ended_with(0);
        assert!(said.stdout.contains("\"records-in\": 40"), "{}", said.stdout);
        project.shoal(&[&["attack", "respelled.csv", "second.csv"][..], &policy].concat()).ended_with(0);
        // Who was in the first release is known, whichever spelling a row has.
        let said = apply(&project, "first.report", "respelled.csv", "third.csv").ended_with(0);
        assert!(said.stdout.contains("people stay with those with whom"), "{}", said.stdout);
        assert!(!said.stdout.contains("people are new"), "{}", said.stdout);
    }
}

#[test]
fn events_of_two_spellings_are_told_apart_by_their_order_or_not_at_all() {
    let (project, _) = hospital(3, "", "cbmsa");
    let visits = project.read("visits.csv");
    project.write("visits.csv", format!("{visits}7,1,Bonn,flu1\n07,1,Kiel,flu2\n"));
    let run = ["run", "policy.toml", "-o", "second.csv", "--allow-total-loss"];
    let said = project.shoal(&run).ended_with(2);
    assert!(said.stderr.contains("which came first?"), "{}", said.stderr);
    project.write("visits.csv", format!("{visits}7,1,Bonn,flu1\n07,2,Kiel,flu2\n"));
    project.shoal(&run).ended_with(0);
}

#[test]
fn what_lies_in_the_place_of_an_earlier_release_is_not_attacked_instead() {
    let (project, _) = hospital(1, "", "cbmsa");
    let run = ["run", "policy.toml", "-o", "second.csv", "--quiet", "--allow-total-loss", "--set"];
    project.shoal(&[&run[..], &["algorithm.seed=9"]].concat()).ended_with(0);
    let attack =
        ["attack", "visits.csv", "second.csv", "--policy", "policy.toml", "--previous", "first.report"];
    let before = project.shoal(&attack);
    let first = project.read("first.csv");
    project.write(
        "first.csv",
        first.lines().take(1).map(|line| format!("{line}\n")).collect::<String>() + "1,*,flu1\n",
    );
    let lost = project.shoal(&attack).ended_with(2);
    assert!(lost.stderr.contains("not the one that was published"), "{}", lost.stderr);
    // Moved together with its audit it is found again.
    std::fs::create_dir(project.path("moved")).unwrap();
    std::fs::remove_file(project.path("first.csv")).unwrap();
    project.write("moved/first.csv", first);
    std::fs::rename(project.path("first.report"), project.path("moved/first.report")).unwrap();
    let mut moved = attack;
    moved[6] = "moved/first.report";
    assert_eq!(project.shoal(&moved).stdout, before.stdout);
}

#[test]
fn a_run_is_held_against_the_release_that_it_is_given() {
    for seed in 1..5 {
        let (project, mut old) = hospital(seed, "", "cbmsa");
        let flags =
            ["run", "policy.toml", "--allow-total-loss", "--json", "--previous", "first.report", "-o"];
        let run = |out: &str| project.shoal(&[&flags[..], &[out]].concat());
        // The same again tells nobody anything.
        let same = [&flags[..], &["again.csv", "--key-of", "first.report"]].concat();
        let again = project.shoal(&same).ended_with(0);
        assert!(again.stdout.contains("earlier-releases"), "{}", again.stdout);
        assert!(!again.stdout.contains("earlier-release\""), "{}", again.stdout);

        let mut dice = Dice::new(seed + 50);
        old.values_mut().for_each(|visits| visits.push(visit(&mut dice)));
        write(&project, "visits.csv", &old);
        let said = run("second.csv").ended_with(0);
        assert!(said.stdout.contains("40 people stay with those with whom they were"), "{}", said.stdout);
        check(&project, &old);
    }
}

#[test]
fn too_few_newcomers_are_left_out() {
    let (project, mut all) = hospital(2, "", "cbmsa");
    all.extend(draw(&mut Dice::new(3), "n", 2));
    write(&project, "visits.csv", &all);
    let run = ["run", "policy.toml", "--allow-total-loss", "--previous", "first.report", "-o", "second.csv"];
    let said = project.shoal(&run).ended_with(0);
    assert!(said.stdout.contains("2 people are left out because they are new"), "{}", said.stdout);
    assert_eq!(people(&project, "second.csv").len(), 40);
}

/// Whoever is left out makes a value more or less frequent among those who are published, and the promise is about them.
#[test]
fn gains_of_an_applied_release_are_about_those_who_are_published() {
    let mut done = 0;
    let promise = |value: &str| format!("length = 2\nbeta = 1.0\nsensitive-values = [\"{value}\"]");
    for (seed, value) in (1..9).flat_map(|seed| [(seed, "HIV"), (seed, "hiv")]) {
        let (project, mut old) = hospital(seed, &promise("HIV"), "fcla");
        // Of two spellings the policy may name the one that comes last.
        let respelled = |file: &str| {
            let text = project.read(file);
            let lines = text.lines().enumerate().map(|(at, line)| match at % 2 {
                0 => format!("{line}\n"),
                _ => format!("{}\n", line.replace("HIV", value)),
            });
            project.write(file, lines.collect::<String>());
        };
        respelled("visits.csv");
        project.write("policy.toml", policy(&promise(value), "fcla"));
        let run = ["run", "policy.toml", "-o", "first.csv", "--quiet", "--allow-total-loss", "--force"];
        project.shoal(&run).ended_with(0);
        let mut dice = Dice::new(seed + 50);
        for visits in old.values_mut() {
            if dice.below(3) == 0 {
                visits.push(visit(&mut dice));
            }
        }
        old.extend(draw(&mut dice, "n", 12));
        write(&project, "grown.csv", &old);
        respelled("grown.csv");
        let said = apply(&project, "first.report", "grown.csv", "second.csv");
        done += usize::from(said.code == 0);
        // Where it cannot be done, that is said; the verifier has nothing to refuse.
        assert!(said.code == 0 || said.stderr.contains("nobody can be published"), "{}", said.stderr);
    }
    assert!(done >= 12, "{done} of 16");
}

#[test]
fn nobody_is_left_of_an_earlier_release() {
    let (project, old) = hospital(2, "", "cbmsa");
    let few: Histories = old.into_iter().take(2).collect();
    write(&project, "few.csv", &few);
    let said = apply(&project, "first.report", "few.csv", "second.csv").ended_with(1);
    assert!(said.stderr.contains("nobody can be published"), "{}", said.stderr);
    assert!(said.stderr.contains("2 are left of groups"), "{}", said.stderr);
}
