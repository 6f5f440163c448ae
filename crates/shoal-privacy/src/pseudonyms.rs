//! Ids of a published file that say nothing: they count from 1.

use shoal_core::RawColumn;

use crate::origin::number;

/// An id of a published file that is not the number of its place: it may be a name, and its order one that
/// somebody knows. Rows count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "published row {row}: the id `{id}` in column `{column}` is not {expected}: ids must count 1, 2, 3, …"
)]
pub struct PseudonymError {
    /// The first row whose id is none of the expected.
    pub row: u64,
    /// The column of the ids.
    pub column: String,
    /// The id.
    pub id: String,
    /// What could stand there: the number of the row before, or the one after it.
    pub expected: String,
}

impl PseudonymError {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        "number the ids from 1 in the order of the file, with the rows of an id together; a real id names a person"
    }
}

/// Checks that ids count from 1 without a gap, and that the rows of an id stand together.
pub(crate) fn check_pseudonyms(ids: &RawColumn) -> Result<(), PseudonymError> {
    let mut current: u64 = 0;
    for (row, &code) in ids.codes.iter().enumerate() {
        let id = ids.labels.get(code);
        // Compared as text: `01` and `1.0` are other ids than `1` for whoever has chosen them.
        let is = |number: u64| ids.null != Some(code) && id == number.to_string();
        if current > 0 && is(current) {
            continue;
        }
        if !is(current + 1) {
            let expected = match current {
                0 => "1".to_owned(),
                _ => format!("{current} or {}", current + 1),
            };
            let (column, id) = (ids.name.clone(), id.to_owned());
            return Err(PseudonymError { row: number(row), column, id, expected });
        }
        current += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use shoal_core::{Place, RawColumnBuilder};

    use super::*;

    fn check(ids: &[&str]) -> Result<(), (u64, String)> {
        let mut column = RawColumnBuilder::new("id".to_owned());
        ids.iter().for_each(|id| column.push(id, Place::default()));
        check_pseudonyms(&column.finish()).map_err(|error| (error.row, error.expected))
    }

    #[test]
    fn ids_count_from_one() {
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&["1", "1", "2", "3", "3"]), Ok(()));
        for (ids, row, expected) in [
            (&["ann"][..], 1, "1"),
            (&["0"], 1, "1"),
            (&["2"], 1, "1"),
            (&["01"], 1, "1"),
            (&["1", "3"], 2, "1 or 2"),
            (&["1", "2", "1"], 3, "2 or 3"),
            (&["1", "2", "ann"], 3, "2 or 3"),
            (&["1", ""], 2, "1 or 2"),
        ] {
            assert_eq!(check(ids), Err((row, expected.to_owned())), "{ids:?}");
        }
    }
}
