//! Transactions that are published again: items that are grouped in two ways, and people who come later.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{CommandOutput, Dice, TestProject, csv};

const K: usize = 4;

/// A row per item; the person is beside it.
const POLICY: &str = r#"version = 1
[data]
shape = "transactions"
source = "items.csv"
format = "long"
id = "visit"
item = "code"
person = "patient"
[columns.patient]
role = "identifier"
[privacy]
k = 4
m = 2
"#;

/// Of each patient the items.
type Baskets = BTreeMap<String, BTreeSet<usize>>;

fn draw(dice: &mut Dice, prefix: &str, people: usize, items: usize) -> Baskets {
    let basket =
        |dice: &mut Dice| (0..=dice.below(4)).map(|_| dice.below(items).min(dice.below(items))).collect();
    (0..people).map(|number| (format!("{prefix}{number}"), basket(dice))).collect()
}

fn write(project: &TestProject, name: &str, baskets: &Baskets) {
    let mut text = "visit,patient,code\n".to_owned();
    for (patient, items) in baskets {
        for item in items {
            text.push_str(&format!("v{patient},{patient},i{item:02}\n"));
        }
    }
    project.write(name, text);
}

fn apply(project: &TestProject, release: &str, data: &str, out: &str) -> CommandOutput {
    project.shoal(&["apply", release, data, "-o", out, "--json"])
}

/// The published transactions, as sets of published texts.
fn published(project: &TestProject, file: &str) -> Vec<BTreeSet<String>> {
    let mut lines: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for row in csv(&project.read(file)).1 {
        lines.entry(row[0].parse().unwrap()).or_default().insert(row[1].clone());
    }
    lines.into_values().collect()
}

/// The items that a text stands for.
fn members(text: &str) -> BTreeSet<String> {
    text.trim_start_matches('(').trim_end_matches(')').split(',').map(str::to_owned).collect()
}

/// What an item is published as, by the texts of a file.
fn images(lines: &[BTreeSet<String>]) -> BTreeMap<String, String> {
    let texts: BTreeSet<&String> = lines.iter().flatten().collect();
    texts
        .into_iter()
        .flat_map(|text| members(text).into_iter().map(move |item| (item, text.clone())))
        .collect()
}

fn hospital(seed: u64) -> (TestProject, Baskets) {
    let project = TestProject::new();
    let baskets = draw(&mut Dice::new(seed), "p", 60, 25);
    write(&project, "items.csv", &baskets);
    project.write("policy.toml", POLICY);
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    (project, baskets)
}

/// The recoding of the second release is the first one, or coarser; where nobody is left out, every two items that some of the given people have are
/// shared by k of them, or by none; slowly, from the files.
fn check(project: &TestProject, cohorts: &[&Baskets]) -> bool {
    let (first, second) = (published(project, "first.csv"), published(project, "second.csv"));
    let (before, now) = (images(&first), images(&second));
    for (item, text) in &before {
        for other in members(text) {
            assert_eq!(now.get(item), now.get(&other), "{item} and {other} stay together");
        }
    }
    if second.len() < cohorts.iter().map(|cohort| cohort.len()).sum() {
        return false;
    }
    for cohort in cohorts {
        let lines: Vec<BTreeSet<&String>> = cohort
            .values()
            .map(|items| items.iter().filter_map(|item| now.get(&format!("i{item:02}"))).collect())
            .collect();
        let texts: BTreeSet<&String> = lines.iter().flatten().copied().collect();
        for a in &texts {
            for b in &texts {
                let crowd = lines.iter().filter(|line| line.contains(*a) && line.contains(*b)).count();
                assert!(crowd == 0 || crowd >= K, "{a} and {b}: {crowd}");
            }
        }
    }
    // Whoever knows two items of somebody, and has both files, keeps the lines of each that go with one of the other.
    let goes = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
        one.iter().all(|text| {
            members(text).iter().any(|item| now.get(item).is_none_or(|text| other.contains(text)))
        })
    };
    for items in cohorts[0].values() {
        let known: Vec<String> = items.iter().map(|item| format!("i{item:02}")).collect();
        for a in &known {
            for b in &known {
                let fits = |line: &&BTreeSet<String>, images: &BTreeMap<String, String>| {
                    [a, b].iter().all(|item| images.get(*item).is_none_or(|text| line.contains(text)))
                };
                let one: Vec<_> = first.iter().filter(|line| fits(line, &before)).collect();
                let two: Vec<_> = second.iter().filter(|line| fits(line, &now)).collect();
                let left = one.iter().filter(|one| two.iter().any(|two| goes(one, two))).count();
                let right = two.iter().filter(|two| one.iter().any(|one| goes(one, two))).count();
                let crowd = left.min(right);
                assert!(crowd == 0 || crowd >= K, "{a} and {b}: {left} and {right}");
            }
        }
    }
    true
}

#[test]
fn grown_transactions_keep_their_groups_and_newcomers_are_hidden_among_themselves() {
    let mut whole = 0;
    for seed in 1..9 {
        let (project, mut old) = hospital(seed);
        let mut dice = Dice::new(seed + 100);
        // Some have more items than before, one of them a new one.
        for items in old.values_mut() {
            if seed % 2 == 0 && dice.below(10) == 0 {
                items.insert(dice.below(26));
            }
        }
        let new = draw(&mut dice, "n", 40, 26);
        let mut all = old.clone();
        all.extend(new.clone());
        write(&project, "grown.csv", &all);
        let said = apply(&project, "first.report", "grown.csv", "second.csv").ended_with(0);
        assert!(
            said.stdout.contains("60 transactions are of people who were in an earlier release"),
            "{}",
            said.stdout
        );
        whole += usize::from(check(&project, &[&old, &new]));
        let said = project.second_release_holds("grown.csv");
        assert!(said.stdout.contains("several releases, items"), "{}", said.stdout);
    }
    assert!(whole > 0, "somebody is left out each time");
}

#[test]
fn three_releases_only_get_coarser() {
    let (project, mut all) = hospital(11);
    all.extend(draw(&mut Dice::new(12), "n", 40, 26));
    write(&project, "grown.csv", &all);
    apply(&project, "first.report", "grown.csv", "second.csv").ended_with(0);
    all.extend(draw(&mut Dice::new(13), "m", 40, 27));
    write(&project, "more.csv", &all);
    let said = apply(&project, "second.report", "more.csv", "third.csv").ended_with(0);
    assert!(said.stdout.contains("(2 given)"), "{}", said.stdout);
    let [first, second, third] =
        ["first.csv", "second.csv", "third.csv"].map(|file| images(&published(&project, file)));
    for (finer, coarser) in [(&first, &second), (&second, &third)] {
        for (item, text) in finer {
            assert!(members(text).iter().all(|other| coarser.get(item) == coarser.get(other)), "{text}");
        }
    }
}

#[test]
fn too_few_newcomers_are_left_out() {
    let (project, mut all) = hospital(3);
    all.extend(draw(&mut Dice::new(4), "n", 2, 25));
    write(&project, "grown.csv", &all);
    let said = apply(&project, "first.report", "grown.csv", "third.csv").ended_with(0);
    assert!(said.stdout.contains("2 transactions are left out because too few people"), "{}", said.stdout);
    assert_eq!(project.read("first.csv"), project.read("third.csv"));
    // The earlier release itself, and what was published, are needed as they were.
    write(&project, "same.csv", &all.into_iter().filter(|(name, _)| name.starts_with('p')).collect());
    let text = project.read("first.csv");
    project.write("first.csv", text.replace("i00", "i01"));
    let said = apply(&project, "first.report", "same.csv", "second.csv").ended_with(2);
    assert!(said.stderr.contains("not the one that was published"), "{}", said.stderr);
    project.write("first.csv", text);
    apply(&project, "first.report", "same.csv", "second.csv").ended_with(0);
    assert_eq!(project.read("first.csv"), project.read("second.csv"));
}

#[test]
fn baskets_without_names_say_that_nobody_knows_who_was_there() {
    let project = TestProject::new();
    project.write("policy.toml", "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.txt\"\nformat = \"basket\"\n[privacy]\nk = 2\nm = 2\n");
    project.write("baskets.txt", "a b\na b\na c\na c\nd\ne\n");
    project.shoal(&["run", "policy.toml", "-o", "first.txt", "--quiet"]).ended_with(0);
    project.write("grown.txt", "a b\na b\na c\na c\nd\ne\nf\na f\na f\nf\n");
    let said = apply(&project, "first.report", "grown.txt", "second.txt").ended_with(0);
    assert!(said.stdout.contains("unknown-cohorts"), "{}", said.stdout);
    assert!(project.read("second.txt").contains("(d,e)"), "{}", project.read("second.txt"));
}

#[test]
fn two_groupings_of_the_same_people_are_beaten() {
    // Each grouping hides every pair of items among four; together they do not.
    let project = TestProject::new();
    let lines = ["a x", "a x", "a y", "a y", "b x", "b x", "b y", "b y"];
    project.write("baskets.txt", lines.join("\n") + "\n");
    project.write("policy.toml", "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.txt\"\nformat = \"basket\"\n[privacy]\nk = 4\ncomplete = true\n");
    let recode = |from: [&str; 2], to: &str| {
        let mut lines: Vec<String> =
            lines.iter().map(|line| line.replace(from[0], to).replace(from[1], to)).collect();
        lines.sort();
        lines.join("\n") + "\n"
    };
    project.write("one.txt", recode(["a", "b"], "(@,#)").replace('@', "a").replace('#', "b"));
    project.write("two.txt", recode(["x", "y"], "(@,#)").replace('@', "x").replace('#', "y"));
    for file in ["one.txt", "two.txt"] {
        project.shoal(&["attack", "baskets.txt", file, "--policy", "policy.toml"]).ended_with(0);
    }
    // A line of one goes with every line of the other that has the other item: four are left of each, which is what was promised.
    let both = ["attack", "baskets.txt", "two.txt", "--policy", "policy.toml", "--previous", "one.txt"];
    project.shoal(&both).ended_with(0);
    // Longer lines cross: whoever has a, x and p is alone with them in two groupings that hide all items among four each.
    let lines = ["a x p", "a x q", "a y p", "a y q", "b x p", "b x q", "b y p", "b y q"];
    project.write("baskets.txt", lines.join("\n") + "\n");
    project.write("one.txt", "(a,b) (x,y) p\n".repeat(4) + &"(a,b) (x,y) q\n".repeat(4));
    project.write("two.txt", "(p,q) (x,y) a\n".repeat(4) + &"(p,q) (x,y) b\n".repeat(4));
    let said = project.shoal(&both).ended_with(0);
    assert!(said.stdout.contains("4 lines are left"), "{}", said.stdout);
    // One line of the second release is of somebody who is not in the first: three are left that can be the same person.
    project.write("two.txt", "(p,q) (x,y) a\n".repeat(3) + "a\n" + &"(p,q) (x,y) b\n".repeat(4));
    let beaten = project.shoal(&both).ended_with(1);
    assert!(beaten.stdout.contains("3 lines are left in one of the releases"), "{}", beaten.stdout);
}

#[test]
fn a_run_is_held_against_the_release_that_it_is_given() {
    let project = TestProject::new();
    project.write("policy.toml", "version = 1\n[data]\nshape = \"transactions\"\nsource = \"buys.csv\"\nformat = \"long\"\nid = \"buy\"\nitem = \"item\"\nperson = \"who\"\n[columns.who]\nrole = \"identifier\"\n[privacy]\nk = 2\nm = 2\n");
    let lines = |people: &[(&str, &str)]| {
        let rows = (1..)
            .zip(people)
            .flat_map(|(buy, (who, items))| items.chars().map(move |item| format!("{buy},{who},{item}\n")));
        format!("buy,who,item\n{}", rows.collect::<String>())
    };
    let six = [("p1", "ab"), ("p2", "ab"), ("p3", "ac"), ("p4", "ac"), ("p5", "d"), ("p6", "d")];
    project.write("buys.csv", lines(&six));
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let run = ["run", "policy.toml", "--json", "--previous", "first.report", "-o"];
    let run = |out: &str| project.shoal(&[&run[..], &[out]].concat());
    let again = run("again.csv").ended_with(0);
    assert!(again.stdout.contains("earlier-releases"), "{}", again.stdout);
    // Somebody new whom only those who were there hide.
    project.write("buys.csv", lines(&[&six[..], &[("p7", "ab")]].concat()));
    let left_out = run("second.csv").ended_with(0);
    assert!(left_out.stdout.contains("1 transactions are left out because too few"), "{}", left_out.stdout);
    assert_eq!(project.read("first.csv"), project.read("second.csv"));
    // Whatever lies in the place of the first release is not compared with instead.
    project.write("first.csv", project.read("again.csv") + "9,d\n");
    let lost = run("third.csv").ended_with(2);
    assert!(lost.stderr.contains("not the one that was published"), "{}", lost.stderr);
    let attack = ["attack", "buys.csv", "again.csv", "--policy", "policy.toml", "--previous", "first.report"];
    let lost = project.shoal(&attack).ended_with(2);
    assert!(lost.stderr.contains("not the one that was published"), "{}", lost.stderr);
}
