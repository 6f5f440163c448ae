/// How the records of a file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Lines of separated fields.
    Csv,
    /// Apache Parquet.
    Parquet,
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

impl Format {
    /// Reads the format off a name: `.gz` and `.zst` are packings, `.parquet` is Parquet, and everything
    /// else is CSV. Case does not matter.
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
        let layout = if inner.ends_with(".parquet") { Layout::Parquet } else { Layout::Csv };
        Format { layout, compression }
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
    }
}
