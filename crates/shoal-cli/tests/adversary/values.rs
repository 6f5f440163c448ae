//! Texts that are taken for the same, and texts that are taken for different: blanks, case, zeros.

use crate::support::{TestProject, csv};

fn policy(more: &str) -> String {
    format!(
        "version = 1\n[data]\nshape = \"table\"\nsource = \"in.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\nkind = \
         \"integer\"\n[columns.illness]\nrole = \"sensitive\"\nkind = \"text\"\n[privacy]\nk = 2\n{more}\n[output]\npath = \
         \"out.csv\"\nreport = \"report\"\n"
    )
}

/// The one whose age has a blank behind it is alone in a class for `cut`, to a spreadsheet and to pandas.
#[test]
fn a_blank_does_not_hide_a_record_in_a_class() {
    let project = TestProject::new();
    project.write("policy.toml", policy(""));
    project.write("crowd.csv", "age,illness\n20,a\n20,b\n20,c\n");
    project.shoal(&["verify", "crowd.csv", "--policy", "policy.toml"]).ended_with(0);
    for unique in ["20 ", " 20", "20\t", "\"20 \""] {
        project.write("marked.csv", format!("age,illness\n20,a\n20,b\n{unique},c\n"));
        let said = project.shoal(&["verify", "marked.csv", "--policy", "policy.toml"]).ended_with(1);
        assert!(said.stdout.contains("1 class breaks"), "{}", said.stdout);
    }
    // A quote that opens behind a blank, or ends before one, is nothing that readers agree on.
    project.write("marked.csv", "age,illness\n20,a\n20,b\n\"20\" ,c\n");
    project.shoal(&["verify", "marked.csv", "--policy", "policy.toml"]).ended_with(2);
}

/// Three ways to write one illness are one illness.
#[test]
fn values_that_look_alike_are_no_diversity() {
    let project = TestProject::new();
    let same = [["HIV", "hiv"], ["HIV", "HIV "], ["7", "07"], ["7", "7.0"], ["caf\u{e9}", "Cafe\u{301}"]];
    for condition in ["{ kind = \"distinct\", l = 2 }", "{ kind = \"entropy\", l = 2 }"] {
        project.write("policy.toml", policy(&format!("l-diversity = {condition}")));
        for [one, other] in same {
            project.write("out.csv", format!("age,illness\n20,{one}\n20,{other}\n"));
            project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
        }
        project.write("out.csv", "age,illness\n20,HIV\n20,HIV 2\n");
        project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    }
}

/// Every algorithm mixes what a reader can tell apart, and publishes the texts as they were.
#[test]
fn a_run_counts_as_its_readers_do() {
    let project = TestProject::new();
    let ways = ["HIV", "hiv", "\"HIV \"", "Flu", "flu", "\"flu \""];
    let rows: Vec<String> = (0..60).map(|i| format!("{},{}\n", 20 + i / 2, ways[(i * 7 / 10) % 6])).collect();
    project.write("in.csv", format!("age,illness\n{}", rows.concat()));
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        project.write("policy.toml", policy("l-diversity = { kind = \"distinct\", l = 2 }"));
        let name = format!("algorithm.name={algorithm}");
        // Full-domain algorithms have one step for ages here, and lose everything.
        project.shoal(&["run", "policy.toml", "--force", "--allow-total-loss", "--set", &name]).ended_with(0);
        let (_, rows) = csv(&project.read("out.csv"));
        let mut classes = std::collections::BTreeMap::<String, std::collections::BTreeSet<String>>::new();
        for row in &rows {
            classes.entry(row[0].clone()).or_default().insert(row[1].trim().to_lowercase());
        }
        assert!(classes.values().all(|values| values.len() == 2), "{algorithm}: {classes:?}");
        assert!(rows.iter().any(|row| row[1] == "HIV ") && rows.iter().any(|row| row[1] == "flu"));
    }
}

/// A crowd of which half has HIV, written in two ways.
#[test]
fn a_sensitive_value_of_sequences_is_counted_in_all_its_ways() {
    let project = TestProject::new();
    project.write("age.csv", "20;*\n30;*\n");
    for limit in ["c = 0.5\nsensitive-values = [\"HIV\"]", "beta = 0.2\nlength = 1"] {
        project.write(
            "policy.toml",
            format!(
                "version = 1\n[data]\nshape = \"sequences\"\nsource = \"in.csv\"\nid = \"id\"\norder = [\"at\"]\n[columns.id]\nrole = \
                 \"identifier\"\n[columns.at]\nrole = \"identifier\"\nkind = \"integer\"\n[columns.age]\nrole = \
                 \"quasi-identifier\"\nkind = \"integer\"\nhierarchy = \"age.csv\"\n[columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = \
                 2\n{limit}\n[output]\npath = \"out.csv\"\n"
            ),
        );
        // Among those of 20 everybody has HIV; written alike or not.
        for other in ["HIV", "hiv", "HIV "] {
            project.write("out.csv", format!("id,age,illness\n1,20,HIV\n2,20,{other}\n3,30,a\n4,30,b\n"));
            let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]);
            assert_eq!(said.code, 1, "{limit} {other:?}\n{}{}", said.stdout, said.stderr);
        }
    }
}
