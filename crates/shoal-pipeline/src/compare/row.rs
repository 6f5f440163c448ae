//! What is kept of a trial.

use indexmap::IndexMap;

use super::Cell;
use crate::{Loss, PipelineError, Report, Risk};

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It could be published.
    Holds,
    /// The promise cannot be kept, or nothing is left, and why.
    Infeasible(String),
    /// The settings are wrong, or something else went wrong, and what.
    Failed(String),
}

const INFEASIBLE: &str = "infeasible: ";
const FAILED: &str = "failed: ";

impl Outcome {
    /// What an error says about a cell. Values of the data are left out, since results are passed around.
    pub(crate) fn of(error: &PipelineError) -> Outcome {
        let why = error.redacted();
        if error.is_broken_promise() { Outcome::Infeasible(why) } else { Outcome::Failed(why) }
    }

    /// As the table of results says it.
    pub fn text(&self) -> String {
        match self {
            Outcome::Holds => "holds".to_owned(),
            Outcome::Infeasible(why) => format!("{INFEASIBLE}{why}"),
            Outcome::Failed(why) => format!("{FAILED}{why}"),
        }
    }

    /// Reads what [`Outcome::text`] has written.
    pub(super) fn read(text: &str) -> Option<Outcome> {
        match (text, text.strip_prefix(INFEASIBLE), text.strip_prefix(FAILED)) {
            ("holds", ..) => Some(Outcome::Holds),
            (_, Some(why), _) => Some(Outcome::Infeasible(why.to_owned())),
            (_, _, Some(why)) => Some(Outcome::Failed(why.to_owned())),
            _ => None,
        }
    }

    /// Whether another trial with the same data would end the same. What failed may have failed for want of a file or of room on a
    /// disk.
    pub(crate) fn is_final(&self) -> bool {
        !matches!(self, Outcome::Failed(_))
    }
}

/// A cell of the grid and what came out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The settings.
    pub cell: Cell,
    /// How it ended.
    pub outcome: Outcome,
    /// The figures by the names of [`figure_names`]; those that the cell does not have are absent.
    pub figures: IndexMap<String, f64>,
}

impl Row {
    /// A figure.
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }

    /// The share of the information that is lost, in the measure of the shape.
    pub fn loss(&self) -> Option<f64> {
        self.figure("ncp").or_else(|| self.figure("lm"))
    }
}

/// The column of the loss.
pub fn loss_name(shape: &str) -> &'static str {
    if shape == "sequences" { "lm" } else { "ncp" }
}

/// The columns of figures for data of a shape, in the order in which they are written. The names are those of `report.json`, as far
/// as it has them.
pub fn figure_names(shape: &str) -> &'static [&'static str] {
    match shape {
        "transactions" => &[
            "ncp",
            "utility",
            "ul-log2",
            "are",
            "risk-highest",
            "smallest-crowd",
            "published-items",
            "items-suppressed",
            "occurrences-suppressed",
            "records-in",
            "records-out",
            "seconds",
            "threads",
            "peak-memory-bytes",
        ],
        "sequences" => &[
            "lm",
            "utility",
            "inf-loss",
            "il",
            "are",
            "risk-highest",
            "risk-mean",
            "classes",
            "records-in",
            "records-out",
            "records-suppressed",
            "events-suppressed",
            "seconds",
            "threads",
            "peak-memory-bytes",
        ],
        _ => &[
            "ncp",
            "utility",
            "are",
            "risk-highest",
            "risk-mean",
            "classes",
            "average-class-size",
            "records-in",
            "records-out",
            "records-suppressed",
            "seconds",
            "threads",
            "peak-memory-bytes",
        ],
    }
}

/// The figures of a report that the table of results holds; time and memory are added by whoever has measured them.
pub(crate) fn figures_of(report: &Report) -> IndexMap<String, f64> {
    let mut figures: Vec<(&str, Option<f64>)> = vec![
        ("records-in", Some(report.records_in as f64)),
        ("records-out", Some(report.records_out as f64)),
        ("records-suppressed", Some(report.records_suppressed as f64)),
        ("classes", Some(report.classes as f64)),
    ];
    match &report.loss {
        Loss::Table(loss) => figures.extend([
            ("ncp", Some(loss.ncp)),
            ("utility", Some(loss.utility)),
            ("are", loss.are),
            ("average-class-size", loss.average_class_size),
        ]),
        Loss::Transactions(loss) => figures.extend([
            ("ncp", Some(loss.ncp)),
            ("utility", Some(loss.utility)),
            ("ul-log2", loss.ul_log2),
            ("are", loss.are),
            ("published-items", Some(report.clusters as f64)),
            ("items-suppressed", Some(loss.items_suppressed as f64)),
            ("occurrences-suppressed", Some(loss.occurrences_suppressed as f64)),
        ]),
        Loss::Sequences(loss) => figures.extend([
            ("lm", Some(loss.lm)),
            ("utility", Some(loss.utility)),
            ("inf-loss", Some(loss.inf_loss)),
            ("il", Some(loss.il)),
            ("are", loss.are),
            ("events-suppressed", Some(loss.events_suppressed as f64)),
        ]),
    }
    match &report.risk {
        Risk::Table(risk) => figures.extend([
            ("risk-highest", Some(risk.after.prosecutor.highest)),
            ("risk-mean", Some(risk.after.prosecutor.mean)),
        ]),
        Risk::Sequences(risk) => figures.extend([
            ("risk-highest", Some(risk.after.prosecutor.highest)),
            ("risk-mean", Some(risk.after.prosecutor.mean)),
        ]),
        // Whoever knows as many items as the promise is about finds one in the smallest crowd.
        Risk::Transactions(risk) => {
            let crowd = risk.smallest_crowd.after.map(|crowd| crowd as f64);
            figures.extend([("smallest-crowd", crowd), ("risk-highest", crowd.map(|crowd| 1.0 / crowd))]);
        }
    }
    let names = figure_names(report.about.shape);
    let known = figures.into_iter().filter(|(name, _)| names.contains(name));
    known.filter_map(|(name, figure)| Some((name.to_owned(), figure?))).collect()
}
