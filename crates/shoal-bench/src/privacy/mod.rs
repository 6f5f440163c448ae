//! What verifiers cost.

pub(crate) mod conditions;
pub(crate) mod gate;
pub(crate) mod itemsets;
pub(crate) mod knowledge;
pub(crate) mod sequences;
