//! Settings side by side: what is tried, what is left, and how a comparison goes on.

use crate::project::{CommandOutput, TestProject};
use crate::{sequences, transactions};

const GRID: [&str; 6] = ["compare", "policy.toml", "--algorithms", "mondrian,ribbon", "--vary", "k=2,3,20"];

/// The lines of `results.csv`, header first, cells of a line apart. No text in it holds a comma except the reasons, which are last to be
/// looked at.
fn results(project: &TestProject, folder: &str) -> Vec<Vec<String>> {
    let text = project.read(&format!("{folder}/results.csv"));
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The cell of a line by the name of its column.
fn at<'a>(lines: &'a [Vec<String>], line: usize, name: &str) -> &'a str {
    let column = lines[0].iter().position(|column| column == name).unwrap();
    &lines[line][column]
}

#[test]
fn a_grid_is_tried_and_nothing_is_published() {
    let project = TestProject::with_people();
    let said = project.shoal(&GRID).ended_with(0);
    let lines = results(&project, "compare");
    let cells: Vec<String> = lines[1..].iter().map(|line| line[..3].join(" ")).collect();
    assert_eq!(cells[0], "mondrian 2 holds");
    assert_eq!(cells[4], "ribbon 3 holds");
    assert_eq!(cells.len(), 6);
    assert!(cells[2].starts_with("mondrian 20 \"infeasible: "), "{}", cells[2]);
    for line in [1, 2, 4, 5] {
        let ncp: f64 = at(&lines, line, "ncp").parse().unwrap();
        assert!(ncp > 0.0 && ncp < 1.0, "{ncp}");
        assert_eq!(at(&lines, line, "records-in"), "12");
    }
    assert!(!project.exists("out.csv") && !project.exists("out.report"));
    for words in ["least loss for k = 2: ", "least loss for k = 20: no cell is feasible", "--choose "] {
        assert!(said.stdout.contains(words), "{words}: {}", said.stdout);
    }
    assert!(said.stderr.contains("cell 1 of 6: mondrian,k=2"), "{}", said.stderr);
    let page = project.read("compare/compare.html");
    for words in
        ["stays in the house", "infeasible: ", "--choose ribbon,k=3", "<svg role=\"img\" aria-label="]
    {
        assert!(page.contains(words), "{words}");
    }
    assert!(project.bytes("compare/results.parquet").starts_with(b"PAR1"));
}

#[cfg(unix)]
#[test]
fn results_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let project = TestProject::with_people();
    project.shoal(&GRID).ended_with(0);
    for name in ["results.csv", "results.parquet", "compare.html", "compare.json"] {
        let mode = std::fs::metadata(project.path("compare").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn finished_cells_are_not_tried_again() {
    let project = TestProject::with_people();
    project.shoal(&GRID).ended_with(0);
    // As if it had been killed after the fourth cell; the time of the first one shows whether it is tried again.
    let text = project.read("compare/results.csv");
    let seconds = at(&results(&project, "compare"), 1, "seconds").to_owned();
    let marked = text.replacen(&format!(",{seconds},"), ",12345.678,", 1);
    assert_ne!(marked, text);
    let partial: Vec<&str> = marked.lines().take(5).collect();
    project.write("compare/results.csv", format!("{}\n", partial.join("\n")));
    let said = project.shoal(&GRID).ended_with(0);
    assert!(said.stdout.contains("4 of 6 cells were finished before"), "{}", said.stdout);
    assert!(said.stderr.contains("cell 5 of 6: ribbon,k=3"), "{}", said.stderr);
    assert!(!said.stderr.contains("mondrian"), "{}", said.stderr);
    let lines = results(&project, "compare");
    assert_eq!(at(&lines, 1, "seconds"), "12345.678");
    assert_eq!(lines.len(), 7);

    // A larger grid takes what is there, and what it does not ask for stays.
    let larger = ["compare", "policy.toml", "--algorithms", "mondrian,sbc", "--vary", "k=2,4"];
    let said = project.shoal(&larger).ended_with(0);
    assert!(said.stdout.contains("1 of 4 cells were finished before"), "{}", said.stdout);
    let lines = results(&project, "compare");
    assert_eq!(at(&lines, 1, "seconds"), "12345.678");
    assert_eq!(lines.len(), 1 + 4 + 5);
}

#[test]
fn what_failed_is_tried_again() {
    let project = TestProject::with_people();
    let grid = ["compare", "policy.toml", "--algorithms", "mondrian", "--vary", "k=1,3"];
    let said = project.shoal(&grid).ended_with(0);
    let lines = results(&project, "compare");
    assert!(lines[1][2].contains("failed: k = 1"), "{:?}", lines[1]);
    assert!(said.stdout.contains("failed: k = 1"), "{}", said.stdout);
    let said = project.shoal(&grid).ended_with(0);
    assert!(said.stdout.contains("1 of 2 cells were finished before"), "{}", said.stdout);
}

#[test]
fn results_of_something_else_are_not_continued() {
    let project = TestProject::with_people();
    project.shoal(&GRID).ended_with(0);
    let before = project.everything();
    let refused = |project: &TestProject, what: &str| {
        let said = project.shoal(&GRID).ended_with(2);
        assert!(said.error().contains(what) && said.error().contains("--force"), "{}", said.error());
    };
    let people = project.read("people.csv");
    project.write("people.csv", people.replace("Ann,34", "Ann,35"));
    refused(&project, "another content of `people.csv`");
    project.write("people.csv", &people);
    project.edit_policy("k = 3", "k = 4");
    refused(&project, "another policy");
    project.edit_policy("k = 4", "k = 3");
    let state = project.read("compare/compare.json");
    project.write("compare/compare.json", state.replace(env!("CARGO_PKG_VERSION"), "0.0.1"));
    refused(&project, "another version of the program (0.0.1)");
    std::fs::remove_file(project.path("compare/compare.json")).unwrap();
    refused(&project, "nobody knows");
    project.write("compare/compare.json", state);
    assert_eq!(project.everything(), before);
    let other_set = [&GRID[..], &["--set", "columns.age.weight=2"]].concat();
    project.shoal(&other_set).ended_with(2);
    let said = project.shoal(&[&other_set[..], &["--force"]].concat()).ended_with(0);
    assert!(!said.stdout.contains("finished before"), "{}", said.stdout);
    // What the cells had in common is part of the choice.
    let choose = "shoal compare policy.toml --set columns.age.weight=2 --choose ribbon,k=3";
    assert!(said.stdout.contains(choose), "{}", said.stdout);
    assert!(project.read("compare/compare.html").contains(choose));
}

#[test]
fn it_says_so_when_nothing_is_feasible() {
    let project = TestProject::with_people();
    let said = project.shoal(&["compare", "policy.toml", "--algorithms", "sbc", "--vary", "k=13,20"]);
    let said = said.ended_with(1);
    assert!(said.stdout.contains("infeasible"), "{}", said.stdout);
    assert!(project.read("compare/compare.html").contains("No cell is feasible"));
}

#[test]
fn wrong_requests_are_errors_and_leave_nothing() {
    let project = TestProject::with_people();
    let before = project.everything();
    let error = |more: &[&str], words: &[&str]| {
        let said = project.shoal(&[&["compare", "policy.toml"], more].concat()).ended_with(2);
        for word in words {
            assert!(said.error().contains(word), "{more:?}: {}", said.error());
        }
    };
    error(&["--vary", "m=2"], &["`m` is not a key", "did you mean `privacy.m`?"]);
    error(&["--vary", "k"], &["KEY=VALUE"]);
    error(&["--vary", "privacy.q=2"], &["unknown key `privacy.q`"]);
    error(&["--vary", "k=1"], &["k = 1"]);
    error(&["--vary", "k=2", "--k", "3"], &["`privacy.k` is varied twice"]);
    error(&["--algorithms", "mondrain"], &["there is no algorithm `mondrain`", "did you mean `mondrian`?"]);
    error(&["--algorithms", "pcta"], &["for data of shape `table`"]);
    let transparent =
        ["--set", "privacy.transparent=true", "--set", "privacy.l-diversity={ kind = \"distinct\", l = 2 }"];
    error(&transparent, &["cannot be tried out", "privacy.transparent=false"]);
    error(&["--set", "data.source=-"], &["read only once"]);
    error(&["--choose", "k=3"], &["ALGORITHM,KEY=VALUE"]);
    error(&["--choose", "ribbon,k=1"], &["k = 1"]);
    error(&["--set", "data.source=nobody.csv"], &["nobody.csv"]);
    assert_eq!(project.everything(), before);
}

#[test]
fn the_chosen_policy_loses_what_the_cell_lost() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 3 # agreed");
    project.shoal(&GRID).ended_with(0);
    let said = project.shoal(&["compare", "policy.toml", "--choose", "mondrian,k=2"]).ended_with(0);
    assert!(said.stdout.contains("policy.chosen.toml has the settings of mondrian,k=2"), "{}", said.stdout);
    let chosen = project.read("policy.chosen.toml");
    assert!(chosen.contains("k = 2 # agreed") && chosen.contains("name = \"mondrian\""), "{chosen}");
    project.shoal(&["run", "policy.chosen.toml", "--quiet"]).ended_with(0);
    // As texts: the parser of JSON may miss the last digit of a float, and both files hold the shortest text that reads back.
    let lines = results(&project, "compare");
    let exact = format!("\"ncp\": {},", at(&lines, 1, "ncp"));
    assert!(project.read("out.report/audit.json").contains(&exact), "{exact}");
    // Nothing is replaced, and nothing is written where its paths would mean something else.
    project.shoal(&["compare", "policy.toml", "--choose", "ribbon,k=2"]).ended_with(2);
    project.shoal(&["compare", "policy.toml", "--choose", "ribbon,k=2", "--force"]).ended_with(0);
    std::fs::create_dir(project.path("other")).unwrap();
    let elsewhere = ["compare", "policy.toml", "--choose", "ribbon,k=2", "--write", "other/p.toml"];
    let said = project.shoal(&elsewhere).ended_with(2);
    assert!(said.error().contains("another folder"), "{}", said.error());
}

#[test]
fn data_alone_are_enough_for_a_first_look() {
    let project = TestProject::with_people();
    std::fs::remove_file(project.path("policy.toml")).unwrap();
    let hurry = ["compare", "people.csv", "--k", "2,3", "--algorithms", "mondrian,datafly"];
    let said = project.shoal(&hurry).ended_with(0);
    assert!(said.stdout.starts_with("ROLES ARE PROPOSALS"), "{}", said.stdout);
    assert!(project.read("compare/compare.html").contains("Roles are proposals"));
    let said = project.shoal(&[&hurry[..], &["--json"]].concat()).ended_with(0).json();
    assert_eq!((said["roles-are-proposals"].as_bool(), said["reused"].as_u64()), (Some(true), Some(4)));

    project.shoal(&["compare", "people.csv", "--choose", "mondrian,k=2"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "-o", "chosen.csv", "--report", "r", "--quiet"]).ended_with(0);
    let ncp = project.json("r/audit.json")["loss"]["ncp"].as_f64();
    assert_eq!(said["cells"][0]["ncp"].as_f64(), ncp);

    // A policy that somebody has reviewed is not replaced.
    let proposed = project.read("compare/policy.toml");
    project.write("compare/policy.toml", format!("# reviewed\n{proposed}"));
    let refused = project.shoal(&hurry).ended_with(2);
    assert!(refused.error().contains("shoal compare compare/policy.toml"), "{}", refused.error());
    let reviewed = ["compare", "compare/policy.toml", "--k", "2", "--algorithms", "mondrian"];
    let said = project.shoal(&reviewed).ended_with(0);
    assert!(!said.stdout.contains("PROPOSALS"), "{}", said.stdout);
}

#[test]
fn algorithms_that_fit_are_found() {
    let algorithms = |said: CommandOutput| -> Vec<String> {
        let cells = said.json()["cells"].as_array().unwrap().clone();
        cells.iter().map(|cell| cell["algorithm"].as_str().unwrap().to_owned()).collect()
    };
    let of = |project: &TestProject| {
        algorithms(project.shoal(&["compare", "policy.toml", "--json"]).ended_with(0))
    };
    assert_eq!(of(&TestProject::with_people()), ["ribbon", "mondrian", "sbc", "incognito", "datafly"]);
    // The others need a hierarchy of items or utility constraints.
    assert_eq!(of(&transactions::project())[0], "pcta");
    assert!(!of(&transactions::project()).iter().any(|name| name == "apriori" || name == "upcta"));
    assert_eq!(of(&sequences::ward()), ["cbmsa"]);
}

#[test]
fn transactions_and_sequences_have_their_own_figures() {
    for (project, names) in [
        (transactions::project(), &["ncp", "utility", "are", "risk-highest", "items-suppressed"][..]),
        (sequences::ward(), &["lm", "utility", "inf-loss", "risk-highest", "classes", "records-suppressed"]),
    ] {
        let said =
            project.shoal(&["compare", "policy.toml", "--vary", "k=2,3", "--json"]).ended_with(0).json();
        for name in names {
            assert!(said["cells"][0][name].is_number(), "{name}: {said:#}");
        }
        assert_eq!(said["best"].as_array().unwrap().len(), 2);
        let lines = results(&project, "compare");
        assert!(names.iter().all(|name| lines[0].iter().any(|column| column == name)), "{:?}", lines[0]);
    }
}
