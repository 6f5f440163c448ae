use proptest::prelude::*;
use shoal_core::PolicyDocument;

use super::*;
use crate::Assets;

fn request(kind: &str, missing: &str) -> Request {
    let policy = format!(
        "version = 1\ndata.shape = \"table\"\nprivacy.k = 2\noutput.ranges = \"columns\"\n\
         columns.sex = {{ role = \"quasi-identifier\" }}\n\
         columns.age = {{ role = \"quasi-identifier\", kind = \"{kind}\", missing = \"{missing}\" }}\n"
    );
    Request::new(PolicyDocument::parse(&policy, &[]).unwrap(), Assets::default()).unwrap()
}

fn published(ages: &[&str]) -> RawTable {
    let rows: Vec<Vec<&str>> = ages.iter().map(|age| vec!["f", age]).collect();
    RawTable::from_rows(&["sex", "age"], &rows)
}

fn texts(column: &RawColumn) -> Vec<&str> {
    (0..column.codes.len()).map(|row| column.text(row)).collect()
}

/// What a file of these ends is read as.
fn read(request: &Request, ends: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let rows: Vec<Vec<&str>> = ends.iter().map(|(lo, hi)| vec![*lo, "f", *hi]).collect();
    let file = RawTable::from_rows(&["age_min", "sex", "age_max"], &rows);
    let table = in_one_column(request.policy(), file).map_err(|refusal| refusal.to_string())?;
    assert_eq!(table.columns.len(), 2);
    Ok(texts(table.column("age").unwrap()).into_iter().map(str::to_owned).collect())
}

#[test]
fn ranges_are_two_numbers_and_exact_values_are_both() {
    let request = request("integer", "error");
    let table = published(&["[25, 40]", "31", "*", "31"]);
    let two = in_two_columns(&request, &table).unwrap();
    let names: Vec<&str> = two.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["sex", "age_min", "age_max"]);
    assert_eq!(texts(&two.columns[1]), ["25", "31", "", "31"]);
    assert_eq!(texts(&two.columns[2]), ["40", "31", "", "31"]);
    assert_eq!(two.columns[1].null, Some(two.columns[1].codes[2]));
    let one = in_one_column(request.policy(), two.into_owned()).unwrap();
    assert_eq!(texts(&one.columns[1]), ["[25, 40]", "31", "*", "31"]);
}

#[test]
fn two_empty_cells_mean_one_thing_that_the_policy_decides() {
    let category = request("integer", "category");
    assert_eq!(read(&category, &[("", ""), ("1", "2")]).unwrap(), ["", "[1, 2]"]);
    assert_eq!(read(&request("integer", "suppress"), &[("", "")]).unwrap(), ["*"]);
    let error = in_two_columns(&category, &published(&["31", "", "*"])).unwrap_err();
    assert!(error.to_string().contains("`age` would be published as `*`"), "{error}");
    assert!(error.hint().unwrap().contains("missing = \"suppress\""), "{error:?}");
    // A text that no row has is not published.
    let mut table = published(&["31", "", "*"]);
    table.columns[1].codes[2] = 0;
    let two = in_two_columns(&category, &table).unwrap().into_owned();
    assert_eq!(texts(&in_one_column(category.policy(), two).unwrap().columns[1]), ["31", "", "31"]);
}

#[test]
fn what_is_no_range_is_refused_with_its_row() {
    let request = request("integer", "category");
    for (ends, message) in [
        (
            ("40", "25"),
            "row 2 of the published file: `age_min` is `40` and `age_max` is `25`, which is no range",
        ),
        (("40", ""), "row 2 of the published file: `age_min` is `40` and `age_max` is ``, which is no range"),
        (("x", "25"), "row 2 of the published file, column `age_min`: `x` is not of the kind integer"),
        (
            ("[1, 2]", "[1, 2]"),
            "row 2 of the published file, column `age_min`: `[1, 2]` is not of the kind integer",
        ),
        (("*", "*"), "row 2 of the published file, column `age_min`: `*` is not of the kind integer"),
    ] {
        assert!(read(&request, &[("1", "2"), ends]).unwrap_err().contains(message), "{ends:?}");
    }
    let file = RawTable::from_rows(&["sex", "age_min"], &[vec!["f", "1"]]);
    let error = in_one_column(request.policy(), file).unwrap_err();
    assert!(error.to_string().contains("no column `age_max`"), "{error}");
}

#[test]
fn bytes_that_differ_stay_different() {
    let request = request("decimal", "category");
    let ends = [("7", "9"), ("07", "9"), ("7", "9.0"), ("7", "7"), ("7", "7.0"), ("7.0", "7.0")];
    let read = read(&request, &ends).unwrap();
    let distinct: std::collections::HashSet<&String> = read.iter().collect();
    assert_eq!(distinct.len(), ends.len(), "{read:?}");
}

#[test]
fn dates_with_commas_are_taken_apart_where_they_end() {
    let policy = "version = 1\ndata.shape = \"table\"\nprivacy.k = 2\noutput.ranges = \"columns\"\n\
                  columns.sex = { role = \"quasi-identifier\" }\n\
                  columns.age = { role = \"quasi-identifier\", kind = \"date\", format = \"%B %d, %Y\" }\n";
    let request = Request::new(PolicyDocument::parse(policy, &[]).unwrap(), Assets::default()).unwrap();
    let table = published(&["[May 01, 2020, June 02, 2021]", "May 01, 2020"]);
    let two = in_two_columns(&request, &table).unwrap();
    assert_eq!(texts(&two.columns[1]), ["May 01, 2020", "May 01, 2020"]);
    assert_eq!(texts(&two.columns[2]), ["June 02, 2021", "May 01, 2020"]);
    assert_eq!(
        texts(&in_one_column(request.policy(), two.into_owned()).unwrap().columns[1]),
        texts(&table.columns[1])
    );
}

#[test]
fn originals_are_read_in_one_notation() {
    let request = request("decimal", "category");
    let mut table = published(&["007", "7.0", "?", "", "1.50e2", "x"]);
    with_plain_values(request.policy(), &mut table);
    assert_eq!(texts(&table.columns[1]), ["7", "7", "", "", "150", "x"]);
    let codes = &table.columns[1].codes;
    assert_eq!((codes[0], Some(codes[2]), codes[2]), (codes[1], table.columns[1].null, codes[3]));
}

proptest! {
    #[test]
    fn what_is_taken_apart_is_put_together_again(
        cells in prop::collection::vec((-50_i64..50, 0_i64..40, 0..3_u8), 1..30),
        category in any::<bool>(),
    ) {
        let request = request("integer", if category { "category" } else { "suppress" });
        let ages: Vec<String> = cells.iter().map(|&(lo, width, what)| match what {
            0 => if category { String::new() } else { "*".to_owned() },
            1 => lo.to_string(),
            _ => put_together(&lo.to_string(), &(lo + width).to_string()),
        }).collect();
        let table = published(&ages.iter().map(String::as_str).collect::<Vec<_>>());
        let two = in_two_columns(&request, &table).unwrap().into_owned();
        let one = in_one_column(request.policy(), two).unwrap();
        prop_assert_eq!(texts(&one.columns[1]), ages);
        prop_assert_eq!(&one.columns[0], &table.columns[0]);
    }
}
