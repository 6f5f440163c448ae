//! The values of an Arrow array as text.

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayAccessor, ArrayRef, PrimitiveArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};
use shoal_core::Place;

use super::dictionary::push_dictionary;
use crate::collect::ColumnBuilder;

/// Whether values of this type are one plain value each.
pub(super) fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, value) => is_readable(value),
        DataType::FixedSizeBinary(_) | DataType::Interval(_) | DataType::RunEndEncoded(..) => false,
        other => !other.is_nested(),
    }
}

/// Appends all values of an array whose first one is at `first`.
pub(super) fn push_texts(array: &ArrayRef, into: &mut ColumnBuilder, first: Place) -> Result<(), ArrowError> {
    if let DataType::Dictionary(..) = array.data_type() {
        return push_dictionary(array, into, first);
    }
    let mut place = first;
    texts_at(array, (0..array.len()).map(Some), |text| {
        match text {
            Some(text) => into.push(text, place),
            None => into.push_null(place),
        }
        place.row += 1;
    })
}

/// Hands out the texts of the values at these places of an array, in this order; where the place or the value
/// is null, `None`. Other values are not looked at.
pub(super) fn texts_at<I: Iterator<Item = Option<usize>>, F: FnMut(Option<&str>)>(
    array: &ArrayRef,
    at: I,
    mut each: F,
) -> Result<(), ArrowError> {
    let array: &dyn Array = array;
    match array.data_type() {
        DataType::Null => at.for_each(|_| each(None)),
        DataType::Boolean => {
            let text = |value| Ok(if value { "true" } else { "false" });
            borrowed(array.as_boolean(), at, each, text)?;
        }
        DataType::Int8 => numbers(array.as_primitive::<Int8Type>(), at, each),
        DataType::Int16 => numbers(array.as_primitive::<Int16Type>(), at, each),
        DataType::Int32 => numbers(array.as_primitive::<Int32Type>(), at, each),
        DataType::Int64 => numbers(array.as_primitive::<Int64Type>(), at, each),
        DataType::UInt8 => numbers(array.as_primitive::<UInt8Type>(), at, each),
        DataType::UInt16 => numbers(array.as_primitive::<UInt16Type>(), at, each),
        DataType::UInt32 => numbers(array.as_primitive::<UInt32Type>(), at, each),
        DataType::UInt64 => numbers(array.as_primitive::<UInt64Type>(), at, each),
        DataType::Float16 => numbers(array.as_primitive::<Float16Type>(), at, each),
        DataType::Float32 => numbers(array.as_primitive::<Float32Type>(), at, each),
        DataType::Float64 => numbers(array.as_primitive::<Float64Type>(), at, each),
        DataType::Utf8 => borrowed(array.as_string::<i32>(), at, each, Ok)?,
        DataType::LargeUtf8 => borrowed(array.as_string::<i64>(), at, each, Ok)?,
        DataType::Utf8View => borrowed(array.as_string_view(), at, each, Ok)?,
        // Old writers store texts without saying that they are.
        DataType::Binary => borrowed(array.as_binary::<i32>(), at, each, utf8)?,
        DataType::LargeBinary => borrowed(array.as_binary::<i64>(), at, each, utf8)?,
        DataType::BinaryView => borrowed(array.as_binary_view(), at, each, utf8)?,
        // A dictionary whose values are a dictionary: allowed, and too rare to be fast.
        DataType::Dictionary(_, value) => texts_at(&arrow_cast::cast(array, value)?, at, each)?,
        DataType::Timestamp(unit, Some(_)) => {
            // The zone is how to show the instant; it is shown in UTC whatever zones are known here.
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            formatted(&arrow_cast::cast(array, &utc)?, at, each)?;
        }
        _ => formatted(array, at, each)?,
    }
    Ok(())
}

/// Texts that the array holds already, or that are always the same.
fn borrowed<'v, A: ArrayAccessor + Copy>(
    array: A,
    at: impl Iterator<Item = Option<usize>>,
    mut each: impl FnMut(Option<&str>),
    text: impl Fn(A::Item) -> Result<&'v str, ArrowError>,
) -> Result<(), ArrowError> {
    for at in at {
        match at.filter(|&at| array.is_valid(at)) {
            Some(at) => each(Some(text(array.value(at))?)),
            None => each(None),
        }
    }
    Ok(())
}

/// Numbers as Rust writes them: integers in decimal, fractions with the fewest digits that read back
/// to the same number.
fn numbers<T: ArrowPrimitiveType<Native: Display>>(
    array: &PrimitiveArray<T>,
    at: impl Iterator<Item = Option<usize>>,
    mut each: impl FnMut(Option<&str>),
) {
    let mut text = String::new();
    for at in at {
        match at.filter(|&at| array.is_valid(at)) {
            Some(at) => {
                text.clear();
                write!(text, "{}", array.value(at)).expect("writing to a string cannot fail");
                each(Some(&text));
            }
            None => each(None),
        }
    }
}

/// Dates, times and decimals as ISO 8601 and plain digits.
fn formatted(
    array: &dyn Array,
    at: impl Iterator<Item = Option<usize>>,
    mut each: impl FnMut(Option<&str>),
) -> Result<(), ArrowError> {
    const DAY: Option<&str> = Some("%Y-%m-%d");
    let options = FormatOptions::new().with_date_format(DAY).with_datetime_format(DAY);
    let formatter = ArrayFormatter::try_new(array, &options.with_display_error(false))?;
    for at in at {
        match at.filter(|&at| array.is_valid(at)) {
            Some(at) => each(Some(&formatter.value(at).try_to_string()?)),
            None => each(None),
        }
    }
    Ok(())
}

fn utf8(bytes: &[u8]) -> Result<&str, ArrowError> {
    std::str::from_utf8(bytes).map_err(|e| ArrowError::ParseError(format!("a text is not UTF-8: {e}")))
}
