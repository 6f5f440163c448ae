use std::collections::HashMap;

use shoal_core::{Place, RawColumnBuilder, RawTable};

use crate::error::ReadError;
use crate::limits::Limits;

/// Gathers the records of all files of a source.
pub(crate) struct Collector<'a> {
    keep: &'a dyn Fn(&str) -> bool,
    limit: u64,
    limits: Limits,
    list: Option<ListColumn>,
    header: Vec<String>,
    /// The columns that are stored, with their number in the source.
    kept: Vec<(usize, RawColumnBuilder)>,
    files: Vec<String>,
    rows: u64,
}

/// The column that may be one of lists.
struct ListColumn {
    name: String,
    /// Whether it is, once a file has told.
    listed: Option<bool>,
}

impl<'a> Collector<'a> {
    /// Stores the columns that `keep` wants, of at most `limit` records. More than `limits` allow are an error.
    pub(crate) fn new(keep: &'a dyn Fn(&str) -> bool, limit: u64, limits: Limits) -> Self {
        Collector {
            keep,
            limit,
            limits,
            list: None,
            header: Vec::new(),
            kept: Vec::new(),
            files: Vec::new(),
            rows: 0,
        }
    }

    /// Lets the column of this name be one of lists.
    pub(crate) fn with_list(self, name: &str) -> Self {
        Collector { list: Some(ListColumn { name: name.to_owned(), listed: None }), ..self }
    }

    /// A file with these columns begins.
    pub(crate) fn begin(&mut self, file: &str, names: Vec<String>) -> Result<(), ReadError> {
        match self.files.first() {
            Some(first_file) => self.compare(file, first_file, &names)?,
            None => self.open(file, names)?,
        }
        self.files.push(file.to_owned());
        Ok(())
    }

    /// The names of all columns, stored or not.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// Whether a column of this name may be one of lists.
    pub(crate) fn may_be_list(&self, name: &str) -> bool {
        self.list.as_ref().is_some_and(|list| list.name == name)
    }

    /// In the file at hand the column that may be one of lists is one, or is not.
    pub(crate) fn note_list(&mut self, listed: bool) -> Result<(), ReadError> {
        let Some(list) = &mut self.list else { return Ok(()) };
        if *list.listed.get_or_insert(listed) == listed {
            return Ok(());
        }
        let file = |at: Option<&String>| at.cloned().unwrap_or_default();
        Err(ReadError::ListDiffers {
            file: file(self.files.last()),
            first_file: file(self.files.first()),
            column: list.name.clone(),
        })
    }

    /// Whether a column of lists was found.
    pub(crate) fn is_listed(&self) -> bool {
        self.list.as_ref().is_some_and(|list| list.listed == Some(true))
    }

    /// Whether no further record is wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= self.limit
    }

    /// How many records are still wanted.
    pub(crate) fn room(&self) -> u64 {
        self.limit - self.rows
    }

    /// A new record begins; each of the kept columns must get its value.
    pub(crate) fn next_row(&mut self, line: Option<u64>) -> Result<Place, ReadError> {
        self.make_room(1)?;
        self.rows += 1;
        Ok(self.place(self.rows, line))
    }

    /// `count` new records begin. Returns the place of the first.
    pub(crate) fn next_rows(&mut self, count: u64) -> Result<Place, ReadError> {
        self.make_room(count)?;
        let first = self.rows + 1;
        self.rows += count;
        Ok(self.place(first, None))
    }

    /// Whether so many more records may come.
    fn make_room(&self, count: u64) -> Result<(), ReadError> {
        let rows = self.rows.saturating_add(count);
        let file = || self.files.last().cloned().unwrap_or_default();
        if rows > self.limits.rows {
            return Err(ReadError::TooManyRows { file: file(), limit: self.limits.rows });
        }
        if rows.saturating_mul(self.kept.len() as u64) > self.limits.cells {
            let (columns, limit) = (self.kept.len(), self.limits.cells);
            return Err(ReadError::TooManyCells { file: file(), columns, limit });
        }
        Ok(())
    }

    /// The columns that are stored, with their numbers in the source.
    pub(crate) fn kept(&mut self) -> &mut [(usize, RawColumnBuilder)] {
        &mut self.kept
    }

    /// All that was gathered: the table and the names of all columns.
    pub(crate) fn finish(self) -> (RawTable, Vec<String>) {
        let columns = self.kept.into_iter().map(|(_, builder)| builder.finish()).collect();
        (RawTable { columns, rows: self.rows as usize, files: self.files }, self.header)
    }

    fn place(&self, row: u64, line: Option<u64>) -> Place {
        Place { row, line, file: self.files.len() as u32 - 1 }
    }

    fn open(&mut self, file: &str, names: Vec<String>) -> Result<(), ReadError> {
        if names.len() > self.limits.columns {
            let (columns, limit) = (names.len(), self.limits.columns);
            return Err(ReadError::TooManyColumns { file: file.to_owned(), columns, limit });
        }
        let mut places = HashMap::with_capacity(names.len());
        for (second, name) in names.iter().enumerate() {
            if let Some(first) = places.insert(name, second) {
                let (first, second) = (first + 1, second + 1);
                return Err(ReadError::DuplicateName {
                    file: file.to_owned(),
                    name: name.clone(),
                    first,
                    second,
                });
            }
        }
        let wanted = names.iter().enumerate().filter(|(_, name)| (self.keep)(name));
        self.kept = wanted.map(|(number, name)| (number, RawColumnBuilder::new(name.clone()))).collect();
        self.header = names;
        Ok(())
    }

    fn compare(&self, file: &str, first_file: &str, names: &[String]) -> Result<(), ReadError> {
        let columns = names.len().max(self.header.len());
        match (0..columns).find(|&column| names.get(column) != self.header.get(column)) {
            None => Ok(()),
            Some(column) => Err(ReadError::HeaderDiffers {
                file: file.to_owned(),
                first_file: first_file.to_owned(),
                column: column + 1,
                expected: self.header.get(column).cloned(),
                found: names.get(column).cloned(),
            }),
        }
    }
}
