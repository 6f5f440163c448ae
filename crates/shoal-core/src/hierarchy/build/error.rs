use super::Number;
use crate::{HierarchyError, Kind};

/// Why no hierarchy can be built from a column's values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The column has no values.
    #[error("the column has no values")]
    Empty,
    /// The builder cannot read values of this kind.
    #[error("{builder} cannot be built from a column of kind {}", kind.name())]
    Kind {
        /// Which builder.
        builder: &'static str,
        /// The column's kind.
        kind: Kind,
    },
    /// An interval width is not positive.
    #[error("an interval cannot have the width {width}")]
    Width {
        /// The width.
        width: Number,
    },
    /// A width is not a multiple of the one before, so that the intervals would not nest.
    #[error("intervals of {width} do not nest in intervals of {above}")]
    Nesting {
        /// The lower width.
        width: Number,
        /// The width that follows it.
        above: Number,
    },
    /// A width or an origin with a fraction for a column of whole numbers.
    #[error("{number} is not a whole number, but the column has whole numbers only")]
    NotWhole {
        /// The width or the origin.
        number: Number,
    },
    /// Numbers whose sizes and fractions together need more digits than exact arithmetic holds.
    #[error("`{value}` has too many digits to be put into intervals exactly")]
    Digits {
        /// The first such value.
        value: String,
    },
    /// A text that is not a plain number.
    #[error("`{text}` is not a number")]
    NotANumber {
        /// The text.
        text: String,
    },
    /// A list of steps that does not go from fine to coarse.
    #[error("`{step}` cannot follow `{before}`")]
    Order {
        /// The step before.
        before: String,
        /// The step that is not coarser.
        step: String,
    },
    /// An unknown calendar step.
    #[error("`{step}` is not a calendar step")]
    Step {
        /// The step as written.
        step: String,
    },
    /// No character would be kept, which is what `*` says anyway.
    #[error("a prefix of 0 characters is `*`")]
    NothingKept,
    /// The column's date format cannot write the ends of a calendar step.
    #[error("the format `{format}` cannot write every {step} of the column as a range")]
    Unwritable {
        /// The column's format.
        format: String,
        /// The step.
        step: String,
    },
    /// Groups of fewer than two are not groups.
    #[error("groups of {fan_out} would never become fewer")]
    FanOut {
        /// The fan-out asked for.
        fan_out: usize,
    },
    /// Too many levels.
    #[error("{levels} levels are more than the {most} that a hierarchy may have")]
    Levels {
        /// How many were asked for.
        levels: usize,
        /// How many are possible.
        most: usize,
    },
    /// Most values are not what the table of the builder knows.
    #[error("{count} of the {of} values are not {what}, for example `{value}`")]
    NotKnown {
        /// What the builder knows.
        what: &'static str,
        /// The first value that is none.
        value: String,
        /// How many are none.
        count: usize,
        /// How many values there are.
        of: usize,
    },
    /// The values do not make a tree, e.g. because one of them is `*` itself.
    #[error(transparent)]
    Tree(#[from] HierarchyError),
}

impl BuildError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            BuildError::NotKnown { .. } => {
                "give the column that holds them, or build prefixes or flat, which take any value"
            }
            BuildError::Empty => {
                "a hierarchy is built from the values that occur; give a column that has some"
            }
            BuildError::Kind { .. } => {
                "intervals need integers or decimals, dates need dates; prefixes and flat take any kind"
            }
            BuildError::Width { .. } => "give widths above 0",
            BuildError::Nesting { .. } => "each width must be a multiple of the one before, e.g. 5, 10, 20",
            BuildError::NotWhole { .. } => "give a whole number, or make the column's kind `decimal`",
            BuildError::Digits { .. } => "use a flat hierarchy, or round the column before publishing it",
            BuildError::NotANumber { .. } => "write a plain number such as 5 or 0.25",
            BuildError::Order { .. } => {
                "name each step once, from fine to coarse: ever wider ranges, ever fewer characters"
            }
            BuildError::Step { .. } => "the steps are day, month, quarter, year, five-years, decade, century",
            BuildError::NothingKept => "keep at least one character; the top `*` is added automatically",
            BuildError::Unwritable { .. } => "leave this step out, or use a format with four-digit years",
            BuildError::FanOut { .. } => "give a fan-out of 2 or more; 5 is usual",
            BuildError::Levels { .. } => "give fewer steps",
            BuildError::Tree(error) => error.hint(),
        }
    }
}
