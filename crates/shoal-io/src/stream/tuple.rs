use std::borrow::Cow;

use shoal_core::stream::StreamTuple;
use shoal_core::{Kind, PersonKey, looks_generalized};

use super::layout::{Place, StreamColumn};
use super::object::{each_member, plain};
use super::{LineError, StreamForm, StreamLayout};

/// A tuple as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadTuple<'a> {
    /// Whose it is: the text of a [`PersonKey`].
    pub person: Option<Cow<'a, str>>,
    /// The plain texts of the columns that are published beside the sensitive value.
    pub cells: Vec<Cow<'a, str>>,
    /// The plain texts of the sensitive columns.
    pub sensitive: Vec<Cow<'a, str>>,
    /// `cells` as they stood in JSON.
    pub(super) raw_cells: Vec<&'a str>,
    /// `sensitive` as they stood in JSON.
    pub(super) raw_sensitive: Vec<&'a str>,
}

impl<'a> ReadTuple<'a> {
    /// The sensitive value: that of the only sensitive column, or of all of them with `|` between them.
    pub fn value(&self) -> Cow<'_, str> {
        match self.sensitive.as_slice() {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(one),
            several => Cow::Owned(several.join("|")),
        }
    }

    /// The tuple in the words of the verifier.
    pub fn at(self, position: u64) -> StreamTuple<'a> {
        let value = match self.sensitive.len() {
            1 => self.sensitive.into_iter().next().unwrap_or_default(),
            _ => Cow::Owned(self.sensitive.join("|")),
        };
        StreamTuple { position, person: self.person, cells: self.cells, value }
    }
}

impl StreamLayout {
    /// Reads one tuple: the bytes of a JSON object or of a CSV row.
    pub fn read<'a>(&self, line: &'a [u8]) -> Result<ReadTuple<'a>, LineError> {
        let mut tuple = if self.is_csv() { self.read_row(line)? } else { self.read_object(line)? };
        tuple.person = tuple.person.map(|text| Cow::Owned(PersonKey::from_text(&text).as_str().to_owned()));
        self.check(&tuple)?;
        Ok(tuple)
    }

    fn read_object<'a>(&self, line: &'a [u8]) -> Result<ReadTuple<'a>, LineError> {
        let mut raw: Vec<Option<&'a str>> = vec![None; self.columns.len()];
        let mut expected = 0;
        each_member(line, |key, value| {
            let column = self.column(&key, expected)?;
            expected = column + 1;
            match raw[column].replace(value) {
                None => Ok(()),
                Some(_) => Err(LineError::Twice { name: key.into_owned() }),
            }
        })?;
        let mut tuple = self.empty();
        for (column, raw) in self.columns.iter().zip(raw) {
            let raw = raw.unwrap_or("null");
            match column.place {
                Place::Cell(_) => {
                    tuple.cells.push(plain(raw, &column.name)?);
                    tuple.raw_cells.push(raw);
                }
                Place::Sensitive(_) => {
                    if raw == "null" {
                        return Err(LineError::Missing { name: column.name.clone() });
                    }
                    tuple.sensitive.push(plain(raw, &column.name)?);
                    tuple.raw_sensitive.push(raw);
                }
                Place::Person => tuple.person = Some(plain(raw, &column.name)?),
                Place::Nowhere => {}
            }
        }
        Ok(tuple)
    }

    pub(super) fn empty<'a>(&self) -> ReadTuple<'a> {
        ReadTuple {
            person: None,
            cells: Vec::with_capacity(self.cells),
            sensitive: Vec::with_capacity(self.sensitive),
            raw_cells: Vec::with_capacity(self.cells),
            raw_sensitive: Vec::with_capacity(self.sensitive),
        }
    }

    /// The column of a name. Members mostly come in the order of the policy, so the next one is tried first.
    fn column(&self, name: &str, expected: usize) -> Result<usize, LineError> {
        if self.columns.get(expected).is_some_and(|column| column.name == name) {
            return Ok(expected);
        }
        let found = self.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| LineError::UnknownColumn { name: name.to_owned() })
    }

    fn check(&self, tuple: &ReadTuple<'_>) -> Result<(), LineError> {
        let missing = |column: &StreamColumn| LineError::Missing { name: column.name.clone() };
        for column in &self.columns {
            match column.place {
                Place::Cell(at) => self.check_value(column, &tuple.cells[at])?,
                Place::Sensitive(at) => {
                    let value = tuple.sensitive[at].as_ref();
                    // A set of values has no place for no value, and in a crowd it would be no company.
                    if value.is_empty() || self.missing.has(value) {
                        return Err(missing(column));
                    }
                    self.check_value(column, value)?;
                    if self.sensitive > 1 && value.contains('|') {
                        return Err(LineError::Joint { name: column.name.clone(), value: value.to_owned() });
                    }
                }
                Place::Person if tuple.person.as_deref().is_none_or(str::is_empty) => {
                    return Err(missing(column));
                }
                Place::Person | Place::Nowhere => {}
            }
        }
        Ok(())
    }

    fn check_value(&self, column: &StreamColumn, value: &str) -> Result<(), LineError> {
        if self.missing.has(value) {
            let missing = LineError::Missing { name: column.name.clone() };
            return if column.must_have_value { Err(missing) } else { Ok(()) };
        }
        let kind = column.parser.kind();
        if kind != Kind::Text && column.parser.position(value).is_none() {
            let (name, value) = (column.name.clone(), value.to_owned());
            return Err(LineError::Kind { name, value, kind: kind.name() });
        }
        if self.form == StreamForm::Rows && column.is_quasi && looks_generalized(value) {
            let (name, value) = (column.name.clone(), value.to_owned());
            return Err(LineError::LooksGeneralized { name, value });
        }
        Ok(())
    }
}
