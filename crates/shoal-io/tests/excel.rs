//! Excel workbooks, made here part by part.

mod common;

use std::io::{Cursor, Write};

use common::{Folder, cells, names, read};
use proptest::prelude::*;
use shoal_core::Silent;
use shoal_io::{Limits, ReadError, Source, read_header, sample, sha256_hex};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

const NS: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// A workbook with these sheets: a name and what stands between `<sheetData>` tags, and behind them.
fn workbook(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, text: &str| {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    };
    let numbered = |each: &dyn Fn(usize, &str) -> String| -> String {
        sheets.iter().enumerate().map(|(number, (name, ..))| each(number + 1, name)).collect()
    };
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
    put("[Content_Types].xml", types);
    let list = numbered(&|number, name| {
        format!("<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>")
    });
    put("xl/workbook.xml", &format!("<workbook {NS}><sheets>{list}</sheets></workbook>"));
    let relations = numbered(&|number, _| {
        format!(
            "<Relationship Id=\"rId{number}\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
        )
    });
    put(
        "xl/_rels/workbook.xml.rels",
        &format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{relations}</Relationships>"
        ),
    );
    // Style 1 is a date, style 2 a date with a time.
    put(
        "xl/styles.xml",
        &format!(
            "<styleSheet {NS}><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/></cellXfs></styleSheet>"
        ),
    );
    put("xl/sharedStrings.xml", &format!("<sst {NS}><si><t>name</t></si><si><t> Ann </t></si></sst>"));
    for (number, (_, data, rest)) in sheets.iter().enumerate() {
        let text = format!("<worksheet {NS}><sheetData>{data}</sheetData>{rest}</worksheet>");
        put(&format!("xl/worksheets/sheet{}.xml", number + 1), &text);
    }
    zip.finish().unwrap().into_inner()
}

fn text(cell: &str, text: &str) -> String {
    format!("<c r=\"{cell}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
}

fn number(cell: &str, style: u32, number: &str) -> String {
    format!("<c r=\"{cell}\" s=\"{style}\"><v>{number}</v></c>")
}

fn row(number: u32, cells: &[String]) -> String {
    format!("<row r=\"{number}\">{}</row>", cells.concat())
}

fn people() -> String {
    let header = ["name", "age", "born", "seen", "paid"];
    let header: Vec<String> =
        header.iter().zip("ABCDE".chars()).map(|(name, c)| text(&format!("{c}1"), name)).collect();
    let first = [
        "<c r=\"A2\" t=\"s\"><v>1</v></c>".to_owned(),
        number("B2", 0, "34"),
        number("C2", 1, "32874"),
        number("D2", 2, "45000.5"),
        number("E2", 0, "0.1"),
    ];
    let second = [
        text("A4", "Bob"),
        // A formula: what it last gave is the value.
        "<c r=\"B4\"><f>SUM(B2,2)</f><v>36</v></c>".to_owned(),
        number("D4", 2, "45001"),
        "<c r=\"E4\" t=\"b\"><v>1</v></c>".to_owned(),
    ];
    [row(1, &header), row(2, &first), row(3, &[]), row(4, &second)].concat()
}

fn put(bytes: &[u8]) -> (Folder, Source) {
    let folder = Folder::new();
    folder.put("t.xlsx", bytes);
    let source = folder.source("t.xlsx");
    (folder, source)
}

fn refused(data: &str, rest: &str) -> String {
    let (folder, source) = put(&workbook(&[("Data", data, rest)]));
    let error = read(&source).unwrap_err();
    assert!(!error.hint().is_empty());
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn cells_are_read_as_a_person_sees_them() {
    let bytes =
        workbook(&[("Empty", "", ""), ("People", &people(), ""), ("Notes", &row(1, &[text("A1", "x")]), "")]);
    let (_folder, mut source) = put(&bytes);
    let found = read(&source).unwrap();
    assert_eq!(found.sha256, sha256_hex(&bytes));
    assert_eq!(names(&found.table), ["name", "age", "born", "seen", "paid"]);
    let expected = [
        [Some("Ann"), Some("34"), Some("1990-01-01"), Some("2023-03-15T12:00:00"), Some("0.1")],
        [Some("Bob"), Some("36"), None, Some("2023-03-16T00:00:00"), Some("true")],
    ];
    assert_eq!(cells(&found.table), expected);
    assert_eq!(read_header(&source).unwrap().len(), 5);
    assert_eq!(sample(&source, 1, &Silent).unwrap().rows, 1);
    let notes = source.notes().unwrap();
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("the first sheet, `People`") && notes[0].ends_with("`Notes`"), "{}", notes[0]);

    source.sheet = Some("Notes".to_owned());
    assert_eq!(names(&read(&source).unwrap().table), ["x"]);
    assert_eq!(source.notes().unwrap(), [""; 0]);
    source.sheet = Some("Nowhere".to_owned());
    let error = read(&source).unwrap_err().to_string();
    assert!(error.ends_with("there is no sheet `Nowhere`; there are `Empty`, `People`, `Notes`"), "{error}");
}

#[test]
fn a_header_can_be_left_out_and_an_index_has_no_name() {
    let data =
        [row(1, &[text("B1", "age")]), row(2, &[number("A2", 0, "0"), number("B2", 0, "34")])].concat();
    let (_folder, mut source) = put(&workbook(&[("Data", &data, "")]));
    let table = read(&source).unwrap().table;
    assert_eq!(names(&table), ["", "age"]);
    assert_eq!(cells(&table), [[Some("0"), Some("34")]]);
    source.csv = source.csv.without_header(["a", "b"]);
    assert_eq!(cells(&read(&source).unwrap().table), [[None, Some("age")], [Some("0"), Some("34")]]);
}

#[test]
fn what_is_no_table_is_placed() {
    let header = row(1, &[text("A1", "a"), text("B1", "b")]);
    let error = format!("{header}{}", row(7, &["<c r=\"B7\" t=\"e\"><v>#N/A</v></c>".to_owned()]));
    assert_eq!(refused(&error, ""), "t.xlsx, sheet Data, cell B7: the error #N/A");
    let beyond = format!("{header}{}", row(3, &[text("C3", "x")]));
    assert_eq!(refused(&beyond, ""), "t.xlsx, sheet Data, cell C3: row 1 has no name for this column");
    let merged = format!("{header}{}", row(2, &[text("A2", "x")]));
    let said = refused(&merged, "<mergeCells count=\"1\"><mergeCell ref=\"A2:A5\"/></mergeCells>");
    assert_eq!(said, "t.xlsx, sheet Data, cell A2: merged with the cells up to A5");
    assert_eq!(refused("", ""), "t.xlsx: the file is empty");
}

#[test]
fn parts_are_measured_and_far_corners_cost_nothing() {
    let (_folder, mut source) = put(&workbook(&[("Data", &people(), "")]));
    source.limits = Limits { sheet: 100, ..Limits::default() };
    let error = read(&source).unwrap_err().to_string();
    assert!(error.contains("unpacks to more than"), "{error}");
    source.limits = Limits { page: 100, ..Limits::default() };
    assert!(matches!(read(&source), Err(ReadError::Excel { .. })));

    let data =
        [row(1, &[text("A1", "a"), text("XFD1", "b")]), row(1_048_576, &[text("A1048576", "x")])].concat();
    let (_folder, mut source) = put(&workbook(&[("Data", &data, "")]));
    let table = shoal_io::read_table(&source, &|name| name == "a", &Silent);
    // Columns between the two have no name, and two columns of one name are refused.
    assert!(matches!(table, Err(ReadError::DuplicateName { .. })));
    source.limits = Limits { columns: 100, ..Limits::default() };
    assert!(matches!(read(&source), Err(ReadError::TooManyColumns { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 1..300)) {
        let (_folder, source) = put(&bytes);
        prop_assert!(read(&source).is_err());
        let (_folder, source) = put(&[b"PK\x03\x04", &bytes[..]].concat());
        prop_assert!(read(&source).is_err());
    }

    #[test]
    fn any_sheet_is_a_table_or_an_error(data in "(<row r=\"[0-9]{1,8}\">|</row>|<c r=\"[A-Z]{0,4}[0-9]{0,8}\"( t=\"[nsbe]\")?( s=\"[0-9]\")?>|</c>|<v>[-0-9.e#N/A]{0,9}</v>|<f>x</f>){0,12}") {
        let (_folder, source) = put(&workbook(&[("Data", &data, "<mergeCells><mergeCell ref=\"A1:B2\"/></mergeCells>")]));
        let _ = read(&source);
    }

    #[test]
    fn damaged_workbooks_are_a_table_or_an_error(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = workbook(&[("Data", &people(), "")]);
        let place = at.index(bytes.len());
        bytes[place] = byte;
        let (_folder, source) = put(&bytes);
        let _ = read(&source);
    }
}
