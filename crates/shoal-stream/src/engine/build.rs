//! From a policy, a key and the known values to an engine.

use std::sync::Arc;

use shoal_algorithms::stream::castle::{Castle, CastleParams, CastleRules};
use shoal_algorithms::stream::delay_free::{Published, PublishedParams};
use shoal_core::policy::RulesPolicy;
use shoal_core::stream::StreamPromise;
use shoal_pipeline::stream::{SensitiveValues, StreamBinding, infeasible};
use shoal_pipeline::{PipelineError, Request};

use super::castle::kernel_columns;
use super::{CastleEngine, Engine, HardenedEngine, PublishedEngine};
use crate::StreamKey;

impl Engine {
    /// The engine of a policy. `values` are those among which others hide; castle needs none.
    pub(crate) fn build(
        request: &Request,
        binding: &StreamBinding,
        key: &StreamKey,
        values: Option<&SensitiveValues>,
    ) -> Result<Engine, PipelineError> {
        match binding.promise {
            StreamPromise::Sets { .. } => {
                let design = binding.design(request, values.ok_or(PipelineError::NoPrior)?)?;
                let quasi = binding.layout.quasi();
                Ok(Engine::Hardened(Box::new(HardenedEngine::new(Arc::new(design), *key.bytes(), &quasi))))
            }
            StreamPromise::Groups { l, max_open_groups } => {
                let values = values.ok_or(PipelineError::NoPrior)?;
                let params = PublishedParams { max_open_groups, ..PublishedParams::new(l) };
                let params = params.check().expect("the policy was checked");
                let kernel = Published::new(params, *key.bytes(), &values.counts)
                    .map_err(|error| infeasible(&error, values, l))?;
                let (labels, quasi) = (values.labels.clone(), key.part("quasi"));
                let engine = PublishedEngine::new(kernel, labels, &binding.layout, quasi);
                Ok(Engine::Published(Box::new(engine)))
            }
            StreamPromise::Crowds { k, l, delta, max_wait, reuse } => {
                let algorithm = &request.policy().algorithm;
                let usual = CastleParams::new(k, delta as u64);
                let beta = algorithm.beta.unwrap_or(usual.beta);
                let rules = match algorithm.rules.unwrap_or_default() {
                    RulesPolicy::Nearest => CastleRules::Nearest,
                    RulesPolicy::Paper => CastleRules::Paper,
                };
                // A kernel that remembers no class reuses none.
                let max_reusable = if reuse { usual.max_reusable } else { 0 };
                let seed = algorithm.seed;
                let params = CastleParams { l, beta, rules, seed, max_wait, max_reusable, ..usual };
                let params = params.check().expect("the policy was checked");
                let kernel = Castle::new(params, &kernel_columns(&binding.columns))
                    .expect("the policy has quasi-identifiers");
                let people = key.part("people");
                let engine = CastleEngine::new(kernel, &binding.columns, people, max_wait.is_some());
                Ok(Engine::Castle(Box::new(engine)))
            }
        }
    }
}
