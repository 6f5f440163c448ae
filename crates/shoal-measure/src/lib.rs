//! What a release costs and what it protects: the loss of information and the risk that remains, for each shape of data.
//!
//! Everything is measured on the published data, as their reader sees them, against the original. Each
//! measure is a pure function with its formula in its doc comment; [`measure`] takes them all.

pub mod attack;
pub mod leaks;
pub mod sequences;
pub mod stream;
pub mod table;
pub mod transactions;

pub use sequences::{
    SequencesLoss, SequencesMeasureError, SequencesMeasures, SequencesOptions, SequencesRisk,
    measure_sequences,
};
pub use table::{
    LossReport, MeasureError, PopulationCounts, PopulationFigures, QuasiColumn, RiskReport, TableMeasures,
    measure, measure_people,
};
pub use transactions::{
    PublishedItems, TransactionsLoss, TransactionsMeasureError, TransactionsRisk, Workload,
    measure_transactions,
};
