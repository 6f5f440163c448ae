//! `output.ranges = "columns"`, and how numbers are written in ranges.

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::project::TestProject;
use crate::sequences::ward;

const COLUMNS: [&str; 2] = ["--set", "output.ranges=columns"];

/// The people with a date and a decimal, ages in two columns.
fn split_people() -> TestProject {
    let project = TestProject::with_people();
    let line = |(number, line): (usize, &str)| match number {
        0 => format!("{line},born,weight\n"),
        _ => {
            format!("{line},19{}-0{}-1{},{}.50\n", 60 + 2 * number, 1 + number % 9, number % 10, 50 + number)
        }
    };
    let people: String = project.read("people.csv").lines().enumerate().map(line).collect();
    project.write("people.csv", people);
    project.edit_policy(
        "[privacy]",
        "[columns.born]\nrole = \"quasi-identifier\"\nkind = \"date\"\nmissing = \"error\"\n\
         [columns.weight]\nrole = \"quasi-identifier\"\nkind = \"decimal\"\nmissing = \"error\"\n[privacy]",
    );
    project.edit_policy("kind = \"integer\"\n", "kind = \"integer\"\nmissing = \"error\"\n");
    project.edit_policy("path = ", "ranges = \"columns\"\npath = ");
    project
}

/// The cells of a CSV file without quotes, by column name.
fn column(project: &TestProject, file: &str, name: &str) -> Vec<String> {
    let text = project.read(file);
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|known| known == name).unwrap();
    lines.map(|cells| cells[at].clone()).collect()
}

#[test]
fn ranges_are_two_columns_that_are_verified_and_measured() {
    let project = split_people();
    let check = project.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    assert!(check.contains("`age` as `age_min` and `age_max` (both empty: suppressed)"), "{check}");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    // Sets of names are texts with commas, so the header is looked at only.
    let header = project.read("out.csv").lines().next().unwrap().to_owned();
    assert_eq!(header, "age_min,age_max,sex,zip,illness,born_min,born_max,weight_min,weight_max");
    let verify = ["verify", "out.csv", "--policy", "policy.toml", "--strict"];
    project.shoal(&verify).ended_with(0);
    project.shoal(&[&verify[..], &["--original", "people.csv"]].concat()).ended_with(0);
    project.shoal(&["measure", "people.csv", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "out.report/audit.json"]).ended_with(0);
    let again =
        ["run", "policy.toml", "-o", "again.csv", "--previous", "out.report/audit.json", "--reuse-classes"];
    project.shoal(&again).ended_with(0);
    assert_eq!(project.read("again.csv"), project.read("out.csv"));

    // The same people under the other policy are the other file, with the same risks and losses.
    project.shoal(&["run", "policy.toml", "-o", "text.csv", "--set", "output.ranges=text"]).ended_with(0);
    assert!(project.read("text.csv").contains('['));
    let loss = |file: &str| project.json(&format!("{file}.report/report.json"))["loss"].clone();
    assert_eq!(loss("out"), loss("text"));
    project.shoal(&["verify", "text.csv", "--policy", "policy.toml"]).ended_with(2);
}

#[test]
fn a_single_changed_end_is_noticed() {
    let project = split_people();
    project.edit_policy("[columns.zip]\nrole = \"quasi-identifier\"", "[columns.zip]\nrole = \"identifier\"");
    project
        .edit_policy("[columns.sex]\nrole = \"quasi-identifier\"", "[columns.sex]\nrole = \"insensitive\"");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let release = project.read("out.csv");
    let lines: Vec<&str> = release.lines().collect();
    assert_eq!(lines[0], "age_min,age_max,sex,illness,born_min,born_max,weight_min,weight_max");
    for row in 1..lines.len() {
        let mut cells: Vec<String> = lines[row].split(',').map(str::to_owned).collect();
        let least: i64 = cells[0].parse().unwrap();
        for (other, code) in [((least - 1).to_string(), 1), (String::new(), 2), ("x".to_owned(), 2)] {
            cells[0] = other;
            let changed = cells.join(",");
            let mut lines = lines.clone();
            lines[row] = &changed;
            project.write("changed.csv", lines.join("\n") + "\n");
            project.shoal(&["verify", "changed.csv", "--policy", "policy.toml"]).ended_with(code);
        }
        // The same number in another notation is another text, and its reader can tell it from the others.
        let changed = lines[row].replacen(&least.to_string(), &format!("0{least}"), 1);
        let mut lines = lines.clone();
        lines[row] = &changed;
        project.write("changed.csv", lines.join("\n") + "\n");
        project.shoal(&["verify", "changed.csv", "--policy", "policy.toml"]).ended_with(1);
    }
    // A whole class may say something that is not true; only the original shows it.
    let untrue = release.replace(&format!("\n{},", column(&project, "out.csv", "age_min")[0]), "\n99,");
    let untrue: String = untrue
        .lines()
        .map(|line| match line.starts_with("99,") {
            true => {
                let rest = line.splitn(3, ',').nth(2).unwrap();
                format!("99,99,{rest}\n")
            }
            false => format!("{line}\n"),
        })
        .collect();
    project.write("untrue.csv", untrue);
    let verify = ["verify", "untrue.csv", "--policy", "policy.toml"];
    project.shoal(&verify).ended_with(0);
    project.shoal(&[&verify[..], &["--original", "people.csv"]].concat()).ended_with(1);
    // A column beside the two that says it all is not overlooked.
    let ages = lines.iter().enumerate().map(|(row, line)| match row {
        0 => format!("{line},age\n"),
        _ => format!("{line},{}\n", 20 + row),
    });
    project.write("beside.csv", ages.collect::<String>());
    let said = project.shoal(&["verify", "beside.csv", "--policy", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("two columns named `age`"), "{}", said.stderr);
}

#[test]
fn parquet_has_real_numbers_and_dates() {
    let project = split_people();
    project.shoal(&["run", "policy.toml", "-o", "out.parquet"]).ended_with(0);
    let verify = ["verify", "out.parquet", "--policy", "policy.toml", "--strict", "--original", "people.csv"];
    project.shoal(&verify).ended_with(0);
    let file = std::fs::File::open(project.path("out.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let types: Vec<String> = schema
        .columns()
        .iter()
        .filter(|column| column.name().ends_with("_min") || column.name().ends_with("_max"))
        .map(|column| format!("{} {} {:?}", column.name(), column.physical_type(), column.converted_type()))
        .collect();
    assert_eq!(
        types,
        [
            "age_min INT64 NONE",
            "age_max INT64 NONE",
            "born_min INT32 DATE",
            "born_max INT32 DATE",
            "weight_min DOUBLE NONE",
            "weight_max DOUBLE NONE",
        ]
    );
}

#[test]
fn missing_and_suppressed_are_never_the_same_two_empty_cells() {
    let project = TestProject::empty();
    let ages = ["31", "32", "33", "NA", "?", "44", "45", "46"];
    let people: String = ages.iter().map(|age| format!("{age},f\n")).collect();
    project.write("people.csv", format!("age,sex\n{people}"));
    project.write(
        "policy.toml",
        "version = 1\ndata = { shape = \"table\", source = \"people.csv\", missing = [\"?\", \"NA\"] }\nprivacy.k = 3\n\
         columns.age = { role = \"quasi-identifier\", kind = \"integer\" }\n\
         columns.sex = { role = \"quasi-identifier\" }\n[output]\npath = \"out.csv\"\nranges = \"columns\"\n",
    );
    // Two people without an age must join others, so that nothing can be said of their ages.
    let said = project.shoal(&["run", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("`age` would be published as `*` in some rows"), "{}", said.stderr);
    assert!(said.stderr.contains("missing = \"suppress\"") && !project.exists("out.csv"), "{}", said.stderr);

    project.write("people.csv", format!("age,sex\n{people}NA,f\n"));
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    assert_eq!(project.read("out.csv").matches("\n,,").count(), 3, "{}", project.read("out.csv"));
    let verify = ["verify", "out.csv", "--policy", "policy.toml", "--original", "people.csv"];
    project.shoal(&verify).ended_with(0);
    // Read as suppressed values they would hide that somebody has no age.
    let release = project.read("out.csv");
    project.write("untrue.csv", release.replacen("31,33,", ",,", 3));
    project
        .shoal(&["verify", "untrue.csv", "--policy", "policy.toml", "--original", "people.csv"])
        .ended_with(1);

    let suppress = ["--set", "columns.age.missing=suppress", "--force"];
    project.shoal(&[&["run", "policy.toml"], &suppress[..]].concat()).ended_with(0);
    assert_eq!(project.read("out.csv").lines().count(), 7);
}

#[test]
fn names_that_are_taken_and_shapes_without_ranges_are_refused() {
    let project = split_people();
    let people = project.read("people.csv").replace(",weight\n", ",age_max\n");
    project.write("people.csv", people);
    project.edit_policy("[columns.weight]", "[columns.age_max]");
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    assert!(
        said.stderr.contains("`age` would be published as `age_max`, and the data have such a column"),
        "{}",
        said.stderr
    );
    let project = TestProject::with_people();
    project.edit_policy("kind = \"integer\"\n", "");
    let said = project.shoal(&[&["check", "policy.toml"], &COLUMNS[..]].concat()).ended_with(2);
    assert!(said.stderr.contains("no column is published as ranges"), "{}", said.stderr);

    project.write("baskets.txt", "a b\na b\na c\n");
    project.write(
        "baskets.toml",
        "version = 1\ndata = { shape = \"transactions\", source = \"baskets.txt\" }\nprivacy = { k = 2, m = 1 }\n",
    );
    let said = project.shoal(&[&["check", "baskets.toml"], &COLUMNS[..]].concat()).ended_with(2);
    assert!(
        said.stderr.contains("`output.ranges` means nothing for data of shape `transactions`"),
        "{}",
        said.stderr
    );
}

#[test]
fn sequences_have_them_too() {
    let ward = ward();
    ward.edit_policy("kind = \"integer\"\n", "kind = \"integer\"\nmissing = \"error\"\n");
    ward.edit_policy("path = ", "ranges = \"columns\"\npath = ");
    ward.shoal(&["run", "policy.toml"]).ended_with(0);
    let header = ward.read("out.csv").lines().next().unwrap().to_owned();
    assert_eq!(header, "patient,zip,stay_min,stay_max,disease");
    let verify = ["verify", "out.csv", "--policy", "policy.toml", "--strict", "--original", "visits.csv"];
    ward.shoal(&verify).ended_with(0);
    ward.shoal(&["measure", "visits.csv", "out.csv", "--policy", "policy.toml"]).ended_with(0);
}

#[test]
fn ends_of_ranges_have_no_exponents_and_exact_values_stay_as_they_were() {
    let project = TestProject::empty();
    let incomes = ["3.00E+05", "340000", "1e5", "120000.50", "9e4", "9e4", "9e4", "9E+04"];
    project.write("people.csv", format!("income\n{}\n", incomes.join("\n")));
    project.write(
        "policy.toml",
        "version = 1\ndata = { shape = \"table\", source = \"people.csv\" }\nprivacy.k = 2\n\
         columns.income = { role = \"quasi-identifier\", kind = \"decimal\" }\noutput.path = \"out.csv\"\n",
    );
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let release = project.read("out.csv");
    assert!(release.contains("\"[300000, 340000]\"") && release.contains("9e4"), "{release}");
    assert!(!release.contains("E+05") && !release.contains("[1e5"), "{release}");
    let verify = ["verify", "out.csv", "--policy", "policy.toml", "--original", "people.csv"];
    project.shoal(&verify).ended_with(0);
    // As columns all of them are numbers.
    let set = ["run", "policy.toml", "--force", "--set", "output.ranges=columns"];
    project.shoal(&set).ended_with(0);
    let release = project.read("out.csv");
    assert!(release.contains("300000,340000\n") && release.contains("90000,90000\n"), "{release}");
}
