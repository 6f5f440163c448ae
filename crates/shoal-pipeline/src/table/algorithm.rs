//! From the policy's words to an algorithm that is ready to run.

use std::borrow::Cow;
use std::sync::Arc;

use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::{Choice, IncognitoParams};
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::sbc::{Remainder, SbcParams};
use shoal_core::hierarchy::build;
use shoal_core::policy::{AlgorithmName, ChoicePolicy, RemainderPolicy};
use shoal_core::{BoundHierarchy, Policy, Role, Table};

use crate::PipelineError;

/// The algorithm that the policy asks for, its parameters checked.
pub(crate) fn algorithm(policy: &Policy) -> Result<Box<dyn TableAlgorithm>, PipelineError> {
    let asked = &policy.algorithm;
    // Checked with the policy: a table policy has a k of at least 2.
    let k = policy.privacy.k.unwrap_or_default();
    Ok(match policy.algorithm_name() {
        AlgorithmName::Mondrian => Box::new(MondrianParams { k }.check()?),
        AlgorithmName::Sbc => {
            let remainder = match asked.remainder {
                RemainderPolicy::Nearest => Remainder::Nearest,
                RemainderPolicy::Last => Remainder::Last,
                RemainderPolicy::Suppress => Remainder::Suppress,
            };
            let separate_normalization = asked.separate_distances;
            Box::new(SbcParams { k, remainder, separate_normalization }.check()?)
        }
        AlgorithmName::Incognito => {
            let choose = match asked.choose {
                ChoicePolicy::Ncp => Choice::Ncp,
                ChoicePolicy::Height => Choice::Height,
            };
            Box::new(IncognitoParams { k, max_suppressed: asked.max_suppressed, choose }.check()?)
        }
        AlgorithmName::Datafly => Box::new(DataflyParams { k }.check()?),
        _ => unreachable!("the policy's check has compared the algorithm with the shape"),
    })
}

/// The table with a hierarchy for every quasi-identifier, and a sentence for each one that was built.
pub(crate) fn with_hierarchies(table: &Table) -> Result<(Cow<'_, Table>, Vec<String>), PipelineError> {
    let lacks = |c: &shoal_core::Column| c.role == Role::QuasiIdentifier && c.hierarchy.is_none();
    if !table.columns.iter().any(lacks) {
        return Ok((Cow::Borrowed(table), Vec::new()));
    }
    let mut complete = table.clone();
    let mut notes = Vec::new();
    for column in complete.columns.iter_mut().filter(|c| lacks(c)) {
        let built = build::default_for(&column.domain)
            .map_err(|error| PipelineError::Build { column: column.name.clone(), error: Box::new(error) })?;
        let bound = BoundHierarchy::new(&Arc::new(built.hierarchy), &column.domain)
            .expect("a hierarchy built from a domain holds every value of it");
        notes.push(format!("no hierarchy for `{}`: built {}", column.name, built.description));
        column.hierarchy = Some(bound);
    }
    Ok((Cow::Owned(complete), notes))
}
