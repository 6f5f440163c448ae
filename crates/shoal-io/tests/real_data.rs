//! The public data sets, as they are stored.

mod common;

use std::path::Path;

use common::{names, read, rows};
use shoal_io::{CsvOptions, Source, sample, sniff_separator};

fn data(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    folder.join(name).to_str().unwrap().to_owned()
}

/// The digest that the data's own page gives for a file.
fn documented_sha256(name: &str) -> String {
    let page = std::fs::read_to_string(data("README.md")).unwrap();
    let line = page.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap();
    line.rsplit('`').nth(1).unwrap().to_owned()
}

#[test]
fn uci_adult_has_no_header_and_blanks_after_its_commas() {
    let Some(_) = shoal_testkit::data::shared() else { return };
    let columns = [
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
        "income",
    ];
    let name = "adult/adult.data.gz";
    let csv = CsvOptions::with_separator(", ").unwrap().without_header(columns);
    let read = read(&Source { csv, ..Source::new(data(name)) }).unwrap();
    assert_eq!((read.table.rows, read.table.columns.len()), (32_561, 15));
    assert_eq!(read.sha256, documented_sha256(name));
    assert_eq!(read.table.column("sex").unwrap().labels.iter().collect::<Vec<_>>(), ["Male", "Female"]);
    assert_eq!(read.table.column("income").unwrap().labels.len(), 2);
    assert!(read.table.column("occupation").unwrap().labels.iter().any(|label| label == "?"));
}

#[test]
fn arx_adult_has_a_header_and_semicolons() {
    let Some(_) = shoal_testkit::data::shared() else { return };
    let name = "adult/adult_arx_30162.csv.gz";
    assert_eq!(sniff_separator(&data(name)).unwrap(), Some(b';'));
    let csv = CsvOptions::with_separator(";").unwrap();
    let source = Source { csv, ..Source::new(data(name)) };
    let read = read(&source).unwrap();
    assert_eq!(read.table.rows, 30_162);
    assert_eq!(read.sha256, documented_sha256(name));
    assert_eq!(read.bytes, std::fs::metadata(data(name)).unwrap().len());
    assert_eq!(
        names(&read.table),
        [
            "sex",
            "age",
            "race",
            "marital-status",
            "education",
            "native-country",
            "workclass",
            "occupation",
            "salary-class"
        ]
    );
    assert_eq!(rows(&sample(&source, 3, &shoal_core::Silent).unwrap()), rows(&read.table)[..3]);
}
