//! From the policy's words to an algorithm that is ready to run.

use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
use shoal_algorithms::sequences::fcla::FclaParams;
use shoal_algorithms::sequences::halt::HaltParams;
use shoal_algorithms::sequences::{Remainder, SequencesAlgorithm};
use shoal_core::Policy;
use shoal_core::policy::{RemainderPolicy, SequencesAlgorithmName, ShapeAlgorithm};

use crate::PipelineError;

/// The algorithm that the policy asks for, its parameters checked.
pub(crate) fn algorithm(policy: &Policy) -> Result<Box<dyn SequencesAlgorithm>, PipelineError> {
    let ShapeAlgorithm::Sequences(name) = policy.algorithm_name().by_shape() else {
        return Err(PipelineError::other_shape(policy));
    };
    let remainder = match policy.algorithm.remainder.unwrap_or_default() {
        RemainderPolicy::Suppress => Remainder::Suppress,
        // The policy's check has refused `last`.
        RemainderPolicy::Nearest | RemainderPolicy::Last => Remainder::Nearest,
    };
    Ok(match name {
        SequencesAlgorithmName::CbmsaBaseline => {
            Box::new(BaselineParams { remainder, seed: policy.algorithm.seed }.check())
        }
        SequencesAlgorithmName::Fcla => Box::new(FclaParams::fcla().check()),
        SequencesAlgorithmName::FclaBase1 => Box::new(FclaParams::base1().check()),
        SequencesAlgorithmName::Halt => Box::new(HaltParams::default().check()),
        SequencesAlgorithmName::Cbmsa => {
            Box::new(CbmsaParams { remainder, ..CbmsaParams::default() }.check())
        }
    })
}
