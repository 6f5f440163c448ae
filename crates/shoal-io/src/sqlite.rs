//! SQLite databases, with the feature `sqlite`.

use bytes::Bytes;
use shoal_core::Progress;

use crate::collect::Collector;
use crate::error::ReadError;
use crate::limits::Limits;
use crate::source::Query;

/// Reads the records of a table or a query into the collector, until their end or until the collector is full.
#[cfg(not(feature = "sqlite"))]
pub(crate) fn read(
    file: &str,
    _input: Bytes,
    _query: Option<&Query>,
    _limits: &Limits,
    _into: &mut Collector<'_>,
    _progress: &dyn Progress,
) -> Result<(), ReadError> {
    Err(ReadError::Sqlite {
        file: file.to_owned(),
        why: "this is a SQLite database, and this program was built without SQLite".to_owned(),
        hint: "build it with `cargo install --path crates/shoal-cli --features sqlite`, or export the table: sqlite3 -header -csv file.db \"select * from people\" > people.csv",
    })
}

#[cfg(feature = "sqlite")]
pub(crate) use reading::read;

#[cfg(feature = "sqlite")]
mod reading {
    use std::io::Cursor;

    use rusqlite::config::DbConfig;
    use rusqlite::limits::Limit;
    use rusqlite::types::ValueRef;
    use rusqlite::{Connection, Error};

    use super::*;

    /// Reads the records of a table or a query into the collector, until their end or until the collector is full.
    pub(crate) fn read(
        file: &str,
        input: Bytes,
        query: Option<&Query>,
        limits: &Limits,
        into: &mut Collector<'_>,
        progress: &dyn Progress,
    ) -> Result<(), ReadError> {
        if input.is_empty() {
            return Err(ReadError::Empty { file: file.to_owned() });
        }
        if i32::try_from(input.len()).is_err() {
            let hint = "export the table: sqlite3 -header -csv file.db \"select * from people\" > people.csv";
            return Err(refused(file, &"the database is larger than 2 GiB", hint));
        }
        let wal = std::fs::metadata(format!("{file}-wal")).is_ok_and(|wal| wal.len() > 0);
        if wal {
            let hint = "close the program that has it open, or run: sqlite3 file.db 'pragma wal_checkpoint(truncate)'";
            return Err(refused(file, &"part of the data is still in its -wal file", hint));
        }
        let database = Database { file, connection: open(input, limits).map_err(|e| broken(file, &e))? };
        let select = match query {
            Some(Query::Select(select)) => {
                database.understands(select)?;
                select.clone()
            }
            Some(Query::Table(name)) => select_all(&database.known(name)?),
            None => select_all(&database.only_table()?),
        };
        database.read(&select, limits, into, progress)
    }

    /// The database in memory, where it cannot be written to: what is hashed is what is read.
    fn open(input: Bytes, limits: &Limits) -> Result<Connection, Error> {
        let mut bytes = Vec::from(input);
        // Marked as one with a log beside it, a database in memory could not be opened. The log was looked for.
        if bytes.get(18..20) == Some(&[2, 2]) {
            bytes[18..20].copy_from_slice(&[1, 1]);
        }
        let mut connection = Connection::open_in_memory()?;
        // Neither functions nor tables that the file itself defines may do more than give values.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(limits.line).unwrap_or(i32::MAX))?;
        let length = bytes.len();
        connection.deserialize_read_exact("main", Cursor::new(bytes), length, true)?;
        Ok(connection)
    }

    struct Database<'f> {
        file: &'f str,
        connection: Connection,
    }

    impl Database<'_> {
        fn read(
            &self,
            select: &str,
            limits: &Limits,
            into: &mut Collector<'_>,
            progress: &dyn Progress,
        ) -> Result<(), ReadError> {
            let fail = |error: Error| broken(self.file, &error);
            self.check_names()?;
            let mut statement = self.connection.prepare(select).map_err(fail)?;
            if statement.column_count() == 0 || !statement.readonly() {
                let hint = "write one statement:  query = \"select … from …\"";
                return Err(refused(self.file, &"the query gives no records", hint));
            }
            let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
            into.begin(self.file, names)?;
            let mut rows = statement.query([]).map_err(fail)?;
            while !into.is_full() {
                let Some(row) = rows.next().map_err(fail)? else { break };
                let place = into.next_row(None)?;
                if place.row % 1024 == 0 {
                    progress.check();
                }
                let mut trouble = None;
                for (column, builder) in into.kept() {
                    match row.get_ref(*column).map_err(fail)? {
                        ValueRef::Null => builder.push_null(place),
                        ValueRef::Integer(number) => builder.push(&number.to_string(), place),
                        ValueRef::Real(number) => builder.push(&format!("{number:?}"), place),
                        ValueRef::Text(text) if text.len() > limits.value => {
                            trouble = Some((*column, "too long"));
                        }
                        ValueRef::Text(text) => match std::str::from_utf8(text) {
                            Ok(text) => builder.push(text, place),
                            Err(_) => trouble = Some((*column, "not UTF-8")),
                        },
                        ValueRef::Blob(_) => trouble = Some((*column, "bytes (a BLOB)")),
                    }
                }
                if let Some((column, what)) = trouble {
                    let why = format!(
                        "record {}, column {}: the value is {what}",
                        place.row,
                        into.header()[column]
                    );
                    let hint = "leave the column out, or turn it into text:  query = \"select hex(photo) as photo, … from …\"";
                    return Err(refused(self.file, &why, hint));
                }
            }
            into.gathered().note_list(false)
        }

        /// A query of ours cannot be wrong; that of a person can, and then it helps to see what there is.
        fn understands(&self, select: &str) -> Result<(), ReadError> {
            self.check_names()?;
            let Err(error) = self.connection.prepare(select) else { return Ok(()) };
            let why = match self.names()?.as_slice() {
                [] => format!("SQLite does not accept the query: {error}; the database has no table"),
                names => {
                    format!("SQLite does not accept the query: {error}; there are: {}", names.join(", "))
                }
            };
            let hint = "correct it, and try it in the shell: sqlite3 file.db \"select …\"; nothing is ever written to the database";
            Err(refused(self.file, &why, hint))
        }

        /// Names of columns come from the texts of the schema, and the library panics on one that is not UTF-8, as in a damaged
        /// file.
        fn check_names(&self) -> Result<(), ReadError> {
            let fail = |error: Error| broken(self.file, &error);
            let select = "select cast(sql as blob) from sqlite_schema where sql is not null";
            let mut statement = self.connection.prepare(select).map_err(fail)?;
            let mut rows = statement.query([]).map_err(fail)?;
            while let Some(row) = rows.next().map_err(fail)? {
                let sql: Vec<u8> = row.get(0).map_err(fail)?;
                if std::str::from_utf8(&sql).is_err() {
                    let hint = "check the file with: sqlite3 file.db 'pragma integrity_check'";
                    return Err(refused(self.file, &"a name in the database is not UTF-8", hint));
                }
            }
            Ok(())
        }

        fn names(&self) -> Result<Vec<String>, ReadError> {
            let fail = |error: Error| broken(self.file, &error);
            let select = "select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite~_%' escape '~' order by name";
            let mut statement = self.connection.prepare(select).map_err(fail)?;
            let names = statement.query_map([], |row| row.get(0)).map_err(fail)?;
            names.collect::<Result<_, _>>().map_err(fail)
        }

        fn only_table(&self) -> Result<String, ReadError> {
            let names = self.names()?;
            match names.as_slice() {
                [] => Err(refused(self.file, &"the database has no table", "is it the right file?")),
                [only] => Ok(only.clone()),
                several => {
                    let why = format!("the database has several tables: {}", several.join(", "));
                    Err(refused(self.file, &why, CHOOSE))
                }
            }
        }

        fn known(&self, name: &str) -> Result<String, ReadError> {
            let names = self.names()?;
            match names.iter().find(|known| known.eq_ignore_ascii_case(name)) {
                Some(name) => Ok(name.clone()),
                None => {
                    let why = format!("there is no table `{name}`; there are: {}", names.join(", "));
                    Err(refused(self.file, &why, CHOOSE))
                }
            }
        }
    }

    const CHOOSE: &str = "name one in [data]:  table = \"…\"  (init: --table NAME), or ask for what you need:  query = \"select …\"";

    fn select_all(table: &str) -> String {
        format!("select * from \"{}\"", table.replace('"', "\"\""))
    }

    fn refused(file: &str, why: &dyn ToString, hint: &'static str) -> ReadError {
        ReadError::Sqlite { file: file.to_owned(), why: why.to_string(), hint }
    }

    fn broken(file: &str, error: &Error) -> ReadError {
        let hint = "check the file with: sqlite3 file.db 'pragma integrity_check'; check the query, too";
        refused(file, &format!("SQLite says: {error}"), hint)
    }
}
