//! PostgreSQL as source and as the place of a release, with the feature `postgres`.
//!
//! What is read comes out of one `COPY (query) TO STDOUT` in a transaction that can only read and that sees the database at one moment. A
//! release goes into a new table inside a transaction: nobody else sees it, its records are read back by `COPY` in the same transaction, and
//! it gets its name and is committed only with the certificate of what was read ([`PendingTable`]). Whatever happens before, a killed
//! client, a killed server, a full disk, the server undoes all of it.
//!
//! `COPY` in its text format was chosen over the binary one because values are texts in this crate anyway, and over cursors because it
//! has one message per record and no questions in between. The client is tokio-postgres, driven by the thread that wants the records.

mod address;

#[cfg(not(feature = "postgres"))]
mod absent;
#[cfg(feature = "postgres")]
mod client;

#[cfg(not(feature = "postgres"))]
use absent as client;

pub(crate) use client::read;
pub use client::{PendingTable, TableTarget};
pub use shoal_core::policy::is_postgres;

use crate::error::PostgresError;
use address::{Address, PASSWORD_HINT, holds_postgres_password};

/// Refuses a text, such as a policy, that has an address with a password in it. `place` is what the text is called.
pub fn refuse_postgres_password(place: &str, text: &str) -> Result<(), PostgresError> {
    match holds_postgres_password(text) {
        false => Ok(()),
        true => {
            let why =
                "it has a postgres:// address with a password, which would be copied into audits and logs";
            Err(PostgresError::new(place, why, PASSWORD_HINT))
        }
    }
}

/// Refuses an address that cannot be read or holds a password; the error does not repeat it.
pub fn check_postgres_address(location: &str) -> Result<(), PostgresError> {
    Address::parse(location).map(drop)
}

/// The address of a table as reports and audits name it: `location`, with the table behind a `#` unless it names one already.
pub fn postgres_table_address(location: &str, table: Option<&str>) -> Result<String, PostgresError> {
    let address = Address::parse(location)?;
    match (&address.table, table) {
        (Some(_), _) => Ok(location.to_owned()),
        (None, Some(table)) => Ok(address.with_table(table)),
        (None, None) => {
            let hint = "name it in the policy, [output]  table = \"people_k10\" , or behind the address: postgres://host/database#people_k10";
            Err(PostgresError::new(location, "no table is named", hint))
        }
    }
}

/// The table that an address names behind its `#`.
pub fn table_of_postgres_address(location: &str) -> Option<String> {
    Address::parse(location).ok().and_then(|address| address.table)
}
