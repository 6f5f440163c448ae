/// How the records of a file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lines of separated fields.
    Csv,
    /// JSON: an object per line, or an array of objects.
    Json,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow's own files (Feather) and streams.
    Arrow,
    /// A sheet of Excel or OpenDocument.
    Excel,
    /// A SQLite database.
    Sqlite,
}

/// How the bytes of a file are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// What a file's name says about its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The records inside.
    pub layout: Layout,
    /// The packing around them.
    pub compression: Compression,
}

const ENDINGS: [(&[&str], Layout); 5] = [
    (&[".parquet"], Layout::Parquet),
    (&[".json", ".ndjson", ".jsonl"], Layout::Json),
    (&[".arrow", ".feather", ".ipc"], Layout::Arrow),
    (&[".xlsx", ".xlsm", ".xls", ".ods"], Layout::Excel),
    (&[".db", ".sqlite", ".sqlite3"], Layout::Sqlite),
];

/// Endings that mean something else than CSV to everybody. Published data never gets such a name: who opens it expects what
/// the name says.
const OTHER_ENDINGS: [&str; 30] = [
    ".7z",
    ".avro",
    ".bz2",
    ".doc",
    ".docx",
    ".dta",
    ".h5",
    ".hdf5",
    ".htm",
    ".html",
    ".orc",
    ".pdf",
    ".pkl",
    ".por",
    ".ppt",
    ".pptx",
    ".rar",
    ".rda",
    ".rdata",
    ".rds",
    ".sas7bdat",
    ".sav",
    ".sql",
    ".tar",
    ".tgz",
    ".xml",
    ".xpt",
    ".xz",
    ".zip",
    ".zsav",
];

impl Format {
    /// The ending of a name that published data cannot have, because it means a format that is not written.
    pub fn other_ending(name: &str) -> Option<&'static str> {
        let name = name.to_ascii_lowercase();
        OTHER_ENDINGS.into_iter().find(|ending| name.ends_with(ending))
    }

    /// Reads the format off a name: `.gz` and `.zst` are packings, the ending before them is the layout, and a name
    /// without a known ending is CSV. Case does not matter.
    pub fn of(name: &str) -> Format {
        let name = name.to_ascii_lowercase();
        let packed = |ending| name.strip_suffix(ending);
        let (inner, compression) = if let Some(inner) = packed(".gz") {
            (inner, Compression::Gzip)
        } else if let Some(inner) = packed(".zst").or_else(|| packed(".zstd")) {
            (inner, Compression::Zstd)
        } else {
            (name.as_str(), Compression::None)
        };
        let is = |(endings, _): &(&[&str], Layout)| endings.iter().any(|ending| inner.ends_with(ending));
        let layout = ENDINGS.iter().find(|known| is(known)).map_or(Layout::Csv, |(_, layout)| *layout);
        Format { layout, compression }
    }
}

impl Layout {
    /// Whether the records are text, in whatever encoding.
    pub fn is_text(self) -> bool {
        matches!(self, Layout::Csv | Layout::Json)
    }

    /// Whether published data is written so.
    pub fn is_written(self) -> bool {
        matches!(self, Layout::Csv | Layout::Parquet)
    }

    /// What a person calls it.
    pub(crate) fn with_article(self) -> &'static str {
        match self {
            Layout::Csv => "a CSV",
            Layout::Json => "a JSON",
            Layout::Parquet => "a Parquet",
            Layout::Arrow => "an Arrow",
            Layout::Excel => "an Excel",
            Layout::Sqlite => "a SQLite",
        }
    }
}

impl Compression {
    /// What a person calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compression::None => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "Zstandard",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_format() {
        let csv = |compression| Format { layout: Layout::Csv, compression };
        assert_eq!(Format::of("a.csv"), csv(Compression::None));
        assert_eq!(Format::of("adult.data.gz"), csv(Compression::Gzip));
        assert_eq!(Format::of("A.TSV.ZST"), csv(Compression::Zstd));
        assert_eq!(Format::of("-"), csv(Compression::None));
        let parquet = |compression| Format { layout: Layout::Parquet, compression };
        assert_eq!(Format::of("dir/b.parquet"), parquet(Compression::None));
        assert_eq!(Format::of("b.Parquet.gz"), parquet(Compression::Gzip));
        for (name, layout) in [
            ("a.json", Layout::Json),
            ("a.ndjson.gz", Layout::Json),
            ("a.JSONL", Layout::Json),
            ("a.feather", Layout::Arrow),
            ("a.xls", Layout::Excel),
            ("a.xlsx", Layout::Excel),
            ("a.ods", Layout::Excel),
            ("a.sqlite3", Layout::Sqlite),
            ("a.xlsx.csv", Layout::Csv),
        ] {
            assert_eq!(Format::of(name).layout, layout, "{name}");
        }
    }
}
