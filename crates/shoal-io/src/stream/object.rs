//! One JSON object, member by member, each value as its own text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::LineError;

/// Calls `member` for each member of the object in `line`.
pub(crate) fn each_member<'a>(
    line: &'a [u8],
    member: impl FnMut(Cow<'a, str>, &'a str) -> Result<(), LineError>,
) -> Result<(), LineError> {
    let text = std::str::from_utf8(line).map_err(|_| LineError::NotText)?;
    let mut trouble = None;
    let mut parser = serde_json::Deserializer::from_str(text);
    let members = Members { member, trouble: &mut trouble };
    let read = parser.deserialize_map(members).and_then(|()| parser.end());
    match (trouble, read) {
        (Some(trouble), _) => Err(trouble),
        (None, Err(error)) => Err(LineError::NotJson { why: error.to_string() }),
        (None, Ok(())) => Ok(()),
    }
}

/// The plain text of a JSON value: a string without its quotes, a number or truth value as it is, nothing for null.
pub(crate) fn plain<'a>(raw: &'a str, name: &str) -> Result<Cow<'a, str>, LineError> {
    match raw.as_bytes().first() {
        Some(b'"') if !raw.contains('\\') => Ok(Cow::Borrowed(&raw[1..raw.len() - 1])),
        Some(b'"') => serde_json::from_str(raw)
            .map(Cow::Owned)
            .map_err(|error| LineError::NotJson { why: error.to_string() }),
        Some(b'{' | b'[') => Err(LineError::Nested { name: name.to_owned() }),
        _ if raw == "null" => Ok(Cow::Borrowed("")),
        _ => Ok(Cow::Borrowed(raw)),
    }
}

struct Members<'t, F> {
    member: F,
    trouble: &'t mut Option<LineError>,
}

impl<'a, F> Visitor<'a> for Members<'_, F>
where
    F: FnMut(Cow<'a, str>, &'a str) -> Result<(), LineError>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            let value: &'a RawValue = map.next_value()?;
            if let Err(trouble) = (self.member)(key, value.get()) {
                *self.trouble = Some(trouble);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// A key, borrowed where it holds no escape.
struct Key;

impl<'a> DeserializeSeed<'a> for Key {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Cow<'a, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Key {
    type Value = Cow<'a, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'a str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}
