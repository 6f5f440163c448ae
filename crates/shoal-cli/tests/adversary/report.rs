//! The report that goes out. An attacker who tries possible originals against the program learns from every figure that
//! differs between two originals whose published bytes are the same; so there must be none.

use serde_json::Value;

use crate::support::{Dice, TestProject};

const FILES: [&str; 2] = ["report.json", "report.html"];

/// Runs the policy, and makes the report again from the published file and the policy, and from the audit.
fn is_made_again(project: &TestProject, out: &str, what: &str) {
    project
        .shoal(&["run", "policy.toml", "-o", out, "--report", "report", "--quiet", "--force"])
        .ended_with(0);
    for policy in ["policy.toml", "report/audit.json"] {
        project
            .shoal(&["report", out, "--policy", policy, "-o", "again", "--quiet", "--force"])
            .ended_with(0);
        for file in FILES {
            let (run, again) =
                (project.read(&format!("report/{file}")), project.read(&format!("again/{file}")));
            assert!(run == again, "{what}, {policy}: {file} differs\n{run}\n{again}");
        }
    }
}

const AGES: &str =
    "20;20-29;*\n21;20-29;*\n25;20-29;*\n29;20-29;*\n30;30-39;*\n34;30-39;*\n38;30-39;*\n39;30-39;*\n";
const TOWNS: &str = "Bonn;West;*\nKöln;West;*\nKiel;North;*\nHusum;North;*\n";

fn people(rows: usize) -> String {
    let mut dice = Dice::new(7);
    let mut text = "name,age,town,job,wish,illness\n".to_owned();
    for row in 0..rows {
        let age = ["20", "21", "25", "29", "30", "34", "38", "39"][dice.below(8)];
        let town = ["Bonn", "Köln", "Kiel", "Husum"][dice.below(4)];
        let illness = ["flu", "gout", "HIV", "asthma", "cold"][dice.below(5)];
        let job = ["baker", "smith", ""][dice.below(3)];
        text.push_str(&format!("N{},{age},{town},{job},{},{illness}\n", row / 2, 2 + dice.below(2)));
    }
    text
}

fn table(more: &str, hierarchies: bool) -> String {
    let (ages, towns) = match hierarchies {
        true => ("hierarchy = \"ages.csv\"", "hierarchy = \"towns.csv\""),
        false => ("", ""),
    };
    let mut policy = format!(
        "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n{ages}\n[columns.town]\nrole = \"quasi-identifier\"\n{towns}\n\
         [columns.job]\nrole = \"insensitive\"\n[columns.illness]\nrole = \"sensitive\"\n"
    );
    if !more.contains("[columns.wish]") {
        policy.push_str("[columns.wish]\nrole = \"identifier\"\n");
    }
    policy.push_str(more);
    policy
}

#[test]
fn the_report_of_a_table_is_made_again_from_the_file() {
    let plain = "[privacy]\nk = 4\n";
    let algorithm = |name: &str| format!("[privacy]\nk = 4\n[algorithm]\nname = \"{name}\"\n");
    let cases = [
        (algorithm("ribbon"), false),
        (algorithm("ribbon"), true),
        (algorithm("sbc"), false),
        (algorithm("mondrian"), false),
        (algorithm("mondrian"), true),
        (algorithm("incognito"), true),
        (algorithm("incognito"), false),
        (algorithm("datafly"), true),
        (algorithm("datafly"), false),
        (format!("{}max-suppressed = 0.2\n", algorithm("incognito")), true),
        (format!("{plain}[output]\nranges = \"columns\"\n"), false),
        (format!("{}[output]\nsuppressed = \"star\"\n", algorithm("datafly")), true),
        ("[privacy]\nk = 4\nl-diversity = { kind = \"distinct\", l = 2 }\n".to_owned(), false),
        (
            "[privacy]\nk = 4\ntransparent = true\nl-diversity = { kind = \"distinct\", l = 2 }\n".to_owned(),
            false,
        ),
        ("[privacy]\nk = 4\nt-closeness = 0.5\nbeta-likeness = 3.0\n".to_owned(), false),
        ("[privacy]\nk = 4\nsampling-fraction = 0.1\n".to_owned(), false),
        ("[privacy]\nk = 4\npopulation = \"census.csv\"\n".to_owned(), true),
        ("[columns.wish]\nrole = \"personal-k\"\nkind = \"integer\"\n[privacy]\nk = 2\n".to_owned(), false),
        (format!("{plain}[output]\nkeep-order = true\n"), false),
    ];
    for (more, hierarchies) in cases {
        let project = TestProject::new();
        project.write("people.csv", people(80));
        project.write("ages.csv", AGES);
        project.write("towns.csv", TOWNS);
        project.write("census.csv", census());
        project.write("policy.toml", table(&more, hierarchies));
        is_made_again(&project, "out.csv", &more);
        is_made_again(&project, "out.parquet", &more);
    }
}

/// More people of every age and town than the data can have.
fn census() -> String {
    let ages = ["20", "21", "25", "29", "30", "34", "38", "39"];
    let towns = ["Bonn", "Köln", "Kiel", "Husum"];
    let rows = ages.iter().flat_map(|age| towns.iter().map(move |town| format!("{age},{town},500\n")));
    format!("age,town,count\n{}", rows.collect::<String>())
}

#[test]
fn promises_about_people_are_not_called_kept_by_a_file_that_does_not_show_people() {
    let project = TestProject::new();
    project.write("people.csv", people(80));
    let policy = table("[privacy]\nk = 3\n", false).replace("source", "person = \"name\"\nsource");
    project.write("policy.toml", policy);
    is_made_again(&project, "out.csv", "people");
    let report = json(&project, "report/report.json");
    assert_eq!(report["promises"][0]["holds"], Value::Null, "{report}");
    assert_eq!(report["risk"]["after"], Value::Null, "{report}");
    assert!(project.read("report/report.html").contains("cannot be seen here"));
}

const SEQUENCES: &str = "version = 1\n[data]\nshape = \"sequences\"\nsource = \"visits.csv\"\nid = \"patient\"\norder = [\"visit\"]\n\
    [columns.patient]\nrole = \"identifier\"\n[columns.visit]\nrole = \"identifier\"\nkind = \"integer\"\n\
    [columns.place]\nrole = \"quasi-identifier\"\nhierarchy = \"towns.csv\"\n[columns.illness]\nrole = \"sensitive\"\n";

#[test]
fn the_report_of_sequences_is_made_again_from_the_file() {
    let cases = [
        "k = 3\n[algorithm]\nname = \"cbmsa\"\n",
        "k = 3\nc = 0.7\nsensitive-values = [\"HIV\"]\n[algorithm]\nname = \"cbmsa\"\n",
        "k = 3\n[algorithm]\nname = \"cbmsa-baseline\"\n",
        "k = 3\nbeta = 4.0\nlength = 2\n[algorithm]\nname = \"fcla\"\n",
        "k = 3\nlength = 2\nsupport = \"paper\"\nbeta = 4.0\n[algorithm]\nname = \"fcla\"\n",
        "k = 3\nbeta = 4.0\nlength = 1\n[algorithm]\nname = \"halt\"\n",
    ];
    for more in cases {
        let project = TestProject::new();
        let mut dice = Dice::new(3);
        let mut text = "patient,visit,place,illness\n".to_owned();
        for patient in 0..60 {
            for visit in 0..=dice.below(2) {
                let place = ["Bonn", "Köln", "Kiel", "Husum"][dice.below(4)];
                let illness = ["flu", "gout", "HIV", "asthma"][dice.below(4)];
                text.push_str(&format!("P{patient},{visit},{place},{illness}\n"));
            }
        }
        project.write("visits.csv", text);
        project.write("towns.csv", TOWNS);
        project.write("policy.toml", format!("{SEQUENCES}[privacy]\n{more}"));
        is_made_again(&project, "out.csv", more);
    }
}

#[test]
fn the_report_of_transactions_is_made_again_from_the_file() {
    let basket = "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.txt\"\nformat = \"basket\"\nseparator = \" \"\n";
    let cases = [
        (basket, "[privacy]\nk = 4\nm = 2\n[algorithm]\nname = \"pcta\"\n"),
        (basket, "[privacy]\nk = 4\ncomplete = true\n"),
        (basket, "[privacy]\nk = 4\nshare = 0.5\n"),
        (basket, "[privacy]\nk = 4\nm = 1\n[output]\ngroups = \"dictionary\"\n"),
        (
            "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.txt\"\nformat = \"basket\"\nseparator = \" \"\nhierarchy = \"items.csv\"\n",
            "[privacy]\nk = 4\nm = 2\n[algorithm]\nname = \"apriori\"\n",
        ),
        (
            "version = 1\n[data]\nshape = \"transactions\"\nsource = \"buys.csv\"\nitems = \"codes\"\n[columns.name]\nrole = \"identifier\"\n[columns.ward]\nrole = \"insensitive\"\n",
            "[privacy]\nk = 4\nm = 2\n",
        ),
        (
            "version = 1\n[data]\nshape = \"transactions\"\nsource = \"buys.csv\"\nitems = \"codes\"\nperson = \"name\"\n[columns.name]\nrole = \"identifier\"\n[columns.ward]\nrole = \"insensitive\"\n",
            "[privacy]\nk = 4\nm = 1\n",
        ),
    ];
    for (data, more) in cases {
        let project = TestProject::new();
        let mut dice = Dice::new(11);
        let (mut baskets, mut buys) = (String::new(), "name,ward,codes\n".to_owned());
        for person in 0..60 {
            let mut items: Vec<&str> =
                (0..=dice.below(3)).map(|_| ["a", "b", "c", "d", "e", "f"][dice.below(6)]).collect();
            items.sort_unstable();
            items.dedup();
            baskets.push_str(&format!("{}\n", items.join(" ")));
            buys.push_str(&format!("N{},{},{}\n", person / 2, dice.below(3), items.join(";")));
        }
        project.write("baskets.txt", baskets);
        project.write("buys.csv", buys);
        project.write("items.csv", "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\ne;ef;*\nf;ef;*\n");
        project.write("policy.toml", format!("{data}{more}"));
        let out = if data.contains("basket") { "out.txt" } else { "out.csv" };
        is_made_again(&project, out, more);
    }
}

/// Two originals, one policy: where the published bytes are the same, so is everything that goes out.
fn are_told_alike(policy: &str, file: &str, originals: [&str; 2], out: &str) {
    let made = originals.map(|original| {
        let project = TestProject::new();
        project.write("policy.toml", policy);
        project.write("ages.csv", AGES);
        project.write("towns.csv", TOWNS);
        project.write(file, original);
        project.shoal(&["run", "policy.toml", "-o", out, "--report", "report", "--quiet"]).ended_with(0);
        let report = FILES.map(|name| project.read(&format!("report/{name}")));
        (project.read(out), report)
    });
    assert_eq!(made[0].0, made[1].0, "the same bytes are published");
    for ((name, one), other) in FILES.iter().zip(&made[0].1).zip(&made[1].1) {
        assert!(one == other, "{name}\n{one}\n{other}");
    }
}

/// Who is left out, and what was generalized away: nothing of it is in the report.
#[test]
fn originals_that_publish_the_same_bytes_have_the_same_report() {
    let policy = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\n[columns.name]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
        kind = \"integer\"\nhierarchy = \"ages.csv\"\n[columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = 3\n[algorithm]\nname = \"datafly\"\n";
    // Three people in their twenties are published; one of 38 is left out. In the other world the ages are others, two are left out, and a
    // name occurs twice.
    let one = "name,age,illness\nAnn,20,flu\nBo,21,gout\nCy,25,HIV\nDi,38,cold\n";
    let other = "name,age,illness\nAnn,29,flu\nAnn,20,gout\nCy,20,HIV\nDi,30,HIV\nEd,34,flu\n";
    are_told_alike(policy, "people.csv", [one, other], "out.csv");

    let mondrian = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\n[columns.town]\nrole = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n\
        [privacy]\nk = 3\n[algorithm]\nname = \"mondrian\"\n";
    let towns = |[one, two, three]: [&str; 3]| {
        format!("town,illness\n{one},flu\n{two},gout\n{three},HIV\nKiel,flu\nKiel,cold\nKiel,HIV\n")
    };
    let (one, other) = (towns(["Bonn", "Bonn", "Bremen"]), towns(["Bremen", "Bonn", "Bremen"]));
    are_told_alike(mondrian, "people.csv", [&one, &other], "out.csv");
}

#[test]
fn the_same_is_true_of_sequences_and_transactions() {
    let visits = |places: [&str; 3]| {
        let row = |(at, place): (usize, &&str)| format!("P{at},1,{place},{}\n", ["flu", "gout", "HIV"][at]);
        format!("patient,visit,place,illness\n{}", places.iter().enumerate().map(row).collect::<String>())
    };
    let policy = format!("{SEQUENCES}[privacy]\nk = 3\n[algorithm]\nname = \"cbmsa\"\n");
    let (one, other) = (visits(["Bonn", "Bonn", "Köln"]), visits(["Köln", "Bonn", "Köln"]));
    are_told_alike(&policy, "visits.csv", [&one, &other], "out.csv");

    let baskets = "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.txt\"\nformat = \"basket\"\nseparator = \" \"\n[privacy]\nk = 3\nm = 1\n";
    are_told_alike(baskets, "baskets.txt", ["a\na\nb\nc\nc\nc\n", "a\nb\nb\nc\nc\nc\n"], "out.txt");
}

fn json(project: &TestProject, name: &str) -> Value {
    serde_json::from_str(&project.read(name)).unwrap()
}

/// Attack 9: the page said that the population is not known where `report.json` had a figure from it.
#[test]
fn the_page_says_what_the_report_says_of_the_population() {
    for (key, word) in [
        ("sampling-fraction = 0.1", "of which 10 % are in the data"),
        ("population = \"census.csv\"", "has counted"),
    ] {
        let project = TestProject::new();
        project.write("people.csv", people(80));
        project.write("census.csv", census());
        project.write("policy.toml", table(&format!("[privacy]\nk = 4\n{key}\n"), false));
        project
            .shoal(&["run", "policy.toml", "-o", "out.csv", "--report", "report", "--quiet"])
            .ended_with(0);
        let risk = json(&project, "report/report.json")["risk"]["after"].clone();
        let [journalist, prosecutor] =
            ["journalist", "prosecutor"].map(|who| risk[who]["highest"].as_f64().unwrap());
        assert!(journalist < prosecutor, "{risk}");
        for page in ["report/report.html", "report/audit.html"] {
            let page = project.read(page);
            assert!(page.contains(word) && !page.contains("that population is not known here"), "{key}");
            assert!(page.contains(&format!("1 in {:.0}", (1.0 / journalist).round())), "{key}: {journalist}");
        }
    }
}

/// Where the data came from and went to, and what the run drew from, is no public part of a policy.
#[test]
fn places_and_seeds_of_a_policy_are_not_in_the_report() {
    let project = TestProject::new();
    project.write("people.csv", people(80));
    let more = "[privacy]\nk = 4\n[algorithm]\nname = \"ribbon\"\nseed = 3\nkey-file = \"k.key\"\n[output]\npath = \"out.csv\"\n";
    let policy = table(more, false);
    project.write("policy.toml", &policy);
    project.shoal(&["run", "policy.toml", "--report", "report", "--quiet"]).ended_with(0);
    let other = policy.replace("people.csv", "moved/others.csv").replace("seed = 3", "seed = 9");
    let other = other.replace("key-file = \"k.key\"\n", "").replace("out.csv", "elsewhere.csv");
    project.write("other.toml", &other);
    project.shoal(&["report", "out.csv", "--policy", "other.toml", "-o", "again", "--quiet"]).ended_with(0);
    for file in FILES {
        let report = project.read(&format!("report/{file}"));
        assert_eq!(report, project.read(&format!("again/{file}")));
        assert!(!["people.csv", "k.key", "out.csv"].iter().any(|name| report.contains(name)), "{file}");
    }
}

/// What depends on the original stays with the publisher.
#[test]
fn nothing_about_the_original_goes_out() {
    let project = TestProject::new();
    project.write("people.csv", people(81));
    project.write("policy.toml", table("[privacy]\nk = 4\n", false));
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--report", "report", "--quiet"]).ended_with(0);
    let (out, audit) = (json(&project, "report/report.json"), json(&project, "report/audit.json"));
    for key in [
        "records-in",
        "records-suppressed",
        "clusters",
        "seconds",
        "peak-memory-bytes",
        "attacks",
        "seed",
        "key",
    ] {
        assert!(out.get(key).is_none(), "{key}");
        assert!(audit.get(key).is_some(), "{key}");
    }
    assert!(out["risk"].get("before").is_none() && audit["risk"].get("before").is_some());
    assert!(out["loss"].get("are").is_none() && audit["loss"].get("are").is_some());
    let kinds = |report: &Value| {
        let leaks = report["leaks"].as_array().unwrap().clone();
        leaks.iter().map(|leak| leak["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(kinds(&audit).contains(&"repeated-identifier".to_owned()), "{:?}", kinds(&audit));
    assert!(!kinds(&out).contains(&"repeated-identifier".to_owned()), "{:?}", kinds(&out));
}
