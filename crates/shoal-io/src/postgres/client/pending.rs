use std::cell::RefCell;
use std::path::PathBuf;
use std::pin::pin;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::SinkExt;
use shoal_core::{Progress, RawColumn, RawTable, Silent};
use shoal_privacy::{Certificate, Staged};
use tokio_postgres::CopyInSink;

use super::connection::Connection;
use super::copy_text::{NULL, push_escaped};
use super::read::{IN_STORED_ORDER, SESSION, read_select};
use super::sql_type::SqlType;
use super::table_name::{LONGEST_NAME, TableName, quoted};
use super::target::TableTarget;
use super::values::array_of;
use crate::collect::Collector;
use crate::error::{PostgresError, ReadError, WriteError};
use crate::limits::Limits;
use crate::read::ReadTable;
use crate::write::{ColumnForm, Fields};

/// How many bytes are gathered before they are sent.
const CHUNK: usize = 1 << 18;

/// How long somebody who reads the table that is to be replaced is waited for.
const LOCK_TIMEOUT: &str = "set local lock_timeout to '60s'";

/// A table in a transaction that is not committed: nobody else sees it. Dropped, the connection ends and the server undoes everything.
///
/// [`publish`](Staged::publish) is the only way out, and it asks for the certificate of exactly these records.
#[derive(Debug)]
pub struct PendingTable {
    connection: Connection,
    /// What it will be called.
    name: TableName,
    /// What it is called so far.
    temporary: TableName,
    shown: String,
    /// The table whose place it will take.
    replaces: Option<u32>,
    /// The column of lists, where there is one.
    list: Option<String>,
    /// The digest of its records as they were read back.
    digest: RefCell<Option<String>>,
}

impl PendingTable {
    pub(super) fn write(
        target: &TableTarget,
        table: &RawTable,
        columns: &[ColumnForm],
        replace: bool,
        progress: &dyn Progress,
    ) -> Result<PendingTable, WriteError> {
        let shown = target.shown.clone();
        if table.columns.is_empty() {
            return Err(WriteError::NoColumns { path: shown.into() });
        }
        check_names(&shown, table)?;
        let types = SqlType::all(table, columns);
        let mut connection = Connection::open(&target.address, progress)?;
        connection.place.clone_from(&shown);
        // A commit that the server has acknowledged must not be lost with it.
        let durable = "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'";
        let begin = format!(
            "begin isolation level read committed read write; {SESSION}; {IN_STORED_ORDER}; {LOCK_TIMEOUT}; {durable}"
        );
        connection.execute("begin to write", &begin, progress)?;
        let temporary = TableName { schema: target.name.schema.clone(), name: temporary_name() };
        let defined: Vec<String> = table
            .columns
            .iter()
            .zip(&types)
            .map(|(column, kind)| format!("{} {}", quoted(&column.name), kind.sql()))
            .collect();
        let create = format!("create table {} ({})", temporary.sql(), defined.join(", "));
        connection.execute("create the table", &create, progress)?;
        copy_in(&connection, &temporary, table, &types, progress)?;
        let list = table.columns.iter().zip(&types).find(|(_, kind)| **kind == SqlType::Lists);
        let list = list.map(|(column, _)| column.name.clone());
        let name = target.name.clone();
        let replaces = target.existing.as_ref().filter(|_| replace).map(|existing| existing.oid);
        Ok(PendingTable { connection, name, temporary, shown, replaces, list, digest: RefCell::default() })
    }

    /// What it will be called in reports.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Drops the table whose place it takes, if that is still the one that was looked at.
    fn drop_replaced(&self, looked_at: u32) -> Result<(), PostgresError> {
        const DOING: &str = "replace the table";
        let name = self.name.sql();
        let is_looked_at = || {
            // The parameter would be a regclass otherwise.
            let query = "select to_regclass($1::text)::oid";
            let row =
                self.connection.ask(DOING, self.connection.client.query_one(query, &[&name]), &Silent)?;
            let found: Option<u32> = row.get(0);
            match found {
                Some(oid) if oid != looked_at => {
                    let hint = "look whose table it is, then run again";
                    Err(PostgresError::new(
                        &self.shown,
                        "somebody else has replaced the table meanwhile",
                        hint,
                    ))
                }
                found => Ok(found.is_some()),
            }
        };
        if is_looked_at()? {
            // Whoever held the table until now may have put another one in its place.
            let lock = format!("lock table {name} in access exclusive mode");
            self.connection.execute(DOING, &lock, &Silent)?;
            if is_looked_at()? {
                self.connection.execute(DOING, &format!("drop table {name}"), &Silent)?;
            }
        }
        Ok(())
    }

    /// Reads the records back, in the transaction that wrote them, as anybody will read them once it is committed.
    pub fn read_back(
        &self,
        keep: &dyn Fn(&str) -> bool,
        list: Option<&str>,
        progress: &dyn Progress,
    ) -> Result<ReadTable, ReadError> {
        let limits = Limits::default();
        let mut into = Collector::new(keep, u64::MAX, limits, list);
        let select = format!("select * from {}", self.temporary.sql());
        let (sha256, bytes) =
            read_select(&self.connection, &self.shown, &select, &limits, &mut into, progress)?;
        *self.digest.borrow_mut() = Some(sha256.clone());
        let listed = into.gathered().is_listed();
        let (table, header) = into.finish();
        Ok(ReadTable { table, header, sha256, bytes, listed })
    }
}

impl Staged for PendingTable {
    type Receipt = PathBuf;
    type Error = WriteError;

    /// Gives the table its name and commits. What was read back is not read again: nobody but this connection can see the table or change it,
    /// and this connection has not.
    fn publish(self, certificate: &Certificate) -> Result<PathBuf, WriteError> {
        let path = PathBuf::from(&self.shown);
        if certificate.groups_sha256().is_some() {
            return Err(WriteError::WithoutGroups { path });
        }
        let read = self.digest.borrow().clone();
        let found = match read {
            Some(found) => found,
            None => {
                let read = self.read_back(&|_| true, self.list.as_deref(), &Silent);
                let hint = "look into the log of the server, then run again";
                read.map_err(|error| PostgresError::new(&self.shown, error.to_string(), hint))?.sha256
            }
        };
        if found != certificate.sha256() {
            let proven = certificate.sha256().to_owned();
            return Err(WriteError::NotTheVerifiedBytes { path, proven, found });
        }
        if let Some(looked_at) = self.replaces {
            // Only now, so that others can read the old table as long as possible.
            self.drop_replaced(looked_at)?;
        }
        let rename = format!("alter table {} rename to {}", self.temporary.sql(), quoted(&self.name.name));
        self.connection.execute("name the table", &rename, &Silent)?;
        self.connection.execute("commit", "commit", &Silent).map_err(|mut error| {
            // A server that ends while it commits may have committed; nobody can know before it is up again.
            if !error.why.contains("PostgreSQL says") {
                error.why.push_str("; whether the table was published is not known");
                error.hint = "when the server is up, look whether the table is there: it is whole and verified, or not there at all";
            }
            error
        })?;
        Ok(path)
    }
}

/// Names that PostgreSQL would cut off are refused: two could become one, and what was verified would be called otherwise.
fn check_names(shown: &str, table: &RawTable) -> Result<(), PostgresError> {
    let too_long = |column: &&RawColumn| column.name.len() > LONGEST_NAME || column.name.contains('\0');
    if let Some(column) = table.columns.iter().find(too_long) {
        let why = format!(
            "the name of the column `{}` is longer than the 63 bytes that PostgreSQL keeps of a name",
            column.name
        );
        return Err(PostgresError::new(
            shown,
            why,
            "rename the column in the query:  query = \"select … as short, … from …\"",
        ));
    }
    let with_zero = |column: &&RawColumn| column.labels.iter().any(|label| label.contains('\0'));
    match table.columns.iter().find(with_zero) {
        None => Ok(()),
        Some(column) => {
            let why = format!(
                "a value in column `{}` holds the character U+0000, which PostgreSQL cannot store",
                column.name
            );
            Err(PostgresError::new(shown, why, "remove it from the data, or publish a file"))
        }
    }
}

/// A name that no other run has, since several may publish into one schema at a time.
fn temporary_name() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("shoal_staged_{}_{now}", std::process::id())
}

/// Sends the records.
fn copy_in(
    connection: &Connection,
    name: &TableName,
    table: &RawTable,
    types: &[SqlType],
    progress: &dyn Progress,
) -> Result<(), PostgresError> {
    const DOING: &str = "write the records";
    // Frozen: nobody can have a snapshot in which the table is there without them, and nobody has to look them up in the log of transactions
    // any more, this run included.
    let copy = format!("copy {} from stdin with (freeze)", name.sql());
    let opened = connection.ask(DOING, connection.client.copy_in(&copy), progress)?;
    let mut sink = pin!(opened);
    let send = |chunk: Vec<u8>, sink: &mut std::pin::Pin<&mut CopyInSink<Bytes>>| {
        connection.ask(DOING, sink.send(Bytes::from(chunk)), progress)
    };
    let columns: Vec<(Fields, &[u32])> = table
        .columns
        .iter()
        .zip(types)
        .enumerate()
        .map(|(number, (column, kind))| {
            let ends = if number + 1 == table.columns.len() { b'\n' } else { b'\t' };
            let push = |code, label: &str, out: &mut Vec<u8>| match kind {
                _ if column.null == Some(code) => out.extend_from_slice(NULL),
                SqlType::Lists => push_escaped(&array_of(label), out),
                _ => push_escaped(label, out),
            };
            (Fields::of(column, ends, push), &column.codes[..])
        })
        .collect();
    let mut chunk = Vec::with_capacity(CHUNK + CHUNK / 4);
    for row in 0..table.rows {
        for (fields, codes) in &columns {
            chunk.extend_from_slice(fields.get(codes[row]));
        }
        if chunk.len() >= CHUNK {
            progress.check();
            let full = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK + CHUNK / 4));
            send(full, &mut sink)?;
        }
    }
    if !chunk.is_empty() {
        send(chunk, &mut sink)?;
    }
    let written = connection.ask(DOING, sink.as_mut().finish(), progress)?;
    if written != table.rows as u64 {
        let why = format!("{} records were sent, and the server has taken {written}", table.rows);
        return Err(PostgresError::new(
            &connection.place,
            why,
            "look for triggers of the server that keep records out",
        ));
    }
    Ok(())
}
