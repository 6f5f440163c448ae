use std::pin::Pin;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use shoal_core::{Place, Progress};
use tokio_postgres::CopyOutStream;

use super::connection::Connection;
use super::copy_text::{NULL, split, unescaped};
use super::line_digest::LineDigest;
use super::table_name::TableName;
use super::values::{Cells, items};
use crate::collect::Collector;
use crate::error::{PostgresError, ReadError};
use crate::limits::Limits;
use crate::postgres::address::Address;
use crate::source::{Query, Source};

/// How values are written, wherever the server is and whoever asks. It lasts as long as the transaction: behind a pool of connections the
/// next one may have another server process.
pub(super) const SESSION: &str = "set local client_encoding to 'UTF8'; set local datestyle to 'ISO'; set local intervalstyle to 'iso_8601'; \
    set local timezone to 'UTC'; set local extra_float_digits to 1; set local bytea_output to 'hex'; \
    set local standard_conforming_strings to on; set local synchronize_seqscans to off";

/// Records of the table itself come in the order in which they lie there only if one process reads it.
pub(super) const IN_STORED_ORDER: &str = "set local max_parallel_workers_per_gather to 0";

/// How many records are read between two words to the progress.
const STEP: u64 = 4096;

/// Reads the records of a query or a table into the collector, until their end or until the collector is full. Gives the digest of the
/// records (see [`LineDigest`]) and how many bytes they were.
pub(crate) fn read(
    source: &Source,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(String, u64), ReadError> {
    progress.stage("reading", 0);
    let address = Address::parse(&source.location)?;
    let select = select_of(&address, source.query.as_ref())?;
    let connection = begin_reading(&address, progress)?;
    if select.of_table {
        connection.execute("begin", IN_STORED_ORDER, progress)?;
    }
    // A table that the address itself names is most often a release. Row security would hide records of it, and what is left would be found to keep the promise: the server is to
    // refuse instead. A source of a policy, by `query` or `table`, is what this user may see.
    if address.table.is_some() {
        connection.execute("begin", "set local row_security to off", progress)?;
    }
    read_select(&connection, &source.location, &select.text, &source.limits, into, progress)
}

/// A transaction that can only read and that sees the database as it is at one moment.
pub(super) fn begin_reading(address: &Address, progress: &dyn Progress) -> Result<Connection, PostgresError> {
    let connection = Connection::open(address, progress)?;
    let begin = format!("begin isolation level repeatable read read only; {SESSION}");
    connection.execute("begin to read", &begin, progress)?;
    Ok(connection)
}

/// The statement that gives the records.
pub(super) struct Select {
    pub(super) text: String,
    /// Whether it is all of a table.
    of_table: bool,
}

pub(super) fn select_of(address: &Address, query: Option<&Query>) -> Result<Select, PostgresError> {
    let place = address.database.as_str();
    let all_of = |table: &str| {
        let text = format!("select * from {}", TableName::parse(place, table)?.sql());
        Ok(Select { text, of_table: true })
    };
    match (&address.table, query) {
        (Some(table), _) | (None, Some(Query::Table(table))) => all_of(table),
        (None, Some(Query::Select(select))) => {
            // `COPY ( … )` takes no semicolon.
            let text = select.trim().trim_end_matches(|c: char| c == ';' || c.is_whitespace());
            Ok(Select { text: text.to_owned(), of_table: false })
        }
        (None, None) => {
            let hint = "add to [data]  query = \"select … from …\" , or  table = \"people\"";
            Err(PostgresError::new(place, "nothing is asked of the database", hint))
        }
    }
}

/// Reads what a statement gives, in the transaction that is open. `name` is what the source is called.
pub(super) fn read_select(
    connection: &Connection,
    name: &str,
    select: &str,
    limits: &Limits,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(String, u64), ReadError> {
    // Asked on its own first: only one statement can be prepared, so nothing can hide behind a closing bracket.
    let statement = connection.ask("run the query", connection.client.prepare(select), progress)?;
    if statement.columns().is_empty() || !statement.params().is_empty() {
        let why = match statement.params() {
            [] => "the query gives no records",
            _ => "the query has parameters ($1), for which there are no values",
        };
        let hint = "write one statement that gives records:  query = \"select … from …\"  and try it in psql";
        return Err(PostgresError::new(&connection.place, why, hint).into());
    }
    let names: Vec<String> = statement.columns().iter().map(|column| column.name().to_owned()).collect();
    let mut digest = LineDigest::new(&names);
    into.begin(name, names)?;
    let mut columns = Vec::new();
    let mut listed = false;
    let kept: Vec<usize> = into.kept().iter().map(|(column, _)| *column).collect();
    for number in kept {
        let column = &statement.columns()[number];
        let cells = Cells::of(column.type_());
        let may_be_list = into.gathered().may_be_list(column.name());
        listed |= may_be_list && matches!(cells, Cells::Lists(_));
        if cells == Cells::Unreadable || (matches!(cells, Cells::Lists(_)) && !may_be_list) {
            let (column, kind) = (column.name().to_owned(), column.type_().name().to_owned());
            return Err(ReadError::UnsupportedType { file: name.to_owned(), column, kind });
        }
        columns.push(cells);
    }
    into.gathered().note_list(listed)?;
    if into.is_full() {
        return Ok((digest.hex(), 0));
    }
    // On lines of its own, so that a comment at the end of the query ends before the bracket.
    let copy = format!("copy (\n{select}\n) to stdout");
    let stream = connection.ask("run the query", connection.client.copy_out(&copy), progress)?;
    let mut lines = Lines { connection, stream: Box::pin(stream), begun: Vec::new() };
    let mut row = Row {
        name,
        columns,
        limits,
        above: Vec::new(),
        above_bounds: Vec::new(),
        bounds: Vec::new(),
        bytes: Vec::new(),
        text: String::new(),
    };
    let mut bytes = 0;
    while !into.is_full() {
        let Some(chunk) = lines.next(progress)? else { break };
        let mut rest = &chunk[..];
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end + 1);
            rest = after;
            if into.is_full() {
                break;
            }
            bytes += line.len() as u64;
            digest.add(line);
            let place = into.next_row(None)?;
            if place.row % STEP == 0 {
                progress.advance(STEP);
            }
            row.push(&line[..end], place, into)?;
        }
    }
    Ok((digest.hex(), bytes))
}

/// What comes from the server, in pieces that end with a line.
struct Lines<'c> {
    connection: &'c Connection,
    stream: Pin<Box<CopyOutStream>>,
    /// A line whose end has not come yet.
    begun: Vec<u8>,
}

impl Lines<'_> {
    fn next(&mut self, progress: &dyn Progress) -> Result<Option<Bytes>, PostgresError> {
        const DOING: &str = "read the records";
        loop {
            // A message is a record, and thousands of them may have arrived: only where there is none it is worth to wait.
            let chunk = match self.stream.next().now_or_never() {
                Some(chunk) => chunk.transpose().map_err(|error| self.connection.blame(DOING, &error))?,
                None => {
                    let next = async { self.stream.next().await.transpose() };
                    self.connection.ask(DOING, next, progress)?
                }
            };
            let Some(chunk) = chunk else { return Ok(None) };
            // The server sends whole lines; the protocol does not promise it.
            if self.begun.is_empty() && chunk.ends_with(b"\n") {
                return Ok(Some(chunk));
            }
            self.begun.extend_from_slice(&chunk);
            if self.begun.ends_with(b"\n") {
                return Ok(Some(Bytes::from(std::mem::take(&mut self.begun))));
            }
        }
    }
}

/// Takes lines apart.
struct Row<'r> {
    name: &'r str,
    /// What the kept columns hold.
    columns: Vec<Cells>,
    limits: &'r Limits,
    /// The line above, and where its values are: a release is sorted, so that most values are those of the line above.
    above: Vec<u8>,
    above_bounds: Vec<(usize, usize)>,
    // Used again for every line.
    bounds: Vec<(usize, usize)>,
    bytes: Vec<u8>,
    text: String,
}

impl Row<'_> {
    fn push(&mut self, line: &[u8], place: Place, into: &mut Collector<'_>) -> Result<(), ReadError> {
        split(line, &mut self.bounds);
        let mut trouble = None;
        for ((column, builder), cells) in into.kept().iter_mut().zip(&self.columns) {
            // A line has a value for each column of the statement.
            let Some(&(from, to)) = self.bounds.get(*column) else {
                trouble = Some((*column, "the server gives fewer values than columns"));
                break;
            };
            let value = &line[from..to];
            if self.above_bounds.get(*column).is_some_and(|&(from, to)| &self.above[from..to] == value) {
                builder.push_again(place);
                continue;
            }
            if value == NULL {
                match cells {
                    Cells::Lists(_) => builder.push("", place),
                    _ => builder.push_null(place),
                }
                continue;
            }
            if value.len() > self.limits.value {
                trouble = Some((*column, "the value is too long"));
                break;
            }
            let Ok(given) = std::str::from_utf8(unescaped(value, &mut self.bytes)) else {
                trouble = Some((*column, "the value is not UTF-8"));
                break;
            };
            match cells {
                Cells::Of(form) => builder.push(form.text(given, &mut self.text), place),
                Cells::Lists(form) => match items(given, *form, &mut self.text) {
                    Some(()) => builder.push(&self.text, place),
                    None => {
                        trouble = Some((*column, "the array has several dimensions, or an item with U+001F"));
                        break;
                    }
                },
                Cells::Unreadable => {}
            }
        }
        std::mem::swap(&mut self.bounds, &mut self.above_bounds);
        self.above.clear();
        self.above.extend_from_slice(line);
        match trouble {
            None => Ok(()),
            Some((column, what)) => {
                let why = format!("record {}, column {}: {what}", place.row, into.header()[column]);
                let hint = "leave the column out, or turn it into another one in the query:  query = \"select left(note, 100) as note, … from …\"";
                Err(PostgresError::new(self.name, why, hint).into())
            }
        }
    }
}
