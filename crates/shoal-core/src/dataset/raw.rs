use super::{Interner, Labels};

/// Where in its source a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The record, counted from 1, the header not counted.
    pub row: u64,
    /// The line of the file, counted from 1, where the source has lines.
    pub line: Option<u64>,
    /// Which of the source's files, counted from 0.
    pub file: u32,
}

/// A column as it was read: text, folded to one code per distinct text in order of appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawColumn {
    /// The column's name.
    pub name: String,
    /// The distinct texts.
    pub labels: Labels,
    /// Where each distinct text occurs first, so that an error can name the place.
    pub first_seen: Vec<Place>,
    /// The code that stands for "no value at all" (a Parquet null), which is not the empty text.
    pub null: Option<u32>,
    /// The code of each record.
    pub codes: Vec<u32>,
}

impl RawColumn {
    /// The text of a record.
    pub fn text(&self, row: usize) -> &str {
        self.labels.get(self.codes[row])
    }
}

/// A table as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawTable {
    /// The columns in the order of the source.
    pub columns: Vec<RawColumn>,
    /// How many records there are (also when there is no column).
    pub rows: usize,
    /// The files that were read, as a person would name them; [`Place::file`] counts in this list.
    pub files: Vec<String>,
}

impl RawTable {
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&RawColumn> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// A small table from texts, for tests and for fronts that hold data in memory.
    ///
    /// # Panics
    /// When a row has not as many cells as there are names.
    pub fn from_rows<S: AsRef<str>>(names: &[&str], rows: &[Vec<S>]) -> RawTable {
        let mut columns: Vec<RawColumnBuilder> =
            names.iter().map(|name| RawColumnBuilder::new((*name).to_owned())).collect();
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(row.len(), names.len(), "row {} has the wrong number of cells", number + 1);
            let place = Place { row: number as u64 + 1, line: None, file: 0 };
            for (column, cell) in columns.iter_mut().zip(row) {
                column.push(cell.as_ref(), place);
            }
        }
        RawTable {
            columns: columns.into_iter().map(RawColumnBuilder::finish).collect(),
            rows: rows.len(),
            files: vec!["memory".to_owned()],
        }
    }
}

/// Folds texts to codes while they are read.
#[derive(Debug)]
pub struct RawColumnBuilder {
    /// Its labels are filled in at the end.
    column: RawColumn,
    labels: Interner,
    last: Option<u32>,
}

impl RawColumnBuilder {
    /// An empty column.
    pub fn new(name: String) -> Self {
        RawColumnBuilder {
            column: RawColumn { name, ..RawColumn::default() },
            labels: Interner::default(),
            last: None,
        }
    }

    /// Appends a record's text.
    pub fn push(&mut self, text: &str, place: Place) {
        // Sorted and repetitive columns are common: look at the value above before hashing.
        if let Some(last) = self.last
            && self.labels.labels().get(last) == text
            && self.column.null != Some(last)
        {
            self.column.codes.push(last);
            return;
        }
        let code = self.labels.intern(text);
        // Numbers are given in order, so the next one is that of a new text.
        if code as usize == self.column.first_seen.len() {
            self.column.first_seen.push(place);
        }
        self.column.codes.push(code);
        self.last = Some(code);
    }

    /// Appends a record with the value of the last one; the first has none.
    pub fn push_again(&mut self, place: Place) {
        match self.last {
            Some(last) => self.column.codes.push(last),
            None => self.push_null(place),
        }
    }

    /// Appends a record without a value.
    pub fn push_null(&mut self, place: Place) {
        let RawColumnBuilder { column, labels, .. } = self;
        let code = *column.null.get_or_insert_with(|| {
            column.first_seen.push(place);
            labels.push_unequal("")
        });
        column.codes.push(code);
        self.last = Some(code);
    }

    /// The column, read to its end.
    pub fn finish(self) -> RawColumn {
        RawColumn { labels: self.labels.into_labels(), ..self.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_again_is_the_last_one() {
        let mut builder = RawColumnBuilder::new("c".into());
        builder.push("a", Place::default());
        builder.push_again(Place::default());
        builder.push_null(Place::default());
        builder.push_again(Place::default());
        builder.push("b", Place::default());
        builder.push_again(Place::default());
        assert_eq!(builder.finish().codes, [0, 0, 1, 1, 2, 2]);
        let mut first = RawColumnBuilder::new("c".into());
        first.push_again(Place::default());
        assert_eq!(first.finish().null, Some(0));
    }

    #[test]
    fn null_and_the_empty_text_stay_apart() {
        let mut builder = RawColumnBuilder::new("c".into());
        for cell in [Some(""), None, Some(""), None, None, Some("a")] {
            match cell {
                Some(text) => builder.push(text, Place::default()),
                None => builder.push_null(Place::default()),
            }
        }
        let column = builder.finish();
        assert_eq!(column.codes, [0, 1, 0, 1, 1, 2]);
        assert_eq!(column.null, Some(1));
    }
}
