//! The adversary, kept alive: each attack that once succeeded against a release that "held", played again on every change.
//!
//! Whoever attacks here has the program, the policy, the seed and the published files, and nothing else: the attacks run
//! the command and read what it leaves with a few lines of their own. They share no code with what they attack.

mod apply;
mod apply_items;
mod apply_visits;
mod castle;
mod containers;
mod differences;
mod items;
mod leaks;
mod order;
mod people;
mod redaction;
mod releases;
mod report;
mod same;
mod sequences;
mod state;
mod streams;
mod support;
mod ties;
mod together;
mod transactions;
mod transparency;
mod values;
mod verb;
