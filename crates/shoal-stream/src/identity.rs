//! What must not change while a key or a state folder is used, as one text.

use shoal_core::stream::{SetDesign, StreamDesign, StreamPromise};
use shoal_core::{Policy, Role};

use crate::engine::Engine;

/// What of the policy must not change while a state folder is used.
pub(crate) fn of_policy(policy: &Policy, promise: StreamPromise) -> String {
    let parts = if has_memory(promise) {
        // What changes the meaning of a state; where data come from does not.
        serde_json::json!([policy.columns, policy.privacy, policy.algorithm, policy.data.format])
    } else {
        // A stream of sets remembers what it learned of the sensitive values and nothing of the others: a column more
        // must not send it to another key, because whoever returns would then be seen with two sets.
        let sensitive = policy.columns_of(Role::Sensitive);
        serde_json::json!(["sets", sensitive, policy.data.person, policy.privacy, policy.algorithm])
    };
    parts.to_string()
}

/// What must not change while a key is used: the design that it draws from, or the policy where there is none.
pub(crate) fn of_key_use(policy: &Policy, promise: StreamPromise, engine: &Engine) -> String {
    match engine {
        Engine::Hardened(engine) => of_design(engine.design(), policy.algorithm.seed),
        Engine::Published(_) | Engine::Castle(_) => of_policy(policy, promise),
    }
}

/// Everything on which the sets of a design depend.
pub(crate) fn of_design(design: &StreamDesign, seed: u64) -> String {
    let strata = design.strata();
    let texts: Vec<&[String]> = (0..strata.len()).map(|stratum| strata.texts(stratum)).collect();
    let columns: Vec<&str> = strata.columns().iter().map(|column| column.name.as_str()).collect();
    // The texts stand, keyed and hashed, in key files and state folders: their form is fixed for good.
    let parts = match design.sets(0) {
        SetDesign::Uniform { l, .. } => serde_json::json!(["uniform", l, design.labels()]),
        SetDesign::Calibrated(sets) if columns.is_empty() => {
            serde_json::json!(["calibrated", sets.l(), design.labels(), sets.counts(), seed])
        }
        SetDesign::Calibrated(sets) => {
            let counts = design.all_sets().iter().map(|sets| match sets {
                SetDesign::Calibrated(sets) => sets.counts().to_vec(),
                SetDesign::Uniform { values, .. } => vec![1; *values],
            });
            let counts: Vec<Vec<u64>> = counts.collect();
            let shows_strata = design.shows_strata();
            serde_json::json!([
                "conditional",
                sets.l(),
                design.labels(),
                columns,
                texts,
                counts,
                shows_strata,
                seed
            ])
        }
    };
    parts.to_string()
}

/// Whether what is decided depends on what was decided before.
pub(crate) fn has_memory(promise: StreamPromise) -> bool {
    !matches!(promise, StreamPromise::Sets { .. })
}
