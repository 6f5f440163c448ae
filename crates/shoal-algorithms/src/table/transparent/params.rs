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
///
/// ```
/// use shoal_algorithms::table::transparent::{Secret, TransparentParams};
/// use shoal_algorithms::table::{ParamsError, TableAlgorithm};
/// use shoal_core::{Condition, Rule, Silent, TablePromise};
///
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/six_people.rs"));
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let table = six_people(); // three of them with a flu, three with a cold
/// let two_illnesses = Condition { column: "illness".into(), rule: Rule::Distinct { l: 2 } };
/// let promise = TablePromise { conditions: vec![two_illnesses], ..TablePromise::crowds(2) };
/// // A fixed key is for examples only: whoever knows it can undo the random choices.
/// let params = TransparentParams { promise, seed: 0, key: Secret([7; 32]) };
/// let recoding = params.clone().check()?.anonymize(&table, &Silent)?.recoding;
/// assert!(recoding.sizes().iter().all(|&size| size >= 2));
///
/// // Crowds alone are about no sensitive value, so there is nothing to be transparent about.
/// let promise = TablePromise::crowds(2);
/// assert_eq!(TransparentParams { promise, ..params }.check(), Err(ParamsError::NothingToHide));
/// # Ok(())
/// # }
/// ```
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
