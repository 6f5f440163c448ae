use crate::error::{NotADictionary, PostgresError, ReadError, WriteError};

/// A value of the data that no quotes hold together.
const MARKER: &str = "hiv` of Zoë` (7";

#[test]
fn neither_reading_nor_writing_lets_a_value_into_a_document() {
    let (file, marker) = (|| "people.csv".to_owned(), || MARKER.to_owned());
    let postgres = || PostgresError::new("postgres://host/data", MARKER, "");
    let problem = NotADictionary::Groups(shoal_core::GroupsProblem::NotAGroup { row: 2, text: marker() });
    let reading = vec![
        ReadError::Groups { file: file(), problem },
        ReadError::DuplicateName { file: file(), name: marker(), first: 1, second: 2 },
        ReadError::HeaderDiffers {
            file: file(),
            first_file: file(),
            column: 1,
            expected: Some(marker()),
            found: Some(marker()),
        },
        ReadError::Parquet { file: file(), why: marker() },
        ReadError::Arrow { file: file(), why: marker() },
        ReadError::Excel { file: file(), why: marker() },
        ReadError::Cell { file: file(), sheet: "May".into(), cell: "B7".into(), what: marker() },
        ReadError::Sqlite { file: file(), why: marker(), hint: "" },
        ReadError::Postgres(postgres()),
        ReadError::DecimalPoint { file: file(), row: 3, column: "age".into(), value: marker() },
        ReadError::NotJson { file: file(), line: 3, why: marker() },
        ReadError::Nested { file: file(), line: 3, path: marker(), what: "a list" },
        ReadError::KeyTwice { file: file(), line: 3, name: marker() },
        ReadError::Batches { file: file(), why: marker() },
        ReadError::BadValue { file: file(), column: "age".into(), kind: "Utf8".into(), why: marker() },
    ];
    let writing = [
        WriteError::Postgres(postgres()),
        WriteError::Parquet { path: "out.parquet".into(), why: marker() },
        WriteError::Batches { why: marker() },
        WriteError::UnreadableItem { path: "out.txt".into(), item: marker(), separator: ' ' },
    ];
    let said: Vec<String> =
        reading.iter().map(ReadError::redacted).chain(writing.iter().map(WriteError::redacted)).collect();
    for said in &said {
        assert!(!["hiv", "Zoë", "(7"].iter().any(|part| said.contains(part)), "{said}");
    }
    assert_eq!(said[6], "people.csv, sheet May, cell B7: …");
}
