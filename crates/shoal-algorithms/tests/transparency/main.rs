//! Whoever knows the algorithm, the policy and all quasi-identifiers, and how frequent the values are: how sure can they be
//! of somebody's value? Answered exactly, by going through every world and every random choice.

#[path = "../stream_delay_free/every_choice.rs"]
mod every_choice;
mod looking;
mod mutants;
mod proof;
mod properties;
mod sequences;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../support/mod.rs"]
mod support;
mod worlds;
