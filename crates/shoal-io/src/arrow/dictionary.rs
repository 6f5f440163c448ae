//! Dictionary arrays, taken over without a look at the text of each record.

use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp, DictionaryArray, downcast_dictionary_array};
use arrow_schema::ArrowError;
use shoal_core::Place;

use super::text::texts_at;
use crate::collect::ColumnBuilder;

/// Appends all values of a dictionary array whose first one is at `first`. A value becomes text once,
/// however many records have it, and a value that no record has never does: it may be about people who are
/// not in the data.
pub(super) fn push_dictionary(
    array: &ArrayRef,
    into: &mut ColumnBuilder,
    first: Place,
) -> Result<(), ArrowError> {
    let array: &dyn Array = array;
    downcast_dictionary_array!(
        array => push_keys(array, into, first),
        other => Err(ArrowError::InvalidArgumentError(format!("{other} is not a dictionary"))),
    )
}

fn push_keys<K: ArrowDictionaryKeyType>(
    array: &DictionaryArray<K>,
    into: &mut ColumnBuilder,
    first: Place,
) -> Result<(), ArrowError> {
    let (keys, values) = (array.keys(), array.values());
    let mut used = Used::new(values.len());
    // Without nulls the loop has no branch for them; most columns have none.
    if keys.null_count() == 0 {
        let keys = keys.values().iter().enumerate();
        into.push_references(keys.map(|(row, &key)| used.number(Some(index(key)), row)));
    } else {
        // The key of a null is arbitrary and need not be in the dictionary.
        let keys = keys.iter().enumerate();
        into.push_references(keys.map(|(row, key)| used.number(key.map(index), row)));
    }
    if let Some(entry) = used.missing {
        let why = format!("key {entry} in a dictionary of {} values", values.len());
        return Err(ArrowError::InvalidArgumentError(why));
    }
    // The records refer to numbers of values so far. Now each value arrives as text, in the order of these numbers.
    let mut rows = used.in_order.iter().map(|&(_, row)| row as u64);
    texts_at(values, used.in_order.iter().map(|&(value, _)| value), |text| {
        let row = first.row + rows.next().expect("one row per used value");
        into.arrive(text, Place { row, ..first });
    })
}

/// A negative key, which no valid array has, becomes a number beyond the end of every dictionary.
fn index<N: ArrowNativeTypeOp>(key: N) -> usize {
    key.as_usize()
}

/// The entries of a dictionary that records use, numbered in the order in which they are first used.
struct Used {
    /// For each entry, and behind the last one for null, its number plus 1; 0 as long as it is not used. Fresh
    /// zeros cost nothing where they are not touched, so a large dictionary of which little is used is cheap.
    numbers: Vec<u32>,
    /// The used entries, `None` for null, with the row in which each is used first.
    in_order: Vec<(Option<usize>, usize)>,
    /// A key that no entry has. It is noted instead of returned, so that the loop over the records has no
    /// `Result` for each of them.
    missing: Option<usize>,
}

impl Used {
    fn new(entries: usize) -> Self {
        Used { numbers: vec![0; entries + 1], in_order: Vec::new(), missing: None }
    }

    #[inline]
    fn number(&mut self, entry: Option<usize>, row: usize) -> u32 {
        let null = self.numbers.len() - 1;
        // A key beyond the dictionary is clamped to the slot of null, so that the index below is always valid.
        let slot = entry.map_or(null, |entry| entry.min(null));
        match self.numbers[slot] {
            0 => self.first_use(entry, slot, row),
            number => {
                // A missing entry shares the slot of null.
                if slot == null && entry.is_some() {
                    self.missing = entry;
                }
                number - 1
            }
        }
    }

    #[cold]
    fn first_use(&mut self, entry: Option<usize>, slot: usize, row: usize) -> u32 {
        if slot == self.numbers.len() - 1 && entry.is_some() {
            self.missing = entry;
        }
        self.in_order.push((entry, row));
        self.numbers[slot] = self.in_order.len() as u32;
        self.numbers[slot] - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_an_entry_is_noted_before_and_after_a_null() {
        for entries in [[Some(0), Some(2), None], [Some(0), None, Some(2)]] {
            let mut used = Used::new(2);
            let numbers: Vec<u32> = entries.iter().map(|&entry| used.number(entry, 0)).collect();
            assert_eq!((numbers[0], used.missing), (0, Some(2)));
        }
        let mut used = Used::new(2);
        assert_eq!(
            [Some(1), None, Some(1), Some(0), None].map(|entry| used.number(entry, 0)),
            [0, 1, 0, 2, 1]
        );
        assert_eq!((used.missing, used.in_order.len()), (None, 3));
    }
}
