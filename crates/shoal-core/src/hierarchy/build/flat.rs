use super::{BuildError, Built, finish};
use crate::Domain;

/// Every value, the missing one too, directly below `*`.
pub fn flat(domain: &Domain) -> Result<Built, BuildError> {
    if domain.is_empty() {
        return Err(BuildError::Empty);
    }
    let rows: Vec<Vec<String>> =
        domain.labels().iter().map(|label| vec![label.to_owned(), "*".to_owned()]).collect();
    finish(&rows, "one step, from the value to `*`".to_owned())
}
