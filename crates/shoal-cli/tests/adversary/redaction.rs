//! Documents are kept and passed on: what `--json` prints of an error must not say what stands in the data.

use crate::support::TestProject;

/// What nobody may read in a document.
const SECRET: &str = "Hivpos7";

const TABLE: &str = r#"version = 1
[data]
shape = "table"
source = "people.csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.town]
role = "quasi-identifier"
hierarchy = "towns.csv"
[columns.illness]
role = "sensitive"
[privacy]
k = 2
[output]
path = "out.csv"
"#;

const PEOPLE: &str = "age,town,illness\n30,Ulm,flu\n30,Ulm,cold\n41,Bonn,flu\n41,Bonn,cold\n";

const BASKETS: &str = r#"version = 1
[data]
shape = "transactions"
source = "baskets.txt"
[privacy]
k = 2
[output]
path = "out.txt"
"#;

fn project() -> TestProject {
    let project = TestProject::new();
    project.write("people.csv", PEOPLE);
    project.write("towns.csv", "Ulm,*\nBonn,*\n");
    project.write("policy.toml", TABLE);
    project
        .write("baskets.txt", format!("bread milk {SECRET}\nbread milk {SECRET}\nbread beer\nmilk beer\n"));
    project.write("baskets.toml", BASKETS);
    project
}

impl TestProject {
    /// A command that fails says why at the terminal, with the value, and in its document without it.
    #[track_caller]
    fn keeps_the_secret(&self, args: &[&str]) {
        let said = self.shoal(&[args, &["--json"]].concat());
        assert_ne!(said.code, 0, "{args:?}: {}", said.stdout);
        assert!(said.stdout.contains("\"message\""), "{args:?}: {said:?}");
        assert!(!said.stdout.contains(SECRET), "{args:?}: {}", said.stdout);
        assert!(said.stderr.contains(SECRET), "{args:?}: the attack shows nothing: {}", said.stderr);
    }
}

#[test]
fn errors_about_a_table_do_not_quote_it() {
    let project = project();
    for (data, what) in [
        (PEOPLE.replace("41,Bonn,flu", &format!("41,{SECRET},flu")), "outside the hierarchy"),
        (PEOPLE.replace("41,Bonn,flu", &format!("{SECRET},Bonn,flu")), "of another kind"),
        // Without its header the first record is taken for one.
        (PEOPLE.replace("age,town,illness\n", &format!("{SECRET},town,age\n")), "a column without a role"),
    ] {
        project.write("people.csv", data);
        println!("{what}");
        project.keeps_the_secret(&["run", "policy.toml"]);
    }
    project.write("people.csv", PEOPLE);
    project.write("towns.csv", format!("Ulm,{SECRET},*\nUlm,x,*\nBonn,x,*\n"));
    project.keeps_the_secret(&["run", "policy.toml"]);
    project.keeps_the_secret(&["hierarchy", "show", "towns.csv"]);
    project.write("towns.csv", "Ulm,*\nBonn,*\n");

    project.write("counts.csv", format!("age,count\n30,{SECRET}\n"));
    project.keeps_the_secret(&["run", "policy.toml", "--set", "privacy.population=counts.csv"]);

    project.write("rows.ndjson", format!("{{\"age\": 30}}\n\"{SECRET}\"\n"));
    let said = project.shoal(&["run", "policy.toml", "--set", "data.source=rows.ndjson", "--json"]);
    assert!(said.code != 0 && !said.stdout.contains(SECRET), "{said:?}");
}

#[test]
fn errors_about_a_release_that_is_not_true_do_not_quote_it() {
    let project = project();
    project.write("untrue.csv", PEOPLE.replace("Bonn", SECRET));
    for verb in
        [&["verify", "untrue.csv", "--original", "people.csv"][..], &["measure", "people.csv", "untrue.csv"]]
    {
        let said = project.shoal(&[verb, &["--policy", "policy.toml", "--json"]].concat());
        let error = said.stdout.split("\"error\"").nth(1).unwrap_or_default();
        assert!(said.code != 0 && !error.contains(SECRET), "{verb:?}: {said:?}");
    }
    project.write("untrue.txt", format!("bread ({SECRET},x)\nbread ({SECRET},x)\nbeer\nbeer\n"));
    let policy = ["--policy", "baskets.toml", "--set", "privacy.m=2"];
    for verb in [
        &["verify", "untrue.txt", "--original", "baskets.txt"][..],
        &["measure", "baskets.txt", "untrue.txt"],
    ] {
        let said = project.shoal(&[verb, &policy, &["--json"]].concat());
        let error = said.stdout.split("\"error\"").nth(1).unwrap_or_default();
        assert!(said.code != 0 && !error.contains(SECRET), "{verb:?}: {said:?}");
    }
}

#[test]
fn errors_about_items_do_not_quote_them() {
    let project = project();
    project.write("sets.txt", format!("bread {SECRET}x\n"));
    project.keeps_the_secret(&["run", "baskets.toml", "--set", "privacy.constraints=sets.txt"]);

    project.write("weights.txt", format!("{SECRET} heavy\n"));
    let m = ["--set", "privacy.m=2"];
    project.keeps_the_secret(
        &[&["run", "baskets.toml"][..], &m, &["--set", "utility.weights=weights.txt"]].concat(),
    );

    // An item that is in no set of the utility constraints, and one that can only be suppressed: these messages name items
    // without quotes, or made a sentence of them long before.
    let coat = [
        &["run", "baskets.toml", "--set", "algorithm.name=coat", "--set", "utility.constraints=may.txt"][..],
        &m,
    ]
    .concat();
    project.write("may.txt", "bread milk\nbeer\n");
    project.keeps_the_secret(&coat);
    project.write("may.txt", format!("bread milk\nbeer\n{SECRET}\n"));
    project.write("baskets.txt", format!("bread milk {SECRET}\nbread milk\nbread beer\nmilk beer\n"));
    project.keeps_the_secret(&[&coat[..], &["--set", "utility.max-suppressed=0.0"]].concat());

    project.keeps_the_secret(
        &[&["run", "baskets.toml"][..], &m, &["--set", "privacy.sensitive-items=[\"Hivpos8\"]"]].concat(),
    );
}
