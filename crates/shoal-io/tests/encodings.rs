//! Texts that are not UTF-8: decoded where a mark or somebody says how, otherwise named with their place and a proposal.

mod common;

use common::{Folder, read, rows};
use proptest::prelude::*;
use shoal_core::Silent;
use shoal_io::{
    BasketOptions, ReadError, Source, TextEncoding, read_baskets, sample, sha256_hex, sniff_encoding,
    sniff_separator,
};

const TEXT: &str = "name;city\r\nMüller;Köln\r\nGarçon;Besançon\r\n";

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

/// The text with one byte a character.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

fn source(folder: &Folder, name: &str, encoding: Option<&str>) -> Source {
    let mut source = folder.source(name);
    source.csv.separator = b';';
    source.encoding = encoding.map(|label| TextEncoding::of_label(label).unwrap());
    source
}

#[test]
fn marked_and_named_encodings_give_the_same_records() {
    let folder = Folder::new();
    let marked = format!("\u{feff}{TEXT}");
    let expected = [["Müller", "Köln"], ["Garçon", "Besançon"]];
    for (bytes, encoding) in [
        (TEXT.as_bytes().to_vec(), None),
        (marked.as_bytes().to_vec(), None),
        (utf16(&marked, u16::to_le_bytes), None),
        (utf16(&marked, u16::to_be_bytes), None),
        (utf16(&marked, u16::to_be_bytes), Some("utf-16")),
        (utf16(TEXT, u16::to_le_bytes), Some("UTF-16")),
        (latin1(TEXT), Some("latin1")),
        (latin1(TEXT), Some("windows-1252")),
    ] {
        folder.put("t.csv", &bytes);
        let source = source(&folder, "t.csv", encoding);
        let found = read(&source).unwrap();
        assert_eq!(rows(&found.table), expected);
        // What was stored is what is hashed.
        assert_eq!(found.sha256, sha256_hex(&bytes));
        assert_eq!(found.bytes, bytes.len() as u64);
        assert_eq!(sample(&source, 1, &Silent).unwrap().rows, 1);
        assert_eq!(sniff_separator(&source.location).unwrap(), Some(b';'));
    }
}

#[test]
fn what_is_not_utf8_is_placed_and_its_encoding_proposed() {
    let folder = Folder::new();
    folder.put("t.csv", latin1(TEXT));
    let error = read(&source(&folder, "t.csv", None)).unwrap_err();
    assert!(error.to_string().ends_with("line 2, column name: not UTF-8 (byte 12 of the text)"), "{error}");
    assert!(error.hint().contains("encoding = \"windows-1252\""), "{}", error.hint());
    let found = sniff_encoding(&folder.source("t.csv").location).unwrap().unwrap();
    assert_eq!(found.encoding.label(), "windows-1252");
    assert_eq!(found.because, "line 2 is not UTF-8, and reads `Müller` so");

    folder.put("t.csv", utf16(TEXT, u16::to_be_bytes));
    let error = read(&source(&folder, "t.csv", None)).unwrap_err();
    assert!(matches!(error, ReadError::Unmarked { .. }), "{error}");
    assert!(error.hint().contains("encoding = \"utf-16be\""), "{}", error.hint());

    folder.put("t.csv", "name;city\nM\u{fc}ller;K\u{f6}ln\n");
    assert_eq!(sniff_encoding(&folder.source("t.csv").location).unwrap(), None);
}

#[test]
fn a_wrong_byte_in_a_named_encoding_has_a_line() {
    let folder = Folder::new();
    let mut bytes = utf16("a;b\n1;2\n", u16::to_le_bytes);
    bytes.extend([0x00, 0xdc]);
    folder.put("t.csv", bytes);
    let error = read(&source(&folder, "t.csv", Some("utf-16"))).unwrap_err();
    assert!(error.to_string().ends_with("line 3: not utf-16le (byte 16 of the text)"), "{error}");
}

#[test]
fn baskets_are_decoded_as_tables_are() {
    let folder = Folder::new();
    folder.put("t.txt", utf16("\u{feff}Bär Öl\nÖl\n", u16::to_le_bytes));
    let read = read_baskets(&folder.source("t.txt"), &BasketOptions::default(), &Silent).unwrap();
    assert_eq!(read.transactions.items().iter().collect::<Vec<_>>(), ["Bär", "Öl"]);
    folder.put("t.txt", b"B\xe4r \xd6l\n");
    let error = read_baskets(&folder.source("t.txt"), &BasketOptions::default(), &Silent).unwrap_err();
    assert!(error.hint().contains("windows-1252"), "{error}");
}

#[test]
fn published_files_are_utf8_whatever_they_begin_with() {
    let folder = Folder::new();
    folder.put("t.csv", utf16(&format!("\u{feff}{TEXT}"), u16::to_le_bytes));
    let error = read(&source(&folder, "t.csv", Some("utf-8"))).unwrap_err();
    assert!(matches!(error, ReadError::InvalidUtf8 { .. }), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_in_any_encoding_are_a_table_or_an_error(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        label in prop::sample::select(vec!["utf-8", "utf-16le", "utf-16be", "latin1", "shift_jis", "gb18030", "iso-2022-jp", "euc-kr"]),
    ) {
        let folder = Folder::new();
        folder.put("t.csv", &bytes);
        let _ = read(&source(&folder, "t.csv", Some(label)));
        let _ = read(&source(&folder, "t.csv", None));
        let _ = sniff_encoding(&folder.source("t.csv").location);
    }

    #[test]
    fn any_text_survives_utf16(text in "\\PC{0,200}") {
        let folder = Folder::new();
        let text = format!("\"{}\"\n", text.replace('"', "\"\""));
        folder.put("plain.csv", format!("x\n{text}"));
        folder.put("wide.csv", utf16(&format!("\u{feff}x\n{text}"), u16::to_le_bytes));
        let plain = read(&source(&folder, "plain.csv", None)).unwrap().table;
        let wide = read(&source(&folder, "wide.csv", None)).unwrap().table;
        prop_assert_eq!(rows(&plain), rows(&wide));
    }
}
