//! The names of algorithms, so that a test of "every algorithm" cannot forget one that is added later.

use shoal_core::policy::TableAlgorithmName;

/// All algorithms for tables that take any promise and publish the same bytes from the same input: all but `transparent`, which
/// draws from secret randomness, asks for `privacy.transparent`, and has tests of its own.
pub fn deterministic_for_tables() -> impl Iterator<Item = &'static str> {
    TableAlgorithmName::ALL
        .iter()
        .filter(|name| **name != TableAlgorithmName::Transparent)
        .map(|name| name.name())
}
