//! The loss metric of sequences (CBMSA paper, equations 1 to 5).
//!
//! Publishing a value as something that stands for |v| of the |Δ| values of its column A costs
//! w_A · (|v| − 1) / |Δ| (see [`iloss::cell`]; |Δ| counts the leaves of a hierarchy where there is one), also
//! where that is `*`. Suppressing the whole event costs w_A in each column: it says less than an event of
//! nothing but `*`, which at least says that there was one.
//!
//! - IL = Σ cost / people of the original: what a person has lost, in events' columns.
//! - LM = Σ cost / (events of the original · Σ w_A), in [0, 1]: the share of what could be lost.
//! - LM_A, for one column, is the same without its weight.

use crate::QuasiColumn;
use crate::table::loss::iloss;

/// What one column has lost over all events of the original, without its weight.
pub(super) struct Lost {
    weight: f64,
    sum: f64,
}

/// What each column has lost, where `suppressed` events are not in the file.
pub(super) fn lost(quasi: &[QuasiColumn<'_>], suppressed: u64) -> Vec<Lost> {
    let lost = |column: &QuasiColumn<'_>| Lost {
        weight: column.original.weight,
        sum: column.sum(suppressed, 1.0, iloss::cell),
    };
    quasi.iter().map(lost).collect()
}

/// IL; 0 where there is nobody who could have lost.
pub(super) fn per_person(lost: &[Lost], people: u64) -> f64 {
    divided(lost.iter().map(|column| column.weight * column.sum).sum(), people as f64)
}

/// LM; 0 where there is nothing that could be lost.
pub(super) fn share(lost: &[Lost], events: u64) -> f64 {
    let weights: f64 = lost.iter().map(|column| column.weight).sum();
    let by_column = lost.iter().zip(share_by_column(lost, events));
    divided(by_column.map(|(column, share)| column.weight * share).sum(), weights)
}

/// LM_A of each column.
pub(super) fn share_by_column(lost: &[Lost], events: u64) -> Vec<f64> {
    lost.iter().map(|column| divided(column.sum, events as f64)).collect()
}

fn divided(sum: f64, by: f64) -> f64 {
    if by == 0.0 { 0.0 } else { sum / by }
}
