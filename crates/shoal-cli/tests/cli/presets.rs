//! Rules by the names that people know them by, and what the data are a sample of.

use std::fmt::Write as _;

use crate::project::{POLICY, TestProject};

/// Sixty people, so that crowds of 12 are possible.
fn with_sixty_people() -> TestProject {
    let mut rows = "name,age,sex,zip,illness\n".to_owned();
    for n in 0..60 {
        let (sex, illness) = (["f", "m"][n % 2], ["flu", "cold", "cough"][n % 3]);
        writeln!(rows, "P{n},{},{sex},{},{illness}", 20 + n % 30, 53700 + n % 5).unwrap();
    }
    let project = TestProject::empty();
    project.write("people.csv", rows);
    project.write("policy.toml", POLICY);
    project
}

#[test]
fn a_preset_is_an_ordinary_k_that_is_verified() {
    for (preset, k) in [("k5", 5), ("cms-11", 11), ("ema-0.09", 12)] {
        let project = with_sixty_people();
        project.edit_policy("k = 3", &format!("preset = \"{preset}\""));
        project.shoal(&["run", "policy.toml"]).ended_with(0);
        let report = project.json("out.report/report.json");
        let promise = &report["promises"][0];
        assert_eq!((&promise["name"], &promise["asked"]), (&"k-anonymity".into(), &k.into()), "{preset}");
        assert!(promise["found"].as_u64().unwrap() >= k, "{preset}");
        let notes = report["notes"].to_string();
        assert!(notes.contains(&format!("preset {preset}: k = {k}: ")), "{notes}");
        project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
        // A file with a crowd of k − 1 does not pass for one of the preset.
        let published = project.read("out.csv");
        let crowd = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
        let first = crowd(published.lines().nth(1).unwrap());
        let (mut kept, mut text) = (0, String::new());
        for line in published.lines() {
            kept += u64::from(crowd(line) == first);
            if crowd(line) != first || kept < k {
                writeln!(text, "{line}").unwrap();
            }
        }
        project.write("out.csv", text);
        project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
    }
}

#[test]
fn the_plan_says_what_the_preset_means() {
    let project = with_sixty_people();
    project.edit_policy("k = 3", "preset = \"ema-0.09\"");
    let said = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0);
    let plan: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(plan["k"], 12);
    let notes = plan["notes"].to_string();
    assert!(notes.contains("1/11 = 0.0909… is above 0.09"), "{notes}");
}

#[test]
fn a_smaller_k_than_the_preset_is_an_error_and_a_larger_one_holds() {
    let project = with_sixty_people();
    project.edit_policy("k = 3", "k = 11\npreset = \"ema-0.09\"");
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    let error = said.error();
    assert!(error.contains("k = 11 is less than the preset `ema-0.09` asks for, which is k = 12"), "{error}");
    project.edit_policy("k = 11", "k = 15");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let report = project.json("out.report/report.json");
    assert_eq!(report["promises"][0]["asked"], 15);
    assert!(report["notes"].to_string().contains("The policy asks for more, k = 15."));
}

#[test]
fn an_unknown_preset_is_named_with_those_that_there_are() {
    let project = with_sixty_people();
    project.edit_policy("k = 3", "preset = \"cms-10\"");
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    let error = said.error();
    assert!(error.contains("unknown value `cms-10`") && error.contains("`cms-11`"), "{error}");
}

#[test]
fn the_journalist_knows_the_population_that_the_policy_names() {
    let risk = |edit: &str| {
        let project = with_sixty_people();
        project.edit_policy("k = 3", edit);
        // Ten of each of the 30 ages: five times the data.
        let ages: String = (20..50).map(|age| format!("{age},10\n")).collect();
        project.write("census.csv", format!("age,count\n{ages}"));
        project.shoal(&["run", "policy.toml"]).ended_with(0);
        let report = project.json("out.report/report.json");
        (report["risk"]["after"].clone(), project.read("out.csv"))
    };
    let (sample, published) = risk("k = 5");
    assert_eq!(sample["journalist"]["highest"], sample["prosecutor"]["highest"]);
    assert_eq!(sample["journalist"]["population"], "sample");
    assert!(sample["journalist"]["note"].as_str().unwrap().contains("taken for the whole population"));

    let (tenth, same) = risk("k = 5\nsampling-fraction = 0.1");
    let highest = |risk: &serde_json::Value, who: &str| risk[who]["highest"].as_f64().unwrap();
    assert!((highest(&tenth, "journalist") - 0.1 * highest(&sample, "prosecutor")).abs() < 1e-12);
    assert_eq!(tenth["journalist"]["population"], "sampling-fraction");
    assert_eq!(tenth["journalist"]["sampling-fraction"], 0.1);
    assert_eq!(tenth["prosecutor"], sample["prosecutor"]);
    assert_eq!(published, same, "it changes what is reported, not what is published");

    let (counted, same) = risk("k = 5\npopulation = \"census.csv\"");
    assert_eq!(published, same);
    // By hand: the fewest ages that a published cell covers, ten people each.
    let ages = published.lines().skip(1).map(|line| {
        let ends: Vec<u64> = match line.strip_prefix("\"[") {
            Some(range) => range.split(']').next().unwrap().split(", ").map(|n| n.parse().unwrap()).collect(),
            None => vec![line.split(',').next().unwrap().parse().unwrap(); 2],
        };
        ends[1] - ends[0] + 1
    });
    assert_eq!(highest(&counted, "journalist"), 1.0 / (10 * ages.min().unwrap()) as f64);
    assert_eq!(counted["journalist"]["population"], "counts");
}

#[test]
fn counts_that_cannot_be_those_of_the_population_are_refused() {
    let project = with_sixty_people();
    project.edit_policy("k = 3", "k = 5\npopulation = \"census.csv\"");
    project.shoal(&["run", "policy.toml"]).ended_with(2);
    for (census, why) in [
        ("age,count\n20,5\n", "fewer people than the data"),
        ("age\n20\n", "no column `count`"),
        ("illness,count\nflu,100\n", "not a quasi-identifier"),
        ("age,count\n20,many\n", "line 2: `many` is not a number"),
        ("count\n1000\n", "counts no quasi-identifier"),
    ] {
        project.write("census.csv", census);
        for verb in ["check", "run"] {
            let said = project.shoal(&[verb, "policy.toml"]);
            assert!(said.code == 2 && said.stderr.contains(why), "{verb}: {}", said.stderr);
        }
        assert!(!project.exists("out.csv"));
    }
}

#[test]
fn safe_harbor_refuses_what_is_published_and_forbidden() {
    let project = TestProject::empty();
    let mut rows = "name,age,zip,seen,contact,illness\n".to_owned();
    for n in 0..12 {
        writeln!(rows, "P{n},{},53{n:03},2001-02-{:02},p{n}@example.org,flu", 80 + n, n + 1).unwrap();
    }
    project.write("people.csv", &rows);
    let columns = "[columns.seen]\nrole = \"insensitive\"\nkind = \"date\"\n[columns.contact]\nrole = \"insensitive\"\n[columns.illness]";
    project.write("policy.toml", POLICY.replace("[columns.sex]\nrole = \"quasi-identifier\"\n", ""));
    project.edit_policy("[columns.illness]", columns);
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    project.edit_policy("k = 3", "k = 3\npreset = \"safe-harbor\"");

    let plan = project.shoal(&["check", "policy.toml", "--json"]).ended_with(1);
    let plan: serde_json::Value = serde_json::from_str(&plan.stdout).unwrap();
    assert_eq!(plan["feasible"], false);
    let said = project.shoal(&["run", "policy.toml"]).ended_with(1);
    let error = said.error();
    for found in [
        "ages over 89",
        "zip codes of more than three digits",
        "dates that say more than the year",
        "e-mail addresses",
    ] {
        assert!(error.contains(found), "{found}: {error}");
    }
    assert!(!project.exists("out.csv"));

    // What is removed is not published, and the rest is coarse enough. 537 is no small area, 036 is one.
    let coarse = |zip: &str| {
        let mut rows = "name,age,zip,seen,contact,illness\n".to_owned();
        for n in 0..12_usize {
            writeln!(rows, "P{n},{},{zip},2001,p{n}@example.org,flu", (80 + n).min(90)).unwrap();
        }
        rows
    };
    project.edit_policy("kind = \"date\"", "kind = \"integer\"");
    project
        .edit_policy("[columns.contact]\nrole = \"insensitive\"", "[columns.contact]\nrole = \"identifier\"");
    project.write("people.csv", coarse("036"));
    let said = project.shoal(&["run", "policy.toml"]).ended_with(1);
    assert!(said.stderr.contains("zip codes of small areas"), "{}", said.stderr);
    project.write("people.csv", coarse("537"));
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let notes = project.json("out.report/report.json")["notes"].to_string();
    assert!(notes.contains("It is not k-anonymity") && notes.contains("Actual knowledge"), "{notes}");
}
