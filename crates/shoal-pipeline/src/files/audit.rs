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
        Audit::parse(path, &text)
    }
}
