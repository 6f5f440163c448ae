//! The client: connects, copies records out of a query and into a new table. All of it needs the feature `postgres`; without it
//! `absent.rs` beside this folder says how to get it.

mod connection;
mod copy_text;
mod line_digest;
mod passwords;
mod pending;
mod read;
mod services;
mod settings;
mod sql_type;
mod sqlstate;
mod table_name;
mod target;
mod tls;
mod values;

pub use pending::PendingTable;
pub(crate) use read::read;
pub use target::TableTarget;
