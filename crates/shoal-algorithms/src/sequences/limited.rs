//! What a limit of the promise is about, in codes.

use shoal_core::{Column, Limit, Table};

use super::SequencesError;

/// The column of a limit, and for each of its codes whether the limit is about it: the values that it names, or all
/// where it names none. Values that it names must occur, unless the people are said to be a part of more: somebody else may
/// have them.
pub(super) fn limited_values<'a>(
    limit: &Limit,
    events: &'a Table,
    is_part: bool,
) -> Result<(&'a Column, Vec<bool>), SequencesError> {
    let name = || limit.column.clone();
    let column = events
        .columns
        .iter()
        .find(|column| column.name == limit.column)
        .ok_or_else(|| SequencesError::UnknownColumn { column: name() })?;
    let mut is_limited = vec![limit.values.is_none(); column.domain.len()];
    // An event without a value has no secret, unless the limit names what stands for it.
    column.domain.missing().into_iter().for_each(|code| is_limited[code as usize] = false);
    for value in limit.values.iter().flatten() {
        match column.domain.code_of(value) {
            Some(code) => is_limited[code as usize] = true,
            None if is_part => {}
            // A misspelt value must not pass for one that nobody has: it would protect nobody.
            None => return Err(SequencesError::UnknownValue { column: name(), value: value.clone() }),
        }
    }
    Ok((column, is_limited))
}
