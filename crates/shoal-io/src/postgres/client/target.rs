use shoal_core::{Progress, RawTable};
use tokio_postgres::types::ToSql;

use super::connection::Connection;
use super::pending::PendingTable;
use super::read::{begin_reading, select_of};
use super::table_name::{TableName, quoted};
use crate::error::{PostgresError, ReadError, WriteError};
use crate::postgres::address::Address;
use crate::source::Source;
use crate::write::ColumnForm;

/// The table that a release will be, on a server that was asked before the work whether it would take it: whether it can be reached and
/// written to, and whether such a table is there already.
#[derive(Debug)]
pub struct TableTarget {
    pub(super) address: Address,
    /// With its schema.
    pub(super) name: TableName,
    /// What reports and errors call it.
    pub(super) shown: String,
    /// The table of that name, where there is one.
    pub(super) existing: Option<Relation>,
    database: Database,
}

/// A database of a server or of one of its standbys, whatever the name under which it was reached.
#[derive(Debug, PartialEq, Eq)]
struct Database {
    /// What a server and everything that was copied from it have in common.
    system: String,
    oid: u32,
}

#[derive(Debug)]
pub(super) struct Relation {
    pub(super) oid: u32,
    is_table: bool,
    is_ours: bool,
}

impl TableTarget {
    /// Asks the server at `location` about the table, which is named behind the `#` of the address.
    pub fn open(location: &str, progress: &dyn Progress) -> Result<TableTarget, WriteError> {
        let address = Address::parse(location)?;
        let place = address.database.clone();
        let table = address.table.as_deref().ok_or_else(|| {
            PostgresError::new(&place, "no table is named", "name it in [output]:  table = \"people_k10\"")
        })?;
        let mut name = TableName::parse(&place, table)?;
        let connection = begin_reading(&address, progress)?;
        let doing = "look at the table";
        let query = "select coalesce($1::text, current_schema()::text)";
        let schema = connection.text(doing, query, &[&name.schema], progress)?;
        let schema = schema.ok_or_else(|| {
            let hint = "name it with the table:  table = \"schema.table\"";
            PostgresError::new(&place, "no schema is on the search path of this user", hint)
        })?;
        let query = "select has_schema_privilege($1::text, 'create'), pg_is_in_recovery() \
                     or current_setting('default_transaction_read_only')::bool";
        let row = connection.ask(doing, connection.client.query_one(query, &[&schema]), progress)?;
        if !row.get::<_, bool>(0) {
            let why = format!("this user may not create tables in the schema {}", quoted(&schema));
            let hint = "ask for the right:  grant create on schema … to … ; or name another schema:  table = \"schema.table\"";
            return Err(PostgresError::new(&place, why, hint).into());
        }
        if row.get::<_, bool>(1) {
            let hint = "name the server that is written to; a standby can be the source";
            return Err(PostgresError::new(&place, "the server can only be read from", hint).into());
        }
        let query = "select c.oid, c.relkind in ('r', 'p'), pg_has_role(c.relowner, 'usage') from pg_class c \
                     join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1::text and c.relname = $2::text";
        let named: [&(dyn ToSql + Sync); 2] = [&schema, &name.name];
        let found = connection.client.query_opt(query, &named);
        let existing = connection.ask(doing, found, progress)?.map(|row| Relation {
            oid: row.get(0),
            is_table: row.get(1),
            is_ours: row.get(2),
        });
        let database = Database::of(&connection, progress)?;
        let shown = address.with_table(table);
        name.schema = Some(schema);
        Ok(TableTarget { address, name, shown, existing, database })
    }

    /// What reports and errors call it.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether there is something of that name.
    pub fn exists(&self) -> bool {
        self.existing.is_some()
    }

    /// Refuses to replace what cannot be replaced: something else than a table, or a table of somebody else.
    pub fn check_replaceable(&self) -> Result<(), WriteError> {
        let Some(existing) = &self.existing else { return Ok(()) };
        let refused = |why: &str, hint| Err(PostgresError::new(&self.shown, why, hint).into());
        if !existing.is_table {
            return refused(
                "it is there, and it is not a table",
                "choose another name, or remove it yourself",
            );
        }
        if !existing.is_ours {
            return refused(
                "it belongs to somebody else",
                "a table is replaced by its owner only; choose another name",
            );
        }
        Ok(())
    }

    /// Whether a source reads the table that is to be replaced, directly or through a view.
    pub fn is_read_by(&self, source: &Source, progress: &dyn Progress) -> Result<bool, ReadError> {
        let Some(existing) = &self.existing else { return Ok(false) };
        let address = Address::parse(&source.location)?;
        let select = select_of(&address, source.query.as_ref())?;
        let connection = begin_reading(&address, progress)?;
        if Database::of(&connection, progress)? != self.database {
            return Ok(false);
        }
        // A plan locks every table that the statement reads until the transaction ends.
        let doing = "run the query";
        let statement = connection.ask(doing, connection.client.prepare(&select.text), progress)?;
        drop(statement);
        let explain = format!("explain {}", select.text);
        connection.ask(doing, connection.client.query(&explain, &[]), progress)?;
        let query = "select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'relation' and relation = $1";
        let row = connection.ask(doing, connection.client.query_one(query, &[&existing.oid]), progress)?;
        Ok(row.get::<_, i64>(0) > 0)
    }

    /// Writes a table where nobody sees it yet; `columns` are the forms of its columns in order. With `replace` it will take the place of the
    /// table that has its name.
    pub fn stage(
        &self,
        table: &RawTable,
        columns: &[ColumnForm],
        replace: bool,
        progress: &dyn Progress,
    ) -> Result<PendingTable, WriteError> {
        PendingTable::write(self, table, columns, replace, progress)
    }
}

impl Database {
    fn of(connection: &Connection, progress: &dyn Progress) -> Result<Database, PostgresError> {
        let query = "select (select system_identifier::text from pg_control_system()), oid from pg_database where datname = current_database()";
        let row =
            connection.ask("look at the database", connection.client.query_one(query, &[]), progress)?;
        Ok(Database { system: row.get(0), oid: row.get(1) })
    }
}
