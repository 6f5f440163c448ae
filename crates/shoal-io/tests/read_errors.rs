//! Every way in which a source can be wrong, and what is said about it.

mod common;

use std::io::Write;

use common::{Folder, read, read_text};
use shoal_io::{CsvOptions, ReadError, Source};

/// The message without the folder, and a hint that is not empty.
fn message(folder: &Folder, error: &ReadError) -> String {
    assert!(!error.hint().is_empty());
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

fn refused(name: &str, bytes: impl AsRef<[u8]>, csv: CsvOptions) -> String {
    let folder = Folder::new();
    folder.put(name, bytes);
    let source = Source { csv, ..folder.source(name) };
    message(&folder, &read(&source).unwrap_err())
}

fn refused_text(bytes: impl AsRef<[u8]>) -> String {
    refused("t.csv", bytes, CsvOptions::default())
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = Folder::new();
    let error = read(&folder.source("none.csv")).unwrap_err();
    assert_eq!(message(&folder, &error), "none.csv: there is no such file");
    let error = read(&folder.source("none-*.csv")).unwrap_err();
    assert_eq!(message(&folder, &error), "no file matches `none-*.csv`");
    let error = read(&folder.source("[.csv")).unwrap_err();
    assert!(matches!(error, ReadError::BadGlob { .. }), "{error}");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let error = read(&folder.source("folder")).unwrap_err();
    assert!(error.hint().contains("folder"), "{error}");
    let error = read(&Source::new("/dev/null")).unwrap_err();
    assert_eq!(error.to_string(), "/dev/null: the file is empty");
}

#[test]
fn files_with_nothing_in_them() {
    for text in ["", "\n\n", " \r\n\t\n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(refused_text(text), "t.csv: the file is empty", "{text:?}");
    }
    for name in ["t.csv.gz", "t.csv.zst", "t.parquet"] {
        assert_eq!(refused(name, "", CsvOptions::default()), format!("{name}: the file is empty"));
    }
}

#[test]
fn rows_that_do_not_fit() {
    assert_eq!(refused_text("a,b\n1,2\n\n3\n"), "t.csv, line 4: 1 fields where 2 are expected");
    assert_eq!(refused_text("a,b\n\"x\ny\",2\n3,4,5"), "t.csv, line 4: 3 fields where 2 are expected");
}

#[test]
fn bytes_that_are_not_text() {
    let said = "t.csv, line 3, column city: not UTF-8 (byte 17 of the text)";
    assert_eq!(refused_text(b"age,city\n1,x\n2,M\xfcnchen\n"), said.replace("17", "16"));
    assert_eq!(refused_text(b"age,city\n1,x\n2,\"M\xfcnchen\"\n"), said);
    assert_eq!(
        refused_text(b"age,cit\xe9\n1,x\n"),
        "t.csv, line 1, column #2: not UTF-8 (byte 7 of the text)"
    );
    // The mark of UTF-16 says how to read it.
    assert_eq!(read_text(b"\xff\xfea\0,\0b\0").unwrap().header, ["a", "b"]);
}

#[test]
fn quotes_that_make_no_sense() {
    let said = "t.csv, line 3, column b: the quote that opens here is never closed";
    assert_eq!(refused_text("a,b\n1,2\n3,\"4\n5,6\n"), said);
    let said = "t.csv, line 2, column a: text after the closing quote";
    assert_eq!(refused_text("a,b\n\"5\" pipe\",2\n"), said);
}

#[test]
fn names_that_do_not_fit() {
    assert_eq!(refused_text("a,b,a\n1,2,3\n"), "t.csv: columns 1 and 3 are both named `a`");
    let no_names = CsvOptions::default().without_header([""; 0]);
    let said = "t.csv: the file has no header, and its 2 columns have no names";
    assert_eq!(refused("t.csv", "1,2\n", no_names), said);
    let three = CsvOptions::default().without_header(["a", "b", "c"]);
    let said = "t.csv, line 2: 2 columns, but 3 names are given";
    assert_eq!(refused("t.csv", "\n1,2\n", three), said);
    let twice = CsvOptions::default().without_header(["a", "a"]);
    assert_eq!(refused("t.csv", "1,2\n", twice), "t.csv: columns 1 and 2 are both named `a`");
}

#[test]
fn files_of_a_source_that_differ() {
    let folder = Folder::new();
    folder.put("p1.csv", "a,b\n1,2\n");
    folder.put("p2.csv", "a,c\n1,2\n");
    let error = read(&folder.source("p*.csv")).unwrap_err();
    assert_eq!(message(&folder, &error), "p2.csv: column 2 is `c`, but `b` in p1.csv");
    folder.put("p2.csv", "a\n1\n");
    let error = read(&folder.source("p*.csv")).unwrap_err();
    assert_eq!(message(&folder, &error), "p2.csv: column 2 is absent, but `b` in p1.csv");
}

#[test]
fn packings_that_are_damaged() {
    let text =
        "a,b\n".to_owned() + &(0..5000).map(|i| format!("{i},{}\n", i * 7919 % 1000)).collect::<String>();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    let stored =
        [("t.csv.gz", gz.finish().unwrap()), ("t.csv.zst", zstd::encode_all(text.as_bytes(), 3).unwrap())];
    for (name, whole) in stored {
        let corrupt = |bytes: &[u8], what: &str| {
            let folder = Folder::new();
            folder.put(name, bytes);
            let error = read(&folder.source(name)).unwrap_err();
            assert!(matches!(error, ReadError::Corrupt { .. }), "{name} {what}: {error}");
        };
        corrupt(&whole[..whole.len() / 2], "cut off");
        let folder = Folder::new();
        folder.put(name, b"a,b\n1,2\n");
        let error = read(&folder.source(name)).unwrap_err();
        assert!(matches!(error, ReadError::NotPacked { is: "plain text", .. }), "{name}: {error}");
        folder.put(name, &whole);
        assert_eq!(read(&folder.source(name)).unwrap().table.rows, 5000);
    }
}

#[test]
fn parquet_that_is_damaged() {
    assert_eq!(refused("t.parquet", b"a,b\n1,2\n", CsvOptions::default()), "t.parquet: this is plain text");
    for bytes in [&b"PAR1"[..], b"PAR1\0\0\0\0PAR1", b"PAR1xxxx\xff\xff\xff\x7fPAR1"] {
        let said = refused("t.parquet", bytes, CsvOptions::default());
        assert!(said.starts_with("t.parquet: not a Parquet file that can be read: "), "{said}");
    }
}
