//! Whoever knows the algorithm: what the choice of classes tells about sensitive values.
//!
//! The adversary knows everybody's age and how many people are ill, and has the program, the policy, the seed and the published
//! file. They run the program on every world that is possible and keep those that give the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Dice, TestProject};

const POLICY: &str = r#"
version = 1
[data]
shape = "table"
source = "data.csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
k = 2
l-diversity = { kind = "distinct", l = 2 }
"#;

/// Every way in which `carriers` of some people can have HIV.
fn worlds(people: usize, carriers: u32) -> Vec<Vec<bool>> {
    let all = (0..1_u32 << people).filter(|set| set.count_ones() == carriers);
    all.map(|set| (0..people).map(|person| set >> person & 1 == 1).collect()).collect()
}

fn data(ages: &[u32], world: &[bool]) -> String {
    let row = |(age, &ill): (&u32, &bool)| format!("{age},{}\n", if ill { "HIV" } else { "flu" });
    std::iter::once("age,illness\n".to_owned()).chain(ages.iter().zip(world).map(row)).collect()
}

/// What the program publishes in a world.
fn publish(project: &TestProject, ages: &[u32], world: &[bool], more: &[&str]) -> String {
    project.write("data.csv", data(ages, world));
    let mut args = vec!["--quiet", "run", "policy.toml", "-o", "out.csv", "--report", "report", "--force"];
    // In some of these small worlds nothing is left, which is not what is tested.
    args.push("--allow-total-loss");
    args.extend(more);
    project.shoal(&args).ended_with(0);
    project.read("out.csv")
}

/// Without transparency some carriers are certain, in each of these algorithms.
#[test]
fn crowds_made_by_looking_at_values_give_carriers_away() {
    let project = TestProject::new();
    project.write("policy.toml", POLICY);
    let ages = [20, 21, 40, 41, 42, 43];
    for algorithm in ["ribbon", "sbc", "mondrian"] {
        let name = format!("algorithm.name={algorithm}");
        let mut possible: BTreeMap<String, Vec<Vec<bool>>> = BTreeMap::new();
        for world in worlds(6, 2) {
            let file = publish(&project, &ages, &world, &["--set", &name]);
            possible.entry(file).or_default().push(world);
        }
        let certain = |worlds: &Vec<Vec<bool>>| {
            let people = (0..6).filter(|&person| worlds.iter().all(|world| world[person])).count();
            people * worlds.len()
        };
        let certain: usize = possible.values().map(certain).sum();
        assert!(certain > 0, "{algorithm}: the attack that shows the leak has stopped working");
        // And the report says that this can be.
        let report = project.read("report/report.json");
        assert!(report.contains("not-transparent"), "{algorithm}: {report}");
    }
}

/// With it the adversary, who tries keys of their own, finds that each person has HIV in half of the worlds that are left. (With
/// two values that are equally frequent there is nothing to draw, so that few keys are enough, and the half is exact.)
#[test]
fn transparent_crowds_tell_nothing() {
    let project = TestProject::new();
    project.write("policy.toml", format!("{POLICY}transparent = true\n[algorithm]\nkey-file = \"key\"\n"));
    let (ages, keys) = ([20, 21, 40, 41], 2);
    let mut dice = Dice::new(11);
    let mut found: BTreeMap<String, [u32; 4]> = BTreeMap::new();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..keys {
        let key: String = (0..64).map(|_| char::from(b"0123456789abcdef"[dice.below(16)])).collect();
        project.write("key", format!("{key}\n"));
        fs::set_permissions(project.path("key"), fs::Permissions::from_mode(0o600)).unwrap();
        for world in worlds(4, 2) {
            let file = publish(&project, &ages, &world, &[]);
            *seen.entry(file.clone()).or_default() += 1;
            let carriers = found.entry(file).or_default();
            (0..4).filter(|&person| world[person]).for_each(|person| carriers[person] += 1);
        }
        for file in ["report/report.json", "out.csv"] {
            assert!(!project.read(file).contains(&key), "the key is in {file}");
        }
    }
    assert!(seen.len() > 1, "something is published besides the frequencies");
    for (file, times) in &seen {
        for (person, &carrier) in found[file].iter().enumerate() {
            assert_eq!(2 * carrier, *times, "person {person} in\n{file}");
        }
    }
    let report = project.read("report/report.json");
    assert!(!report.contains("not-transparent"), "{report}");
}

/// The same key gives the same bytes in any order of the records; without a key file each run has a key of its own, which
/// is not published.
#[test]
fn the_key_decides_and_is_not_published() {
    let project = TestProject::new();
    project.write("policy.toml", format!("{POLICY}transparent = true\n"));
    let ages: Vec<u32> = (0..60).map(|n| 20 + n * 7 % 50).collect();
    let world: Vec<bool> = (0..60).map(|n| n / 3 % 2 == 0).collect();
    let with_key = ["--set", "algorithm.key-file=key"];
    let first = publish(&project, &ages, &world, &with_key);
    assert_eq!(fs::metadata(project.path("key")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(publish(&project, &ages, &world, &with_key), first);
    let turned: Vec<usize> = Dice::new(3).shuffled((0..60).collect());
    let (other_ages, other_world): (Vec<u32>, Vec<bool>) =
        turned.iter().map(|&at| (ages[at], world[at])).unzip();
    assert_eq!(publish(&project, &other_ages, &other_world, &with_key), first);
    // The public seed does not stand for the key. Three equally frequent values in two columns: one is cut, and that is drawn.
    let illness = |n: usize| ["HIV", "flu", "gout"][n % 3];
    let rows: String = (0..60).map(|n| format!("{},{}\n", ages[n], illness(n))).collect();
    project.write("data.csv", format!("age,illness\n{rows}"));
    let fresh: Vec<String> = (0..3)
        .map(|_| {
            let args = ["--quiet", "run", "policy.toml", "-o", "out.csv", "--report", "report", "--force"];
            project.shoal(&[&args[..], &["--seed", "7"]].concat()).ended_with(0);
            project.read("out.csv")
        })
        .collect();
    assert!(fresh[0] != fresh[1] || fresh[1] != fresh[2], "a fresh key is drawn each time");
    fs::set_permissions(project.path("key"), fs::Permissions::from_mode(0o644)).unwrap();
    let said = project
        .shoal(&["run", "policy.toml", "-o", "x.csv", "--set", "algorithm.key-file=key"])
        .ended_with(2);
    assert!(said.stderr.contains("others may read it"), "{}", said.stderr);
}

/// Who is published must not depend on sensitive values, so a transparent release has everybody in it. One that lacks two
/// people keeps k and l, and only the original shows that they are gone.
#[test]
fn nobody_is_missing_from_a_transparent_release() {
    let project = TestProject::new();
    project.write("policy.toml", format!("{POLICY}transparent = true\n"));
    let published = publish(&project, &[30; 12], &[true, false].repeat(6), &[]);
    let verify = ["verify", "out.csv", "--policy", "policy.toml", "--original", "data.csv"];
    project.shoal(&verify).ended_with(0);
    let fewer = published.replacen("30,HIV\n", "", 1).replacen("30,flu\n", "", 1);
    assert_eq!(fewer.lines().count(), 11, "{published}");
    project.write("out.csv", fewer);
    project.shoal(&verify[..4]).ended_with(0);
    let said = project.shoal(&verify).ended_with(1);
    assert!(said.stdout.contains("2 records are not in the file"), "{}", said.stdout);
}
