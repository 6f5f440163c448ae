//! The public data sets, as they are stored.

mod common;

use common::{names, read, rows};
use shoal_io::{CsvOptions, Source, sample, sha256_hex, sniff_separator};

fn data(name: &str) -> String {
    shoal_testkit::data::public(name).to_str().unwrap().to_owned()
}

fn sha256(name: &str) -> String {
    sha256_hex(&std::fs::read(data(name)).unwrap())
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn uci_adult_has_no_header_and_blanks_after_its_commas() {
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
    assert_eq!(read.sha256, sha256(name));
    assert_eq!(read.table.column("sex").unwrap().labels.iter().collect::<Vec<_>>(), ["Male", "Female"]);
    assert_eq!(read.table.column("income").unwrap().labels.len(), 2);
    assert!(read.table.column("occupation").unwrap().labels.iter().any(|label| label == "?"));
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn arx_adult_has_a_header_and_semicolons() {
    let name = "adult/adult_arx_30162.csv.gz";
    assert_eq!(sniff_separator(&data(name)).unwrap(), Some(b';'));
    let csv = CsvOptions::with_separator(";").unwrap();
    let source = Source { csv, ..Source::new(data(name)) };
    let read = read(&source).unwrap();
    assert_eq!(read.table.rows, 30_162);
    assert_eq!(read.sha256, sha256(name));
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
