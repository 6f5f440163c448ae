//! JSON: an object per line, or an array of objects. A record is an object; columns are the keys of all of them in the order
//! in which they appear first.

mod elements;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Read;

use elements::{ElementError, Elements};

use crate::collect::Collector;
use crate::error::ReadError;
use crate::limits::Limits;
use crate::lines::{LineError as TextError, Lines};
use crate::read::{ITEM_SEPARATOR, peek};
use crate::stream::LineError;
use crate::stream::object::{each_member, plain};

/// So many values may be missing before the size of the text is looked at.
const FREE_CELLS: u64 = 1 << 24;
/// How many values there may be per byte of the text. Records that hold their keys have about one per ten bytes; in a small
/// file of many empty objects and one with many keys nearly all values are missing, yet each takes memory.
const CELLS_PER_BYTE: u64 = 16;

/// Reads one file's records into the collector, until its end or until the collector is full.
pub(crate) fn read(
    file: &str,
    input: Box<dyn Read + '_>,
    limits: Limits,
    into: &mut Collector<'_>,
) -> Result<(), ReadError> {
    let (head, input) =
        peek(input).map_err(|source| ReadError::Unreadable { file: file.to_owned(), source })?;
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    let objects = match first {
        Some(b'[') => Objects::Array(Elements::new(input, limits.line)),
        _ => Objects::Lines(Lines::new(input, limits.line)),
    };
    let mut reader = Reader { file, limits, objects, columns: HashMap::new(), bytes: 0 };
    into.gathered().begin_without_names(file);
    for (number, name) in into.header().iter().enumerate() {
        reader.columns.insert(name.clone(), number);
    }
    // Who wants no record wants the names of all columns, and those are known at the end only.
    let names_only = into.is_full();
    while names_only || !into.is_full() {
        if !reader.record(names_only, into)? {
            break;
        }
    }
    match into.header().is_empty() {
        true => Err(ReadError::Empty { file: file.to_owned() }),
        false => Ok(()),
    }
}

struct Reader<'f, R> {
    file: &'f str,
    limits: Limits,
    objects: Objects<R>,
    /// The number of each column in the source.
    columns: HashMap<String, usize>,
    /// How many bytes of objects have been read.
    bytes: u64,
}

enum Objects<R> {
    Lines(Lines<R>),
    Array(Elements<R>),
}

impl<R: Read> Reader<'_, R> {
    /// Reads the next record; `false` at the end.
    fn record(&mut self, names_only: bool, into: &mut Collector<'_>) -> Result<bool, ReadError> {
        let Reader { file, limits, objects, columns, bytes } = self;
        let Some((line, text)) = objects.next().map_err(|error| error.located(file, limits))? else {
            return Ok(false);
        };
        *bytes += text.len() as u64;
        let refuse = |error: LineError| refused(error, file, line);
        let mut members: Vec<(usize, &str)> = Vec::with_capacity(columns.len());
        let mut names: Vec<(Cow<'_, str>, &str)> = Vec::with_capacity(columns.len());
        each_member(text.as_bytes(), |name, raw| {
            names.push((name, raw));
            Ok(())
        })
        .map_err(refuse)?;
        for (name, raw) in names {
            let column = match columns.get(&*name) {
                Some(&column) => column,
                None => {
                    let column = into.add_column(file, &name)?;
                    columns.insert(name.clone().into_owned(), column);
                    column
                }
            };
            members.push((column, raw));
        }
        members.sort_by_key(|(column, _)| *column);
        if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let name = into.header()[pair[0].0].clone();
            return Err(refuse(LineError::Twice { name }));
        }
        if names_only {
            return Ok(true);
        }
        let place = into.next_row(Some(line))?;
        let cells = into.gathered().rows() * into.kept().len() as u64;
        let most = FREE_CELLS.max(bytes.saturating_mul(CELLS_PER_BYTE));
        if cells > most {
            let (file, columns) = (file.to_string(), into.kept().len());
            return Err(ReadError::TooManyCells { file, columns, limit: most });
        }
        let gathered = into.gathered();
        let kept: Vec<usize> = gathered.kept().iter().map(|(column, _)| *column).collect();
        let mut members = members.into_iter().peekable();
        for (at, column) in kept.into_iter().enumerate() {
            while members.next_if(|(number, _)| *number < column).is_some() {}
            let raw = members.next_if(|(number, _)| *number == column).map_or("null", |(_, raw)| raw);
            if raw == "null" {
                gathered.kept()[at].1.push_null(place);
                continue;
            }
            let name = gathered.header()[column].clone();
            let may_be_list = gathered.may_be_list(&name);
            let is_list = raw.starts_with('[');
            if may_be_list && gathered.note_list(is_list).is_err() {
                return Err(ReadError::ListOrValue { file: file.to_string(), line, column: name });
            }
            let value = match is_list && may_be_list {
                true => Cow::Owned(list(raw, &name).map_err(refuse)?),
                false => plain(raw, &name).map_err(|error| match error {
                    LineError::Nested { name } => nested(file, line, name, raw),
                    error => refuse(error),
                })?,
            };
            if value.len() > limits.value {
                let (file, limit) = (file.to_string(), limits.value);
                return Err(ReadError::ValueTooLong { file, line, column: name, limit });
            }
            gathered.kept()[at].1.push(&value, place);
        }
        Ok(true)
    }
}

impl<R: Read> Objects<R> {
    /// The text of the next object, and the line on which it begins; `None` at the end.
    fn next(&mut self) -> Result<Option<(u64, &str)>, ObjectError> {
        match self {
            Objects::Array(elements) => elements.next().map_err(ObjectError::Element),
            Objects::Lines(lines) => loop {
                // The borrow of a blank line must end before the next one is read.
                let Some(line) = lines.next().map_err(ObjectError::Line)? else { return Ok(None) };
                let (number, blank) = (line.number, line.text.trim().is_empty());
                if !blank {
                    return Ok(Some((number, lines.current())));
                }
            },
        }
    }
}

/// Why the next object cannot be had.
enum ObjectError {
    Line(TextError),
    Element(ElementError),
}

impl ObjectError {
    fn located(self, file: &str, limits: &Limits) -> ReadError {
        let (file, limit) = (file.to_owned(), limits.line);
        match self {
            ObjectError::Line(TextError::Io(source)) | ObjectError::Element(ElementError::Io(source)) => {
                ReadError::Unreadable { file, source }
            }
            ObjectError::Line(TextError::TooLong { line })
            | ObjectError::Element(ElementError::TooLong { line }) => {
                ReadError::LineTooLong { file, line, limit }
            }
            ObjectError::Line(TextError::NotUtf8 { line, offset, likely }) => {
                ReadError::LineNotUtf8 { file, line, offset, likely }
            }
            ObjectError::Element(ElementError::NotUtf8 { line, offset, likely }) => {
                ReadError::LineNotUtf8 { file, line, offset, likely }
            }
            ObjectError::Element(ElementError::Syntax { line, why }) => {
                ReadError::NotJson { file, line, why: why.to_owned() }
            }
        }
    }
}

/// The items of a list of plain values as one text.
fn list(raw: &str, name: &str) -> Result<String, LineError> {
    let items: Vec<&serde_json::value::RawValue> =
        serde_json::from_str(raw).map_err(|error| LineError::NotJson { why: error.to_string() })?;
    let mut text = String::new();
    for item in items {
        let item = plain(item.get(), name)?;
        if item.contains(ITEM_SEPARATOR) {
            let why = format!("an item of `{name}` holds the control character U+001F");
            return Err(LineError::NotJson { why });
        }
        if item.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push(ITEM_SEPARATOR);
        }
        text.push_str(&item);
    }
    Ok(text)
}

fn refused(error: LineError, file: &str, line: u64) -> ReadError {
    let file = file.to_owned();
    match error {
        LineError::Nested { name } => {
            ReadError::Nested { file, line, path: name, what: "a list inside a list" }
        }
        LineError::Twice { name } => ReadError::KeyTwice { file, line, name },
        LineError::NotJson { why } => ReadError::NotJson { file, line, why },
        error => ReadError::NotJson { file, line, why: error.to_string() },
    }
}

/// The error for a value that is not a plain one, with the way to the first value inside it.
fn nested(file: &str, line: u64, name: String, raw: &str) -> ReadError {
    let file = file.to_owned();
    if raw.starts_with('[') {
        return ReadError::Nested { file, line, path: name, what: "a list" };
    }
    let mut first = None;
    let _ = each_member(raw.as_bytes(), |key, _| {
        first.get_or_insert_with(|| key.into_owned());
        Ok(())
    });
    let path = first.map_or_else(|| name.clone(), |first| format!("{name}.{first}"));
    ReadError::Nested { file, line, path, what: "a value inside an object" }
}
