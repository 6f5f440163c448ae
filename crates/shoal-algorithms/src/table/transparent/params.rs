use std::fmt;

use shoal_core::{Rule, TablePromise};

use crate::table::ParamsError;
use crate::table::conditions::check_promise;

/// The secret from which the random choices come. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What transparent l-diversity can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct TransparentParams {
    /// What every class must satisfy: k, and for one or more sensitive columns distinct or frequency l-diversity.
    pub promise: TablePromise,
    /// Where the choices start that may be known.
    pub seed: u64,
    /// Where those come from that nobody may know.
    pub key: Secret,
}

impl TransparentParams {
    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidTransparentParams, ParamsError> {
        check_promise(&self.promise)?;
        let other = |rule: &Rule| !matches!(rule, Rule::Distinct { .. } | Rule::Frequency { .. });
        if let Some(condition) = self.promise.conditions.iter().find(|condition| other(&condition.rule)) {
            return Err(ParamsError::NotTransparent { condition: condition.to_string() });
        }
        // A person in several rows would have several draws, and the proof speaks of one.
        if self.promise.person.is_some() {
            return Err(ParamsError::NotTransparent { condition: "people with several records".to_owned() });
        }
        if self.promise.conditions.is_empty() {
            return Err(ParamsError::NothingToHide);
        }
        Ok(ValidTransparentParams(self))
    }
}

/// Checked parameters: transparent l-diversity, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidTransparentParams(pub(super) TransparentParams);
