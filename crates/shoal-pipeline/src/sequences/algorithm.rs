//! From the policy's words to an algorithm that is ready to run.

use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
use shoal_algorithms::sequences::fcla::FclaParams;
use shoal_algorithms::sequences::halt::HaltParams;
use shoal_algorithms::sequences::{Remainder, SequencesAlgorithm};
use shoal_core::Policy;
use shoal_core::policy::{AlgorithmName, RemainderPolicy};

/// The algorithm that the policy asks for, its parameters checked.
pub(crate) fn algorithm(policy: &Policy) -> Box<dyn SequencesAlgorithm> {
    let remainder = match policy.algorithm.remainder {
        RemainderPolicy::Suppress => Remainder::Suppress,
        // The policy's check has refused `last`.
        RemainderPolicy::Nearest | RemainderPolicy::Last => Remainder::Nearest,
    };
    match policy.algorithm_name() {
        AlgorithmName::CbmsaBaseline => {
            Box::new(BaselineParams { remainder, seed: policy.algorithm.seed }.check())
        }
        AlgorithmName::Fcla => Box::new(FclaParams::fcla().check()),
        AlgorithmName::FclaBase1 => Box::new(FclaParams::base1().check()),
        AlgorithmName::Halt => Box::new(HaltParams::default().check()),
        // The policy's check has compared the algorithm with the shape.
        _ => Box::new(CbmsaParams { remainder, ..CbmsaParams::default() }.check()),
    }
}
