//! Measures of published sequences.

mod by_hand;
mod release;
mod twins;
