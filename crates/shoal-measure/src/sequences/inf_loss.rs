//! InfLoss (FCLA paper, equations 1 to 3): the mean of NCP over all cells of all events of the original.
//!
//! A cell costs 0 where it is exact, the share of the column's values that its node stands for, and 1 where it is
//! suppressed (see [`ncp::cell`]); an event that is not in the file has lost all its cells. Weights do not count.

use crate::QuasiColumn;
use crate::table::loss::ncp;

/// In [0, 1]; 0 where there is nothing that could be lost.
pub(super) fn of(quasi: &[QuasiColumn<'_>], events: u64, suppressed: u64) -> f64 {
    let cells = events as f64 * quasi.len() as f64;
    if cells == 0.0 {
        return 0.0;
    }
    quasi.iter().map(|column| column.sum(suppressed, 1.0, ncp::cell)).sum::<f64>() / cells
}
