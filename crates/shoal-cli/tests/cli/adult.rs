//! End to end on real data: census records of 30,162 people with hierarchies for all columns.

use shoal_testkit::data::public;

use crate::project::TestProject;

const QUASI: [&str; 8] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"];

fn policy() -> String {
    let mut text = format!(
        "version = 1\n[data]\nshape = \"table\"\nsource = \"{}\"\n\
         separator = \";\"\n[privacy]\nk = 10\n[columns.occupation]\nrole = \"sensitive\"\n",
        public("adult/adult_arx_30162.csv.gz").display()
    );
    for column in QUASI {
        let hierarchy = public(&format!("adult/adult_hierarchy_{column}.csv"));
        let kind = if column == "age" { "integer" } else { "text" };
        text.push_str(&format!(
            "[columns.{column}]\nrole = \"quasi-identifier\"\nkind = \"{kind}\"\n\
             hierarchy = \"{}\"\n",
            hierarchy.display()
        ));
    }
    text
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn all_algorithms_publish_what_verifies() {
    let project = TestProject::empty();
    project.write("policy.toml", policy());
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let (name, output) = (format!("algorithm.name={algorithm}"), format!("{algorithm}.csv"));
        let report = project
            .shoal(&["run", "policy.toml", "-o", &output, "--set", &name, "--json"])
            .ended_with(0)
            .json();
        assert_eq!(report["records-in"], 30_162, "{algorithm}");
        assert!(report["promises"][0]["found"].as_u64().unwrap() >= 10, "{algorithm}");
        let ncp = report["loss"]["ncp"].as_f64().unwrap();
        assert!(ncp > 0.0 && ncp < 1.0, "{algorithm}: {ncp}");
        project.shoal(&["verify", &output, "--policy", "policy.toml"]).ended_with(0);
        project
            .shoal(&["verify", &output, "--policy", "policy.toml", "--set", "privacy.k=30162"])
            .ended_with(1);
    }
}
