use shoal_privacy::stream::GateColumn;

/// How a stream is cut into windows. They are numbered; the first tuple, or position 0 on the line of the column, is in
/// window 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Windows {
    /// All in one.
    One,
    /// So many tuples each, in the order of the lines.
    Tuples(u64),
    /// By the value of an ordered column, each of the same width: numbers, or days where it holds dates. Position p is
    /// in window ⌊p / width⌋.
    Width {
        /// The column, counted from 0.
        column: usize,
        /// The width, above 0.
        width: f64,
    },
}

impl Windows {
    /// The window of a tuple whose cells are exact; none where the cell has no position.
    pub(super) fn of<C: AsRef<str>>(self, number: u64, cells: &[C], columns: &[GateColumn]) -> Option<i64> {
        match self {
            Windows::One => Some(0),
            Windows::Tuples(tuples) => Some((number / tuples.max(1)) as i64),
            Windows::Width { column, width } => {
                let at = columns.get(column)?.parser.position(cells.get(column)?.as_ref())?;
                Some((at / width).floor() as i64)
            }
        }
    }
}
