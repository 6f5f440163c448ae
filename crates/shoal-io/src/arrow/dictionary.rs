//! Dictionary arrays, taken over without a look at the text of each record.

use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp, DictionaryArray, downcast_dictionary_array};
use arrow_schema::ArrowError;
use shoal_core::Place;

use super::text::texts_at;
use crate::collect::ColumnBuilder;

/// Appends all values of a dictionary array whose first one stands at `first`. A value becomes text once,
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
    let mut numbers = Vec::with_capacity(keys.len());
    if keys.null_count() == 0 {
        for (row, &key) in keys.values().iter().enumerate() {
            numbers.push(used.number(Some(index(key)), row)?);
        }
    } else {
        // The key of a null is arbitrary and need not be in the dictionary.
        for (row, key) in keys.iter().enumerate() {
            numbers.push(used.number(key.map(index), row)?);
        }
    }
    into.push_references(numbers.into_iter());
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
}

impl Used {
    fn new(entries: usize) -> Self {
        Used { numbers: vec![0; entries + 1], in_order: Vec::new() }
    }

    #[inline]
    fn number(&mut self, entry: Option<usize>, row: usize) -> Result<u32, ArrowError> {
        let null = self.numbers.len() - 1;
        let slot = match entry {
            Some(entry) if entry < null => entry,
            None => null,
            Some(entry) => {
                let why = format!("key {entry} in a dictionary of {null} values");
                return Err(ArrowError::InvalidArgumentError(why));
            }
        };
        if self.numbers[slot] == 0 {
            self.in_order.push((entry, row));
            self.numbers[slot] = self.in_order.len() as u32;
        }
        Ok(self.numbers[slot] - 1)
    }
}
