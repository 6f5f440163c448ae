/// How much of a file is read before it is refused: a few packed kilobytes can unpack to a line of gigabytes.
///
/// The usual limits are far above what data about people needs and far below what a machine can hold; they are listed
/// in `docs/limits.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a line, or of a record whose quotes span lines.
    pub line: usize,
    /// Bytes of one value of CSV.
    pub value: usize,
    /// Columns of a file.
    pub columns: usize,
    /// Records of a source. They are numbered by 32 bits everywhere, so more than 4,294,967,294 are refused
    /// even if this is greater.
    pub rows: u64,
    /// Values that are held: records times the columns that are read.
    pub cells: u64,
    /// Bytes that a page of Parquet, a buffer of Arrow or a part of Excel other than a sheet unpacks to.
    pub page: usize,
    /// Bytes that a sheet of Excel unpacks to.
    pub sheet: u64,
}

impl Limits {
    /// Bytes of a policy.
    pub const POLICY: u64 = 16 << 20;
    /// Bytes of a file that lists items: constraints, weights.
    pub const ITEM_LIST: u64 = 256 << 20;
    /// Bytes of a hierarchy.
    pub const HIERARCHY: u64 = 1 << 30;

    /// What 32 bits can number, with the greatest number left for "none".
    const NUMBERED_ROWS: u64 = u32::MAX as u64 - 1;

    /// How many records a source may have.
    pub(crate) fn most_rows(&self) -> u64 {
        self.rows.min(Limits::NUMBERED_ROWS)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line: 16 << 20,
            value: 1 << 20,
            columns: 20_000,
            rows: Limits::NUMBERED_ROWS,
            // 16 GiB of codes.
            cells: 1 << 32,
            page: 256 << 20,
            sheet: 1 << 30,
        }
    }
}
