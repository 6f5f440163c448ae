use std::collections::HashMap;

use shoal_core::{Place, RawTable};

use super::ColumnBuilder;
use crate::error::ReadError;
use crate::limits::Limits;

/// The records of a source so far, whatever their format.
#[derive(Debug)]
pub(crate) struct Gathered {
    limits: Limits,
    list: Option<ListColumn>,
    header: Vec<String>,
    /// The columns that are stored, with their number in the source.
    kept: Vec<(usize, ColumnBuilder)>,
    files: Vec<String>,
    rows: u64,
}

/// The column that may be one of lists.
#[derive(Debug)]
struct ListColumn {
    name: String,
    /// Whether it is, once a file has shown it.
    listed: Option<bool>,
}

impl Gathered {
    /// Nothing yet. More than `limits` allow are an error; the column `list` may be one of lists.
    pub(crate) fn new(limits: Limits, list: Option<&str>) -> Self {
        Gathered {
            limits,
            list: list.map(|name| ListColumn { name: name.to_owned(), listed: None }),
            header: Vec::new(),
            kept: Vec::new(),
            files: Vec::new(),
            rows: 0,
        }
    }

    /// A file with these columns begins; those of the first file that `keep` wants are stored.
    pub(crate) fn begin(
        &mut self,
        file: &str,
        names: Vec<String>,
        keep: &dyn Fn(&str) -> bool,
    ) -> Result<(), ReadError> {
        match self.files.first() {
            Some(first_file) => self.compare(file, first_file, &names)?,
            None => self.open(file, names, keep)?,
        }
        self.files.push(file.to_owned());
        Ok(())
    }

    /// A file begins whose columns become known as its records come.
    pub(crate) fn begin_without_names(&mut self, file: &str) {
        self.files.push(file.to_owned());
    }

    /// A further column, in which no record has had a value so far. Returns its number.
    pub(crate) fn add_column(
        &mut self,
        file: &str,
        name: &str,
        keep: &dyn Fn(&str) -> bool,
    ) -> Result<usize, ReadError> {
        let number = self.header.len();
        if number == self.limits.columns {
            let (file, limit) = (file.to_owned(), self.limits.columns);
            return Err(ReadError::TooManyColumns { file, columns: number + 1, limit });
        }
        self.header.push(name.to_owned());
        if keep(name) {
            self.kept.push((number, ColumnBuilder::new(name.to_owned())));
            self.make_room(0)?;
            let place = |row| Place { row, line: None, file: self.files.len() as u32 - 1 };
            let (rows, builder) = (self.rows, &mut self.kept.last_mut().expect("it was pushed").1);
            (1..=rows).for_each(|row| builder.push_null(place(row)));
        }
        Ok(number)
    }

    /// Refuses other columns than those of the first file.
    pub(crate) fn compare<S: AsRef<str>>(
        &self,
        file: &str,
        first_file: &str,
        names: &[S],
    ) -> Result<(), ReadError> {
        let columns = names.len().max(self.header.len());
        let found = |column: usize| names.get(column).map(AsRef::as_ref);
        let expected = |column: usize| self.header.get(column).map(String::as_str);
        match (0..columns).find(|&column| found(column) != expected(column)) {
            None => Ok(()),
            Some(column) => Err(ReadError::HeaderDiffers {
                file: file.to_owned(),
                first_file: first_file.to_owned(),
                column: column + 1,
                expected: expected(column).map(str::to_owned),
                found: found(column).map(str::to_owned),
            }),
        }
    }

    /// The names of all columns, stored or not.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// Whether a column of this name may be one of lists.
    pub(crate) fn may_be_list(&self, name: &str) -> bool {
        self.list.as_ref().is_some_and(|list| list.name == name)
    }

    /// Notes whether in the current file the column that may be one of lists is one.
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

    /// How many records there are.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// `count` new records begin, of which each of the kept columns must get its value. Returns the place of
    /// the first.
    pub(crate) fn next_rows(&mut self, count: u64, line: Option<u64>) -> Result<Place, ReadError> {
        self.make_room(count)?;
        let row = self.rows + 1;
        self.rows += count;
        Ok(Place { row, line, file: self.files.len() as u32 - 1 })
    }

    /// The columns that are stored, with their numbers in the source.
    pub(crate) fn kept(&mut self) -> &mut [(usize, ColumnBuilder)] {
        &mut self.kept
    }

    /// All that was gathered: the table and the names of all columns.
    pub(crate) fn finish(self) -> (RawTable, Vec<String>) {
        let columns = self.kept.into_iter().map(|(_, builder)| builder.finish()).collect();
        (RawTable { columns, rows: self.rows as usize, files: self.files }, self.header)
    }

    /// Whether this many more records may come.
    fn make_room(&self, count: u64) -> Result<(), ReadError> {
        let rows = self.rows.saturating_add(count);
        let file = || self.files.last().cloned().unwrap_or_default();
        if rows > self.limits.most_rows() {
            return Err(ReadError::TooManyRows { file: file(), limit: self.limits.most_rows() });
        }
        if rows.saturating_mul(self.kept.len() as u64) > self.limits.cells {
            let (columns, limit) = (self.kept.len(), self.limits.cells);
            return Err(ReadError::TooManyCells { file: file(), columns, limit });
        }
        Ok(())
    }

    fn open(&mut self, file: &str, names: Vec<String>, keep: &dyn Fn(&str) -> bool) -> Result<(), ReadError> {
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
        let wanted = names.iter().enumerate().filter(|(_, name)| keep(name));
        self.kept = wanted.map(|(number, name)| (number, ColumnBuilder::new(name.clone()))).collect();
        self.header = names;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(limits: Limits) -> Gathered {
        let mut gathered = Gathered::new(limits, None);
        gathered.begin("f", vec!["c".to_owned()], &|_| false).unwrap();
        gathered
    }

    #[test]
    fn records_that_32_bits_cannot_number_are_refused_whatever_the_limits() {
        let mut gathered = gathered(Limits { rows: u64::MAX, cells: u64::MAX, ..Limits::default() });
        // Counting costs nothing: no column is stored.
        gathered.next_rows(u64::from(u32::MAX) - 2, None).unwrap();
        assert_eq!(gathered.next_rows(1, None).unwrap().row, u64::from(u32::MAX) - 1);
        let error = gathered.next_rows(1, None).unwrap_err();
        assert_eq!(error.to_string(), "f: more than 4294967294 records");
        assert_eq!(gathered.rows(), u64::from(u32::MAX) - 1);
    }

    #[test]
    fn a_batch_that_passes_the_limit_is_refused_as_a_whole() {
        let mut gathered = gathered(Limits { rows: 3, ..Limits::default() });
        assert!(matches!(gathered.next_rows(4, None), Err(ReadError::TooManyRows { limit: 3, .. })));
        assert!(matches!(gathered.next_rows(u64::MAX, None), Err(ReadError::TooManyRows { limit: 3, .. })));
        gathered.next_rows(3, None).unwrap();
        assert!(matches!(gathered.next_rows(1, None), Err(ReadError::TooManyRows { limit: 3, .. })));
    }
}
