//! A policy for a stream, with everything it names read.

use std::sync::Arc;

use shoal_core::policy::{AlgorithmName, ModePolicy, PriorPolicy};
use shoal_core::stream::{DesignError, SetDesign, StreamPromise};
use shoal_core::{Hierarchy, Role};
use shoal_io::stream::StreamLayout;
use shoal_privacy::stream::GateColumn;

use super::SensitiveValues;
use crate::table::read_hierarchy;
use crate::{Job, PipelineError};

/// Groups that may wait for members, where the policy does not say.
const MAX_OPEN_GROUPS: usize = 10_000;
/// The longest delay of castle, where the policy does not say.
const DELTA: usize = 100;
/// Tuples from which the values are learned, where the policy says nothing about them.
const LEARN: usize = 1000;

/// What a policy for a stream asks for.
#[derive(Clone, Debug)]
pub struct StreamBinding {
    /// How lines are read and written.
    pub layout: StreamLayout,
    /// What is promised.
    pub promise: StreamPromise,
    /// The cells as the gate knows them.
    pub columns: Vec<GateColumn>,
    /// From how many tuples the values and their shares are learned, where they are.
    pub learn: Option<usize>,
    /// The values that are known beforehand.
    pub values: Option<SensitiveValues>,
}

/// Binds a policy for a stream.
pub fn bind(job: &Job) -> Result<StreamBinding, PipelineError> {
    let policy = job.policy();
    let layout = StreamLayout::of(policy);
    let l = policy.privacy.l.unwrap_or(1);
    let promise = match (policy.algorithm_name(), policy.algorithm.mode.unwrap_or_default()) {
        (AlgorithmName::Castle, _) => StreamPromise::Crowds {
            k: policy.privacy.k.unwrap_or(1),
            l,
            delta: policy.algorithm.delta.unwrap_or(DELTA.max(policy.privacy.k.unwrap_or(1))),
        },
        (_, ModePolicy::Hardened) => StreamPromise::Sets { l },
        (_, ModePolicy::Published) => StreamPromise::Groups {
            l,
            max_open_groups: policy.algorithm.max_open_groups.unwrap_or(MAX_OPEN_GROUPS),
        },
    };
    let values = super::values::known(job)?;
    let learn = match promise {
        StreamPromise::Crowds { .. } => None,
        _ => policy.algorithm.learn.or(if values.is_none() { Some(LEARN) } else { None }),
    };
    Ok(StreamBinding { columns: gate_columns(job, &layout)?, layout, promise, learn, values })
}

fn gate_columns(job: &Job, layout: &StreamLayout) -> Result<Vec<GateColumn>, PipelineError> {
    let specs = &job.policy().columns;
    layout
        .cell_names()
        .zip(layout.cell_parsers())
        .map(|(name, parser)| {
            let spec = &specs[name];
            let hierarchy = match &spec.hierarchy {
                Some(file) => Some(Arc::new(read_hierarchy(&job.resolve(file), name)?)),
                None => None,
            };
            let quasi = spec.role == Role::QuasiIdentifier;
            Ok(GateColumn { name: name.to_owned(), quasi, parser: parser.clone(), hierarchy })
        })
        .collect()
}

impl StreamBinding {
    /// The design of a hardened stream over these values.
    pub fn design(&self, job: &Job, values: &SensitiveValues) -> Result<SetDesign, PipelineError> {
        let policy = job.policy();
        let l = policy.privacy.l.unwrap_or_default();
        if let Some((one, other)) = values.look_alike() {
            return Err(PipelineError::Unreachable {
                message: format!(
                    "`{one}` and `{other}` look alike: to a reader of the stream they are one value"
                ),
                hint: "write values in one way, in the source and wherever they are listed",
            });
        }
        let design = match prior(job, values.shares_known) {
            PriorPolicy::Uniform => SetDesign::uniform(values.labels.len(), l),
            PriorPolicy::Calibrated => SetDesign::calibrated(&values.counts, l, policy.algorithm.seed),
        };
        design.map_err(|error| infeasible(&error, values, l))
    }

    /// The hierarchies of the cells, where they have one.
    pub fn hierarchies(&self) -> impl Iterator<Item = Option<&Arc<Hierarchy>>> {
        self.columns.iter().map(|column| column.hierarchy.as_ref())
    }

    /// The groups that may wait for members.
    pub fn max_open_groups(&self) -> Option<usize> {
        match self.promise {
            StreamPromise::Groups { max_open_groups, .. } => Some(max_open_groups),
            _ => None,
        }
    }
}

/// The prior that the policy asks for, or the usual one.
pub(super) fn prior(job: &Job, shares_known: bool) -> PriorPolicy {
    let usual = if shares_known { PriorPolicy::Calibrated } else { PriorPolicy::Uniform };
    job.policy().algorithm.prior.unwrap_or(usual)
}

/// Why values cannot be hidden among these, in words.
pub fn infeasible(error: &DesignError, values: &SensitiveValues, l: usize) -> PipelineError {
    match error {
        DesignError::TooFewValues { .. } => PipelineError::Unreachable {
            message: error.to_string(),
            hint: "lower l, or make more values known: columns.….domain, algorithm.prior-file or algorithm.learn",
        },
        DesignError::TooFrequent { code, share, limit } => PipelineError::Unreachable {
            message: format!(
                "`{}` has a share of {:.2} % of the tuples, and with l = {l} at most {:.2} % can be hidden: whoever \
                 guesses it is right too often",
                values.labels[*code as usize],
                share * 100.0,
                limit * 100.0
            ),
            hint: "lower l, or make the value finer in the source",
        },
        DesignError::TooLarge => PipelineError::Unreachable {
            message: error.to_string(),
            hint: "divide all counts of the prior by the same number",
        },
    }
}
