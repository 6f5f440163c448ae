use shoal_core::{Place, RawColumn, RawColumnBuilder};

/// Folds the values of one column to codes while they are read: value by value, or a dictionary at a time.
#[derive(Debug)]
pub(crate) struct ColumnBuilder {
    /// The texts in order of arrival. Without `references`, each of them belongs to one record.
    arrived: RawColumnBuilder,
    /// How many texts have arrived. There is at least one record for each, so 32 bits are enough.
    count: u32,
    /// Which arrived text each record has. It exists from the first dictionary on, because many records
    /// refer to a text of a dictionary that arrives only once.
    references: Option<Vec<u32>>,
}

impl ColumnBuilder {
    /// An empty column.
    pub(crate) fn new(name: String) -> Self {
        ColumnBuilder { arrived: RawColumnBuilder::new(name), count: 0, references: None }
    }

    /// Appends a record's text.
    pub(crate) fn push(&mut self, text: &str, place: Place) {
        self.arrived.push(text, place);
        self.refer_to_next();
    }

    /// Appends a record with the value of the record above.
    pub(crate) fn push_again(&mut self, place: Place) {
        self.arrived.push_again(place);
        self.refer_to_next();
    }

    /// Appends a record without a value.
    pub(crate) fn push_null(&mut self, place: Place) {
        self.arrived.push_null(place);
        self.refer_to_next();
    }

    /// Appends a record for each number: the record has the text that arrives this many texts after those
    /// that have arrived already. The caller passes exactly these texts to [`Self::arrive`] next.
    pub(crate) fn push_references(&mut self, ahead: impl Iterator<Item = u32>) {
        let base = self.count;
        // Every record so far has the text that arrived with it.
        let references = self.references.get_or_insert_with(|| (0..base).collect());
        references.extend(ahead.map(|number| base + number));
    }

    /// A text, or no value, to which records refer; `place` is the first of them.
    pub(crate) fn arrive(&mut self, text: Option<&str>, place: Place) {
        match text {
            Some(text) => self.arrived.push(text, place),
            None => self.arrived.push_null(place),
        }
        self.count += 1;
    }

    /// The column, read to its end.
    pub(crate) fn finish(self) -> RawColumn {
        let mut column = self.arrived.finish();
        if let Some(mut codes) = self.references {
            // So far `codes` of the column has one entry per arrived text.
            for code in &mut codes {
                *code = column.codes[*code as usize];
            }
            column.codes = codes;
        }
        column
    }

    fn refer_to_next(&mut self) {
        if let Some(references) = &mut self.references {
            references.push(self.count);
        }
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(row: u64) -> Place {
        Place { row, line: None, file: 0 }
    }

    #[test]
    fn values_and_dictionaries_mix() {
        let mut mixed = ColumnBuilder::new("c".into());
        mixed.push("a", at(1));
        mixed.push_references([0, 1, 1, 2, 0].into_iter());
        mixed.arrive(Some("b"), at(2));
        mixed.arrive(None, at(3));
        mixed.arrive(Some("a"), at(5));
        mixed.push_null(at(7));
        mixed.push("c", at(8));

        let mut plain = RawColumnBuilder::new("c".into());
        let cells = [Some("a"), Some("b"), None, None, Some("a"), Some("b"), None, Some("c")];
        for (row, cell) in (1..).zip(cells) {
            match cell {
                Some(text) => plain.push(text, at(row)),
                None => plain.push_null(at(row)),
            }
        }
        assert_eq!(mixed.finish(), plain.finish());
    }
}
