//! The thesis' own tables.

use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::{Choice, IncognitoParams};
use shoal_core::{Silent, Table, TableRecoding};

use crate::published;
use crate::tables::table;

fn split(rows: &[&'static str]) -> Vec<Vec<&'static str>> {
    rows.iter().map(|row| row.split(' ').collect()).collect()
}

/// The published rows, `-` for a record that is left out.
fn texts(table: &Table, recoding: &TableRecoding) -> Vec<String> {
    let rows = published(table, recoding).into_iter();
    rows.map(|row| row.map_or_else(|| "-".to_owned(), |cells| cells.join(" "))).collect()
}

/// Table 2-10 with the hierarchies of figure 2-5.
fn patients() -> Table {
    let rows = split(&[
        "1/21/76 Male 53715",
        "4/13/86 Female 53715",
        "2/28/76 Male 53703",
        "1/21/76 Male 53703",
        "4/13/86 Female 53706",
        "2/28/76 Female 53706",
    ]);
    let hierarchies = [
        "1/21/76;* 2/28/76;* 4/13/86;*",
        "Male;Person Female;Person",
        "53715;5371*;537** 53703;5370*;537** 53706;5370*;537**",
    ];
    table(&["birth", "sex", "zip"], &rows, &hierarchies)
}

#[test]
fn incognito_on_table_2_10_publishes_table_2_11() {
    let table = patients();
    let params = IncognitoParams { choose: Choice::Height, ..IncognitoParams::new(2) };
    let incognito = params.check().unwrap();

    let minimal = incognito.minimal_nodes(&table, &Silent).unwrap();
    let levels: Vec<&[usize]> = minimal.nodes.iter().map(|node| &node.levels[..]).collect();
    // The lowest first: ⟨DB1, G1, Z0⟩.
    assert_eq!(levels, [[1, 1, 0], [0, 1, 2], [1, 0, 2]]);

    let texts = texts(&table, &incognito.anonymize(&table, &Silent).unwrap().recoding);
    let expected =
        ["53715", "53715", "53703", "53703", "53706", "53706"].map(|zip| format!("* Person {zip}"));
    assert_eq!(texts, expected);
}

/// Table 2-6 with the years and the zip code of T7 as table 2-7 has them: the printed table 2-6 has other
/// ones, from which the thesis' own tables 2-8 and 2-9 do not follow. The ladder of birth dates starts with
/// the year, as the worked example does; the text also names a step by month, which would come first.
fn hospital() -> Table {
    let rows = split(&[
        "9/20/1995 Female 1141 Asian",
        "2/14/1995 Female 1141 Asian",
        "10/23/1995 Male 1138 Asian",
        "8/24/1995 Male 1138 Asian",
        "11/7/1994 Male 1138 Asian",
        "12/1/1994 Male 1138 Asian",
        "10/23/1994 Female 1138 Black",
        "3/15/1995 Male 1139 Black",
        "8/13/1994 Female 1139 Black",
        "5/5/1994 Female 1139 Black",
        "2/13/1997 Female 1138 Black",
        "3/21/1997 Female 1138 Black",
    ]);
    let born = |row: &Vec<&str>| {
        let year: u32 = row[0].rsplit('/').next().unwrap().parse().unwrap();
        let five = year / 5 * 5;
        let ten = year / 10 * 10;
        format!("{};{year};{five}-{};{ten}-{};*", row[0], five + 4, ten + 9)
    };
    let births: Vec<String> = rows.iter().map(born).collect();
    let hierarchies = [
        &births.join(" "),
        "Male;Person;* Female;Person;*",
        "1141;114*;11**;* 1138;113*;11**;* 1139;113*;11**;*",
        "Asian;Person;* Black;Person;* White;Person;*",
    ];
    table(&["birth", "sex", "zip", "race"], &rows, &hierarchies)
}

#[test]
fn datafly_on_table_2_6_publishes_table_2_9() {
    let table = hospital();
    let datafly = DataflyParams::new(2).check().unwrap();
    assert_eq!(datafly.levels(&table, &Silent).unwrap(), [1, 0, 0, 0]);

    let texts = texts(&table, &datafly.anonymize(&table, &Silent).unwrap().recoding);
    let expected = [
        "1995 Female 1141 Asian",
        "1995 Female 1141 Asian",
        "1995 Male 1138 Asian",
        "1995 Male 1138 Asian",
        "1994 Male 1138 Asian",
        "1994 Male 1138 Asian",
        "-",
        "-",
        "1994 Female 1139 Black",
        "1994 Female 1139 Black",
        "1997 Female 1138 Black",
        "1997 Female 1138 Black",
    ];
    assert_eq!(texts, expected);
}
