//! What is written about many people can be read again.

use std::fmt::Write as _;

use crate::project::TestProject;

const PEOPLE: usize = 200_000;

const POLICY: &str = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\nperson = \"id\"\n\
    [columns.id]\nrole = \"identifier\"\n[columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n\
    [columns.zip]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n[columns.illness]\nrole = \"sensitive\"\n\
    [privacy]\nk = 5\n[algorithm]\nname = \"mondrian\"\n[output]\npath = \"out.csv\"\n";

#[test]
fn the_audit_of_many_people_is_small_and_every_verb_reads_it() {
    let project = TestProject::empty();
    project.write("policy.toml", POLICY);
    let mut text = "id,age,zip,illness\n".to_owned();
    for id in 0..PEOPLE {
        writeln!(text, "{id},{},{},illness{}", 18 + id * 7 % 70, id * 31 % 9_973, id % 11).unwrap();
    }
    project.write("people.csv", &text);
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let size = |file: &str| std::fs::metadata(project.path(file)).unwrap().len();
    assert!(size("out.report/audit.json") < 1 << 20);
    let people = size("out.report/audit.people.parquet");
    assert!((16 * PEOPLE as u64..20 * PEOPLE as u64).contains(&people), "{people}");
    let verify =
        ["verify", "out.csv", "--policy", "out.report/audit.json", "--original", "people.csv", "--json"];
    project.shoal(&verify).ended_with(0);
    project.shoal(&["explain", "out.csv", "--policy", "out.report/audit.json", "--json"]).ended_with(0);
    let applied = ["apply", "out.report", "people.csv", "-o", "again.csv", "--quiet"];
    project.shoal(&applied).ended_with(0);
    assert_eq!(project.read("again.csv"), project.read("out.csv"));
}
