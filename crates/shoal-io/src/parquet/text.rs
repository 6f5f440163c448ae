//! The values of an Arrow array as text.

use std::fmt::{Display, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayAccessor, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{ArrowError, DataType};
use shoal_core::{Place, RawColumnBuilder};

/// Whether values of this type are one plain value each.
pub(super) fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, value) => is_readable(value),
        DataType::FixedSizeBinary(_) | DataType::Interval(_) | DataType::RunEndEncoded(..) => false,
        other => !other.is_nested(),
    }
}

/// Appends all values of an array whose first one stands at `first`.
pub(super) fn push_texts(
    array: &ArrayRef,
    into: &mut RawColumnBuilder,
    first: Place,
) -> Result<(), ArrowError> {
    let mut sink = Sink { into, place: first, text: String::new() };
    match array.data_type() {
        DataType::Null => sink.push_nulls(array.len()),
        DataType::Boolean => {
            sink.push_all(array.as_boolean(), |value| Ok(if value { "true" } else { "false" }))?;
        }
        DataType::Int8 => sink.push_numbers::<Int8Type>(array),
        DataType::Int16 => sink.push_numbers::<Int16Type>(array),
        DataType::Int32 => sink.push_numbers::<Int32Type>(array),
        DataType::Int64 => sink.push_numbers::<Int64Type>(array),
        DataType::UInt8 => sink.push_numbers::<UInt8Type>(array),
        DataType::UInt16 => sink.push_numbers::<UInt16Type>(array),
        DataType::UInt32 => sink.push_numbers::<UInt32Type>(array),
        DataType::UInt64 => sink.push_numbers::<UInt64Type>(array),
        DataType::Float16 => sink.push_numbers::<Float16Type>(array),
        DataType::Float32 => sink.push_numbers::<Float32Type>(array),
        DataType::Float64 => sink.push_numbers::<Float64Type>(array),
        DataType::Utf8 => sink.push_all(array.as_string::<i32>(), Ok)?,
        DataType::LargeUtf8 => sink.push_all(array.as_string::<i64>(), Ok)?,
        DataType::Utf8View => sink.push_all(array.as_string_view(), Ok)?,
        // Old writers store texts without saying that they are.
        DataType::Binary => sink.push_all(array.as_binary::<i32>(), utf8)?,
        DataType::LargeBinary => sink.push_all(array.as_binary::<i64>(), utf8)?,
        DataType::BinaryView => sink.push_all(array.as_binary_view(), utf8)?,
        DataType::Dictionary(_, value) => {
            let plain = arrow_cast::cast(array, value)?;
            push_texts(&plain, sink.into, first)?;
        }
        DataType::Timestamp(unit, Some(_)) => {
            // The zone is how to show the instant; it is shown in UTC whatever zones are known here.
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            sink.push_formatted(&arrow_cast::cast(array, &utc)?)?;
        }
        _ => sink.push_formatted(array)?,
    }
    Ok(())
}

struct Sink<'a> {
    into: &'a mut RawColumnBuilder,
    place: Place,
    text: String,
}

impl Sink<'_> {
    fn push_all<'v, A: ArrayAccessor + Copy>(
        &mut self,
        array: A,
        text: impl Fn(A::Item) -> Result<&'v str, ArrowError>,
    ) -> Result<(), ArrowError> {
        for at in 0..array.len() {
            if array.is_null(at) {
                self.into.push_null(self.place);
            } else {
                self.into.push(text(array.value(at))?, self.place);
            }
            self.place.row += 1;
        }
        Ok(())
    }

    /// Numbers as Rust writes them: integers in decimal, fractions with the fewest digits that read back
    /// to the same number.
    fn push_numbers<T: ArrowPrimitiveType<Native: Display>>(&mut self, array: &ArrayRef) {
        for value in array.as_primitive::<T>() {
            match value {
                Some(number) => {
                    self.text.clear();
                    write!(self.text, "{number}").expect("writing to a string cannot fail");
                    self.into.push(&self.text, self.place);
                }
                None => self.into.push_null(self.place),
            }
            self.place.row += 1;
        }
    }

    fn push_nulls(&mut self, count: usize) {
        for _ in 0..count {
            self.into.push_null(self.place);
            self.place.row += 1;
        }
    }

    /// Dates, times and decimals as ISO 8601 and plain digits.
    fn push_formatted(&mut self, array: &dyn Array) -> Result<(), ArrowError> {
        const DAY: Option<&str> = Some("%Y-%m-%d");
        let options = FormatOptions::new().with_date_format(DAY).with_datetime_format(DAY);
        let formatter = ArrayFormatter::try_new(array, &options.with_display_error(false))?;
        for at in 0..array.len() {
            if array.is_null(at) {
                self.into.push_null(self.place);
            } else {
                self.text.clear();
                self.text.push_str(&formatter.value(at).try_to_string()?);
                self.into.push(&self.text, self.place);
            }
            self.place.row += 1;
        }
        Ok(())
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, ArrowError> {
    std::str::from_utf8(bytes).map_err(|e| ArrowError::ParseError(format!("a text is not UTF-8: {e}")))
}
