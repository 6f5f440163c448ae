//! Files as people have them: guessed right, or asked about.

use crate::project::TestProject;

/// Forty people, with this first line and this between two values.
fn people(header: &str, separator: &str, row: impl Fn(usize) -> Vec<String>) -> String {
    let lines = (0..40).map(|i| row(i).join(separator) + "\n");
    format!("{header}\n{}", lines.collect::<String>())
}

fn person(i: usize) -> Vec<String> {
    let sex = ["f", "m"][i % 2];
    vec![
        (20 + i * 7 % 60).to_string(),
        sex.to_owned(),
        format!("0{}", 1000 + i % 4),
        ["flu", "cold"][i / 2 % 2].into(),
    ]
}

/// `init`, `check`, `run` and `verify` without an edit. What `init` says, and the policy.
fn goes_through(project: &TestProject, file: &str, shape: &str) -> (String, String) {
    let said = project.shoal(&["init", file, "--shape", shape]).ended_with(0).stdout;
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--report", "report"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "report/audit.json", "--original", file]).ended_with(0);
    (said, project.read("policy.toml"))
}

#[test]
fn the_index_of_pandas_is_left_out() {
    let project = TestProject::empty();
    let row = |i: usize| [vec![i.to_string()], person(i)].concat();
    project.write("people.csv", people(",age,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    assert!(said.contains("it numbers the rows of the file"), "{said}");
    assert!(
        policy.contains("header = true") && policy.contains("[columns.column1]\nrole = \"identifier\""),
        "{policy}"
    );
    assert!(!project.read("out.csv").contains("column1"));
}

#[test]
fn a_separator_that_nobody_expects_is_found_or_asked_for() {
    for separator in ["^", "|", "\t", "~", ":"] {
        let project = TestProject::empty();
        let header = ["age", "sex", "zip", "illness"].join(separator);
        project.write("people.csv", people(&header, separator, person));
        let (said, policy) = goes_through(&project, "people.csv", "table");
        assert!(policy.contains("[columns.illness]"), "{separator}: {policy}");
        let note = "so it is taken for the separator";
        assert_eq!(said.contains(note), !["|", "\t"].contains(&separator), "{separator}: {said}");
    }
    let project = TestProject::empty();
    project.write("people.csv", people("age§sex§zip§illness", "§", person));
    let said = project.shoal(&["init", "people.csv"]).ended_with(0).stdout;
    assert!(said.contains("note: no separator was found, so the file is read as one column"), "{said}");
}

#[test]
fn an_odd_value_is_named_with_its_record() {
    let project = TestProject::empty();
    let row = |i: usize| match i {
        16 => vec!["old".to_owned(), "m".into(), "01000".into(), "flu".into()],
        _ => person(i),
    };
    project.write("people.csv", people("age,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    assert!(said.contains("question: column `age`: all values are numbers but `old` (record 17)"), "{said}");
    assert!(policy.contains("missing = [\"\", \"?\", \"old\"]"), "{policy}");
    assert!(policy.contains("[columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\""), "{policy}");
    // Zip codes with leading zeros are text.
    assert!(policy.contains("[columns.zip]\nrole = \"quasi-identifier\"\nkind = \"text\""), "{policy}");
}

#[test]
fn what_is_a_value_elsewhere_is_not_made_missing() {
    let project = TestProject::empty();
    let row = |i: usize| match i {
        16 => vec!["cold".to_owned(), "m".into(), "01000".into(), "flu".into()],
        _ => person(i),
    };
    project.write("people.csv", people("age,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    assert!(
        said.contains("question: column `age`") && said.contains("which is a value of column `illness`"),
        "{said}"
    );
    assert!(policy.contains("missing = [\"\", \"?\"]"), "{policy}");
}

#[test]
fn dates_that_could_be_two_are_asked_about() {
    let project = TestProject::empty();
    let row = |i: usize| {
        vec![format!("0{}/0{}/{}", 1 + i % 9, 1 + i % 8, 1990 + i % 3), "f".into(), "1".into(), "x".into()]
    };
    project.write("people.csv", people("seen,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    assert!(said.contains("question: column `seen`: day and month cannot be told apart"), "{said}");
    assert!(policy.contains("format = \"%m/%d/%Y\""), "{policy}");
}

const GROCERIES: [&str; 6] = ["whole milk", "rolls", "soda", "beer (dark)", "(organic) eggs", "(a,b)"];

fn baskets(separator: &str) -> String {
    let line = |i: usize| {
        let items: Vec<&str> = (0..1 + i % 3).map(|n| GROCERIES[(i / 3 + n * 2) % 6]).collect();
        items.join(separator) + "\n"
    };
    (0..60).map(line).collect()
}

#[test]
fn baskets_with_blanks_and_parentheses_are_read_and_published() {
    for separator in [";", "\t", "|"] {
        let project = TestProject::empty();
        project.write("baskets.txt", baskets(separator));
        let (said, policy) = goes_through(&project, "baskets.txt", "transactions");
        assert!(said.contains("with 6 items"), "{separator}: {said}");
        assert!(policy.contains(&format!("separator = {separator:?}")), "{policy}");
        // Whatever is alone is published in quotes where it would be taken for a group.
        let out = project.read("out.csv");
        assert!(!out.lines().any(|line| line.split(separator).any(|item| item == "(a,b)")), "{out}");
    }
    let project = TestProject::empty();
    project.write("baskets.csv", baskets(",").replace("(a,b)", "\"(a,b)\""));
    let (said, _) = goes_through(&project, "baskets.csv", "transactions");
    assert!(said.contains("with 6 items") && said.contains("`,` is taken for"), "{said}");
}

fn long() -> String {
    (0..60).map(|i| format!("{},{}\n", i / 3, GROCERIES[i % 3])).collect()
}

#[test]
fn a_row_per_item_is_recognized() {
    for (name, text) in [
        ("long.csv", format!("basket_id,product\n{}", long())),
        // Without a header the columns get names.
        ("nameless.csv", long()),
    ] {
        let project = TestProject::empty();
        project.write(name, &text);
        let (said, policy) = goes_through(&project, name, "transactions");
        assert!(
            said.contains("a table with a row per item") && said.contains("question: is one `"),
            "{said}"
        );
        assert!(policy.contains("format = \"long\""), "{policy}");
        assert!(said.contains("20 transactions with 3 items"), "{said}");
    }
    // Other columns beside them.
    let project = TestProject::empty();
    let rows: String = (0..60).map(|i| format!("{},{}.5,{}\n", i / 3, i % 7, GROCERIES[i % 3])).collect();
    project.write("long.csv", format!("customer_id,price,diagnosis\n{rows}"));
    let (_, policy) = goes_through(&project, "long.csv", "transactions");
    assert!(policy.contains("id = \"customer_id\"\nitem = \"diagnosis\""), "{policy}");
    assert!(!project.read("out.csv").contains("price"));
}

#[test]
fn a_column_per_item_is_recognized() {
    let project = TestProject::empty();
    let mark = |there: bool| if there { "1" } else { "0" };
    let row = |i: usize| {
        let marks = [i.is_multiple_of(2), (i / 2).is_multiple_of(2), i.is_multiple_of(5)].map(mark);
        format!("{},{}\n", 700 + i, marks.join(","))
    };
    let rows: String = (0..40).map(row).collect();
    project.write("onehot.csv", format!("id,whole milk,rolls,\"(a,b)\"\n{rows}"));
    let (said, policy) = goes_through(&project, "onehot.csv", "transactions");
    assert!(said.contains("a table with a column per item") && said.contains("with 3 items"), "{said}");
    assert!(
        policy.contains("format = \"one-hot\"") && policy.contains("[columns.id]\nrole = \"identifier\""),
        "{policy}"
    );
    let out = project.read("out.csv");
    assert_eq!(out.lines().count(), 40);
    assert!(!out.contains("70") && out.contains("whole milk"), "{out}");
    // What is no mark is no item: it is named, and the machine form does not quote it.
    project.write("onehot.csv", format!("id,whole milk,rolls,\"(a,b)\"\n{rows}800,1,maybe,0\n"));
    let args = ["run", "policy.toml", "-o", "other.csv", "--report", "other"];
    let said = project.shoal(&args).ended_with(2);
    assert!(said.stderr.contains("`maybe` in column `rolls` does not say whether"), "{}", said.stderr);
    let said = project.shoal(&[&args[..], &["--json"]].concat()).ended_with(2);
    assert!(!said.stdout.contains("maybe") && said.stdout.contains("rolls"), "{}", said.stdout);
    // A column beside the items has no place in baskets.
    project.edit_policy("role = \"identifier\"", "role = \"insensitive\"");
    let said = project.shoal(&args).ended_with(2);
    assert!(
        said.stderr.contains("only items are published, without the columns beside them"),
        "{}",
        said.stderr
    );
}

#[test]
fn tables_offered_as_baskets_are_refused_with_the_right_way() {
    let project = TestProject::empty();
    project.write("people.csv", people("age,sex,zip,illness", ",", person));
    let said = project.shoal(&["init", "people.csv", "--shape", "transactions"]).ended_with(2);
    assert!(
        said.stderr.contains("looks like a table") && said.stderr.contains("a header"),
        "{}",
        said.stderr
    );
    assert!(!project.exists("policy.toml"));

    let project = TestProject::empty();
    project.write("long.csv", format!("basket_id,product\n{}", long()));
    let baskets = "version = 1\n[data]\nshape = \"transactions\"\nsource = \"long.csv\"\nseparator = \",\"\n[privacy]\nk = 3\nm = 2\n\
                   [output]\npath = \"out.csv\"\n";
    project.write("baskets.toml", baskets);
    let said = project.shoal(&["run", "baskets.toml"]).ended_with(2);
    assert!(said.stderr.contains("looks like a header (`basket_id`, `product`)"), "{}", said.stderr);
    assert!(!project.exists("out.csv"));
    project.shoal(&["check", "baskets.toml", "--set", "data.header=false"]).ended_with(0);
    project.write("long.csv", long());
    let said = project.shoal(&["run", "baskets.toml"]).ended_with(2);
    assert!(said.stderr.contains("as in a table with a row per item"), "{}", said.stderr);
    assert!(said.stderr.contains("format = \"long\"") && !project.exists("out.csv"), "{}", said.stderr);
}

#[test]
fn an_export_of_excel_with_semicolons_and_decimal_commas() {
    let project = TestProject::empty();
    let row = |i: usize| {
        let mut row = person(i);
        row.push(format!("{},{}", 1 + i % 5, 10 * (i % 10)));
        row
    };
    let text = people("age;sex;zip;illness;income", ";", row).replace('\n', "\r\n");
    project.write("export.csv", format!("\u{feff}{text}"));
    let (said, policy) = goes_through(&project, "export.csv", "table");
    assert!(said.contains("has a decimal comma") && policy.contains("decimal = \",\""), "{said}\n{policy}");
    assert!(policy.contains("[columns.income]\nrole") && policy.contains("kind = \"decimal\""), "{policy}");
    // Zip codes with leading zeros are codes.
    assert!(policy.contains("[columns.zip]\nrole = \"quasi-identifier\"\nkind = \"text\""), "{policy}");
}

#[test]
fn an_export_of_sap_with_its_dates_and_signs() {
    let project = TestProject::empty();
    let row = |i: usize| {
        let date = format!("2020{:02}{:02}", 1 + i % 12, 1 + i % 28);
        let shown = format!("{:02}.{:02}.{}", 1 + i % 28, 1 + i % 12, 1950 + i);
        vec![format!("{:010}", 100_000 + i), date, shown, person(i)[3].clone()]
    };
    project.write("export.csv", people("PERNR|BEGDA|GBDAT|illness", "|", row));
    let (_, policy) = goes_through(&project, "export.csv", "table");
    assert!(
        policy.contains("[columns.BEGDA]\nrole = \"quasi-identifier\"\nkind = \"date\"\nformat = \"%Y%m%d\""),
        "{policy}"
    );
    assert!(policy.contains("kind = \"date\"\nformat = \"%d.%m.%Y\""), "{policy}");
    // Numbers of people keep their zeros and are not published.
    assert!(policy.contains("[columns.PERNR]\nrole = \"identifier\"\nkind = \"text\""), "{policy}");
}

#[test]
fn a_comma_that_may_be_two_things_is_asked_about() {
    let project = TestProject::empty();
    let amount = |i: usize| format!("\"{},{:03}\"", 1 + i % 9, i * 37 % 1000);
    let row = |i: usize| [vec![amount(i)], person(i)].concat();
    project.write("people.csv", people("income,age,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    let question = "`1,000` may be 1000 (a comma between thousands) or 1.000 (a decimal comma), and no value shows which";
    assert!(said.contains(&format!("question: column `income`: {question}")), "{said}");
    assert!(policy.contains("# QUESTION: column `income`: `1,000`"), "{policy}");
    assert!(!policy.contains("\ndecimal = ") && policy.contains("decimal = \",\""), "{policy}");

    // Elsewhere in the file a comma is before a fraction for sure, and the key is about all columns.
    let row = |i: usize| [vec![amount(i), format!("\"{},5\"", 60 + i % 30)], person(i)].concat();
    let project = TestProject::empty();
    project.write("people.csv", people("income,weight,age,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    assert!(said.contains("note: `60,5` in column `weight` has a decimal comma"), "{said}");
    assert!(!said.contains("question: column `income`: `1,000`"), "{said}");
    assert!(policy.contains("[columns.income]") && policy.contains("decimal = \",\"  # `60,5`"), "{policy}");
}

#[test]
fn codes_for_missing_values_are_asked_about() {
    let project = TestProject::empty();
    let row = |i: usize| match i % 10 {
        3 => [vec!["999".to_owned()], person(i)[1..].to_vec()].concat(),
        _ => person(i),
    };
    project.write("people.csv", people("age,sex,zip,illness", ",", row));
    let (said, policy) = goes_through(&project, "people.csv", "table");
    let question =
        "`999` occurs 4 times and lies far from all other values: add it to `missing` under [data]";
    assert!(said.contains(&format!("question: column `age`: {question}")), "{said}");
    assert!(policy.contains("# QUESTION: column `age`: `999` occurs 4 times"), "{policy}");
    assert!(policy.contains("missing = [\"\", \"?\"]"), "it is not assumed: {policy}");
}

#[test]
fn items_in_quotes_are_the_same_in_constraints_and_weights() {
    let project = TestProject::empty();
    let line = |i: usize| {
        ["\"milk, fresh\",bread\n", "bread,\"so called \"\"tea\"\"\"\n", "\"milk, fresh\"\n"][i % 3]
    };
    project.write("baskets.txt", (0..30).map(line).collect::<String>());
    project.write("private.txt", "\"milk, fresh\",bread\n\"so called \"\"tea\"\"\"\n");
    project.write("useful.txt", "\"milk, fresh\",\"so called \"\"tea\"\"\",bread\n");
    project.write("weights.txt", "\"milk, fresh\",0.5\nbread, 0.25\n");
    project.write(
        "policy.toml",
        "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.txt\"\nseparator = \",\"\n[privacy]\nk = 3\n\
         constraints = \"private.txt\"\n[utility]\nconstraints = \"useful.txt\"\nweights = \"weights.txt\"\n[algorithm]\nname = \"upcta\"\n[output]\npath = \"out.txt\"\n",
    );
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project
        .shoal(&["verify", "out.txt", "--policy", "policy.toml", "--original", "baskets.txt"])
        .ended_with(0);
    project.write("private.txt", "\"milk, sour\",bread\n");
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("`milk, sour` is not an item of the data"), "{}", said.stderr);
}

/// `people.db` has the tables `people` (age, sex, town) and `towns` (id, name), made by SQLite.
#[cfg(feature = "sqlite")]
#[test]
fn a_database_is_asked_by_a_query() {
    let project = TestProject::empty();
    let database = include_bytes!("people.db");
    project.write("people.db", database);
    let said = project.shoal(&["init", "people.db"]).ended_with(2);
    assert!(said.stderr.contains("several tables: people, towns"), "{}", said.stderr);
    let query = "select age, sex, name as town from people join towns on id = town";
    project.shoal(&["init", "people.db", "--query", query]).ended_with(0);
    let policy = project.read("policy.toml");
    assert!(
        policy.contains(&format!("query = \"{query}\"")) && policy.contains("[columns.town]"),
        "{policy}"
    );
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "-o", "out.csv"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--original", "people.db"]).ended_with(0);
    for wrong in
        ["select agee from people", "drop table people", "select", "insert into towns values (3, 'x')"]
    {
        let said = project.shoal(&["init", "people.db", "--query", wrong, "--force"]).ended_with(2);
        assert!(said.stderr.contains("quer") && said.stderr.contains("hint: "), "{wrong}: {}", said.stderr);
    }
    assert_eq!(project.bytes("people.db"), database);
    project.shoal(&["init", "people.db", "--query", query, "--table", "people", "--force"]).ended_with(2);
}
