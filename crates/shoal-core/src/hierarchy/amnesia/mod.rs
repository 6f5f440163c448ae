//! Hierarchy files of Amnesia, the anonymization tool of OpenAIRE.
//!
//! What its classes `HierarchyImplString`, `HierarchyImplDouble` and `HierarchyImplRangesNumbers` save and load (version 1.4.0):
//!
//! ```text
//! distinct
//! name education
//! type string
//! height 3
//!
//! low has 9th 10th
//! high has Bachelors Masters
//!
//! * has low high
//! ```
//!
//! The first line is `distinct` (labels) or `range` (numbers or dates, `0,10 has 0,5 5,10`). `height` counts the levels with the leaves and
//! the top. A block per level follows, the lowest groups first, the top last, a line per group: its label, `has`, its children. Labels are
//! separated by blanks, and there are no quotes, so that no label can hold one.
//!
//! A file of ranges does not name values. For whole numbers they are listed here, all of them; for decimals and dates nobody can list
//! them, and such a file is refused with the builder that makes the same from the data.
//!
//! What does not survive: on which levels a group stands that is on several (a leaf that is less deep than others stays itself on the lower
//! levels, as in Amnesia), the order of lines, and in `range` which values occurred.

mod ranges;
mod read;
mod write;

pub use write::{AmnesiaError, to_amnesia};

pub(super) use read::{from_amnesia, is_amnesia, values};

#[cfg(test)]
mod tests;
