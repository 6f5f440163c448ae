//! Lists of items, in and out.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};
use shoal_core::Place;

use super::text::{is_readable, push_texts};
use crate::collect::ColumnBuilder;
use crate::read::ITEM_SEPARATOR;

/// Whether values of this type are lists of plain values.
pub(super) fn is_list(kind: &DataType) -> bool {
    item_field(kind).is_some_and(|item| is_readable(item.data_type()))
}

/// What the lists of this type hold; `None` for a type that is not one of lists.
pub(super) fn item_field(kind: &DataType) -> Option<&FieldRef> {
    match kind {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => Some(item),
        _ => None,
    }
}

/// Appends all lists of an array whose first one is at `first`, each as one text.
pub(super) fn push_lists(
    array: &ArrayRef,
    item: &FieldRef,
    into: &mut ColumnBuilder,
    first: Place,
) -> Result<(), ArrowError> {
    let lists = arrow_cast::cast(array, &DataType::LargeList(item.clone()))?;
    let lists = lists.as_list::<i64>();
    // A slice of an array of lists still holds the items of all its lists.
    let offsets = lists.offsets();
    let (start, end) = (offsets[0] as usize, offsets[lists.len()] as usize);
    let mut items = ColumnBuilder::new(String::new());
    push_texts(&lists.values().slice(start, end - start), &mut items, Place::default())?;
    let items = items.finish();
    // Looked for once among the distinct items, so that usually no item has to be searched a second time below.
    let separators = items.labels.iter().any(|item| item.contains(ITEM_SEPARATOR));
    let mut text = String::new();
    for (at, bounds) in offsets.windows(2).enumerate() {
        text.clear();
        let (from, to) = (bounds[0] as usize - start, bounds[1] as usize - start);
        let members = if lists.is_null(at) { 0..0 } else { from..to };
        // A null has the empty text.
        for item in members.map(|member| items.text(member)).filter(|item| !item.is_empty()) {
            if separators && item.contains(ITEM_SEPARATOR) {
                let why = "an item holds the control character U+001F";
                return Err(ArrowError::ParseError(why.to_owned()));
            }
            if !text.is_empty() {
                text.push(ITEM_SEPARATOR);
            }
            text.push_str(item);
        }
        into.push(&text, Place { row: first.row + at as u64, ..first });
    }
    Ok(())
}

/// The type of a written list.
pub(super) fn list_type() -> DataType {
    DataType::List(element())
}

/// Texts, cut into their items again.
pub(super) fn lists_of<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new()).with_field(element());
    for text in texts {
        let items = text.unwrap_or_default().split(ITEM_SEPARATOR).filter(|item| !item.is_empty());
        items.for_each(|item| lists.values().append_value(item));
        lists.append(text.is_some());
    }
    Arc::new(lists.finish())
}

fn element() -> FieldRef {
    Arc::new(Field::new("element", DataType::Utf8, false))
}
