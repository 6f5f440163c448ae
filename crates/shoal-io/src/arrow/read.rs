use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Schema};
use shoal_core::Place;

use super::list::{is_list, item_field, push_lists};
use super::text::{is_readable, push_texts};
use crate::collect::Gathered;
use crate::error::ReadError;

/// An array whose values cannot be read.
pub(crate) struct ColumnError {
    /// The number of its column in the source.
    pub(crate) column: usize,
    /// Its type as Arrow calls it.
    pub(crate) kind: String,
    /// What is wrong.
    pub(crate) error: ArrowError,
}

/// Refuses kept columns whose values have no text form, and notes whether there are lists.
pub(crate) fn check_types(file: &str, schema: &Schema, into: &mut Gathered) -> Result<(), ReadError> {
    let kept: Vec<usize> = into.kept().iter().map(|(column, _)| *column).collect();
    for column in kept {
        let field = schema.field(column);
        let may_be_list = into.may_be_list(field.name());
        let listed = may_be_list && is_list(field.data_type());
        if !listed && !is_readable(field.data_type()) {
            return Err(ReadError::UnsupportedType {
                file: file.to_owned(),
                column: field.name().clone(),
                kind: short_name(field.data_type()),
            });
        }
        // All files, or batches, must agree on it.
        if may_be_list {
            into.note_list(listed)?;
        }
    }
    Ok(())
}

/// Appends one array to each kept column; the first of their records is at `first`. The types have passed
/// [`check_types`].
pub(crate) fn push_arrays<'a>(
    arrays: impl Iterator<Item = &'a ArrayRef>,
    into: &mut Gathered,
    first: Place,
) -> Result<(), ColumnError> {
    for ((column, builder), array) in into.kept().iter_mut().zip(arrays) {
        let pushed = match item_field(array.data_type()) {
            Some(item) => push_lists(array, item, builder, first),
            None => push_texts(array, builder, first),
        };
        pushed.map_err(|error| {
            let kind = short_name(array.data_type());
            ColumnError { column: *column, kind, error }
        })?;
    }
    Ok(())
}

/// The outermost part of a type; the whole of a nested one can fill a page.
pub(super) fn short_name(kind: &DataType) -> String {
    let whole = format!("{kind:?}");
    whole.split(['(', ' ']).next().unwrap_or_default().to_owned()
}
