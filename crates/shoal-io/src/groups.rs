//! The dictionary of groups beside published transactions: `FILE.groups.csv`, a row per group with its number and its members.

use std::io::Write;
use std::path::{Path, PathBuf};

use shoal_core::{Groups, Place, Progress, RawColumnBuilder, RawTable, Silent};

use crate::csv::{self, CsvOptions};
use crate::digest::sha256_hex;
use crate::encoding::TextEncoding;
use crate::error::{NotADictionary, ReadError, WriteError};
use crate::format::{Compression, Format, Layout};
use crate::limits::Limits;
use crate::read::read_table;
use crate::source::Source;
use crate::write::PendingFile;

/// The columns of a dictionary.
const COLUMNS: [&str; 2] = ["number", "members"];

/// Where the dictionary of a published file lies. The whole name of the file is a part of it, so that two releases never share one.
pub fn groups_beside(published: &Path) -> PathBuf {
    let mut name = published.file_name().unwrap_or_default().to_owned();
    name.push(".groups.csv");
    published.with_file_name(name)
}

/// A dictionary, read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadGroups {
    /// The groups.
    pub groups: Groups,
    /// The SHA-256 of its bytes in lower-case hex.
    pub sha256: String,
}

/// Reads the dictionary of a source; none where it has none. There is one way to write a dictionary down, and any other is an error: a byte
/// that is not needed can say something that nobody has checked.
pub fn read_groups(source: &Source, progress: &dyn Progress) -> Result<Option<ReadGroups>, ReadError> {
    let Some(location) = source.groups.as_ref().filter(|path| path.exists()) else { return Ok(None) };
    let location = location.to_string_lossy().into_owned();
    // A group can be all items of the data.
    let longest = Limits::ITEM_LIST as usize;
    let file = Source {
        format: Some(Format { layout: Layout::Csv, compression: Compression::None }),
        csv: CsvOptions { trim: false, ..CsvOptions::default() },
        encoding: Some(TextEncoding::UTF_8),
        limits: Limits { line: longest, value: longest, ..source.limits },
        ..Source::new(location.clone())
    };
    let read = read_table(&file, &|_| true, progress)?;
    let broken = |problem| ReadError::Groups { file: location.clone(), problem };
    let [numbers, members] = &read.table.columns[..] else {
        return Err(broken(NotADictionary::Columns));
    };
    if [&numbers.name, &members.name] != COLUMNS {
        return Err(broken(NotADictionary::Columns));
    }
    let rows = (0..read.table.rows).map(|row| (numbers.text(row), members.text(row)));
    let groups = Groups::from_rows(rows).map_err(|problem| broken(problem.into()))?;
    if sha256_hex(&bytes(&groups)) != read.sha256 {
        return Err(broken(NotADictionary::Bytes));
    }
    Ok(Some(ReadGroups { groups, sha256: read.sha256 }))
}

/// Writes a dictionary.
pub fn write_groups(out: &mut PendingFile, groups: &Groups) -> Result<(), WriteError> {
    let path = out.target().to_owned();
    out.write_all(&bytes(groups)).map_err(|source| WriteError::io(&path, "write", source))
}

/// How many bytes the dictionary of these groups has.
pub fn groups_size(groups: &Groups) -> usize {
    bytes(groups).len()
}

/// The one way in which a dictionary is written down.
fn bytes(groups: &Groups) -> Vec<u8> {
    let [mut numbers, mut members] = COLUMNS.map(|name| RawColumnBuilder::new(name.to_owned()));
    for (number, text) in (1_u32..).zip(groups.iter()) {
        numbers.push(&number.to_string(), Place::default());
        members.push(text, Place::default());
    }
    let columns = vec![numbers.finish(), members.finish()];
    let table = RawTable { columns, rows: groups.len(), files: Vec::new() };
    let mut bytes = Vec::new();
    csv::write(&table, b',', &mut bytes, &Silent).expect("memory can be written to");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Option<ReadGroups>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.dat.groups.csv");
        std::fs::write(&path, text).unwrap();
        let source = Source { groups: Some(path), ..Source::new("out.dat") };
        read_groups(&source, &Silent).map_err(|error| {
            let text = error.to_string();
            text.rsplit_once("groups.csv: ").map_or(text.clone(), |(_, problem)| problem.to_owned())
        })
    }

    #[test]
    fn every_name_has_a_dictionary_of_its_own() {
        for (file, groups) in [
            ("out.csv", "out.csv.groups.csv"),
            ("a/out.dat.gz", "a/out.dat.gz.groups.csv"),
            ("/b/out", "/b/out.groups.csv"),
        ] {
            assert_eq!(groups_beside(Path::new(file)), Path::new(groups));
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let names = ["\"", "#1", "(1,)", "1", "a\nb", "a,b", "a;b", "a|b", "é", "\u{feff}x"];
        let mut members: Vec<String> = names.map(str::to_owned).to_vec();
        // In natural order numbers stand first.
        members.sort_by_key(|name| (name.parse::<i64>().is_err(), name.clone()));
        let groups = Groups::new(vec![members, vec!["z\r\n".to_owned(), "zz ".to_owned()]]);
        let written = bytes(&groups);
        assert_eq!(groups_size(&groups), written.len());
        let found = read(&written).unwrap().unwrap();
        assert_eq!((found.groups, found.sha256), (groups, sha256_hex(&written)));
        assert_eq!(
            String::from_utf8(bytes(&Groups::new(vec![vec!["a", "b"], vec!["c,d", "e"]]))).unwrap(),
            "number,members\n1,\"(a,b)\"\n2,\"(\"\"c,d\"\",e)\"\n"
        );
    }

    #[test]
    fn where_there_is_no_file_there_is_no_dictionary() {
        assert_eq!(read_groups(&Source::new("out.dat"), &Silent).unwrap(), None);
        let nowhere = Source { groups: Some("/nowhere/out.dat.groups.csv".into()), ..Source::new("out.dat") };
        assert_eq!(read_groups(&nowhere, &Silent).unwrap(), None);
    }

    #[test]
    fn a_dictionary_is_written_in_one_way() {
        assert!(read(b"number,members\n1,\"(a,b)\"\n2,\"(c,d)\"\n").is_ok());
        let columns = "its columns are not `number` and `members`";
        let bytes = "it is not written as dictionaries are: a byte order mark, other line ends or quotes that nothing needs could mark it";
        for (text, problem) in [
            (&b"number,members,note\n1,\"(a,b)\",x\n"[..], columns),
            (b"number,group\n1,\"(a,b)\"\n", columns),
            (b"members,number\n\"(a,b)\",1\n", columns),
            (b"number,members\n", "it has no groups"),
            (b"number,members\n2,\"(a,b)\"\n", "row 1 has the number `2` where 1 is due"),
            (b"number,members\n1,a\n", "`a` in row 1 is not a group as `(a,b)` is one"),
            (b"number,members\n\"1\",\"(a,b)\"\n", bytes),
            (b"number,members\r\n1,\"(a,b)\"\r\n", bytes),
            (b"number,members\n1,\"(a,b)\"", bytes),
            (b"number,members\n\n1,\"(a,b)\"\n", bytes),
            (b"\xef\xbb\xbfnumber,members\n1,\"(a,b)\"\n", bytes),
        ] {
            assert_eq!(read(text).unwrap_err(), problem, "{}", String::from_utf8_lossy(text));
        }
    }
}
