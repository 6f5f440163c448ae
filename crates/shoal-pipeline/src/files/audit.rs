use std::path::Path;

use crate::{Audit, PipelineError};

impl Audit {
    /// Reads an `audit.json`.
    pub fn open(path: &Path) -> Result<Audit, PipelineError> {
        let text = std::fs::read_to_string(path).map_err(|error| PipelineError::ReadFile {
            path: path.to_owned(),
            what: "audit",
            error,
        })?;
        // A name that means the same from everywhere: the audit of a later release refers to it.
        let place = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut audit = Audit::parse(path, &text)?;
        audit.place = place;
        Ok(audit)
    }
}
