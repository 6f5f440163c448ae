use shoal_core::Policy;

use super::Answer;
use crate::console::{Console, json};
use crate::failure::Failure;

/// Prints the JSON Schema of policies, which is JSON in every output.
pub(crate) fn schema(console: &Console) -> Result<Answer, Failure> {
    console.product(&json(&Policy::json_schema()))?;
    Ok(Answer::Holds)
}
