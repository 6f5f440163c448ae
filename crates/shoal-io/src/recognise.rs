//! What a file is by its first bytes, where its name says something else.

use crate::error::ReadError;
use crate::format::{Compression, Format, Layout};

/// What the first bytes of a file tell.
struct Known {
    magic: &'static [u8],
    /// Where the magic stands.
    offset: usize,
    is: &'static str,
    /// The layout or packing that we read, if we do.
    as_what: As,
    /// What to do about it.
    hint: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum As {
    Layout(Layout),
    Packing(Compression),
    /// Not read at all.
    Other,
    /// A ZIP archive, which is several formats by what is in it.
    Zip,
}

const fn other(magic: &'static [u8], is: &'static str, hint: &'static str) -> Known {
    Known { magic, offset: 0, is, as_what: As::Other, hint }
}

const EXPORT: &str = "open it in the program that made it and export it as CSV, Parquet or .xlsx";
const OLD_EXCEL: &str = "open it in Excel or LibreOffice and save it as .xlsx or CSV";

const UNPACK: &str = "unpack it, and name a file that was in it";
const SPSS_EXPORT: &str =
    "in SPSS: File, Export, CSV; in R: haven::read_sav, then write.csv; in Python: pandas.read_spss";
const STATA_EXPORT: &str = "in Stata: export delimited using people.csv; in Python: pandas.read_stata";
const SAS_EXPORT: &str = "in SAS: proc export … dbms=csv; in Python: pandas.read_sas";
const RDS_EXPORT: &str = "in R: write.csv(readRDS(path), \"people.csv\", row.names = FALSE)";
const RDATA_EXPORT: &str = "in R: load(path), then write.csv(data, \"people.csv\", row.names = FALSE)";

const KNOWN: [Known; 25] = [
    Known {
        magic: b"PAR1",
        offset: 0,
        is: "a Parquet file",
        as_what: As::Layout(Layout::Parquet),
        hint: "let its name end in .parquet",
    },
    Known {
        magic: b"ARROW1",
        offset: 0,
        is: "an Arrow file",
        as_what: As::Layout(Layout::Arrow),
        hint: "let its name end in .arrow",
    },
    Known {
        magic: b"SQLite format 3\0",
        offset: 0,
        is: "a SQLite database",
        as_what: As::Layout(Layout::Sqlite),
        hint: "let its name end in .db",
    },
    Known {
        magic: b"\x1f\x8b",
        offset: 0,
        is: "packed by gzip",
        as_what: As::Packing(Compression::Gzip),
        hint: "let its name end in .gz, e.g. people.csv.gz",
    },
    Known {
        magic: b"\x28\xb5\x2f\xfd",
        offset: 0,
        is: "packed by Zstandard",
        as_what: As::Packing(Compression::Zstd),
        hint: "let its name end in .zst, e.g. people.csv.zst",
    },
    Known { magic: b"PK\x03\x04", offset: 0, is: "a ZIP archive", as_what: As::Zip, hint: UNPACK },
    Known {
        magic: b"PK\x05\x06",
        offset: 0,
        is: "an empty ZIP archive",
        as_what: As::Other,
        hint: "ask for the file again",
    },
    other(
        b"FEA1",
        "a Feather file of version 1",
        "write it again with version 2, e.g. pyarrow.feather.write_feather(table, path)",
    ),
    other(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Excel file (.xls), or another file of old Office",
        OLD_EXCEL,
    ),
    other(b"%PDF-", "a PDF document", "ask for the data itself: a table in a PDF cannot be read reliably"),
    other(b"$FL2", "an SPSS file (.sav)", SPSS_EXPORT),
    other(b"$FL3", "an SPSS file (.zsav)", SPSS_EXPORT),
    other(b"<stata_dta>", "a Stata file (.dta)", STATA_EXPORT),
    other(
        b"\x89HDF\r\n\x1a\n",
        "an HDF5 file",
        "in Python: pandas.read_hdf(path).to_parquet(\"people.parquet\")",
    ),
    other(
        b"Obj\x01",
        "an Avro file",
        "in Python: fastavro or polars.read_avro(path).write_parquet(\"people.parquet\")",
    ),
    other(b"ORC", "an ORC file", "in Python: pandas.read_orc(path).to_parquet(\"people.parquet\")"),
    other(b"RDX2", "a file of R (.RData)", RDATA_EXPORT),
    other(b"RDX3", "a file of R (.RData)", RDATA_EXPORT),
    other(b"X\n\0\0\0", "a file of R (.rds)", RDS_EXPORT),
    other(b"BZh", "packed by bzip2", "unpack it: bunzip2 file.bz2"),
    other(b"\xfd7zXZ\0", "packed by xz", "unpack it: unxz file.xz"),
    other(b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
    other(b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    other(b"HEADER RECORD*******LIBRARY HEADER", "a SAS transport file (.xpt)", SAS_EXPORT),
    Known {
        magic: b"ustar",
        offset: 257,
        is: "a tar archive",
        as_what: As::Other,
        hint: "unpack it: tar -xf file.tar, and name a file that was in it",
    },
];

/// Formats that cannot be told by their first bytes: older versions, or packed by gzip without saying so in their names.
const NAMED: [(&[&str], &str, &str); 4] = [
    (&[".rds"], "a file of R (.rds)", RDS_EXPORT),
    (&[".rda", ".rdata"], "a file of R (.RData)", RDATA_EXPORT),
    (&[".dta"], "a Stata file (.dta)", STATA_EXPORT),
    (&[".por", ".sav", ".zsav"], "an SPSS file", SPSS_EXPORT),
];

/// SAS7BDAT begins with 12 zeros and this.
const SAS: &[u8] = b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11";

/// Refuses a file whose bytes are of another format than its name says. `head` is what is inside the packing.
pub(crate) fn check(file: &str, format: Format, head: &[u8]) -> Result<(), ReadError> {
    let refuse = |is: &'static str, hint: &'static str| {
        Err(ReadError::OtherFormat { file: file.to_owned(), is, hint })
    };
    if head.get(12..32) == Some(SAS) {
        return refuse("a SAS file (.sas7bdat)", SAS_EXPORT);
    }
    let is = |known: &&Known| head.get(known.offset..).is_some_and(|rest| rest.starts_with(known.magic));
    match KNOWN.iter().find(is) {
        // A column may be called `ORC` or `PAR1`.
        Some(known) if known.magic.is_ascii() && format.layout.is_text() && is_plain_text(head) => Ok(()),
        Some(known) => match known.as_what {
            As::Layout(layout) if layout == format.layout => Ok(()),
            As::Zip => match zipped(head) {
                (As::Layout(layout), ..) if layout == format.layout => Ok(()),
                // What is in the archive may stand behind the bytes at hand; the reader finds out.
                (As::Zip, ..) if format.layout == Layout::Excel => Ok(()),
                (_, is, hint) => refuse(is, hint),
            },
            As::Packing(_) => {
                let (is, hint) = named(file).unwrap_or((known.is, known.hint));
                refuse(is, hint)
            }
            As::Layout(_) | As::Other => refuse(known.is, known.hint),
        },
        None if !is_plain_text(head) && named(file).is_some() => {
            named(file).map_or(Ok(()), |(is, hint)| refuse(is, hint))
        }
        None if head.is_empty() || format.layout.is_text() => {
            match starts_html(head) && format.layout.is_text() {
                true => refuse(
                    "a web page (HTML)",
                    "save the data itself, e.g. as CSV; a download may have given an error page",
                ),
                false => Ok(()),
            }
        }
        None => misnamed(format, head).map_or(Ok(()), |(is, hint)| refuse(is, hint)),
    }
}

/// What the bytes of a file are whose name says that it is packed, where they are not: `None` where nobody can tell.
pub(crate) fn instead_of_packed(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let is = |known: &&Known| head.get(known.offset..).is_some_and(|rest| rest.starts_with(known.magic));
    match KNOWN.iter().find(is).filter(|known| !known.magic.is_ascii() || !is_plain_text(head)) {
        Some(known) if known.as_what == As::Zip => {
            let (_, is, hint) = zipped(head);
            Some((is, hint))
        }
        Some(known) => Some((known.is, known.hint)),
        None if is_plain_text(head) => {
            let hint = "rename it without the ending that says that it is packed, e.g. people.csv";
            Some(("plain text", hint))
        }
        None => None,
    }
}

/// What the name of a file says that it is.
fn named(file: &str) -> Option<(&'static str, &'static str)> {
    let file = file.to_ascii_lowercase();
    let is = |(endings, ..): &&(&[&str], _, _)| endings.iter().any(|ending| file.ends_with(ending));
    NAMED.iter().find(is).map(|&(_, is, hint)| (is, hint))
}

/// What a ZIP archive is, by the names of its first parts.
fn zipped(head: &[u8]) -> (As, &'static str, &'static str) {
    let holds = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    if holds(b"xl/") {
        return (As::Layout(Layout::Excel), "an Excel workbook", "let its name end in .xlsx");
    }
    if holds(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet") {
        return (As::Other, "an OpenDocument sheet (.ods)", OLD_EXCEL);
    }
    if holds(b"mimetypeapplication/vnd.oasis") || holds(b"word/") || holds(b"ppt/") {
        return (As::Other, "an office document, not a sheet", EXPORT);
    }
    (As::Zip, "a ZIP archive", UNPACK)
}

/// A text whose name says that it is none.
fn misnamed(format: Format, head: &[u8]) -> Option<(&'static str, &'static str)> {
    if starts_html(head) {
        return Some((
            "a web page (HTML)",
            "some programs call it .xls: open it in Excel and save it as .xlsx or CSV",
        ));
    }
    // A stream of Arrow has no magic.
    let has_magic = matches!(format.layout, Layout::Parquet | Layout::Excel | Layout::Sqlite);
    (has_magic && is_plain_text(head)).then_some(("plain text", "let its name end in .csv, .tsv or .json"))
}

fn starts_html(head: &[u8]) -> bool {
    let start: Vec<u8> = head.iter().take(256).map(u8::to_ascii_lowercase).collect();
    let start = start.trim_ascii_start();
    start.starts_with(b"<!doctype html") || start.starts_with(b"<html") || start.starts_with(b"<table")
}

/// Whether there is nothing but letters, figures, signs, blanks and line ends.
fn is_plain_text(head: &[u8]) -> bool {
    !head.iter().any(|byte| matches!(byte, 0..9 | 11 | 12 | 14..32 | 0x7f))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, head: &[u8]) -> Option<String> {
        check(name, Format::of(name), head).err().map(|error| error.to_string())
    }

    #[test]
    fn each_format_is_named_as_what_it_is() {
        let mut sas = vec![0; 12];
        sas.extend(SAS);
        let mut tar = vec![b'x'; 300];
        tar[257..262].copy_from_slice(b"ustar");
        tar[0] = 0;
        for (bytes, is) in [
            (&b"%PDF-1.7\n%\xe2\xe3\0"[..], "a PDF document"),
            (b"PAR1\x15\x04", "a Parquet file"),
            (b"\x1f\x8b\x08\0", "packed by gzip"),
            (b"\x28\xb5\x2f\xfd\x04", "packed by Zstandard"),
            (b"PK\x03\x04\x14\0\0\0xl/workbook.xml", "an Excel workbook"),
            (b"PK\x03\x04\x14\0\0\0people.csv", "a ZIP archive"),
            (
                b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK",
                "an OpenDocument sheet (.ods)",
            ),
            (
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0",
                "an old Excel file (.xls), or another file of old Office",
            ),
            (b"SQLite format 3\0\x10", "a SQLite database"),
            (b"$FL2@(#)\0", "an SPSS file (.sav)"),
            (b"<stata_dta><header>\0", "a Stata file (.dta)"),
            (b"\x89HDF\r\n\x1a\n\0", "an HDF5 file"),
            (b"Obj\x01\x04", "an Avro file"),
            (b"ORC\x0a\0", "an ORC file"),
            (b"RDX3\nX\n\0", "a file of R (.RData)"),
            (b"<!DOCTYPE html><html>", "a web page (HTML)"),
            (b"Rar!\x1a\x07\x01\0", "a RAR archive"),
            (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!0\0", "a SAS transport file (.xpt)"),
            (&sas, "a SAS file (.sas7bdat)"),
            (&tar, "a tar archive"),
        ] {
            assert_eq!(said("t.csv", bytes).as_deref(), Some(&*format!("t.csv: this is {is}")));
        }
    }

    #[test]
    fn what_fits_its_name_is_let_through() {
        for (name, bytes) in [
            ("t.parquet", &b"PAR1\x15"[..]),
            ("t.xlsx", b"PK\x03\x04\x14\0\0\0xl/workbook.xml"),
            ("t.xlsx", b"PK\x03\x04\x14\0\0\0[Content_Types].xml"),
            ("t.arrow", b"ARROW1\0\0"),
            ("t.arrow", b"\xff\xff\xff\xff\x10\0\0\0"),
            ("t.db", b"SQLite format 3\0"),
            ("t.csv", b"ORC,age\n1,2\n"),
            ("t.csv", b"BZh\n1\n"),
            ("t.csv", b"PAR1,age\n1,2\n"),
            ("t.csv", b""),
            ("t.json", b"[{}]"),
        ] {
            assert_eq!(said(name, bytes), None, "{name}");
        }
        for (name, bytes, is) in [
            ("t.RDS", &b"\x1f\x8b\x08\0"[..], "a file of R (.rds)"),
            ("t.RData", b"\x1f\x8b\x08\0", "a file of R (.RData)"),
            ("t.dta", b"\x73\x02\x01\0", "a Stata file (.dta)"),
        ] {
            assert_eq!(said(name, bytes).as_deref(), Some(&*format!("{name}: this is {is}")));
        }
        assert_eq!(said("t.dta", b"a,b\n1,2\n"), None, "a text is a text");
        assert_eq!(said("t.xlsx", b"a;b\n1;2\n").as_deref(), Some("t.xlsx: this is plain text"));
        assert_eq!(said("t.xls", b"<html><table>").as_deref(), Some("t.xls: this is a web page (HTML)"));
    }
}
