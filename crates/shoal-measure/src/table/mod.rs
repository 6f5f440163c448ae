//! Measures of published tables against the original: what was lost, and the risk that remains.

pub mod attack;
pub mod file;
pub mod loss;
pub(crate) mod measure;
pub mod population;
pub(crate) mod quasi;
pub mod risk;
pub mod uniqueness;

pub use file::{TableFileLoss, measure_table_file};
pub use loss::LossReport;
pub use measure::{MeasureError, TableMeasures, measure, measure_people};
pub use population::{PopulationCounts, PopulationFigures};
pub use quasi::QuasiColumn;
pub use risk::{RiskReport, Risks};
