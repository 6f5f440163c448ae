/// Why a hierarchy cannot be used. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    /// There is no line at all.
    #[error("the hierarchy is empty")]
    Empty,
    /// A cell is blank.
    #[error("line {line}: column {column} is blank")]
    Blank {
        /// The line.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// A line has more levels than anybody reads.
    #[error("line {line} has {levels} levels; at most {most} are allowed")]
    TooDeep {
        /// The line.
        line: usize,
        /// How many cells it has.
        levels: usize,
        /// How many are allowed.
        most: usize,
    },
    /// More lines than anybody's values need.
    #[error("{lines} lines; at most {most} are allowed")]
    TooManyLines {
        /// How many there are.
        lines: usize,
        /// How many are allowed.
        most: usize,
    },
    /// One label is below two different parents.
    #[error("`{label}` has two parents: `{first}` in line {first_line} and `{second}` in line {second_line}")]
    TwoParents {
        /// The label.
        label: String,
        /// Its parent where it was first seen.
        first: String,
        /// The line where it was first seen.
        first_line: usize,
        /// The other parent.
        second: String,
        /// The line of the other parent.
        second_line: usize,
    },
    /// The lines do not end in one common top.
    #[error("there is no single top: line {first_line} ends in `{first}`, line {second_line} in `{second}`")]
    TwoTops {
        /// One top.
        first: String,
        /// Its line.
        first_line: usize,
        /// The other top.
        second: String,
        /// Its line.
        second_line: usize,
    },
    /// A label is a value in one line and a group of values in another, so that nobody could know what a
    /// published `label` means.
    #[error("`{label}` is a value in line {leaf_line} and a group in line {group_line}")]
    LeafIsGroup {
        /// The label.
        label: String,
        /// Where it is a value.
        leaf_line: usize,
        /// Where it is a group.
        group_line: usize,
    },
    /// A line comes back to a label that it has left.
    #[error("line {line} comes back to `{label}`")]
    Cycle {
        /// The line.
        line: usize,
        /// The label.
        label: String,
    },
    /// A file of Amnesia in which two groups have nothing above them.
    #[error(
        "there is no single top: nothing is above `{first}` (line {first_line}) nor above `{second}` (line {second_line})"
    )]
    NoTop {
        /// One group.
        first: String,
        /// Its first line.
        first_line: usize,
        /// The other group.
        second: String,
        /// Its first line.
        second_line: usize,
    },
    /// The header of a file of Amnesia has a line that it does not know.
    #[error("line {line}: `{text}` is not a line of the header of an Amnesia hierarchy")]
    AmnesiaHeader {
        /// The line.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A line of a file of Amnesia is not a group with its children.
    #[error("line {line}: `{text}` is not `group has child child …`")]
    AmnesiaLine {
        /// The line.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A file of Amnesia has a label where a range of whole numbers belongs.
    #[error("line {line}: `{text}` is not a range of whole numbers")]
    AmnesiaRange {
        /// The line.
        line: usize,
        /// The label.
        text: String,
    },
    /// Two of the narrowest ranges have values in common.
    #[error("line {line}: the range `{range}` overlaps `{other}`")]
    AmnesiaOverlap {
        /// The line of the range.
        line: usize,
        /// The range.
        range: String,
        /// The one that begins before it.
        other: String,
    },
    /// Ranges of decimals or dates do not say which values there are.
    #[error("line {line}: ranges of type `{kind}` do not name the values below them")]
    AmnesiaKind {
        /// The line that names the type.
        line: usize,
        /// The type.
        kind: String,
    },
}

impl HierarchyError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            HierarchyError::Empty => {
                "write one line per value: the value, then its ever wider groups, e.g. `34;30-39;*`"
            }
            HierarchyError::Blank { .. } => "fill the cell, or shorten the line",
            HierarchyError::TooDeep { .. } => "is this a hierarchy? A line goes from one value to the top",
            HierarchyError::TooManyLines { .. } => {
                "leave out values that do not occur, or let `shoal hierarchy build` make it from the data (docs/limits.md)"
            }
            HierarchyError::TwoParents { .. } => {
                "give the label one parent, or two labels where two things are meant"
            }
            HierarchyError::TwoTops { .. } => "end every line with the same label, usually `*`",
            HierarchyError::LeafIsGroup { .. } => "rename the group",
            HierarchyError::Cycle { .. } => "a line goes from the value to the top, each label once",
            HierarchyError::NoTop { .. } => "end with one line that puts both below the same top: `* has …`",
            HierarchyError::AmnesiaHeader { .. } => {
                "the header is `distinct` or `range`, `name …`, `type …`, `height …`, then an empty line"
            }
            HierarchyError::AmnesiaLine { .. } => {
                "Amnesia separates labels by blanks and knows no quotes: put another character into labels that hold a blank"
            }
            HierarchyError::AmnesiaRange { .. } => "write the two ends with a comma and no blank: `0,10`",
            HierarchyError::AmnesiaOverlap { .. } => {
                "let every range begin where the one before it ends, or after that"
            }
            HierarchyError::AmnesiaKind { .. } => {
                "build it from the data: `shoal hierarchy build --kind intervals --widths …`, or `--kind dates --steps …`"
            }
        }
    }
}
