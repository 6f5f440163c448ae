//! The secret key of transparent l-diversity: given with the request, or drawn for one run.
//!
//! The proof needs choices that do not depend on the data and that no reader can repeat. So they come neither from the
//! seed, which is in the policy, nor from the records.

use shoal_algorithms::table::transparent::Secret;

use crate::{PipelineError, Request, TableKey};

impl TableKey {
    /// A fresh key.
    pub(crate) fn draw(note: &'static str) -> Result<TableKey, PipelineError> {
        let mut key = [0; 32];
        let failed = |error: getrandom::Error| PipelineError::NoRandomness { why: error.to_string() };
        getrandom::fill(&mut key).map_err(failed)?;
        Ok(TableKey { secret: Secret(key), note })
    }

    /// The key in hexadecimal digits, as a key file holds it.
    pub(crate) fn hex(&self) -> String {
        self.secret.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The key of a policy that needs one.
pub(super) fn table_key(request: &Request) -> Result<Option<TableKey>, PipelineError> {
    if !request.policy().privacy.transparent {
        return Ok(None);
    }
    let note = "no key-file: the secret key was drawn for this run and stands in audit.json, and another run makes \
                other crowds";
    match &request.table_key {
        Some(key) => Ok(Some(key.clone())),
        None => TableKey::draw(note).map(Some),
    }
}
