//! Counts in published streams, against exact enumeration of all that chance could have done, and measures by hand.

mod adversary;
mod by_hand;
mod enumeration;
mod support;
mod unbiased;
