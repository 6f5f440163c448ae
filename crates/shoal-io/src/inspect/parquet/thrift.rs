//! Thrift's compact protocol, just as much as a Parquet file has: values by their field numbers, and how many bytes
//! they take. Our own, because every byte must be accounted for, fields that nobody knows included.

/// A value.
#[derive(Debug, PartialEq)]
pub(super) enum Value<'a> {
    Bool(bool),
    Integer(i64),
    Double,
    Binary(&'a [u8]),
    List(Vec<Value<'a>>),
    Struct(Struct<'a>),
    /// Keys and values; Parquet has none.
    Map,
}

/// The fields of a struct.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Struct<'a>(pub(super) Vec<(i16, Value<'a>)>);

impl<'a> Struct<'a> {
    /// Reads the struct at the start of some bytes. Returns how many it takes, too.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Struct<'a>, usize)> {
        let mut reader = Reader { bytes, at: 0 };
        let read = reader.structure(0)?;
        Some((read, reader.at))
    }

    fn get(&self, field: i16) -> Option<&Value<'a>> {
        self.0.iter().find(|(id, _)| *id == field).map(|(_, value)| value)
    }

    pub(super) fn integer(&self, field: i16) -> Option<i64> {
        match self.get(field) {
            Some(Value::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    /// A number that cannot be negative.
    pub(super) fn count(&self, field: i16) -> Option<u64> {
        self.integer(field).and_then(|value| u64::try_from(value).ok())
    }

    pub(super) fn bool(&self, field: i16) -> Option<bool> {
        match self.get(field) {
            Some(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn binary(&self, field: i16) -> Option<&'a [u8]> {
        match self.get(field) {
            Some(Value::Binary(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn list(&self, field: i16) -> &[Value<'a>] {
        match self.get(field) {
            Some(Value::List(values)) => values,
            _ => &[],
        }
    }

    pub(super) fn structs(&self, field: i16) -> impl Iterator<Item = &Struct<'a>> {
        self.list(field).iter().filter_map(|value| match value {
            Value::Struct(inner) => Some(inner),
            _ => None,
        })
    }

    pub(super) fn structure(&self, field: i16) -> Option<&Struct<'a>> {
        match self.get(field) {
            Some(Value::Struct(inner)) => Some(inner),
            _ => None,
        }
    }
}

/// Deeper than any structure of Parquet.
const DEEPEST: usize = 24;

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        // 0, 1, 2, 3 stand for 0, −1, 1, −2.
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn structure(&mut self, depth: usize) -> Option<Struct<'a>> {
        if depth > DEEPEST {
            return None;
        }
        let mut fields = Vec::new();
        let mut last = 0_i16;
        loop {
            // The lower half of the byte is the type of the field, 0 at the end; the upper half is the distance from
            // the last field's number, 0 where the number itself follows.
            let head = self.byte()?;
            if head & 0x0f == 0 {
                return Some(Struct(fields));
            }
            let delta = i16::from(head >> 4);
            last = if delta == 0 { i16::try_from(self.zigzag()?).ok()? } else { last.checked_add(delta)? };
            let value = match head & 0x0f {
                1 => Value::Bool(true),
                2 => Value::Bool(false),
                kind => self.value(kind, depth)?,
            };
            fields.push((last, value));
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value<'a>> {
        Some(match kind {
            // In a list a truth value is a byte of its own.
            1 | 2 => Value::Bool(self.byte()? == 1),
            3 => Value::Integer(i64::from(self.byte()? as i8)),
            4..=6 => Value::Integer(self.zigzag()?),
            7 => {
                self.take(8)?;
                Value::Double
            }
            8 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Binary(self.take(length)?)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => usize::try_from(self.varint()?).ok()?,
                    count => usize::from(count),
                };
                // Every element takes a byte at least: a false count must not reserve memory.
                if count > self.bytes.len() - self.at {
                    return None;
                }
                let values = (0..count).map(|_| match head & 0x0f {
                    12 => Some(Value::Struct(self.structure(depth + 1)?)),
                    kind => self.value(kind, depth + 1),
                });
                Value::List(values.collect::<Option<_>>()?)
            }
            11 => {
                let count = self.varint()?;
                if count > 0 {
                    let kinds = self.byte()?;
                    for _ in 0..count {
                        self.value(kinds >> 4, depth + 1)?;
                        self.value(kinds & 0x0f, depth + 1)?;
                    }
                }
                Value::Map
            }
            12 => Value::Struct(self.structure(depth + 1)?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_by_hand() {
        // 1: i32 -3, 2: true, 5: binary "ab", 6: list of two i32, 40: struct {1: i8 7}.
        let bytes = [0x15, 5, 0x11, 0x38, 2, b'a', b'b', 0x19, 0x25, 2, 4, 0x0c, 80, 0x13, 7, 0, 0, b'x'];
        let (read, length) = Struct::read(&bytes).unwrap();
        assert_eq!(length, bytes.len() - 1);
        assert_eq!((read.integer(1), read.bool(2), read.binary(5)), (Some(-3), Some(true), Some(&b"ab"[..])));
        assert_eq!(read.list(6), [Value::Integer(1), Value::Integer(2)]);
        assert_eq!(read.structure(40).unwrap().integer(1), Some(7));
        for cut in 0..length {
            assert_eq!(Struct::read(&bytes[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn counts_that_lie_make_no_room() {
        assert_eq!(Struct::read(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 0]), None);
        assert_eq!(Struct::read(&[0x18, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]), None);
        assert_eq!(Struct::read(&[0x1c; 100]), None);
    }
}
