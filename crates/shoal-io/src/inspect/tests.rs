//! Every kind of finding, planted; and our own files, which have none.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::{Compression as Level, GzBuilder};
use shoal_core::RawTable;

use super::{Content, Finding, inspect};
use crate::basket::BasketOptions;
use crate::source::Source;
use crate::write::{ColumnForm, PendingFile, WriteOptions, write_table};

fn found(name: &str, bytes: &[u8], content: Content) -> Vec<Finding> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    inspect(&Source::new(path.to_str().unwrap()), content, &shoal_core::Silent).unwrap()
}

fn whats(name: &str, bytes: &[u8]) -> Vec<(u64, String)> {
    found(name, bytes, Content::Records).into_iter().map(|f| (f.bytes, f.what)).collect()
}

fn csv(text: &str) -> Vec<(u64, String)> {
    whats("t.csv", text.as_bytes())
}

#[test]
fn plain_text_has_nothing_to_hide() {
    for text in [
        "",
        "a",
        "a,b\n1,2\n",
        "a,b\r\n1,2\r\n3,4",
        "a\n\"\"\nx\n",
        "a,b\n\"1\",\"\"\n\"2\",\"x\"\n",
        "a,b\n\"x,y\",1\nz,\" 2\"\n\"q\"\"\",\"3\n\"\n",
        "a,b\n,1\nx,\n",
    ] {
        assert_eq!(csv(text), [], "{text:?}");
    }
}

#[test]
fn marks_in_a_text_are_found() {
    let one = |text: &str, bytes: u64, what: &str| {
        let all = csv(text);
        assert!(all.len() == 1 && all[0].0 == bytes && all[0].1.contains(what), "{text:?} {all:?}");
    };
    one("\u{feff}a\n1\n", 3, "byte order mark");
    one("a,b\n1,2\n\n3,4\n", 1, "blank lines");
    one("a,b\n1,2\r\n3,4\n", 1, "end in different ways");
    one("a\n1\r2\n", 1, "end in different ways");
    one("a,b\n20,x\n\"20\",x\n20,x\n", 2, "1 values in quotes that need none, 2 without");
    one("a,b\n,x\n\"\",x\n", 2, "1 empty values in quotes");
}

#[test]
fn every_way_to_cut_a_text_finds_the_same() {
    let text = b"\xef\xbb\xbfa,b\r\n\"1\",\"x\"\"\"\r\n\r\n1,\"\n\"\n\"2\",3";
    let whole = {
        let mut findings = super::Findings { file: String::new(), list: Vec::new(), more: 0 };
        super::text::inspect(&text[..], b',', &mut findings).unwrap();
        findings.finish()
    };
    assert_eq!(whole.len(), 4, "{whole:?}");
    struct Trickle<'a>(&'a [u8], usize);
    impl std::io::Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }
    for step in 1..12 {
        let mut findings = super::Findings { file: String::new(), list: Vec::new(), more: 0 };
        super::text::inspect(Trickle(text, step), b',', &mut findings).unwrap();
        assert_eq!(findings.finish(), whole, "{step}");
    }
}

#[test]
fn baskets_have_one_way_to_be_written() {
    let baskets = Content::Baskets(BasketOptions { separator: ' ', grouped: true });
    let whats = |text: &str| -> Vec<(u64, String)> {
        found("t.txt", text.as_bytes(), baskets).into_iter().map(|f| (f.bytes, f.what)).collect()
    };
    assert_eq!(whats("a (b,c)\n\nd\n"), []);
    assert_eq!(whats("a  b\n"), [(1, "blanks and separators that separate no items: 1".to_owned())]);
    assert_eq!(whats("a b\t\nc \n").len(), 1);
    assert_eq!(whats("a b a\n"), [(1, "items that occur twice in one line: 1".to_owned())]);
}

fn gzip(builder: GzBuilder, text: &[u8]) -> Vec<u8> {
    let mut encoder = builder.write(Vec::new(), Level::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_headers_and_members() {
    let plain = gzip(GzBuilder::new(), b"a\n1\n");
    assert_eq!(whats("t.csv.gz", &plain), []);
    let named =
        gzip(GzBuilder::new().filename("ann.csv").comment("Ann").extra(&b"12"[..]).mtime(7), b"a\n1\n");
    let bytes: Vec<u64> = whats("t.csv.gz", &named).into_iter().map(|(bytes, _)| bytes).collect();
    assert_eq!(bytes, [7, 3, 2, 4]);
    let mut two = plain.clone();
    two.extend(gzip(GzBuilder::new().comment("Bob"), b""));
    let all = whats("t.csv.gz", &two);
    assert!(all.len() == 2 && all[1].1.contains("further member"), "{all:?}");
}

#[test]
fn zstandard_frames() {
    let frame = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
    for text in [
        &b""[..],
        b"a\n1\n",
        &b"a,b\n".repeat(100_000),
        &(0..300_000_u64).map(|i| (i * i % 251) as u8).collect::<Vec<_>>(),
    ] {
        let all = whats("t.csv.zst", &frame(text));
        assert!(all.iter().all(|(_, what)| !what.contains("frame") && !what.contains("packed")), "{all:?}");
    }
    let mut skippable = vec![0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0];
    skippable.extend(b"Ann");
    skippable.extend(frame(b"a\n1\n"));
    assert_eq!(whats("t.csv.zst", &skippable)[0].0, 3);
    let mut two = frame(b"a\n");
    two.extend(frame(b"1\n"));
    assert!(whats("t.csv.zst", &two)[0].1.contains("further frame"));
}

fn our_own(path: &Path, table: &RawTable, columns: Vec<ColumnForm>) {
    let mut pending = PendingFile::create(path).unwrap();
    write_table(
        &mut pending,
        table,
        &WriteOptions { columns, ..WriteOptions::default() },
        &shoal_core::Silent,
    )
    .unwrap();
    pending.finish().unwrap();
    let all =
        inspect(&pending.source(crate::csv::CsvOptions::default()), Content::Records, &shoal_core::Silent)
            .unwrap();
    assert_eq!(all, [], "{}", path.display());
}

#[test]
fn what_we_write_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let text = match i % 5 {
            0 => "[20, 30]".to_owned(),
            1 => " x".to_owned(),
            2 => "say \"so\"\r\n".to_owned(),
            3 => String::new(),
            _ => format!("text {i}"),
        };
        vec![
            text,
            (i % 300).to_string(),
            format!("{}.5", i % 70),
            i.is_multiple_of(2).to_string(),
            format!("{}", i % 90_000),
        ]
    };
    let typed = |form| vec![ColumnForm::Text, form, form, form, form];
    for rows in [0, 1, 1000, 70_000] {
        let rows: Vec<Vec<String>> = (0..rows).map(row).collect();
        let mut table = RawTable::from_rows(&["a", "b", "c", "d", "e"], &rows);
        // A label of a record that is left out.
        table.columns[1].labels.push("nobody");
        for name in ["t.csv", "t.csv.gz", "t.csv.zst", "t.parquet", "t.parquet.gz"] {
            our_own(&folder.path().join(name), &table, typed(ColumnForm::Typed));
            our_own(&folder.path().join(name), &table, typed(ColumnForm::Text));
        }
    }
    let lists = RawTable::from_rows(&["l"], &[vec!["a\u{1f}b"], vec![""], vec!["c"], vec!["a"]]);
    our_own(&folder.path().join("l.parquet"), &lists, vec![ColumnForm::List]);
}
