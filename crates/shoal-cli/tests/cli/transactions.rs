//! Transactions, as a person meets them on the command line.

use std::fs;

use crate::project::TestProject;

const BASKETS: &str = "\
bread milk
bread milk eggs
milk eggs
bread
bread milk beer

beer crisps
crisps milk
bread bread eggs
";

const POLICY: &str = r#"version = 1

[data]
shape = "transactions"
source = "baskets.dat"

[privacy]
k = 3
m = 2

[output]
path = "out.dat"
"#;

pub(crate) fn project() -> TestProject {
    let project = TestProject::empty();
    project.write("baskets.dat", BASKETS);
    project.write("policy.toml", POLICY);
    project
}

#[test]
fn the_whole_way() {
    let project = project();
    insta::assert_snapshot!("transactions_check", project.shoal(&["check", "policy.toml"]).stdout);
    let ran = project.shoal(&["run", "policy.toml", "--quiet"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let verified = project.shoal(&["verify", "out.dat", "--policy", "policy.toml"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    insta::assert_snapshot!("transactions_verify", verified.stdout);
    let measured = project.shoal(&["measure", "baskets.dat", "out.dat", "--policy", "policy.toml"]);
    assert_eq!(measured.code, 0, "{measured:?}");
    insta::assert_snapshot!("transactions_measure", measured.stdout);
}

#[test]
fn the_original_does_not_keep_the_promise() {
    let project = project();
    let raw = project.shoal(&["verify", "baskets.dat", "--policy", "policy.toml"]);
    assert_eq!(raw.code, 1);
    insta::assert_snapshot!("transactions_broken", raw.stdout);
}

#[test]
fn init_proposes_a_policy_that_runs() {
    let project = project();
    let init = project.shoal(&["init", "baskets.dat", "--shape", "transactions", "-o", "new.toml"]);
    assert_eq!(init.code, 0, "{init:?}");
    insta::assert_snapshot!("transactions_init", init.stdout);
    let ran = project.shoal(&["run", "new.toml", "--quiet"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn bad_requests_say_what_to_do_and_leave_nothing() {
    let project = project();
    project.write("alone.txt", "bread\nmilk\neggs\nbeer\ncrisps\n");
    project.write("lacking.txt", "bread milk\nbeer crisps\n");
    let before = project.everything();
    let mut said = String::new();
    for (set, code) in [
        (&["privacy.k=9"][..], 1),
        (&["privacy.m=7"], 2),
        (&["algorithm.name=sbc"], 2),
        (&["algorithm.name=apriori"], 2),
        (&["privacy.complete=true"], 2),
        (&["algorithm.name=upcta", "utility.constraints=alone.txt", "utility.max-suppressed=0.0"], 1),
        (&["algorithm.name=upcta", "utility.constraints=lacking.txt"], 2),
    ] {
        let mut words = vec!["run", "policy.toml"];
        set.iter().for_each(|set| words.extend(["--set", set]));
        let failed = project.shoal(&words);
        assert_eq!(failed.code, code, "{set:?}: {failed:?}");
        said.push_str(&format!("{set:?}\n{}\n", failed.stderr));
    }
    insta::assert_snapshot!("transactions_errors", said);
    assert_eq!(project.everything(), before);
}

#[test]
fn a_line_of_twenty_megabytes_is_refused() {
    let project = project();
    fs::write(project.path("baskets.dat"), "a ".repeat(10 << 20)).unwrap();
    let failed = project.shoal(&["run", "policy.toml"]);
    assert_eq!(failed.code, 2);
    assert!(failed.stderr.contains("baskets.dat, line 1"), "{}", failed.stderr);
    assert!(!project.path("out.dat").exists());
}

/// No two baskets share an item, and none may be published together with another: nothing is left.
#[test]
fn a_file_without_items_is_not_a_success() {
    let project = TestProject::empty();
    project.write("baskets.dat", "a b\nc d\ne f\ng h\n");
    project.write("alone.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
    let policy = r#"version = 1
data = { shape = "transactions", source = "baskets.dat" }
privacy = { k = 3, m = 2 }
utility = { constraints = "alone.txt", max-suppressed = 1.0 }
output.path = "out.dat"
"#;
    project.write("policy.toml", policy);
    for algorithm in ["coat", "upcta"] {
        let name = format!("algorithm.name={algorithm}");
        let run = ["run", "policy.toml", "--force", "--set", &name];
        let said = project.shoal(&run).ended_with(1);
        assert!(said.stderr.contains("nothing is left to use"), "{algorithm}: {said:?}");
        project.shoal(&[&run[..], &["--allow-total-loss"]].concat()).ended_with(0);
        let verify = ["verify", "out.dat", "--policy", "policy.toml", "--json", "--set", &name];
        let said = project.shoal(&verify).ended_with(0);
        assert!(said.stdout.contains("says-nothing"), "{algorithm}: {said:?}");
        fs::remove_file(project.path("out.dat")).unwrap();
    }
}

/// In an original a parenthesis means nothing: what begins with one ends at the next separator, as in a basket.
#[test]
fn an_item_that_begins_like_a_group_swallows_no_other() {
    let project = TestProject::empty();
    project.write("d.csv", "o,its\n1,(a;g;h\n2,(a;g\n3,g;h\n4,g;h\n");
    project.write("d.ndjson", "{\"o\":1,\"its\":[\"(a\",\"g\",\"h\"]}\n{\"o\":2,\"its\":[\"(a\",\"g\"]}\n{\"o\":3,\"its\":[\"g\",\"h\"]}\n{\"o\":4,\"its\":[\"g\",\"h\"]}\n");
    let policy = "version = 1\n[data]\nshape = \"transactions\"\nsource = \"d.csv\"\nitems = \"its\"\nitem-separator = \";\"\n\
                  [columns.o]\nrole = \"identifier\"\n[privacy]\nk = 2\nm = 1\n[output]\npath = \"out.csv\"\n";
    project.write("policy.toml", policy);
    // Every item is there twice, so that nothing has to be merged.
    let published = "its\n\"\"\"(a\"\";g\"\n\"\"\"(a\"\";g;h\"\ng;h\ng;h\n";
    for source in ["d.csv", "d.ndjson"] {
        let source = format!("data.source={source}");
        project.shoal(&["run", "policy.toml", "--quiet", "--force", "--set", &source]).ended_with(0);
        assert_eq!(project.read("out.csv"), published, "{source}");
        let verify =
            ["verify", "out.csv", "--policy", "policy.toml", "--original", "d.csv", "--set", &source];
        project.shoal(&verify).ended_with(0);
    }
    // Elements of a list are whole by themselves.
    let lists = ["--set", "data.source=d.ndjson", "-o", "lists.parquet"];
    project.shoal(&[&["run", "policy.toml", "--quiet"][..], &lists].concat()).ended_with(0);
    let verify = ["verify", "lists.parquet", "--policy", "policy.toml", "--original", "d.ndjson"];
    let found = project.shoal(&[&verify[..], &["--json"]].concat()).ended_with(0).json();
    assert_eq!(found["original"]["holds"], true, "{found}");
}

/// An empty cell says that a transaction is there; an item that is an empty text is published in quotes.
#[test]
fn a_transaction_without_items_is_no_empty_item() {
    let project = TestProject::empty();
    project.write("l.csv", "id,it\n1,a\n2,a\n3,c\n");
    project.write("u.txt", "a\nc\n");
    let policy = "version = 1\n[data]\nshape = \"transactions\"\nsource = \"l.csv\"\nformat = \"long\"\nid = \"id\"\nitem = \"it\"\n\
                  missing = [\"NA\"]\n[privacy]\nk = 2\nm = 1\n[output]\npath = \"out.csv\"\n";
    let suppressing =
        "[utility]\nconstraints = \"u.txt\"\nmax-suppressed = 0.5\n[algorithm]\nname = \"upcta\"\n";
    project.write("policy.toml", format!("{policy}{suppressing}"));
    let run_and_read = || {
        project.shoal(&["run", "policy.toml", "--quiet", "--force"]).ended_with(0);
        let verify = ["verify", "out.csv", "--policy", "policy.toml", "--original", "l.csv"];
        project.shoal(&verify).ended_with(0);
        project.read("out.csv")
    };
    // The third one has lost its only item.
    let published = run_and_read();
    assert_eq!(published.lines().filter(|line| line.ends_with(',')).count(), 1, "{published}");

    project.write("l.csv", "id,it\n1,a\n2,a\n3,\n4,\n");
    project.write("policy.toml", policy);
    let published = run_and_read();
    assert_eq!(published.matches("\"\"\"\"\"\"").count(), 2, "{published}");
}
