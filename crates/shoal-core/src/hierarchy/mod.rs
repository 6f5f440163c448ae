//! Hierarchies: rooted trees whose leaves are the values of a column and whose inner nodes are what may
//! be published instead of them.

mod amnesia;
mod bound;
pub mod build;
mod error;
mod file;
mod tree;

pub use amnesia::{AmnesiaError, to_amnesia};
pub use bound::{BindError, BoundHierarchy};
pub use error::HierarchyError;
pub use file::{from_text, to_text, values_of_text};
pub use tree::{Hierarchy, NodeId};
