//! Lines of a published stream, read again.

use std::borrow::Cow;

use shoal_core::parse_set;
use shoal_core::stream::StreamLine;

use super::layout::Place;
use super::object::{each_member, plain};
use super::{LineError, StreamForm, StreamLayout};
use crate::csv::Rules;

/// The parts of a line, before it is known which line it is.
#[derive(Default)]
struct Parts<'a> {
    cells: Vec<Option<Cow<'a, str>>>,
    sensitive: Vec<Option<Cow<'a, str>>>,
    group: Option<u64>,
    value: Option<Cow<'a, str>>,
    count: Option<u64>,
    values: Option<Vec<Cow<'a, str>>>,
}

impl StreamLayout {
    /// Reads one published line.
    pub fn read_published<'a>(&self, line: &'a [u8]) -> Result<StreamLine<'a>, LineError> {
        let parts = if self.is_csv() { self.parts_of_row(line)? } else { self.parts_of_object(line)? };
        let cells = |cells: Vec<Option<Cow<'a, str>>>| {
            let named = cells.into_iter().zip(self.cell_names());
            named.map(|(cell, name)| cell.ok_or_else(|| missing(name))).collect::<Result<Vec<_>, _>>()
        };
        Ok(match self.form {
            StreamForm::Sets => {
                let values = parts.values.ok_or_else(|| missing("values"))?;
                StreamLine::Set { cells: cells(parts.cells)?, values }
            }
            StreamForm::Groups => {
                let group = parts.group.ok_or_else(|| missing("group"))?;
                match (parts.value, parts.count) {
                    (Some(value), Some(count)) => match parts.cells.iter().all(Option::is_none) {
                        true => StreamLine::Slot { group, value, count },
                        false => {
                            let why = "it has both a group's value and a tuple's".to_owned();
                            return Err(LineError::NotJson { why });
                        }
                    },
                    (None, None) => StreamLine::Member { group, cells: cells(parts.cells)? },
                    (Some(_), None) => return Err(missing("count")),
                    (None, Some(_)) => return Err(missing("value")),
                }
            }
            StreamForm::Rows => {
                let sensitive: Vec<Cow<'a, str>> = parts
                    .sensitive
                    .into_iter()
                    .zip(self.sensitive_names())
                    .map(|(value, name)| value.ok_or_else(|| missing(name)))
                    .collect::<Result<_, _>>()?;
                let value = match sensitive.len() {
                    1 => sensitive.into_iter().next().unwrap_or_default(),
                    // Several stars say no more than one.
                    _ if !sensitive.is_empty() && sensitive.iter().all(|value| value == "*") => {
                        Cow::Borrowed("*")
                    }
                    _ => Cow::Owned(sensitive.join("|")),
                };
                StreamLine::Row { cells: cells(parts.cells)?, value }
            }
        })
    }

    fn parts_of_object<'a>(&self, line: &'a [u8]) -> Result<Parts<'a>, LineError> {
        let mut parts = self.no_parts();
        each_member(line, |key, raw| {
            let twice = match (self.form, key.as_ref()) {
                (StreamForm::Sets, "values") => parts.values.replace(list(raw)?).is_some(),
                (StreamForm::Groups, "group") => parts.group.replace(number(raw, "group")?).is_some(),
                (StreamForm::Groups, "count") => parts.count.replace(number(raw, "count")?).is_some(),
                (StreamForm::Groups, "value") => parts.value.replace(plain(raw, "value")?).is_some(),
                (_, name) => {
                    let column = self.columns.iter().find(|column| column.name == name);
                    let slot = match column.map(|column| column.place) {
                        Some(Place::Cell(at)) => &mut parts.cells[at],
                        Some(Place::Sensitive(at)) if self.form == StreamForm::Rows => {
                            &mut parts.sensitive[at]
                        }
                        _ => return Err(LineError::UnknownColumn { name: name.to_owned() }),
                    };
                    slot.replace(plain(raw, name)?).is_some()
                }
            };
            if twice { Err(LineError::Twice { name: key.into_owned() }) } else { Ok(()) }
        })?;
        Ok(parts)
    }

    fn parts_of_row<'a>(&self, line: &'a [u8]) -> Result<Parts<'a>, LineError> {
        // As anybody would: blanks of a published row are part of its values.
        let rules = Rules { trim: false, ..self.rules };
        let fields = self.split_by(rules, line)?;
        let expected = self.cells
            + match self.form {
                StreamForm::Sets => 1,
                StreamForm::Groups => 3,
                StreamForm::Rows => self.sensitive,
            };
        if fields.len() != expected {
            return Err(LineError::Width { expected, found: fields.len() });
        }
        let mut fields = fields.into_iter();
        let mut parts = self.no_parts();
        if self.form == StreamForm::Groups {
            parts.group = Some(number(&fields.next().unwrap_or_default(), "group")?);
        }
        let cells: Vec<Option<Cow<'a, str>>> = fields.by_ref().take(self.cells).map(Some).collect();
        match self.form {
            StreamForm::Sets => {
                let set = fields.next().unwrap_or_default();
                let values = parse_set(&set).ok_or_else(|| LineError::Kind {
                    name: "values".to_owned(),
                    value: set.clone().into_owned(),
                    kind: "set",
                })?;
                parts.values = Some(values.into_iter().map(Cow::Owned).collect());
                parts.cells = cells;
            }
            StreamForm::Groups => {
                let (value, count) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
                if count.is_empty() {
                    parts.cells = cells;
                } else {
                    parts.count = Some(number(&count, "count")?);
                    parts.value = Some(value);
                }
            }
            StreamForm::Rows => {
                parts.cells = cells;
                parts.sensitive = fields.map(Some).collect();
            }
        }
        Ok(parts)
    }

    fn no_parts<'a>(&self) -> Parts<'a> {
        Parts { cells: vec![None; self.cells], sensitive: vec![None; self.sensitive], ..Parts::default() }
    }
}

fn missing(name: &str) -> LineError {
    LineError::Missing { name: name.to_owned() }
}

fn number(text: &str, name: &str) -> Result<u64, LineError> {
    let (name, value) = (name.to_owned(), text.to_owned());
    text.parse().map_err(|_| LineError::Kind { name, value, kind: "whole number" })
}

fn list(raw: &str) -> Result<Vec<Cow<'_, str>>, LineError> {
    /// A text, borrowed where it can be.
    #[derive(serde::Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let texts: Vec<Text<'_>> = serde_json::from_str(raw).map_err(|error| LineError::Kind {
        name: "values".to_owned(),
        value: format!("{raw} ({error})"),
        kind: "list of texts",
    })?;
    Ok(texts.into_iter().map(|text| text.0).collect())
}
