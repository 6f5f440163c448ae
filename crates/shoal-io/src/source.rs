use std::path::Path;

use crate::csv::CsvOptions;
use crate::error::ReadError;
use crate::format::Format;
use crate::limits::Limits;

/// The name that means standard input (or output).
pub(crate) const STDIN: &str = "-";

/// Where records come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A path, a glob such as `data/part-*.csv`, or `-` for standard input.
    pub location: String,
    /// The format of all its files. If it is `None`, the ending of each file's name decides.
    pub format: Option<Format>,
    /// How its CSV files are written; Parquet needs no telling.
    pub csv: CsvOptions,
    /// How much of it is read before it is refused.
    pub limits: Limits,
}

impl Source {
    /// A source in the format that its name shows; if CSV, with a header line and commas.
    pub fn new(location: impl Into<String>) -> Self {
        Source {
            location: location.into(),
            format: None,
            csv: CsvOptions::default(),
            limits: Limits::default(),
        }
    }

    /// The files that the location names, sorted. A path that exists is itself, even if it looks like a
    /// glob. Files whose names start with a dot, such as those not yet published, match no `*`.
    pub fn files(&self) -> Result<Vec<String>, ReadError> {
        let location = &self.location;
        if location == STDIN || !location.contains(['*', '?', '[']) || Path::new(location).exists() {
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

    /// The format of one of its files.
    pub(crate) fn format_of(&self, file: &str) -> Format {
        self.format.unwrap_or_else(|| Format::of(file))
    }
}
