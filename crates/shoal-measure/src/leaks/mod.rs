//! What a release gives away although its promise holds.
//!
//! k-anonymity hides who a record belongs to, not what stands in it: a crowd of which everybody has the same illness
//! keeps no secret. Each function here counts one such thing on the published file, as its reader sees it; saying it in
//! words is the pipeline's part.

mod classes;
mod columns;
mod folded;
mod items;
mod names;

pub use classes::{Guess, Guesses, guesses};
pub use columns::{FreeText, free_text, unique_records};
pub use folded::folded;
pub use items::{ItemGuesses, item_guesses};
pub use names::{names, naming_records};
