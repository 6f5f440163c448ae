//! Lines of a published stream, written.

use std::borrow::Cow;

use shoal_core::quote_in_set;

use super::{ReadTuple, StreamForm, StreamLayout};
use crate::csv::push_field;

impl StreamLayout {
    /// The first line of a published CSV stream.
    pub fn header(&self) -> Option<Vec<u8>> {
        if !self.is_csv() {
            return None;
        }
        let cells = self.cell_names();
        let names: Vec<&str> = match self.form {
            StreamForm::Sets => cells.chain(["values"]).collect(),
            StreamForm::Groups => std::iter::once("group").chain(cells).chain(["value", "count"]).collect(),
            StreamForm::Rows => cells.chain(self.sensitive_names()).collect(),
        };
        let mut line = Vec::new();
        self.write_fields(names.iter().map(|name| Cow::Borrowed(*name)), &mut line);
        Some(line)
    }

    /// delay-free, hardened: a tuple and its l values, ascending.
    pub fn write_set(&self, tuple: &ReadTuple<'_>, values: &[&str], out: &mut Vec<u8>) {
        if self.is_csv() {
            let cells = tuple.cells.iter().map(|cell| Cow::Borrowed(cell.as_ref()));
            return self.write_fields(cells.chain([Cow::Owned(set(values))]), out);
        }
        out.push(b'{');
        self.write_cells(tuple, out);
        write_values(values, out);
    }

    /// The same with some cells published as given: those of the tuple's stratum.
    pub fn write_set_of_stratum(
        &self,
        tuple: &ReadTuple<'_>,
        cells: &[Option<String>],
        values: &[&str],
        out: &mut Vec<u8>,
    ) {
        if self.is_csv() {
            let exact = tuple.cells.iter().zip(cells);
            let cells = exact.map(|(exact, text)| Cow::Borrowed(text.as_deref().unwrap_or(exact)));
            return self.write_fields(cells.chain([Cow::Owned(set(values))]), out);
        }
        out.push(b'{');
        for ((column, raw), text) in self.published_cells().zip(&tuple.raw_cells).zip(cells) {
            out.extend_from_slice(column.key.as_bytes());
            match text {
                Some(text) => write_string(text, out),
                None => out.extend_from_slice(raw.as_bytes()),
            }
            out.push(b',');
        }
        write_values(values, out);
    }

    /// delay-free, paper: a tuple and its group.
    pub fn write_member(&self, group: u64, tuple: &ReadTuple<'_>, out: &mut Vec<u8>) {
        let group = group.to_string();
        if self.is_csv() {
            let cells = tuple.cells.iter().map(|cell| Cow::Borrowed(cell.as_ref()));
            let blanks = [Cow::Borrowed(""), Cow::Borrowed("")];
            return self.write_fields(std::iter::once(Cow::Owned(group)).chain(cells).chain(blanks), out);
        }
        out.extend_from_slice(b"{\"group\":");
        out.extend_from_slice(group.as_bytes());
        out.push(b',');
        self.write_cells(tuple, out);
        out.pop();
        out.extend_from_slice(b"}\n");
    }

    /// delay-free, paper: a value of a group.
    pub fn write_slot(&self, group: u64, value: &str, count: u64, out: &mut Vec<u8>) {
        if self.is_csv() {
            let blanks = std::iter::repeat_n(Cow::Borrowed(""), self.cells);
            let (group, count) = (Cow::Owned(group.to_string()), Cow::Owned(count.to_string()));
            let fields = std::iter::once(group).chain(blanks).chain([Cow::Borrowed(value), count]);
            return self.write_fields(fields, out);
        }
        out.extend_from_slice(format!("{{\"group\":{group},\"value\":").as_bytes());
        write_string(value, out);
        out.extend_from_slice(format!(",\"count\":{count}}}\n").as_bytes());
    }

    /// castle: a tuple whose cells are published as given, or as they were where nothing is given.
    pub fn write_row(&self, tuple: &ReadTuple<'_>, cells: &[Option<String>], out: &mut Vec<u8>) {
        if self.is_csv() {
            let exact = tuple.cells.iter().zip(cells);
            let cells = exact.map(|(exact, text)| Cow::Borrowed(text.as_deref().unwrap_or(exact)));
            let sensitive = tuple.sensitive.iter().map(|value| Cow::Borrowed(value.as_ref()));
            return self.write_fields(cells.chain(sensitive), out);
        }
        out.push(b'{');
        for ((column, raw), text) in self.published_cells().zip(&tuple.raw_cells).zip(cells) {
            out.extend_from_slice(column.key.as_bytes());
            match text {
                Some(text) => write_string(text, out),
                None => out.extend_from_slice(raw.as_bytes()),
            }
            out.push(b',');
        }
        for (name, raw) in self.sensitive_names().zip(&tuple.raw_sensitive) {
            write_string(name, out);
            out.push(b':');
            out.extend_from_slice(raw.as_bytes());
            out.push(b',');
        }
        out.pop();
        out.extend_from_slice(b"}\n");
    }

    /// castle: a tuple of which nothing can be said.
    pub fn write_suppressed(&self, out: &mut Vec<u8>) {
        let names: Vec<&str> = self.cell_names().chain(self.sensitive_names()).collect();
        if self.is_csv() {
            return self.write_fields(names.iter().map(|_| Cow::Borrowed("*")), out);
        }
        out.push(b'{');
        for name in names {
            write_string(name, out);
            out.extend_from_slice(b":\"*\",");
        }
        out.pop();
        out.extend_from_slice(b"}\n");
    }

    /// The tuple's cells as they stood, a comma after each.
    fn write_cells(&self, tuple: &ReadTuple<'_>, out: &mut Vec<u8>) {
        for (column, raw) in self.published_cells().zip(&tuple.raw_cells) {
            out.extend_from_slice(column.key.as_bytes());
            out.extend_from_slice(raw.as_bytes());
            out.push(b',');
        }
    }

    pub(super) fn write_fields<'t>(&self, fields: impl Iterator<Item = Cow<'t, str>>, out: &mut Vec<u8>) {
        let start = out.len();
        for field in fields {
            if out.len() > start {
                out.push(self.rules.separator);
            }
            // A row is never alone on its line here: every form has at least two columns.
            push_field(out, &field, self.rules.separator, false);
        }
        out.push(b'\n');
    }
}

/// Values as a set in a CSV field.
fn set(values: &[&str]) -> String {
    let members: Vec<Cow<'_, str>> = values.iter().map(|value| quote_in_set(value)).collect();
    format!("{{{}}}", members.join(", "))
}

/// The list of values that ends a JSON object.
fn write_values(values: &[&str], out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"values\":[");
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_string(value, out);
    }
    out.extend_from_slice(b"]}\n");
}

fn write_string(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    serde_json::to_writer(out, text).expect("a text can be written to memory");
}
