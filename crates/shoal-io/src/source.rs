use std::path::{Path, PathBuf};

use crate::csv::CsvOptions;
use crate::encoding::TextEncoding;
use crate::error::ReadError;
use crate::format::{Format, Layout};
use crate::limits::Limits;
use crate::postgres::is_postgres;
use crate::read::{encoding_of, filled_sheets};

/// The name that means standard input (or output).
pub(crate) const STDIN: &str = "-";

/// Where records come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A path, a glob such as `data/part-*.csv`, `-` for standard input, or a database (`postgres://…`).
    pub location: String,
    /// The format of all its files. If it is `None`, the ending of each file's name decides.
    pub format: Option<Format>,
    /// How its CSV files are written; Parquet needs no telling.
    pub csv: CsvOptions,
    /// How its texts are stored; `None` is UTF-8 unless a byte order mark says otherwise.
    pub encoding: Option<TextEncoding>,
    /// The columns whose numbers have decimal commas; they are read as if they had points.
    pub comma_numbers: Vec<String>,
    /// The sheet of an Excel file; `None` is the first that holds anything.
    pub sheet: Option<String>,
    /// What of a database is read; `None` is the only table of a SQLite file, or the table in the address of a server.
    pub query: Option<Query>,
    /// Where the dictionary of its groups would lie, if it is a file of published transactions; see [`read_groups`](crate::read_groups).
    pub groups: Option<PathBuf>,
    /// How much of it is read before it is refused.
    pub limits: Limits,
}

/// Which records of a database are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// All of a table or view.
    Table(String),
    /// The answer to a query.
    Select(String),
}

impl Source {
    /// A source in the format that its name shows; if CSV, with a header line and commas.
    pub fn new(location: impl Into<String>) -> Self {
        Source {
            location: location.into(),
            format: None,
            csv: CsvOptions::default(),
            encoding: None,
            comma_numbers: Vec::new(),
            sheet: None,
            query: None,
            groups: None,
            limits: Limits::default(),
        }
    }

    /// The files that the location names, sorted. A path that exists is itself, even if it looks like a
    /// glob. Files whose names start with a dot, such as those not yet published, match no `*`.
    pub fn files(&self) -> Result<Vec<String>, ReadError> {
        let location = &self.location;
        if location == STDIN
            || is_postgres(location)
            || !location.contains(['*', '?', '['])
            || Path::new(location).exists()
        {
            return Ok(vec![location.clone()]);
        }
        let bad = |why: String| ReadError::BadGlob { pattern: location.clone(), why };
        let options = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        let mut files = Vec::new();
        for found in glob::glob_with(location, options).map_err(|e| bad(e.to_string()))? {
            let path = found.map_err(|error| {
                ReadError::opening(&error.path().to_string_lossy(), error.error().kind().into())
            })?;
            if !path.is_dir() {
                let name = path.to_str().ok_or_else(|| bad(format!("{} is not UTF-8", path.display())))?;
                files.push(name.to_owned());
            }
        }
        if files.is_empty() {
            return Err(ReadError::NoMatch { pattern: location.clone() });
        }
        files.sort_unstable();
        Ok(files)
    }

    /// What a person should know about how its files are read. Looks at the first of them only.
    pub fn notes(&self) -> Result<Vec<String>, ReadError> {
        let mut notes = Vec::new();
        if is_postgres(&self.location) {
            return Ok(notes);
        }
        let first = &self.files()?[0];
        if first != STDIN && self.format_of(first).layout.is_text() {
            let encoding = encoding_of(self, first)?.map(TextEncoding::label);
            notes.extend(
                encoding.map(|label| format!("the text is read as {label}; what is published is UTF-8")),
            );
        }
        if !self.comma_numbers.is_empty() {
            notes.push("numbers are read with a decimal comma and published with a decimal point".to_owned());
        }
        if first != STDIN && self.format_of(first).layout == Layout::Excel && self.sheet.is_none() {
            let sheets = filled_sheets(self, first)?;
            if sheets.len() > 1 {
                let others: Vec<String> = sheets[1..].iter().map(|name| format!("`{name}`")).collect();
                notes.push(format!(
                    "only the first sheet, `{}`, is read; another one is chosen by  sheet = \"…\"  in [data]: {}",
                    sheets[0],
                    others.join(", ")
                ));
            }
        }
        Ok(notes)
    }

    /// The format of one of its files.
    pub(crate) fn format_of(&self, file: &str) -> Format {
        self.format.unwrap_or_else(|| Format::of(file))
    }
}
