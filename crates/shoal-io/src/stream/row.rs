//! One CSV row.

use std::borrow::Cow;

use super::layout::Place;
use super::{LineError, ReadTuple, StreamLayout};
use crate::csv::{Fields, Quoted, Rules};

impl StreamLayout {
    /// Takes the order of the columns from a header. Every column must be in the policy and every column of the
    /// policy in the header.
    pub fn read_header(&mut self, line: &[u8]) -> Result<(), LineError> {
        let names = self.split(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line))?;
        let mut row = Vec::with_capacity(names.len());
        for name in &names {
            let column = self.columns.iter().position(|column| column.name == *name);
            let column = column.ok_or_else(|| LineError::UnknownColumn { name: name.to_string() })?;
            if row.contains(&column) {
                return Err(LineError::Twice { name: name.to_string() });
            }
            row.push(column);
        }
        if let Some(column) = (0..self.columns.len()).find(|column| !row.contains(column)) {
            return Err(LineError::Missing { name: self.columns[column].name.clone() });
        }
        self.row = row;
        Ok(())
    }

    /// A row in the order of this layout's header, as one in the order of the policy. What is not such a row stays as it is,
    /// to be complained about where it is read. Rows are kept so, since a header is forgotten with its stream.
    pub fn in_policy_order<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        let in_order = self.row.iter().copied().eq(0..self.columns.len());
        match self.split(line) {
            Ok(fields) if !in_order && fields.len() == self.row.len() => {
                let mut row = Vec::with_capacity(line.len());
                let at = |column| self.row.iter().position(|place| *place == column);
                let field = |column| at(column).map_or(Cow::Borrowed(""), |at| Cow::Borrowed(&*fields[at]));
                self.write_fields((0..self.columns.len()).map(field), &mut row);
                row.pop();
                Cow::Owned(row)
            }
            _ => Cow::Borrowed(line),
        }
    }

    pub(super) fn read_row<'a>(&self, line: &'a [u8]) -> Result<ReadTuple<'a>, LineError> {
        let fields = self.split(line)?;
        if fields.len() != self.row.len() {
            return Err(LineError::Width { expected: self.row.len(), found: fields.len() });
        }
        let mut tuple = self.empty();
        tuple.cells.resize(self.cells, Cow::Borrowed(""));
        tuple.sensitive.resize(self.sensitive, Cow::Borrowed(""));
        for (column, field) in self.row.iter().zip(fields) {
            match self.columns[*column].place {
                Place::Cell(at) => tuple.cells[at] = field,
                Place::Sensitive(at) => tuple.sensitive[at] = field,
                Place::Person => tuple.person = Some(field),
                Place::Nowhere => {}
            }
        }
        Ok(tuple)
    }

    /// The fields of one row of an original, without its line end.
    fn split<'a>(&self, line: &'a [u8]) -> Result<Vec<Cow<'a, str>>, LineError> {
        self.split_by(self.rules, line)
    }

    /// The fields of one row, without its line end.
    pub(super) fn split_by<'a>(&self, rules: Rules, line: &'a [u8]) -> Result<Vec<Cow<'a, str>>, LineError> {
        let text = std::str::from_utf8(line).map_err(|_| LineError::NotText)?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        let text = text.strip_suffix('\r').unwrap_or(text);
        let mut fields = Fields::default();
        if !text.contains('"') {
            rules.split_plain(text.as_bytes(), &mut fields);
            return Ok(fields.spans.iter().map(|(from, to)| Cow::Borrowed(&text[*from..*to])).collect());
        }
        let mut unquoted = Vec::new();
        match rules.split_quoted(text.as_bytes(), true, &mut unquoted, &mut fields) {
            Quoted::Ends(at) if at == text.len() => {
                // Quotes and separators are ASCII, so what lies between them is text again.
                let field = |(from, to): &(usize, usize)| {
                    Cow::Owned(String::from_utf8_lossy(&unquoted[*from..*to]).into_owned())
                };
                Ok(fields.spans.iter().map(field).collect())
            }
            Quoted::Ends(_) => Err(LineError::NotCsv { why: "it goes on after a line end" }),
            Quoted::GoesOn(_) => Err(LineError::NotCsv { why: "a quote is not closed" }),
            Quoted::TextAfterQuote(_) => {
                Err(LineError::NotCsv { why: "a value goes on after its closing quote" })
            }
        }
    }
}
