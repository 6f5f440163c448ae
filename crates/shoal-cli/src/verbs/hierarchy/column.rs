//! One column of a data file, read for its values only.

use shoal_core::{MissingTexts, Progress, RawColumn};
use shoal_io::{CsvOptions, Source};

use crate::failure::Failure;
use crate::verbs::Opened;

/// The values of a column and what the policy, if there is one, says about them.
pub(super) struct Values {
    pub column: RawColumn,
    pub files: Vec<String>,
    pub missing: Vec<String>,
    pub format: Option<String>,
}

/// Where the values are.
pub(super) enum From<'a> {
    Data(&'a str),
    Policy(&'a std::path::Path),
}

impl Values {
    pub(super) fn read(from: &From<'_>, column: &str, progress: &dyn Progress) -> Result<Values, Failure> {
        let (source, missing, format) = match from {
            From::Data(location) => (sniffed(location)?, vec![String::new(), "?".to_owned()], None),
            From::Policy(path) => {
                let opened = Opened::open(path, &[])?;
                let policy = opened.job.policy();
                let format = policy.columns.get(column).and_then(|spec| spec.format.clone());
                (opened.job.source().map_err(|e| opened.blame(e))?, policy.data.missing.clone(), format)
            }
        };
        let read = shoal_io::read_table(&source, &|name| name == column, progress)?;
        let files = read.table.files;
        match read.table.columns.into_iter().next() {
            Some(column) => Ok(Values { column, files, missing, format }),
            None => Err(Failure::NoColumn {
                file: source.location,
                column: column.to_owned(),
                header: read.header,
            }),
        }
    }

    /// Whether a text of the column means "no value".
    pub(super) fn means_nothing(&self, code: u32) -> bool {
        MissingTexts::new(&self.missing).has_code(&self.column, code)
    }

    /// Where a text occurs first: `adult.csv:17`.
    pub(super) fn first_place(&self, code: u32) -> String {
        let place = self.column.first_seen[code as usize];
        let file = self.files.get(place.file as usize).map_or("", String::as_str);
        match place.line {
            Some(line) => format!("{file}:{line}"),
            None => format!("{file}, record {}", place.row),
        }
    }
}

/// A file of which nothing is known but its name. Standard input cannot be looked at twice, so it is read
/// as plain CSV.
fn sniffed(location: &str) -> Result<Source, Failure> {
    let mut source = Source::new(location);
    if location != "-"
        && let Some(separator) = shoal_io::sniff_separator(location)?
    {
        source.csv = CsvOptions { separator, ..source.csv };
    }
    Ok(source)
}
