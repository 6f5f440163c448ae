//! What other settings would have cost: a grid of algorithms and parameters, a trial each.
//!
//! Here is what needs no file: which cells a grid has ([`Grid`]), what is kept of each trial ([`Row`]), which cells no
//! other one beats ([`frontier`]), the table of results as text and the page. Running the cells, and going on where an earlier
//! run ended, is in [`files::compare()`](crate::files::compare()).

mod best;
mod choice;
mod error;
mod frontier;
mod grid;
mod html;
mod results;
mod row;

pub use best::{Best, best};
pub use choice::Choice;
pub use error::CompareError;
pub use frontier::frontier;
pub use grid::{Axis, Cell, Grid, short_key};
pub use html::{Page, page};
pub use results::{read_rows, results_table};
pub(crate) use row::figures_of;
pub use row::{Outcome, Row, figure_names, loss_name};
