//! Whole runs on files through the public functions, one module per shape.

mod apply;
mod cancelled;
mod groups;
mod project;
mod saved;
mod sequences;
mod table;
mod transactions;
