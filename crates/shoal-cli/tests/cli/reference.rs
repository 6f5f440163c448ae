//! Help, schema, completions and manual pages.

use crate::project::TestProject;

const VERBS: [&[&str]; 21] = [
    &[],
    &["init"],
    &["check"],
    &["run"],
    &["apply"],
    &["stream"],
    &["verify"],
    &["report"],
    &["measure"],
    &["explain"],
    &["attack"],
    &["compare"],
    &["hierarchy"],
    &["hierarchy", "build"],
    &["hierarchy", "show"],
    &["hierarchy", "check"],
    &["hierarchy", "convert"],
    &["schema"],
    &["completions"],
    &["man"],
    &["help"],
];

#[test]
fn help() {
    let project = TestProject::empty();
    for verb in VERBS {
        let said = project.shoal(&[verb, &["--help"]].concat()).ended_with(0);
        assert_eq!(said.stderr, "");
        insta::assert_snapshot!(format!("help_{}", verb.join("_")), said.stdout);
    }
}

#[test]
fn version() {
    let said = TestProject::empty().shoal(&["--version"]).ended_with(0);
    assert_eq!(said.stdout, format!("shoal {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn only_verbs_that_exist_are_offered() {
    let project = TestProject::empty();
    project.shoal(&["serve"]).ended_with(2);
}

#[test]
fn the_schema_knows_every_part_of_a_policy() {
    let schema = TestProject::empty().shoal(&["schema"]).ended_with(0).json();
    for part in ["version", "data", "columns", "privacy", "algorithm", "output"] {
        assert!(schema["properties"].get(part).is_some(), "{part}");
    }
}

#[test]
fn completions_know_every_verb() {
    let project = TestProject::empty();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = project.shoal(&["completions", shell]).ended_with(0).stdout;
        for verb in VERBS.iter().filter_map(|verb| verb.last()) {
            assert!(script.contains(verb), "{shell}: {verb}");
        }
    }
    project.shoal(&["completions", "abacus"]).ended_with(2);
}

#[test]
fn every_verb_has_a_manual_page() {
    let project = TestProject::empty();
    let page = project.shoal(&["man", "hierarchy", "build"]).ended_with(0).stdout;
    assert!(page.contains(".TH shoal-hierarchy-build 1"), "{page}");
    assert!(page.contains(concat!("\"shoal ", env!("CARGO_PKG_VERSION"), "\"")), "{page}");
    project.shoal(&["man", "dance"]).ended_with(2);
    project.shoal(&["man", "-o", "pages"]).ended_with(0);
    for verb in VERBS {
        let name = [&["shoal"], verb].concat().join("-");
        assert!(project.read(&format!("pages/{name}.1")).contains(".SH SYNOPSIS"), "{name}");
    }
    assert_eq!(std::fs::read_dir(project.path("pages")).unwrap().count(), VERBS.len());
}

/// Whoever reads a figure or a leak in a report can ask what it means.
#[test]
fn every_loss_and_leak_of_a_report_is_explained() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let report = project.json("out.report/report.json");
    let losses = report["loss"].as_object().unwrap().keys().map(String::as_str);
    let leaks = report["leaks"].as_array().unwrap().iter().map(|leak| leak["kind"].as_str().unwrap());
    let promises =
        report["promises"].as_array().unwrap().iter().map(|promise| promise["name"].as_str().unwrap());
    // The same figure, once per column.
    let terms = losses.filter(|term| !term.ends_with("-by-column")).chain(leaks).chain(promises);
    let mut asked = 0;
    for term in terms {
        let said = project.shoal(&["help", term]).ended_with(0);
        assert!(said.stdout.starts_with(term), "{term}: {}", said.stdout);
        asked += 1;
    }
    assert!(asked >= 8, "{asked}");
}

/// A new kind of leak is not forgotten in the page of terms.
#[test]
fn every_kind_of_leak_is_explained() {
    let source =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shoal-pipeline/src/leaks/words.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let table = source.split("fn called(").nth(1).and_then(|rest| rest.split("fn ").next()).unwrap();
    // The name of a kind comes first, before its heading and its unit.
    let kinds: Vec<&str> = table.split("(\"").skip(1).filter_map(|row| row.split('"').next()).collect();
    assert!(kinds.len() >= 20, "{kinds:?}");
    let project = TestProject::empty();
    for kind in kinds {
        project.shoal(&["help", kind]).ended_with(0);
    }
}

#[test]
fn help_knows_verbs_and_terms_and_suggests_near_ones() {
    let project = TestProject::empty();
    assert!(project.shoal(&["help", "hierarchy", "build"]).ended_with(0).stdout.contains("--column"));
    assert!(project.shoal(&["help", "quasi", "identifier"]).ended_with(0).stdout.contains("crowds"));
    let all = project.shoal(&["help"]).ended_with(0).stdout;
    assert!(all.contains("Terms:") && all.contains("t-closeness"), "{all}");
    assert!(project.shoal(&["help", "ncpp"]).ended_with(2).stderr.contains("did you mean `ncp`?"));
    for promise in ["k^2-anonymity", "(k,β)^3-privacy", "confidence(diagnosis)", "complete k-anonymity"] {
        project.shoal(&["help", promise]).ended_with(0);
    }
    assert_eq!(project.shoal(&["help", "ncp", "--json"]).ended_with(0).json()["term"], "ncp");
}
