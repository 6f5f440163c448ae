//! The command as a user and a script meet it: what it prints, what it leaves, how it exits.

mod adult;
mod ask;
mod bad_input;
mod check;
mod compare;
mod editions;
mod explain;
mod formats;
mod found_files;
mod hierarchies_beside;
mod hierarchy;
mod init;
mod killed;
mod manner;
mod original;
mod presets;
mod project;
mod promises;
mod ranges;
mod reference;
mod run;
mod sequences;
mod stream;
mod transactions;
mod verify;
mod visits;
