//! The two editions of a report: what may be published with the data, and what stays with the publisher.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::project::{PEOPLE, TestProject};

const HEX_DIGITS_OF_SHA256: usize = 64;

/// All texts of a document, however deep.
fn texts(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| texts(value, into)),
        serde_json::Value::Object(members) => members.iter().for_each(|(name, value)| {
            into.push(name.clone());
            texts(value, into);
        }),
        _ => {}
    }
}

#[test]
fn what_goes_out_names_no_seed_no_hash_of_the_input_and_no_person() {
    let project = TestProject::with_people();
    // A seed that no figure could be by chance.
    let printed =
        project.shoal(&["run", "policy.toml", "--json", "--seed", "918273645"]).ended_with(0).json();
    let report = project.json("out.report/report.json");
    assert_eq!(printed["output-sha256"], report["output-sha256"]);
    assert!(!printed.to_string().contains("918273645"));
    let text = project.read("out.report/report.json");
    assert!(!text.contains("918273645") && !text.contains("seed"), "{text}");
    let mut all = Vec::new();
    texts(&report, &mut all);
    let is_hash =
        |text: &&String| text.len() == HEX_DIGITS_OF_SHA256 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let hashes: Vec<&String> = all.iter().filter(is_hash).collect();
    assert_eq!(hashes, [report["output-sha256"].as_str().unwrap()]);
    for line in PEOPLE.lines().skip(1) {
        let name = line.split(',').next().unwrap();
        assert!(!text.contains(name), "{name}");
    }
    for key in ["ribbon", "work", "recoding", "policy", "key"] {
        assert!(report.get(key).is_none(), "{key}");
    }
    let page = project.read("out.report/report.html");
    assert!(!page.contains("918273645") && page.contains(report["output-sha256"].as_str().unwrap()));
    let audit = project.json("out.report/audit.json");
    for hash in ["key", "input-hash", "policy-hash"] {
        assert!(!page.contains(audit[hash].as_str().unwrap()), "{hash}");
    }
    for line in PEOPLE.lines().skip(1) {
        let name = line.split(',').next().unwrap();
        // In a cell or between quotes; `Leo` could be a part of another word.
        assert!(!page.contains(&format!(">{name}<")) && !page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn a_person_can_read_the_page_that_goes_out() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    insta::assert_snapshot!("report_page_table", words(&project.read("out.report/report.html")));
    let ward = crate::sequences::ward();
    ward.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    insta::assert_snapshot!("report_page_sequences", words(&ward.read("out.report/report.html")));
    let baskets = crate::transactions::project();
    baskets.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    insta::assert_snapshot!("report_page_transactions", words(&baskets.read("out.dat.report/report.html")));
}

#[test]
fn the_page_that_stays_is_closed_and_shows_rows_before_and_after() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--quiet", "--seed", "918273645"]).ended_with(0);
    let mode = |name: &str| fs::metadata(project.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("out.report/audit.html"), 0o600);
    assert_ne!(mode("out.report/report.html"), 0o600);
    let page = words(&project.read("out.report/audit.html"));
    for text in ["918273645", "Some rows, before and after", "shape = \"table\""] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Every record of twelve is one of twenty rows; identifiers stay out even here.
    assert!(!page.contains("Ann") && page.contains("before: 34"), "{page}");
}

/// The text of a page up to its definitions, a line for each block; without times, and what is made of the bytes of the file.
fn words(page: &str) -> String {
    let body = page.split_once("</header>").map_or(page, |(_, body)| body);
    let body = body.split("<section id=\"definitions\"").next().unwrap_or_default();
    let mut text = String::new();
    // What a chart shows stands in the table below it.
    let body: String =
        body.split("<svg").map(|part| part.rsplit("</svg>").next().unwrap_or_default()).collect();
    for piece in body.split('<') {
        let (tag, words) = piece.split_once('>').unwrap_or_default();
        let inline = ["b", "/b", "code", "/code", "span", "/span", "strong", "/strong", "a", "/a"];
        let name = tag.split(' ').next().unwrap_or_default();
        text.push_str(if inline.contains(&name) { "" } else { "\n" });
        text.push_str(words);
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    text.replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[test]
fn what_stays_is_closed_to_others_and_names_the_input_by_a_keyed_hash() {
    let project = TestProject::with_people();
    let audit_of = |out: &str| {
        project
            .shoal(&["run", "policy.toml", "--quiet", "-o", &format!("{out}.csv"), "--seed", "7"])
            .ended_with(0);
        let name = format!("{out}.report/audit.json");
        let mode = fs::metadata(project.path(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        project.json(&name)
    };
    let (a, b) = (audit_of("a"), audit_of("b"));
    assert_eq!(a["seed"], 7);
    assert_eq!(a["output-sha256"], b["output-sha256"]);
    // The same input and policy, and yet nothing that could be looked up elsewhere.
    for hash in ["key", "input-hash", "policy-hash"] {
        assert_eq!(a[hash].as_str().unwrap().len(), HEX_DIGITS_OF_SHA256, "{hash}");
        assert_ne!(a[hash], b[hash], "{hash}");
    }
    // Hashes with a key say whose each row is.
    assert_eq!(a["people"]["records"], b["people"]["records"]);
    assert_ne!(a["people"]["hash"], b["people"]["hash"]);
    assert_eq!(a["policy"], b["policy"]);
}

#[test]
fn reports_of_another_output_are_not_replaced_by_accident() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--report", "reports"]).ended_with(0);
    let before = project.everything();
    let other = ["run", "policy.toml", "-o", "other.csv", "--report", "reports"];
    let said = project.shoal(&other).ended_with(2);
    assert!(said.stderr.contains("holds the reports of another release"), "{}", said.stderr);
    assert_eq!(project.everything(), before);
    // A page alone is a report as well.
    for name in ["audit.json", "report.json", "audit.html"] {
        fs::remove_file(project.path("reports").join(name)).unwrap();
    }
    let page = project.bytes("reports/report.html");
    project.shoal(&other).ended_with(2);
    assert_eq!(project.bytes("reports/report.html"), page);
    let mut forced = other.to_vec();
    forced.push("--force");
    project.shoal(&forced).ended_with(0);
    assert_ne!(project.bytes("reports/audit.json"), before[&project.path("reports/audit.json")]);
    // The same output, which is gone, takes its own reports with it.
    fs::remove_file(project.path("other.csv")).unwrap();
    project.shoal(&other).ended_with(0);
}

#[test]
fn a_folder_that_held_a_release_of_the_same_source_says_so() {
    let project = TestProject::with_people();
    let leaks = |args: &[&str]| {
        let mut run = vec!["run", "policy.toml", "--json", "--force"];
        run.extend(args);
        let report = project.shoal(&run).ended_with(0).json();
        let kinds =
            report["leaks"].as_array().unwrap().iter().map(|leak| leak["kind"].as_str().unwrap().to_owned());
        kinds.filter(|kind| kind == "earlier-release").count()
    };
    assert_eq!(leaks(&[]), 0);
    assert_eq!(leaks(&[]), 0, "the same bytes again are the same release");
    assert_eq!(leaks(&["--set", "privacy.k=4"]), 1);
}

#[test]
fn an_audit_serves_as_the_policy_of_its_release() {
    let project = TestProject::with_people();
    project.write("deep/policy.toml", project.read("policy.toml").replace("people.csv", "../people.csv"));
    project.shoal(&["run", "deep/policy.toml", "--set", "privacy.k=4"]).ended_with(0);
    fs::remove_file(project.path("deep/policy.toml")).unwrap();
    let audit = "deep/out.report/audit.json";
    let said = project.shoal(&["verify", "deep/out.csv", "--policy", audit]).ended_with(0);
    assert!(said.stdout.contains("4 asked"), "{}", said.stdout);
    project.shoal(&["verify", "deep/out.csv", "--policy", audit, "--set", "privacy.k=13"]).ended_with(1);
    project.shoal(&["measure", "people.csv", "deep/out.csv", "--policy", audit]).ended_with(0);
    project.write("broken.json", "{\"version\": 1}");
    let said = project.shoal(&["verify", "deep/out.csv", "--policy", "broken.json"]).ended_with(2);
    assert!(said.stderr.contains("is not the audit of a release"), "{}", said.stderr);
}

#[test]
fn an_error_in_a_document_names_the_place_and_not_the_value() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace("Cid,41", "Cid,forty-one"));
    let said = project.shoal(&["run", "policy.toml", "--json"]).ended_with(2);
    assert!(said.stderr.contains("`forty-one` in column `age`"), "{}", said.stderr);
    assert!(!said.stdout.contains("forty-one"), "{}", said.stdout);
    let message = said.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("people.csv:4") && message.contains("`age`"), "{message}");
    let asked = project.shoal(&["run", "policy.toml", "--json", "--show-values"]).ended_with(2);
    assert!(asked.stdout.contains("forty-one"), "{}", asked.stdout);
}
