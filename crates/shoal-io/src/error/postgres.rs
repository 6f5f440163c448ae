/// Why a PostgreSQL server, or the way to it, cannot be used. It never holds a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct PostgresError {
    /// The address, which has no password in it.
    pub place: String,
    /// What is wrong, or what the server said.
    pub why: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl PostgresError {
    pub(crate) fn new(place: &str, why: impl Into<String>, hint: &'static str) -> PostgresError {
        PostgresError { place: place.to_owned(), why: why.into(), hint }
    }
}
