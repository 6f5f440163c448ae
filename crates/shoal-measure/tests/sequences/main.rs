//! Measures of published sequences.

mod by_hand;
mod reference;
mod release;
