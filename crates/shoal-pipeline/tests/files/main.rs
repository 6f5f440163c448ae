//! The whole road, through the public door, one file a shape.

mod cancelled;
mod project;
mod sequences;
mod table;
mod transactions;
