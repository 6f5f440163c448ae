//! Everything that is said of a person, put together: classes of two releases that cross, all rows of a person, newcomers.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{TestProject, csv};

/// Three wards and two units: the unit `u1` is the ward `s2` and a half of `s1`, and the other half of `s1` all have HIV.
fn wards() -> TestProject {
    let project = TestProject::new();
    let mut text = "name,ward,unit,illness\n".to_owned();
    let others = ["flu", "cold", "gout", "flu", "cold", "gout"];
    let mut number = 0;
    let mut people = |ward: &str, unit: &str, illnesses: &[&str]| {
        for illness in illnesses {
            number += 1;
            text.push_str(&format!("p{number},{ward},{unit},{illness}\n"));
        }
    };
    people("s1", "u2", &["hiv"; 5]);
    people("s1", "u1", &others[..5]);
    people("s2", "u1", &others);
    people("s3", "u2", &others);
    project.write("people.csv", text);
    for (published, withheld) in [("ward", "unit"), ("unit", "ward")] {
        let policy = format!(
            "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\nperson = \"name\"\n\
             [columns.name]\nrole = \"identifier\"\n[columns.{withheld}]\nrole = \"identifier\"\n\
             [columns.{published}]\nrole = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n\
             [privacy]\nk = 5\nl-diversity = {{ kind = \"distinct\", l = 3 }}\n[algorithm]\nname = \"mondrian\"\n"
        );
        project.write(&format!("{published}.toml"), policy);
    }
    project
}

/// How often each illness is in the rows with this cell.
fn illnesses(rows: &[Vec<String>], cell: &str) -> BTreeMap<String, i32> {
    let mut counts = BTreeMap::new();
    rows.iter().filter(|row| row[0] == cell).for_each(|row| *counts.entry(row[1].clone()).or_default() += 1);
    counts
}

/// 22 people by two columns: what is in `s1` and not in `u1` are five people with HIV.
#[test]
fn the_difference_of_two_classes_is_no_class_without_a_promise() {
    let project = wards();
    project.shoal(&["run", "ward.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let first = csv(&project.read("first.csv")).1;
    assert_eq!(illnesses(&first, "s1").values().sum::<i32>(), 10, "{first:?}");
    project
        .shoal(&["run", "unit.toml", "-o", "second.csv", "--previous", "first.report", "--quiet"])
        .ended_with(0);
    let second = csv(&project.read("second.csv")).1;
    let u1 = illnesses(&second, "u1");
    // Whoever knows that `u1` has all of `s2` takes these away, and what is left from `s1`.
    if u1.values().sum::<i32>() == 11 {
        let mut left = illnesses(&first, "s1");
        for (illness, count) in u1 {
            let of_s2 = illnesses(&first, "s2").get(&illness).copied().unwrap_or_default();
            *left.entry(illness).or_default() -= count - of_s2;
        }
        left.retain(|_, count| *count > 0);
        assert!(left.len() >= 3, "all who are left have {left:?}");
    }
    // The ten of `s1` stay together.
    let of_s1 = second.iter().filter(|row| row[1] == "hiv").map(|row| &row[0]).collect::<BTreeSet<_>>();
    assert_eq!((of_s1.len(), second.len()), (1, 22));
    let both = second.iter().filter(|row| of_s1.contains(&row[0])).count();
    assert!(both >= 10, "{second:?}");
}

/// Nine people with two rows each: one of three says the row of a grid, the other the column.
fn grid() -> TestProject {
    let project = TestProject::new();
    let mut text = "name,place,illness\n".to_owned();
    for person in 0..9 {
        for place in [format!("r{}", person / 3), format!("c{}", person % 3)] {
            text.push_str(&format!("p{person},{place},illness{person}\n"));
        }
    }
    project.write("visits.csv", text);
    project.write(
        "policy.toml",
        "version = 1\n[data]\nshape = \"table\"\nsource = \"visits.csv\"\nperson = \"name\"\n\
         [columns.name]\nrole = \"identifier\"\n[columns.place]\nrole = \"quasi-identifier\"\n\
         [columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = 3\nl-diversity = { kind = \"distinct\", l = 3 }\n\
         [algorithm]\nname = \"mondrian\"\n",
    );
    project
}

/// The attacks on several releases, or on all rows of a person, that beat their bound.
fn beaten(project: &TestProject, args: &[&str]) -> Vec<String> {
    let said = project.shoal(&[&["attack", "--json"], args].concat());
    let found: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let attacks = found["attacks"].as_array().unwrap().iter();
    let is_beaten = |attack: &&serde_json::Value| attack["beaten"] == true;
    attacks.filter(is_beaten).map(|attack| attack["name"].as_str().unwrap().to_owned()).collect()
}

/// Who forgets the judge of releases publishes what `attack` beats.
#[test]
fn the_attack_goes_through_all_worlds() {
    let project = wards();
    for (policy, file) in [("ward.toml", "first.csv"), ("unit.toml", "second.csv")] {
        project.shoal(&["run", policy, "-o", file, "--quiet"]).ended_with(0);
    }
    let both = project
        .read("unit.toml")
        .replace("[columns.ward]\nrole = \"identifier\"", "[columns.ward]\nrole = \"quasi-identifier\"");
    project.write("both.toml", both);
    let args = ["people.csv", "second.csv", "--policy", "both.toml", "--previous", "first.csv"];
    assert!(beaten(&project, &args).contains(&"several releases, values left".to_owned()));
    let held = ["run", "unit.toml", "-o", "second.csv", "--previous", "first.report", "--quiet", "--force"];
    project.shoal(&held).ended_with(0);
    assert_eq!(beaten(&project, &args), Vec::<String>::new());

    let project = grid();
    for (file, known) in [("all.csv", "all"), ("one.csv", "one")] {
        let known = format!("data.known-rows={known}");
        project.shoal(&["run", "policy.toml", "-o", file, "--quiet", "--set", &known]).ended_with(0);
    }
    let found = |file| beaten(&project, &["visits.csv", file, "--policy", "policy.toml"]);
    assert!(found("one.csv").contains(&"all rows of a person, values left".to_owned()));
    assert_eq!(found("all.csv"), Vec::<String>::new());
}

/// The illnesses of rows that may be about a place.
fn possible(rows: &[Vec<String>], place: &str) -> BTreeSet<String> {
    let covers = |cell: &str| {
        let members = cell.trim_start_matches('{').trim_end_matches('}');
        cell == "*" || members.split(", ").any(|member| member == place)
    };
    rows.iter().filter(|row| covers(&row[0])).map(|row| row[1].clone()).collect()
}

fn least_possible(rows: &[Vec<String>]) -> usize {
    let of_person = |person: usize| {
        let by_row = possible(rows, &format!("r{}", person / 3));
        let both: Vec<String> =
            possible(rows, &format!("c{}", person % 3)).intersection(&by_row).cloned().collect();
        assert!(both.contains(&format!("illness{person}")));
        both.len()
    };
    (0..9).map(of_person).min().unwrap()
}

#[test]
fn all_rows_of_a_person_together_keep_the_promise() {
    let project = grid();
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--quiet"]).ended_with(0);
    let rows = csv(&project.read("out.csv")).1;
    assert_eq!(rows.len(), 18);
    assert!(least_possible(&rows) >= 3, "{rows:?}");
    project
        .shoal(&["verify", "out.csv", "--policy", "out.report/audit.json", "--original", "visits.csv"])
        .ended_with(0);
    // Against an attacker who knows one row, rows are hidden one by one, and the report says so.
    let one = ["run", "policy.toml", "-o", "one.csv", "--json", "--set", "data.known-rows=one"];
    let said = project.shoal(&one).ended_with(0);
    assert!(said.stdout.contains("\"known-rows\""), "{}", said.stdout);
    let one_by_one = csv(&project.read("one.csv")).1;
    assert_eq!(least_possible(&one_by_one), 1, "the attack of somebody who knows both rows");
    // That file does not keep the other promise.
    project.write("one.toml", project.read("policy.toml"));
    project.shoal(&["verify", "one.csv", "--policy", "one.toml", "--original", "visits.csv"]).ended_with(1);
}

#[test]
fn known_rows_without_a_person_or_of_other_shapes_are_refused() {
    let project = grid();
    let refused = |set: &[&str]| {
        let mut args = vec!["check", "policy.toml", "--set", "data.known-rows=one"];
        set.iter().for_each(|set| args.extend(["--set", set]));
        project.write("policy.toml", project.read("policy.toml").replace("person = \"name\"\n", ""));
        project.shoal(&args).ended_with(2).stderr
    };
    let said = refused(&[]);
    assert!(said.contains("data.known-rows"), "{said}");
}

fn rooms(people: &[(&str, &str)]) -> String {
    let rows = people.iter().map(|(name, illness)| format!("{name},30,{illness}\n"));
    format!("name,age,illness\n{}", rows.collect::<String>())
}

const ROOM: &str = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\nperson = \"name\"\n\
    [columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n\
    [columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = 2\nl-diversity = { kind = \"distinct\", l = 2 }\n\
    [algorithm]\nname = \"mondrian\"\n";

const FOUR: [(&str, &str); 4] = [("ann", "flu"), ("bob", "gout"), ("cid", "flu"), ("dot", "gout")];

/// Nora has two of the three rows with HIV, and Otto the other one: whoever strikes out the four who were there before knows it.
#[test]
fn newcomers_are_people_and_not_rows() {
    let project = TestProject::new();
    project.write("policy.toml", ROOM);
    project.write("people.csv", rooms(&FOUR));
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let more = [("nora", "hiv"), ("nora", "hiv"), ("otto", "hiv"), ("otto", "flu")];
    // These rows alone keep nothing.
    project.write("people.csv", rooms(&more));
    project.shoal(&["run", "policy.toml", "-o", "alone.csv", "--quiet"]).ended_with(1);
    project.write("people.csv", rooms(&[&FOUR[..], &more].concat()));
    project
        .shoal(&["run", "policy.toml", "-o", "second.csv", "--previous", "first.report", "--quiet"])
        .ended_with(0);
    let rows = csv(&project.read("second.csv")).1;
    assert_eq!(rows.len(), 4, "{rows:?}");
    assert!(rows.iter().all(|row| row[1] != "hiv"), "{rows:?}");
}

#[test]
fn those_who_leave_keep_their_promise() {
    let project = TestProject::new();
    project.write("policy.toml", ROOM);
    let eight = [&FOUR[..], &[("eva", "hiv"), ("fay", "hiv")]].concat();
    project.write("people.csv", rooms(&eight));
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let audit = "first.report";
    // Two leave, and both had HIV: the difference of the two releases.
    project.write("people.csv", rooms(&FOUR));
    let second = ["run", "policy.toml", "-o", "second.csv", "--previous", audit, "--quiet"];
    let said = project.shoal(&second);
    let left: Vec<String> = match said.code {
        0 => csv(&project.read("second.csv")).1.into_iter().map(|row| row[1].clone()).collect(),
        _ => Vec::new(),
    };
    let difference: BTreeSet<&str> = eight
        .iter()
        .map(|person| person.1)
        .filter(|illness| !left.iter().any(|left| left == illness))
        .collect();
    // More are left out, so that those who are gone have two illnesses at least.
    assert!(left.len() < 4 && (difference.len() > 1 || left.len() + 2 < 6), "{left:?}");
    // Allowed, they are all published, and it is said.
    let said =
        project.shoal(&[&second[..6], &["--allow-absent", "--json", "--force"]].concat()).ended_with(0);
    assert!(said.stdout.contains("\"absent-people\""), "{}", said.stdout);
    assert_eq!(csv(&project.read("second.csv")).1.len(), 4);
    // Two leave who had two illnesses: nothing is lost.
    project.write("people.csv", rooms(&eight[1..5]));
    project.shoal(&[&second[..], &["--force"]].concat()).ended_with(0);
    assert_eq!(csv(&project.read("second.csv")).1.len(), 4);
}

/// Publishes `first` and then `second` held against it, by ward; k = 4 and two different illnesses.
fn published_again(known_by: &str, first: &str, second: &str) -> Vec<Vec<String>> {
    let project = TestProject::new();
    project.write(
        "policy.toml",
        format!(
            "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\n[columns.name]\nrole = \"{known_by}\"\n\
             [columns.ward]\nrole = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n\
             [privacy]\nk = 4\nl-diversity = {{ kind = \"distinct\", l = 2 }}\n[algorithm]\nname = \"mondrian\"\n"
        ),
    );
    let others = "p5,w2,flu\np6,w2,gout\np7,w2,flu\np8,w2,gout\n";
    project.write("people.csv", format!("name,ward,illness\n{first}{others}"));
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    assert_eq!(csv(&project.read("first.csv")).1.len(), 8);
    project.write("people.csv", format!("name,ward,illness\n{second}{others}"));
    let again = ["run", "policy.toml", "-o", "second.csv", "--previous", "first.report", "--quiet"];
    project.shoal(&again).ended_with(0);
    csv(&project.read("second.csv")).1
}

/// Of four people one has no illness any more: it is the one whose illness is gone.
#[test]
fn whose_value_is_gone_is_not_shown() {
    let first = "p1,w1,flu\np2,w1,gout\np3,w1,flu\np4,w1,hiv\n";
    assert_eq!(published_again("identifier", first, first).len(), 8);
    let rows = published_again("identifier", first, &first.replace("hiv", ""));
    assert!(rows.len() == 4 && rows.iter().all(|row| row[0] == "w2"), "{rows:?}");
}

/// Nobody has a name, and somebody else has come for somebody who left: what is gone was the illness of the one.
#[test]
fn another_person_with_the_same_looks_is_another_person() {
    // A name that is the same for all: only the ward tells people apart.
    let first = "x,w1,flu\nx,w1,gout\nx,w1,flu\nx,w1,hiv\n";
    let rows = published_again("quasi-identifier", first, &first.replace("hiv", "asthma"));
    assert!(rows.len() == 4 && rows.iter().all(|row| row[1] == "w2"), "{rows:?}");
}
