use shoal_core::Policy;

use super::Answer;
use crate::failure::Failure;
use crate::voice::{Voice, json};

/// Prints the JSON Schema of policies, which is JSON in every manner.
pub(crate) fn schema(voice: &Voice) -> Result<Answer, Failure> {
    voice.product(&json(&Policy::json_schema()))?;
    Ok(Answer::Holds)
}
