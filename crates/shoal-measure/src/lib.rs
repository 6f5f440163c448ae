//! What a release costs and what it is worth: the [`loss`] of information and the [`risk`] that remains.
//!
//! Everything is measured on the published file, as its reader sees it, against the original table. Each
//! measure is a pure function with its formula in its doc comment; [`measure`] takes them all.

pub mod leaks;
pub mod loss;
mod measure;
mod quasi;
pub mod risk;
pub mod sequences;
pub mod stream;
pub mod transactions;

pub use loss::LossReport;
pub use measure::{MeasureError, TableMeasures, measure, measure_people};
pub use quasi::QuasiColumn;
pub use risk::RiskReport;
pub use sequences::{
    SequencesLoss, SequencesMeasureError, SequencesMeasures, SequencesOptions, SequencesRisk,
    measure_sequences,
};
pub use transactions::{
    PublishedItems, TransactionsLoss, TransactionsMeasureError, TransactionsRisk, Workload,
    measure_transactions,
};
