//! JSON tables: an object per line, or an array of objects.

mod common;

use common::{Folder, cells, names, read, rows};
use proptest::prelude::*;
use shoal_core::Silent;
use shoal_io::{ITEM_SEPARATOR, Limits, ReadError, Source, read_header, read_table_with_list, sample};

fn put(name: &str, text: impl AsRef<[u8]>) -> (Folder, Source) {
    let folder = Folder::new();
    folder.put(name, text);
    let source = folder.source(name);
    (folder, source)
}

fn refused(name: &str, text: &str) -> String {
    let (folder, source) = put(name, text);
    let error = read(&source).unwrap_err();
    assert!(!error.hint().is_empty());
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn lines_and_arrays_give_the_same_records() {
    let lines =
        "\u{feff}{\"a\": 1.50, \"b\": \"x\\n\\u00fc\"}\n\n{\"b\": null, \"c\": true}\r\n{\"a\":-2e3}\n";
    let array = "[{\"a\": 1.50, \"b\": \"x\\n\\u00fc\"},\n {\"b\": null, \"c\": true}\n, {\"a\":-2e3}]\n";
    for (name, text) in [("t.ndjson", lines), ("t.jsonl", lines), ("t.json", lines), ("t.json", array)] {
        let (_folder, source) = put(name, text);
        let table = read(&source).unwrap().table;
        assert_eq!(names(&table), ["a", "b", "c"]);
        let expected =
            [[Some("1.50"), Some("x\nü"), None], [None, None, Some("true")], [Some("-2e3"), None, None]];
        assert_eq!(cells(&table), expected);
        assert_eq!(read_header(&source).unwrap(), ["a", "b", "c"]);
        let first = sample(&source, 1, &Silent).unwrap();
        assert_eq!(names(&first), ["a", "b"]);
        assert_eq!(first.rows, 1);
    }
}

#[test]
fn only_wanted_columns_are_looked_at() {
    let (_folder, source) = put("t.ndjson", "{\"deep\": {\"x\": 1}, \"a\": 1}\n{\"a\": 2}\n");
    let read = shoal_io::read_table(&source, &|name| name == "a", &Silent).unwrap();
    assert_eq!(rows(&read.table), [["1"], ["2"]]);
    assert_eq!(read.header, ["deep", "a"]);
}

#[test]
fn lists_are_items_where_they_are_asked_for() {
    let text = "{\"id\": 1, \"codes\": [\"a\", 2, null, \"\"]}\n{\"id\": 2}\n{\"id\": 3, \"codes\": []}\n";
    let (_folder, source) = put("t.ndjson", text);
    let read = read_table_with_list(&source, &|_| true, "codes", &Silent).unwrap();
    assert!(read.listed);
    let expected =
        [[Some("1"), Some(&*format!("a{ITEM_SEPARATOR}2"))], [Some("2"), None], [Some("3"), Some("")]];
    assert_eq!(cells(&read.table), expected);

    let (_folder, source) = put("t.ndjson", "{\"codes\": [1]}\n{\"codes\": \"2\"}\n");
    let error = read_table_with_list(&source, &|_| true, "codes", &Silent).unwrap_err();
    assert!(matches!(error, ReadError::ListOrValue { line: 2, .. }), "{error}");
    let (_folder, source) = put("t.ndjson", "{\"codes\": [[1]]}\n");
    let error = read_table_with_list(&source, &|_| true, "codes", &Silent).unwrap_err();
    assert!(matches!(error, ReadError::Nested { line: 1, .. }), "{error}");
}

#[test]
fn several_files_have_the_columns_of_all() {
    let folder = Folder::new();
    folder.put("1.ndjson", "{\"a\":1}\n");
    folder.put("2.ndjson", "{\"b\":2,\"a\":3}\n");
    let table = read(&folder.source("*.ndjson")).unwrap().table;
    assert_eq!(cells(&table), [[Some("1"), None], [Some("3"), Some("2")]]);
}

#[test]
fn mistakes_have_a_place() {
    for (text, said) in [
        (
            "{\"a\": 1}\n{\"a\": {\"b\": 2}}\n",
            "t.json, line 2: `a.b` is a value inside an object, and a column holds plain values",
        ),
        ("{\"a\": [1]}\n", "t.json, line 1: `a` is a list, and a column holds plain values"),
        ("{\"a\": 1, \"a\": 2}\n", "t.json, line 1: the key `a` is given twice"),
        ("[{\"a\": 1},\n7]", "t.json, line 2: no JSON object: what follows the comma is no object"),
        ("[]", "t.json: the file is empty"),
        ("", "t.json: the file is empty"),
        ("{}\n", "t.json: the file is empty"),
    ] {
        assert_eq!(refused("t.json", text), said);
    }
    for text in
        ["{\n \"data\": [{\"a\": 1}]\n}", "a,b\n1,2\n", "{\"a\": 1} {\"a\": 2}\n", "{\"a\": 1\n", "[1"]
    {
        assert!(refused("t.json", text).starts_with("t.json, line 1: no JSON object"), "{text}");
    }
    let deep = format!("{{\"a\": {}1{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refused("t.json", &deep).starts_with("t.json, line 1"));
}

#[test]
fn small_files_take_little_memory() {
    // Nearly all values are missing: 60,000 records and 5,000 columns.
    let mut text = "{}\n".repeat(60_000);
    let members: Vec<String> = (0..5000).map(|number| format!("\"c{number}\":1")).collect();
    text.push_str(&format!("{{{}}}\n", members.join(",")));
    let (_folder, source) = put("t.ndjson", text);
    assert!(matches!(read(&source), Err(ReadError::TooManyCells { .. })));

    let (_folder, mut source) = put("t.json", format!("[{{\"a\": \"{}\"}}]", "x".repeat(100)));
    source.limits = Limits { line: 50, ..Limits::default() };
    assert!(matches!(read(&source), Err(ReadError::LineTooLong { line: 1, .. })));
    source.limits = Limits { value: 50, ..Limits::default() };
    assert!(matches!(read(&source), Err(ReadError::ValueTooLong { line: 1, .. })));
    source.limits = Limits { columns: 0, ..Limits::default() };
    assert!(matches!(read(&source), Err(ReadError::TooManyColumns { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_a_table_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (_folder, source) = put("t.json", bytes);
        let _ = read(&source);
    }

    #[test]
    fn anything_like_json_is_a_table_or_an_error(text in "[\\[\\]{}\",:0-9a-c \n\\\\]{0,80}") {
        let (_folder, source) = put("t.json", &text);
        let _ = read(&source);
        let (_folder, source) = put("t.json", format!("[{text}]"));
        let _ = read(&source);
    }

    #[test]
    fn any_texts_come_back(texts in prop::collection::vec("\\PC{0,20}", 1..20)) {
        let objects: Vec<String> = texts.iter().map(|text| serde_json::json!({ "t": text }).to_string()).collect();
        let (_folder, lines) = put("t.ndjson", objects.join("\n"));
        let (_folder2, array) = put("t.json", format!("[{}]", objects.join(",")));
        let expected: Vec<Vec<&str>> = texts.iter().map(|text| vec![text.as_str()]).collect();
        let (lines, array) = (read(&lines).unwrap().table, read(&array).unwrap().table);
        prop_assert_eq!(rows(&lines), expected.clone());
        prop_assert_eq!(rows(&array), expected);
    }
}
