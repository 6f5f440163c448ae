//! `shoal init` finds hierarchies that lie beside the data, and `hierarchy convert` brings them from and to other tools.

use crate::project::TestProject;

/// Eighty people with an age, a town and a trade.
fn people() -> String {
    let towns = ["Ulm", "Kiel", "Bonn", "?"];
    let trades = ["cook", "clerk", "nurse"];
    let row =
        |i: usize| format!("{},{},{},{}\n", 20 + i % 20, towns[i % 4], trades[i % 3], ["flu", "cold"][i % 2]);
    let rows: String = (0..80).map(row).collect();
    format!("age,home town,occupation,illness\n{rows}")
}

const TOWNS: &str = "Ulm;South;*\nKiel;North;*\nBonn;West;*\n";

fn ages(width: usize) -> String {
    let line = |age: usize| format!("{age};{}-{};*\n", age / width * width, age / width * width + width - 1);
    (15..45).map(line).collect()
}

#[test]
fn what_fits_is_used_and_what_does_not_says_why() {
    let project = TestProject::empty();
    project.write("data/people.csv", people());
    project.write("data/people_hierarchy_age.csv", ages(5));
    // As Amnesia saves it, in a folder of its own.
    project.write(
        "data/Hierarchies/People-hierarchy-Home_Town.txt",
        "distinct\nname town\ntype string\nheight 3\n\nSouth has Ulm \nNorth has Kiel Bonn \n\n* has South North \n\n",
    );
    project.write("data/occupation_hierarchy.csv", "cook;hands;*\nclerk;desk;*\n");
    project.write("data/hierarchy_illness.csv", "flu;*\ncold;*\n");
    // Others that happen to lie there.
    project.write("data/other_hierarchy_age.csv", "20;*\n");
    project.write("data/age.csv", "age,count\n1,2\n");
    let said = project.shoal(&["init", "data/people.csv"]).ended_with(0);
    let policy = project.read("policy.toml");
    let lines = |text: &str| {
        text.lines()
            .filter(|line| line.contains("hierarchy"))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    insta::assert_snapshot!("found", format!("{}\n{}", lines(&said.stdout), lines(&policy)));
    let plan = project.shoal(&["check", "policy.toml"]).ended_with(0);
    assert_eq!(plan.stdout.matches("nodes of a hierarchy").count(), 2, "{}", plan.stdout);
    project.shoal(&["run", "policy.toml", "-o", "out.csv"]).ended_with(0);
    project
        .shoal(&["verify", "out.csv", "--policy", "policy.toml", "--original", "data/people.csv"])
        .ended_with(0);

    let json = project.shoal(&["init", "data/people.csv", "-o", "-", "--json"]).ended_with(0).json();
    assert_eq!(
        json["columns"][2]["hierarchies"],
        serde_json::json!([{
            "file": "data/occupation_hierarchy.csv", "found": 2, "of": 3, "used": false,
            "reason": "lacks 1 of 3 values (`nurse`); add a line for each, then it can be used",
        }])
    );
}

#[test]
fn the_path_is_the_one_that_the_policy_sees() {
    let project = TestProject::empty();
    project.write("data/people.csv", people());
    project.write("data/age_hierarchy.csv", ages(10));
    std::fs::create_dir(project.path("policies")).unwrap();
    let absolute = project.path("data/people.csv").display().to_string();
    for (data, policy, path) in [
        ("data/people.csv", "policies/a.toml", "hierarchy = \"../data/age_hierarchy.csv\""),
        ("data/people.csv", "data/b.toml", "hierarchy = \"age_hierarchy.csv\""),
        ("data/peop*.csv", "c.toml", "hierarchy = \"data/age_hierarchy.csv\""),
        (&absolute, "policies/d.toml", "hierarchy = \"/"),
    ] {
        project.shoal(&["init", data, "-o", policy]).ended_with(0);
        let text = project.read(policy);
        assert!(text.lines().any(|line| line.starts_with(path)), "{text}");
        project.shoal(&["check", policy]).ended_with(0);
    }
}

#[test]
fn of_two_files_that_differ_none_is_used() {
    let project = TestProject::empty();
    project.write("people.csv", people());
    project.write("age.csv", ages(5));
    project.write("people_hierarchy_age.csv", ages(10));
    let said = project.shoal(&["init", "people.csv"]).ended_with(0);
    assert!(
        said.stdout.contains(
            "question: column `age`: which hierarchy? age.csv and people_hierarchy_age.csv have all"
        ),
        "{}",
        said.stdout
    );
    let policy = project.read("policy.toml");
    assert!(!policy.lines().any(|line| line.starts_with("hierarchy")), "{policy}");
    assert!(policy.contains("# hierarchy = \"age.csv\"\n"));
    project.shoal(&["check", "policy.toml"]).ended_with(0);
}

#[test]
fn the_data_itself_and_a_release_are_no_hierarchies() {
    let project = TestProject::empty();
    let towns: String = (0..40).map(|i| format!("{};*\n", ["Ulm", "Kiel"][i % 2])).collect();
    project.write("town.csv", format!("town;group\n{towns}"));
    let said = project.shoal(&["init", "town.csv"]).ended_with(0);
    assert!(!said.stdout.contains("hierarchy"), "{}", said.stdout);
    // A published file under the name of a column: its first cells are ranges.
    project.write("people.csv", people());
    project.write("age.csv", "age,home town\n\"[20, 29]\",*\n\"[30, 39]\",*\n");
    let said = project.shoal(&["init", "people.csv", "--force"]).ended_with(0);
    assert!(!said.stdout.contains("hierarchy"), "{}", said.stdout);
}

#[test]
fn a_label_that_is_not_true_is_questioned() {
    let project = TestProject::empty();
    project.write("people.csv", people());
    // As in the hierarchy of ages that comes with ARX's Adult: every group holds one more than it says.
    let late: String =
        (15..45).map(|age| format!("{age};{}-{};*\n", (age - 1) / 5 * 5, (age - 1) / 5 * 5 + 4)).collect();
    project.write("age.csv", late);
    let said = project.shoal(&["init", "people.csv"]).ended_with(0);
    assert!(
        said.stdout.contains("but puts `20` into the group `15-19`: is that label right?"),
        "{}",
        said.stdout
    );
}

#[test]
fn files_of_amnesia_come_and_go() {
    let project = TestProject::empty();
    project.write("towns.csv", TOWNS);
    let convert = |args: &[&str]| project.shoal(&[&["hierarchy", "convert"], args].concat());
    convert(&["towns.csv", "--to", "amnesia", "-o", "towns.txt"]).ended_with(0);
    insta::assert_snapshot!("amnesia", project.read("towns.txt"));
    assert_eq!(convert(&["towns.txt", "--to", "shoal"]).ended_with(0).stdout, TOWNS);
    assert_eq!(convert(&["towns.csv", "--to", "arx"]).ended_with(0).stdout, TOWNS);
    convert(&["towns.csv", "--to", "arx", "-o", "towns.txt"]).ended_with(2);
    convert(&["towns.csv", "--to", "arx", "-o", "towns.txt", "--force"]).ended_with(0);
    let json = convert(&["towns.csv", "--to", "arx", "--json"]).ended_with(0).json();
    assert_eq!((json["values"].as_u64(), json["text"].as_str()), (Some(3), Some(TOWNS)));

    project.write("blank.csv", "Ulm;far south;*\n");
    project.write("value.csv", "New York;*\n");
    project.write("broken.txt", "distinct\nname x\ntype string\n\nSouth has Ulm\nfar South has Bonn\n");
    project.write("dates.txt", "range\nname x\ntype date\nheight 2\n\n01/2020,02/2020 has 01/2020 02/2020\n");
    insta::assert_snapshot!(
        "convert_errors",
        [
            convert(&["blank.csv", "--to", "amnesia"]),
            convert(&["value.csv", "--to", "amnesia", "--blanks-as", "_"]),
            convert(&["towns.csv", "--to", "arx", "--blanks-as", "_"]),
            convert(&["broken.txt", "--to", "shoal"]),
            convert(&["dates.txt", "--to", "shoal"]),
        ]
        .map(|said| said.ended_with(2).error())
        .join("\n")
    );
    let text = convert(&["blank.csv", "--to", "amnesia", "--blanks-as", "_"]).ended_with(0).stdout;
    assert!(text.contains("far_south has Ulm \n"), "{text}");
}

#[test]
fn a_policy_may_name_a_file_of_amnesia() {
    let project = TestProject::with_people();
    project.write(
        "zip.txt",
        "distinct\nname zip\ntype int\nheight 3\n\n537 has 53715.0 53711.0 53703.0 53706.0 \n\n0 has 537 \n",
    );
    project.edit_policy("[columns.zip]", "[columns.zip]\nhierarchy = \"zip.txt\"");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    // Ranges of whole numbers, too.
    project.write(
        "age.txt",
        "range\nname age\ntype int\nheight 3\n\n0.0,40.0 has 0.0,20.0 20.0,40.0 \n40.0,120.0 has 40.0,60.0 60.0,120.0 \n\n\
         0.0,120.0 has 0.0,40.0 40.0,120.0 \n",
    );
    project
        .shoal(&["hierarchy", "check", "age.txt", "--data", "people.csv", "--column", "age"])
        .ended_with(0);
}

#[test]
fn education_and_occupations_have_tables() {
    let project = TestProject::empty();
    let education = ["HS-grad", "Bachelors", "11th", "Masters", "Some-college", "retired"];
    let codes = ["2512", "2513", "5120", "0110", "25"];
    let rows: String = (0..60).map(|i| format!("{},{}\n", education[i % 6], codes[i % 5])).collect();
    project.write("people.csv", format!("education,isco08\n{rows}"));
    project.shoal(&["init", "people.csv"]).ended_with(0);
    let policy = project.read("policy.toml");
    assert!(policy.contains("--column education --kind education -o"), "{policy}");
    assert!(
        policy.contains("1 value is not in its table and would go straight to `*`: `retired`."),
        "{policy}"
    );
    let build = |column: &str, kind: &str| {
        project
            .shoal(&["hierarchy", "build", "people.csv", "--column", column, "--kind", kind])
            .ended_with(0)
            .stdout
    };
    insta::assert_snapshot!("tables", [build("education", "education"), build("isco08", "isco")].join("\n"));
    project
        .shoal(&["hierarchy", "build", "people.csv", "--column", "education", "--kind", "isco"])
        .ended_with(2);
}
