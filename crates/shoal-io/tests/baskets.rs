//! Transactions, a line each: in, out, and everything that can be wrong with them.

mod common;

use std::fs;
use std::io::Write;

use common::Folder;
use proptest::prelude::*;
use proptest::sample::select;
use shoal_core::{Silent, Transactions, render_item};
use shoal_io::{
    BasketOptions, CsvOptions, PendingFile, ReadError, ReadTransactions, Source, WriteError, item_reads_back,
    read_baskets, sha256_hex, write_baskets,
};

const BLANK: BasketOptions = BasketOptions { separator: ' ', grouped: false };

fn read_bytes(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: BasketOptions,
) -> Result<ReadTransactions, ReadError> {
    let folder = Folder::new();
    folder.put(name, bytes);
    read_baskets(&folder.source(name), &options, &Silent)
}

fn texts(transactions: &Transactions) -> Vec<Vec<&str>> {
    let items = transactions.items();
    transactions.iter().map(|members| members.iter().map(|&item| items.get(item)).collect()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

/// The bytes that transactions become under a name, and what is read from them.
fn written(
    name: &str,
    published: &Transactions,
    separator: char,
) -> Result<(Vec<u8>, ReadTransactions), WriteError> {
    let folder = Folder::new();
    let mut pending = PendingFile::create(&folder.path().join(name)).unwrap();
    write_baskets(&mut pending, published, separator, &Silent)?;
    let sha256 = pending.finish()?.to_owned();
    let options = BasketOptions { separator, grouped: true };
    let read = read_baskets(&pending.source(CsvOptions::default()), &options, &Silent).unwrap();
    assert_eq!(read.sha256, sha256);
    Ok((fs::read(pending.path()).unwrap(), read))
}

#[test]
fn a_line_is_a_transaction() {
    let read = read_bytes("t.txt", "\u{feff}10 9  10\r\n\r\n b a\t\n\n9", BLANK).unwrap();
    assert_eq!(texts(&read.transactions), [vec!["9", "10"], vec![], vec!["a", "b"], vec![], vec!["9"]]);
    assert_eq!((read.repeated, read.empty), (1, 2));
    assert_eq!(read.bytes, 23);
}

#[test]
fn other_separators_leave_blanks_inside_items() {
    let options = BasketOptions { separator: ',', grouped: false };
    let read = read_bytes("t.csv", "whole milk, rolls ,,soda\nsoda,\n,\n", options).unwrap();
    assert_eq!(texts(&read.transactions), [vec!["rolls", "soda", "whole milk"], vec!["soda"], vec![]]);
    assert_eq!(read.empty, 1);
}

#[test]
fn packed_files_and_many_of_them() {
    let folder = Folder::new();
    let stored = [
        ("p1.txt", b"1 2\n".to_vec()),
        ("p2.txt.gz", gzip(b"2 3")),
        ("p3.txt.zst", zstd::encode_all(&b"\n4\n"[..], 1).unwrap()),
    ];
    for (name, bytes) in &stored {
        folder.put(name, bytes);
    }
    let read = read_baskets(&folder.source("p*.txt*"), &BLANK, &Silent).unwrap();
    assert_eq!(texts(&read.transactions), [vec!["1", "2"], vec!["2", "3"], vec![], vec!["4"]]);
    assert_eq!(read.files.len(), 3);
    let all = stored.map(|(_, bytes)| bytes).concat();
    assert_eq!((read.sha256, read.bytes), (sha256_hex(&all), all.len() as u64));
}

#[test]
fn published_files_keep_their_groups() {
    let options = BasketOptions { separator: ',', grouped: true };
    let read = read_bytes("t.csv", "(a,b),c\n(a,b), (\"d,e\",f)\n", options).unwrap();
    assert_eq!(texts(&read.transactions), [vec!["(a,b)", "c"], vec!["(\"d,e\",f)", "(a,b)"]]);
}

/// The message for a file of these bytes, without the folder.
fn refused(name: &str, bytes: impl AsRef<[u8]>, separator: char) -> String {
    let folder = Folder::new();
    folder.put(name, bytes);
    let options = BasketOptions { separator, grouped: false };
    let error = read_baskets(&folder.source(name), &options, &Silent).unwrap_err();
    assert!(!error.hint().is_empty());
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn files_that_are_no_baskets() {
    for bytes in ["", "\u{feff}"] {
        assert_eq!(refused("t.txt", bytes, ' '), "t.txt: the file is empty");
    }
    assert_eq!(refused("t.txt.gz", "", ' '), "t.txt.gz: the file is empty");
    assert_eq!(refused("t.txt", b"1 2\n3 \xff4\n", ' '), "t.txt, line 2: not UTF-8 (byte 6 of the text)");
    assert_eq!(refused("t.parquet", "PAR1", ' '), "t.parquet: a Parquet file has no lines of items");
    let whole = gzip("1 2 3\n".repeat(1000).as_bytes());
    let said = refused("t.txt.gz", &whole[..whole.len() / 2], ' ');
    assert!(said.starts_with("t.txt.gz: the gzip data is damaged: "), "{said}");
    assert_eq!(
        refused("t.txt.gz", "1 2 3\n", ' '),
        "t.txt.gz: this is not packed by gzip, as its name says: it is plain text"
    );
    let missing = read_baskets(&Folder::new().source("none.txt"), &BLANK, &Silent).unwrap_err();
    assert!(matches!(missing, ReadError::NotFound { .. }), "{missing}");
    let folder = read_baskets(&Source::new(env!("CARGO_MANIFEST_DIR")), &BLANK, &Silent).unwrap_err();
    assert!(matches!(folder, ReadError::Unreadable { .. }), "{folder}");
}

#[test]
fn items_that_look_published() {
    let is = |text: &str, separator: char, expected: &[Vec<&str>]| {
        let read = read_bytes("t.txt", text, BasketOptions { separator, grouped: false }).unwrap();
        assert_eq!(texts(&read.transactions), expected);
    };
    is("a\nb (a,b)\n", ' ', &[vec!["a"], vec!["(a,b)", "b"]]);
    is("a\nb,\"c\n", ',', &[vec!["a"], vec!["\"c", "b"]]);
    is("a\nb,(c,d\n", ',', &[vec!["a"], vec!["(c", "b", "d"]]);
    is("\"milk, fresh\",b\n", ',', &[vec!["b", "milk, fresh"]]);
}

#[test]
fn a_line_of_200_megabytes() {
    let folder = Folder::new();
    let path = folder.put("t.txt", "1 2\n");
    fs::File::options().write(true).open(&path).unwrap().set_len(200 << 20).unwrap();
    let error = read_baskets(&folder.source("t.txt"), &BLANK, &Silent).unwrap_err();
    assert!(error.to_string().ends_with("t.txt, line 2: the line is longer than 16 MiB"), "{error}");
    assert!(error.hint().contains("where lines end"));
}

#[test]
fn what_is_written() {
    let published = Transactions::from_texts(&[vec!["10", "9", "(a,b)"], vec![], vec!["9"], vec![]]);
    let (bytes, read) = written("t.txt", &published, ' ').unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), "9 10 (a,b)\n\n9\n\n");
    assert_eq!(read.transactions, published);
    assert_eq!(read.empty, 2);

    let published = Transactions::from_texts(&[vec!["\u{feff}a"], vec!["\u{feff}a", "b"]]);
    let (bytes, read) = written("t.txt", &published, ' ').unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), "\u{feff}\u{feff}a\nb \u{feff}a\n");
    assert_eq!(read.transactions, published);
}

#[test]
fn what_cannot_be_written() {
    for item in ["", " a", "a b", "two\nlines", "a\r", "(a", "\"a"] {
        let published = Transactions::from_texts(&[vec!["b", item]]);
        let error = written("t.txt", &published, ' ').unwrap_err();
        assert!(matches!(&error, WriteError::UnreadableItem { item: named, .. } if named == item), "{error}");
        assert!(!error.hint().is_empty());
    }
    let error = written("t.parquet", &Transactions::from_texts(&[vec!["a"]]), ' ').unwrap_err();
    assert!(matches!(error, WriteError::NotABasketFile { .. }), "{error}");
}

/// Items that try to be mistaken for something else.
fn item() -> impl Strategy<Value = String> {
    let awkward = select(vec![
        "1",
        "20",
        "-3",
        "a",
        "b c",
        "x,y",
        "5\"",
        "\"q\"",
        "\"",
        "f(x)",
        "(",
        ")",
        "\u{feff}",
        "\u{feff}z",
        "é",
        "\u{a0}",
        "\u{1f}",
        "a;b",
    ]);
    prop_oneof![awkward.prop_map(str::to_owned), "[1-9][0-9]{0,3}", "\\PC{1,5}", "[ a\",;()\t]{1,6}"]
}

/// An item as it is published: alone or in a group.
fn any_published_item() -> impl Strategy<Value = String> {
    prop::collection::vec(item(), 1..4).prop_map(|members| render_item(&members))
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        transactions in prop::collection::vec(prop::collection::vec(any_published_item(), 0..5), 1..10),
        separator in select(vec![' ', ',', ';', '\t', '|', '§']),
        ending in select(vec!["txt", "txt.gz", "txt.zst"]),
    ) {
        let fit = |items: &Vec<String>| -> Vec<String> {
            items.iter().filter(|item| item_reads_back(item, separator)).cloned().collect()
        };
        let published = Transactions::from_texts(&transactions.iter().map(fit).collect::<Vec<_>>());
        let (bytes, read) = written(&format!("t.{ending}"), &published, separator).unwrap();
        prop_assert_eq!(&read.transactions, &published);
        prop_assert_eq!((read.repeated, read.empty), (0, published.iter().filter(|t| t.is_empty()).count()));
        prop_assert_eq!(written(&format!("t.{ending}"), &published, separator).unwrap().0, bytes);
    }

    /// Groups are always fit to be written, whatever is in them.
    #[test]
    fn groups_fit_everywhere(members in prop::collection::vec(item(), 2..5), separator in select(vec![' ', ',', ';', '\t'])) {
        prop_assert!(item_reads_back(&render_item(&members), separator));
    }

    /// Every item that the reader of original files lets through can be published alone, in quotes where it needs them.
    #[test]
    fn original_items_can_be_published(line in "[ a\",;()\t]{0,12}", separator in select(vec![' ', ',', ';', '\t'])) {
        let options = BasketOptions { separator, grouped: false };
        if let Ok(read) = read_bytes("t.txt", line + "\n", options) {
            let publish = |items: Vec<&str>| -> Vec<String> {
                items.iter().map(|item| shoal_io::published_item(&[item], Some(separator))).collect()
            };
            let published: Vec<Vec<String>> = texts(&read.transactions).into_iter().map(publish).collect();
            let published = Transactions::from_texts(&published);
            let (_, back) = written("t.txt", &published, separator).unwrap();
            prop_assert_eq!(back.transactions, published);
        }
    }

    #[test]
    fn no_bytes_break_the_reader(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            prop::collection::vec(select(b"a1 ,()\"\n\r\t\xef\xbb\xbf\xc3\xa9".to_vec()), 0..60),
        ],
        separator in select(vec![' ', ',', 'a', '\n', '"', '(', '\u{feff}']),
        grouped in any::<bool>(),
        ending in select(vec!["txt", "txt.gz", "txt.zst"]),
    ) {
        if let Err(error) = read_bytes(&format!("t.{ending}"), &bytes, BasketOptions { separator, grouped }) {
            prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty());
        }
    }
}

/// The public data sets with their documented sizes.
#[test]
#[ignore = "needs SHOAL_DATA"]
fn real_baskets() {
    let data = [
        ("bms_webview/BMS-WebView-1.dat", 59_602, 497, 149_639, 267),
        ("bms_webview/BMS-WebView-2.dat.gz", 77_512, 3_340, 358_278, 161),
        ("retail/retail.dat.gz", 88_162, 16_470, 908_576, 76),
        ("synpuf/synpuf_icd9_per_patient_s01-10.txt.gz", 32_520, 5_178, 442_393, 81),
    ];
    for (name, transactions, items, occurrences, longest) in data {
        let path = shoal_testkit::data::public(name);
        let read = read_baskets(&Source::new(path.to_str().unwrap()), &BLANK, &Silent).unwrap();
        let sizes =
            (read.transactions.len(), read.transactions.items().len(), read.transactions.occurrences());
        assert_eq!(sizes, (transactions, items, occurrences), "{name}");
        assert_eq!(read.transactions.iter().map(<[u32]>::len).max(), Some(longest), "{name}");
        assert_eq!((read.repeated, read.empty), (0, 0), "{name}");
        assert_eq!(read.sha256, sha256_hex(&fs::read(&path).unwrap()));
        let (_, back) = written("t.txt.zst", &read.transactions, ' ').unwrap();
        assert_eq!(back.transactions, read.transactions, "{name}");
    }
}
