//! The whole road, through the public door, one file a shape.

mod cancelled;
mod desk;
mod sequences;
mod table;
mod transactions;
