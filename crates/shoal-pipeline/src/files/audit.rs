use std::path::Path;
use std::sync::Arc;

use shoal_io::PeopleOfRecords;

use crate::{Audit, PipelineError};

impl Audit {
    /// Reads an `audit.json` and the file of its people.
    pub fn open_with_people(path: &Path) -> Result<Audit, PipelineError> {
        Audit::open(path)?.read_people()
    }

    /// Reads the file of its people where it lies beside it. An error where it is another one; where there is none, what needs it says so.
    pub(super) fn read_people(self) -> Result<Audit, PipelineError> {
        let Some(file) = self.people_file() else { return Ok(self) };
        let path = self.place.with_file_name(file);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(self),
            Err(error) => return Err(PipelineError::ReadFile { path, what: "file of people", error }),
            Ok(bytes) => bytes,
        };
        let broken =
            |why| PipelineError::Audit { path: self.place.clone(), problem: format!("of its people: {why}") };
        let people = PeopleOfRecords::from_parquet(bytes).map_err(broken)?;
        self.with_people(Arc::new(people))
    }

    /// Reads an `audit.json`, without its people.
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
