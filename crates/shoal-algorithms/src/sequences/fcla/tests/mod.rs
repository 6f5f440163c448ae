//! FCLA against slow twins that list all that can be known.

mod compatible;
mod data;
mod free;
mod output;
mod paper;
mod refusals;
mod searching;
mod slow;
