//! What a policy for a stream asks for, with the assets that it names.

use std::sync::Arc;

use shoal_core::policy::{AlgorithmName, ModePolicy};
use shoal_core::stream::StreamPromise;
use shoal_core::{Hierarchy, Role};
use shoal_io::stream::StreamLayout;
use shoal_privacy::stream::GateColumn;

use super::SensitiveValues;
use crate::Request;

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
pub fn bind(request: &Request) -> StreamBinding {
    let policy = request.policy();
    let layout = StreamLayout::of(policy);
    let l = policy.privacy.l.unwrap_or(1);
    let promise = match (policy.algorithm_name(), policy.algorithm.mode.unwrap_or_default()) {
        (AlgorithmName::Castle, _) => StreamPromise::Crowds {
            k: policy.privacy.k.unwrap_or(1),
            l,
            delta: policy.algorithm.delta.unwrap_or(DELTA.max(policy.privacy.k.unwrap_or(1))),
            max_wait: policy.algorithm.max_wait.map(|seconds| (seconds * 1000.0).ceil() as u64),
            reuse: policy.algorithm.reuse.unwrap_or(false),
        },
        (_, ModePolicy::Hardened) => StreamPromise::Sets { l },
        (_, ModePolicy::Paper | ModePolicy::Published) => StreamPromise::Groups {
            l,
            max_open_groups: policy.algorithm.max_open_groups.unwrap_or(MAX_OPEN_GROUPS),
        },
    };
    let values = super::values::known(request);
    let learn = match promise {
        StreamPromise::Crowds { .. } => None,
        _ => policy.algorithm.learn.or(if values.is_none() { Some(LEARN) } else { None }),
    };
    StreamBinding { columns: gate_columns(request, &layout), layout, promise, learn, values }
}

fn gate_columns(request: &Request, layout: &StreamLayout) -> Vec<GateColumn> {
    let specs = &request.policy().columns;
    layout
        .cell_names()
        .zip(layout.cell_parsers())
        .map(|(name, parser)| {
            let spec = &specs[name];
            let hierarchy = spec.hierarchy.as_deref().map(|tree| Arc::clone(request.hierarchy(tree).content));
            let quasi = spec.role == Role::QuasiIdentifier;
            GateColumn { name: name.to_owned(), quasi, parser: parser.clone(), hierarchy }
        })
        .collect()
}

impl StreamBinding {
    /// The values of the stream's design: those of the policy, or what a run has `learned`, where it had to learn.
    pub fn values_of_design<'v>(
        &'v self,
        learned: Option<&'v SensitiveValues>,
    ) -> Option<&'v SensitiveValues> {
        if self.learn.is_none() { self.values.as_ref() } else { learned }
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
