//! What values of PostgreSQL are as texts: the same as those of a Parquet file, whatever the types.

use tokio_postgres::types::{Kind, Type};

use crate::read::ITEM_SEPARATOR;

/// How the text that the server gives becomes the text of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is: texts, whole numbers, exact numbers, dates, names of enumerations.
    AsGiven,
    /// `t` and `f` as `true` and `false`.
    Boolean,
    /// With the fewest digits that read back to the same number, without an exponent.
    Float4,
    Float8,
    /// `2026-01-02 03:04:05.6` as `2026-01-02T03:04:05.600`.
    Timestamp,
    /// The same in UTC, with a `Z`.
    TimestampWithZone,
    /// `03:04:05.6` as `03:04:05.600`.
    Time,
    /// Without the blanks that fill it up, which mean nothing in SQL.
    Padded,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    Of(Form),
    /// Arrays of one dimension.
    Lists(Form),
    /// What has no text that would mean anything: bytes, records in records.
    Unreadable,
}

impl Cells {
    pub(super) fn of(kind: &Type) -> Cells {
        match kind.kind() {
            Kind::Domain(base) => Cells::of(base),
            Kind::Array(item) => match Cells::of(item) {
                Cells::Of(form) => Cells::Lists(form),
                _ => Cells::Unreadable,
            },
            Kind::Composite(_) | Kind::Pseudo => Cells::Unreadable,
            _ => match *kind {
                Type::BYTEA => Cells::Unreadable,
                Type::BOOL => Cells::Of(Form::Boolean),
                Type::FLOAT4 => Cells::Of(Form::Float4),
                Type::FLOAT8 => Cells::Of(Form::Float8),
                Type::TIMESTAMP => Cells::Of(Form::Timestamp),
                Type::TIMESTAMPTZ => Cells::Of(Form::TimestampWithZone),
                Type::TIME => Cells::Of(Form::Time),
                Type::BPCHAR => Cells::Of(Form::Padded),
                _ => Cells::Of(Form::AsGiven),
            },
        }
    }
}

impl Form {
    /// The text of a cell; `space` is used where it is not the given one.
    pub(super) fn text<'a>(self, given: &'a str, space: &'a mut String) -> &'a str {
        match self {
            Form::AsGiven => given,
            Form::Boolean => {
                if given == "t" {
                    "true"
                } else {
                    "false"
                }
            }
            Form::Float4 => number(given, given.parse::<f32>().ok(), space),
            Form::Float8 => number(given, given.parse::<f64>().ok(), space),
            Form::Padded => given.trim_end_matches(' '),
            Form::Time => seconds(given, "", space),
            Form::Timestamp | Form::TimestampWithZone => {
                let zone = if self == Form::TimestampWithZone { "+00" } else { "" };
                // `infinity`, and years before our era, have no other form.
                let plain = given.strip_suffix(zone).and_then(|given| given.split_once(' '));
                let Some((date, time)) = plain.filter(|(_, time)| !time.contains(' ')) else { return given };
                let mut clock = String::new();
                let time = seconds(time, if zone.is_empty() { "" } else { "Z" }, &mut clock);
                space.clear();
                space.extend([date, "T", time]);
                space
            }
        }
    }
}

fn number<'a>(given: &'a str, value: Option<impl ToString>, space: &'a mut String) -> &'a str {
    match value {
        Some(value) => {
            *space = value.to_string();
            space
        }
        None => given,
    }
}

/// Fractions of seconds in steps of three digits, as Arrow writes them.
fn seconds<'a>(given: &'a str, after: &str, space: &'a mut String) -> &'a str {
    let digits = given.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let missing = (3 - digits % 3) % 3;
    if missing == 0 && after.is_empty() {
        return given;
    }
    space.clear();
    space.extend([given, &"00"[..missing], after]);
    space
}

/// The items of an array of one dimension, each with an [`ITEM_SEPARATOR`] between; nulls and empty texts are not items. None where it
/// has more dimensions, or an item holds the separator.
pub(super) fn items(array: &str, form: Form, text: &mut String) -> Option<()> {
    text.clear();
    // `[0:2]={a,b,c}` is an array that is not counted from 1.
    let array = if array.starts_with('[') { array.split_once('=')?.1 } else { array };
    let mut rest = array.strip_prefix('{')?.strip_suffix('}')?;
    let (mut item, mut space) = (String::new(), String::new());
    while !rest.is_empty() {
        item.clear();
        let quoted = rest.starts_with('"');
        let mut end = rest.len();
        let mut escaped = false;
        for (at, character) in rest.char_indices().skip(usize::from(quoted)) {
            match character {
                _ if escaped => {
                    escaped = false;
                    item.push(character);
                }
                '\\' => escaped = true,
                '"' if quoted => {
                    end = at + 1;
                    break;
                }
                ',' if !quoted => {
                    end = at;
                    break;
                }
                '{' if !quoted => return None,
                other => item.push(other),
            }
        }
        rest = rest[end..].strip_prefix(',').unwrap_or_default();
        if item.is_empty() || (!quoted && item == "NULL") {
            continue;
        }
        let item = form.text(&item, &mut space);
        if item.contains(ITEM_SEPARATOR) {
            return None;
        }
        if !text.is_empty() {
            text.push(ITEM_SEPARATOR);
        }
        text.push_str(item);
    }
    Some(())
}

/// The array of the items of a cell, as PostgreSQL reads it.
pub(super) fn array_of(cell: &str) -> String {
    let mut array = String::from("{");
    for (number, item) in cell.split(ITEM_SEPARATOR).filter(|item| !item.is_empty()).enumerate() {
        if number > 0 {
            array.push(',');
        }
        array.push('"');
        for character in item.chars() {
            if matches!(character, '"' | '\\') {
                array.push('\\');
            }
            array.push(character);
        }
        array.push('"');
    }
    array.push('}');
    array
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_texts_as_from_parquet() {
        let cases = [
            (Form::Boolean, "t", "true"),
            (Form::Boolean, "f", "false"),
            (Form::Float8, "1e-05", "0.00001"),
            (Form::Float8, "1.5", "1.5"),
            (Form::Float8, "Infinity", "inf"),
            (Form::Float4, "0.1", "0.1"),
            (Form::Padded, "ab  ", "ab"),
            (Form::Time, "03:04:05", "03:04:05"),
            (Form::Time, "03:04:05.6", "03:04:05.600"),
            (Form::Timestamp, "2026-01-02 03:04:05", "2026-01-02T03:04:05"),
            (Form::Timestamp, "2026-01-02 03:04:05.1234", "2026-01-02T03:04:05.123400"),
            (Form::Timestamp, "infinity", "infinity"),
            (Form::Timestamp, "0044-03-15 12:00:00 BC", "0044-03-15 12:00:00 BC"),
            (Form::TimestampWithZone, "2026-01-02 03:04:05+00", "2026-01-02T03:04:05Z"),
            (Form::TimestampWithZone, "2026-01-02 03:04:05.25+00", "2026-01-02T03:04:05.250Z"),
        ];
        for (form, given, expected) in cases {
            assert_eq!(form.text(given, &mut String::new()), expected, "{form:?}");
        }
    }

    #[test]
    fn arrays_are_lists_of_items() {
        let list = |array: &str| {
            let mut text = String::new();
            items(array, Form::AsGiven, &mut text).map(|()| text.replace(ITEM_SEPARATOR, "|"))
        };
        assert_eq!(list("{}").unwrap(), "");
        assert_eq!(list("{a,NULL,\"NULL\",\"\",b}").unwrap(), "a|NULL|b");
        assert_eq!(list("[0:1]={a,\"x,\\\"y\\\\\"}").unwrap(), "a|x,\"y\\");
        assert_eq!(list("{{a,b},{c,d}}"), None);
        assert_eq!(list("{\"a\u{1f}b\"}"), None);
    }

    proptest! {
        #[test]
        fn lists_read_back(written in prop::collection::vec("[a-zN{},\"\\\\ ]{1,5}", 0..5)) {
            let cell = written.join("\u{1f}");
            let mut text = String::new();
            prop_assert_eq!(items(&array_of(&cell), Form::AsGiven, &mut text), Some(()));
            prop_assert_eq!(text, cell);
        }
    }
}
