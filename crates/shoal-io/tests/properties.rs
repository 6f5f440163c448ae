//! What is written is read back the same; what is read never breaks the reader.

mod common;

use std::io::Write;

use common::{Folder, cells, names, read, round_trip, rows, written};
use proptest::prelude::*;
use proptest::sample::select;
use shoal_core::{Place, RawColumnBuilder, RawTable};
use shoal_io::{ColumnForm, CsvOptions, Source, WriteOptions, separator_of};

/// Cells that try to be mistaken for something else.
fn cell() -> impl Strategy<Value = String> {
    let awkward = select(vec![
        "", " ", "\"", "\"\"", ",", ";", "\t", "\n", "\r\n", "\r", " a ", "\u{feff}", "1", "-1", "007",
        "1.5", "1e3", "true", "NaN", "[25, 40]", "{a, b}", "*", "é", "\u{a0}x", "NULL",
    ]);
    prop_oneof![awkward.prop_map(str::to_owned), "\\PC{0,6}", "[ a\",;\t\r\n]{0,5}"]
}

fn table() -> impl Strategy<Value = (Vec<String>, Vec<Vec<Option<String>>>)> {
    (1usize..5).prop_flat_map(|columns| {
        let names = prop::collection::vec(cell(), columns)
            .prop_filter("names differ", |names| (1..names.len()).all(|i| !names[..i].contains(&names[i])));
        let value = prop::option::weighted(0.9, cell());
        (names, prop::collection::vec(prop::collection::vec(value, columns), 0..8))
    })
}

fn raw(names: &[String], rows: &[Vec<Option<String>>]) -> RawTable {
    let column = |(number, name): (usize, &String)| {
        let mut builder = RawColumnBuilder::new(name.clone());
        for row in rows {
            match &row[number] {
                Some(text) => builder.push(text, Place::default()),
                None => builder.push_null(Place::default()),
            }
        }
        builder.finish()
    };
    RawTable { columns: names.iter().enumerate().map(column).collect(), rows: rows.len(), files: vec![] }
}

/// Bytes that look like CSV often enough to reach deep into its reader.
fn almost_csv() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        &b"a"[..],
        b",",
        b"\"",
        b"\n",
        b"\r",
        b"\r\n",
        b" ",
        b"\xef\xbb\xbf",
        b"\xc3",
        b"\xa9",
        b"\xff",
        b"\0",
        b";",
    ]);
    prop_oneof![
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat()),
        prop::collection::vec(any::<u8>(), 0..200),
    ]
}

/// Three fields a line in all the ways in which they may be written.
fn grid() -> impl Strategy<Value = String> {
    let field = select(vec![
        "",
        "a",
        " b ",
        "5\" pipe",
        "\"\"",
        "\"c\"",
        "\"x,y\"",
        "\"two\r\nlines\"",
        "\"say \"\"so\"\"\"",
        "ü",
        "\"ü\n\"",
    ]);
    let end = select(vec!["\n", "\r\n", "\r", "\n\n"]);
    let line = (prop::array::uniform3(field), end).prop_map(|(fields, end)| fields.join(",") + end);
    prop::collection::vec(line, 1..8).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn csv_comes_back_the_same((names_in, cells_in) in table(), separator in select(vec![b',', b';', b'\t', b'|', b' ']),
                               ending in select(vec!["csv", "csv.gz", "csv.zst"])) {
        let table = raw(&names_in, &cells_in);
        let options = WriteOptions { separator, ..WriteOptions::default() };
        let back = round_trip(&format!("t.{ending}"), &table, &options);
        // A name that is empty becomes one after its place.
        let named = |(at, name): (usize, &String)| if name.is_empty() { format!("column{}", at + 1) } else { name.clone() };
        let expected: Vec<String> = names_in.iter().enumerate().map(named).collect();
        prop_assert_eq!(names(&back), expected);
        prop_assert_eq!(rows(&back), rows(&table));
    }

    #[test]
    fn parquet_comes_back_the_same((names_in, cells_in) in table(), typed in any::<bool>()) {
        let table = raw(&names_in, &cells_in);
        let form = if typed { ColumnForm::Typed } else { ColumnForm::Text };
        let options = WriteOptions { columns: vec![form; names_in.len()], ..WriteOptions::default() };
        let back = round_trip("t.parquet", &table, &options);
        prop_assert_eq!(names(&back), names(&table));
        prop_assert_eq!(cells(&back), cells(&table));
    }

    #[test]
    fn the_same_table_gives_the_same_bytes((names_in, cells_in) in table()) {
        let table = raw(&names_in, &cells_in);
        for ending in ["csv", "csv.gz", "csv.zst", "parquet"] {
            let bytes = || written(&format!("t.{ending}"), &table, &WriteOptions::default());
            prop_assert_eq!(bytes(), bytes());
        }
    }

    /// The `csv` crate, which knows no blanks around quotes, is the oracle.
    #[test]
    fn another_reader_reads_the_same(text in grid()) {
        let folder = Folder::new();
        folder.put("t.csv", &text);
        let csv = CsvOptions { trim: false, ..CsvOptions::default() }.without_header(["x", "y", "z"]);
        let ours = read(&Source { csv, ..folder.source("t.csv") }).unwrap();
        let mut other = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let theirs: Vec<Vec<String>> = other.deserialize().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(rows(&ours.table), theirs);
    }

    #[test]
    fn no_bytes_break_the_csv_reader(bytes in almost_csv(), header in any::<bool>(), trim in any::<bool>(),
                                     separator in select(vec![b',', b' ', b'a', b'\0'])) {
        let folder = Folder::new();
        folder.put("t.csv", &bytes);
        let names = vec!["x".to_owned(), "y".to_owned()];
        let source = Source { csv: CsvOptions { separator, header, names, trim }, ..folder.source("t.csv") };
        if let Err(error) = read(&source) {
            prop_assert!(!error.to_string().is_empty() && !error.hint().is_empty());
        }
        separator_of(&bytes);
    }

    #[test]
    fn no_bytes_break_the_unpackers(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in any::<prop::sample::Index>(),
                                    ending in select(vec!["gz", "zst"])) {
        let mut packed = match ending {
            "gz" => {
                let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                gz.write_all(&bytes).unwrap();
                gz.finish().unwrap()
            }
            _ => zstd::encode_all(&bytes[..], 1).unwrap(),
        };
        let at = cut.index(packed.len());
        packed[at] ^= 0x55;
        let folder = Folder::new();
        folder.put(&format!("t.csv.{ending}"), packed);
        let _ = read(&folder.source(&format!("t.csv.{ending}")));
    }

    #[test]
    fn no_bytes_break_the_parquet_reader(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = Folder::new();
        let mut framed = b"PAR1".to_vec();
        framed.extend(&bytes);
        framed.extend((bytes.len() as u32).to_le_bytes());
        framed.extend(b"PAR1");
        for bytes in [bytes, framed] {
            folder.put("t.parquet", bytes);
            prop_assert!(read(&folder.source("t.parquet")).is_err());
        }
    }

    /// A file that is almost right reaches deeper than noise does.
    #[test]
    fn no_damage_breaks_the_parquet_reader(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let cells: Vec<Vec<Option<String>>> =
            (0..50).map(|i| vec![Some(format!("{}", i % 7)), (i % 3 > 0).then(|| format!("v{i}"))]).collect();
        let table = raw(&["a".to_owned(), "b".to_owned()], &cells);
        let options = WriteOptions { columns: vec![ColumnForm::Typed; 2], ..WriteOptions::default() };
        let mut bytes = written("t.parquet", &table, &options);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let folder = Folder::new();
        folder.put("t.parquet", bytes);
        if let Err(error) = read(&folder.source("t.parquet")) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
