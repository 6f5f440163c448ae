//! CSV: what is read, and where it is.

mod common;

use std::fs::File;
use std::io::Write;
use std::sync::Mutex;

use common::{Folder, names, read, read_text, rows};
use shoal_core::{Place, Progress, Silent};
use shoal_io::{CsvOptions, ReadError, Source, read_header, read_table, sample, sha256_hex, sniff_separator};

#[test]
fn a_plain_table() {
    let text = "a,b\n1,x\n2,\"y, z\"\n";
    let read = read_text(text).unwrap();
    assert_eq!(read.header, ["a", "b"]);
    assert_eq!(rows(&read.table), [["1", "x"], ["2", "y, z"]]);
    assert_eq!(read.bytes, text.len() as u64);
    assert_eq!(read.sha256, sha256_hex(text.as_bytes()));
    assert_eq!(read.table.files.len(), 1);
}

#[test]
fn marks_line_ends_and_blank_lines_do_not_matter() {
    for text in ["\u{feff}a,b\r\n1,x\r\n", "a,b\n\n1,x", " a , b \r\n\r\n 1 , x \r\n \r\n", "a,b\r1,x\r"] {
        let read = read_text(text).unwrap();
        assert_eq!(names(&read.table), ["a", "b"], "{text:?}");
        assert_eq!(rows(&read.table), [["1", "x"]], "{text:?}");
    }
}

#[test]
fn blanks_stay_where_they_are_wanted() {
    assert_eq!(rows(&read_text("a,b\n x ,\" y \"\n").unwrap().table), [["x", " y "]]);
    let folder = Folder::new();
    folder.put("t.csv", "a, b\n x , \"y\"\n");
    let mut source = folder.source("t.csv");
    source.csv.trim = false;
    assert_eq!(rows(&read(&source).unwrap().table), [[" x ", " \"y\""]]);
}

#[test]
fn places_count_rows_over_all_files_and_lines_in_each() {
    let folder = Folder::new();
    folder.put("part-1.csv", "a\n\n\"x\ny\"\nz\n");
    folder.put("part-2.csv", "a\nw\n");
    let read = read(&folder.source("part-*.csv")).unwrap();
    let place = |row, line, file| Place { row, line: Some(line), file };
    assert_eq!(read.table.columns[0].first_seen, [place(1, 3, 0), place(2, 5, 0), place(3, 2, 1)]);
}

#[test]
fn unwanted_columns_are_not_stored() {
    let folder = Folder::new();
    folder.put("t.csv", "name,age,city\nAnn,3,X\nBob,4,Y\n");
    let read = read_table(&folder.source("t.csv"), &|name| name != "name", &Silent).unwrap();
    assert_eq!(read.header, ["name", "age", "city"]);
    assert_eq!(names(&read.table), ["age", "city"]);
    assert_eq!(rows(&read.table), [["3", "X"], ["4", "Y"]]);
    let none = read_table(&folder.source("t.csv"), &|_| false, &Silent).unwrap();
    assert_eq!((none.table.columns.len(), none.table.rows), (0, 2));
}

#[test]
fn globs_are_sorted_and_hashed_as_one() {
    let folder = Folder::new();
    folder.put("part-10.csv", "a\n3\n");
    folder.put("part-02.csv", "a\n2\n");
    folder.put("part-01.csv", "a\n1\n");
    folder.put(".part-00.csv", "a\nhidden\n");
    std::fs::create_dir(folder.path().join("part-03.csv")).unwrap();
    let read = read(&folder.source("part-*.csv")).unwrap();
    assert_eq!(rows(&read.table), [["1"], ["2"], ["3"]]);
    assert_eq!(read.sha256, sha256_hex(b"a\n1\na\n2\na\n3\n"));
    assert_eq!(read.bytes, 12);
    assert!(read.table.files[0].ends_with("part-01.csv"));
}

#[test]
fn a_file_that_looks_like_a_glob_is_itself() {
    let folder = Folder::new();
    folder.put("t[1].csv", "a\nx\n");
    assert_eq!(rows(&read(&folder.source("t[1].csv")).unwrap().table), [["x"]]);
}

#[test]
fn packed_files() {
    let text = "a,b\n1,x\n2,y\n";
    let folder = Folder::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(text.as_bytes()).unwrap();
    let stored = gz.finish().unwrap();
    folder.put("t.csv.gz", &stored);
    folder.put("t.tsv.zst", zstd::encode_all(text.as_bytes(), 1).unwrap());
    let read_gz = read(&folder.source("t.csv.gz")).unwrap();
    assert_eq!(rows(&read_gz.table), [["1", "x"], ["2", "y"]]);
    assert_eq!(read_gz.sha256, sha256_hex(&stored), "of the stored bytes");
    assert_eq!(rows(&read(&folder.source("t.tsv.zst")).unwrap().table), [["1", "x"], ["2", "y"]]);
}

#[test]
fn header_only_is_a_table_without_rows() {
    for text in ["a,b", "a,b\n", "a,b\r\n\r\n"] {
        let read = read_text(text).unwrap();
        assert_eq!((read.table.rows, read.table.columns.len()), (0, 2), "{text:?}");
    }
}

#[test]
fn given_names_replace_a_header() {
    let folder = Folder::new();
    folder.put("t.data", "39, State-gov, ?\n50, Private, x\n\n");
    let csv = CsvOptions::with_separator(", ").unwrap().without_header(["age", "workclass", "job"]);
    let source = Source { csv, ..folder.source("t.data") };
    let read = read(&source).unwrap();
    assert_eq!(names(&read.table), ["age", "workclass", "job"]);
    assert_eq!(rows(&read.table), [["39", "State-gov", "?"], ["50", "Private", "x"]]);
    assert_eq!(read.table.columns[0].first_seen[0].line, Some(1));
}

#[test]
fn a_sample_reads_no_further_than_it_must() {
    let folder = Folder::new();
    folder.put("part-1.csv", "a,b\n1,x\n2,y\n3,z,ragged\n");
    folder.put("part-2.csv", "other header\n");
    assert_eq!(read_header(&folder.source("part-*.csv")).unwrap(), ["a", "b"]);
    assert_eq!(rows(&sample(&folder.source("part-*.csv"), 2, &Silent).unwrap()), [["1", "x"], ["2", "y"]]);
    assert!(matches!(
        sample(&folder.source("part-*.csv"), 3, &Silent),
        Err(ReadError::Ragged { line: 4, .. })
    ));
    folder.put("few.csv", "a\n1\n");
    assert_eq!(sample(&folder.source("few.csv"), 100, &Silent).unwrap().rows, 1);
}

#[test]
fn separators_are_found_in_files() {
    let folder = Folder::new();
    folder.put("t.csv", "a;b\n1;2\n");
    folder.put("t.csv.zst", zstd::encode_all(&b"a|b\n1|2\n"[..], 1).unwrap());
    let sniff = |name: &str| sniff_separator(&folder.source(name).location).unwrap();
    assert_eq!(sniff("t.csv"), Some(b';'));
    assert_eq!(sniff("t.csv.zst"), Some(b'|'));
}

#[test]
fn progress_counts_the_stored_bytes() {
    #[derive(Default)]
    struct Watcher(Mutex<(u64, u64)>);
    impl Progress for Watcher {
        fn stage(&self, name: &str, total: u64) {
            assert_eq!(name, "reading");
            self.0.lock().unwrap().0 = total;
        }
        fn advance(&self, done: u64) {
            self.0.lock().unwrap().1 += done;
        }
    }
    let folder = Folder::new();
    let path = folder.put("t.csv", "a,b\n".to_owned() + &"1,2\n".repeat(200_000));
    let watcher = Watcher::default();
    read_table(&folder.source("t.csv"), &|_| true, &watcher).unwrap();
    let size = File::open(path).unwrap().metadata().unwrap().len();
    assert_eq!(*watcher.0.lock().unwrap(), (size, size));
}
