//! Numbers with a decimal comma.
//!
//! They are turned into the notation with a point as they are read, so that everything behind (order, ranges, the counting of
//! equal values, the verifier) knows one notation of numbers.

use shoal_core::{RawColumn, RawTable};

use crate::collect::ColumnBuilder;
use crate::error::ReadError;

/// A sample whose numbers have decimal commas.
#[derive(Clone, Debug, PartialEq)]
pub struct DecimalCommas {
    /// The first column with such numbers.
    pub column: String,
    /// One of its values.
    pub example: String,
    /// The sample with a point in them.
    pub sample: RawTable,
}

/// Finds columns that hold nothing but numbers with decimal commas, texts of `missing` aside. `None` where there is no such
/// column, where `1,234` could as well be a thousand, and where another column has decimal points.
pub fn find_decimal_commas(sample: &RawTable, missing: &[&str]) -> Option<DecimalCommas> {
    let mut found = None;
    let mut columns = Vec::with_capacity(sample.columns.len());
    for column in &sample.columns {
        let values = || column.labels.iter().filter(|text| !missing.contains(text));
        if values().any(|text| text.contains('.') && is_point_only(text))
            && values().all(|text| text.parse::<f64>().is_ok())
        {
            return None;
        }
        let sure = values()
            .find(|text| has_sure_comma(text))
            .filter(|_| values().all(|text| with_point(text).is_some()));
        match sure {
            Some(example) => {
                found.get_or_insert_with(|| (column.name.clone(), example.to_owned()));
                columns.push(pointed(column));
            }
            None => columns.push(column.clone()),
        }
    }
    let (column, example) = found?;
    // The key is about all columns of numbers: with it `1,234` is no thousand elsewhere in the file either, and `1.234` is one.
    for column in &mut columns {
        let values = || column.labels.iter().filter(|text| !missing.contains(text));
        let changes = |text: &str| with_point(text).is_some_and(|pointed| pointed != text);
        if values().any(changes) && values().all(|text| with_point(text).is_some()) {
            *column = pointed(column);
        }
    }
    Some(DecimalCommas { column, example, sample: RawTable { columns, ..sample.clone() } })
}

/// Turns the numbers of these columns into the notation with a point. Texts that are no numbers stay what they are; a number
/// with a decimal point is refused, because it would be taken for another one.
pub(crate) fn to_points(table: &mut RawTable, names: &[String]) -> Result<(), ReadError> {
    let RawTable { columns, files, .. } = table;
    for column in columns.iter_mut().filter(|column| names.contains(&column.name)) {
        if let Some((text, place)) =
            column.labels.iter().zip(&column.first_seen).find(|(text, _)| is_point_only(text))
        {
            return Err(ReadError::DecimalPoint {
                file: files.get(place.file as usize).cloned().unwrap_or_default(),
                row: place.row,
                column: column.name.clone(),
                value: text.to_owned(),
            });
        }
        *column = pointed(column);
    }
    Ok(())
}

/// The column with points. Texts that become equal share a code.
fn pointed(column: &RawColumn) -> RawColumn {
    let mut builder = ColumnBuilder::new(column.name.clone());
    builder.push_references(column.codes.iter().copied());
    for ((code, text), place) in (0..).zip(column.labels.iter()).zip(&column.first_seen) {
        let pointed = with_point(text);
        let text = (column.null != Some(code)).then(|| pointed.as_deref().unwrap_or(text));
        builder.arrive(text, *place);
    }
    builder.finish()
}

/// Whether the text is a number with a point and none with a comma: `1.5`, but not `1.500`, which is a thousand and a half.
fn is_point_only(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite) && with_point(text).is_none()
}

/// Whether the comma cannot stand between thousands: `1,5`, `1.234,567`, but not `1,234`.
fn has_sure_comma(text: &str) -> bool {
    let Some((whole, fraction)) = text.split_once(',') else { return false };
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
    with_point(text).is_some() && (digits != 3 || whole.contains(['.', ' ', '\'', '\u{a0}', '\u{202f}']))
}

/// A number with a decimal comma in the notation with a point: `-1.234,50` is `-1234.50`. Between thousands there may be
/// points, blanks or apostrophes, everywhere the same. `None` for what is no such number.
fn with_point(text: &str) -> Option<String> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = &text[..text.len() - digits.len()];
    let (digits, exponent) = match digits.find(['e', 'E']) {
        Some(at) => digits.split_at(at),
        None => (digits, ""),
    };
    if !exponent.is_empty() {
        let power = exponent[1..].strip_prefix(['-', '+']).unwrap_or(&exponent[1..]);
        if !all_digits(power) {
            return None;
        }
    }
    let (whole, fraction) = match digits.split_once(',') {
        Some((whole, fraction)) if all_digits(fraction) => (whole, Some(fraction)),
        Some(_) => return None,
        None => (digits, None),
    };
    let mut number = format!("{sign}{}", without_groups(whole)?);
    if let Some(fraction) = fraction {
        number.push('.');
        number.push_str(fraction);
    }
    number.push_str(exponent);
    Some(number)
}

/// Digits without what stands between thousands.
fn without_groups(whole: &str) -> Option<String> {
    if all_digits(whole) {
        return Some(whole.to_owned());
    }
    let separator = whole.chars().find(|c| !c.is_ascii_digit())?;
    if !matches!(separator, '.' | ' ' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}') {
        return None;
    }
    let mut groups = whole.split(separator);
    let first = groups.next().filter(|group| all_digits(group) && group.len() <= 3)?;
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 || !all_digits(group) {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_become_points_and_groups_go() {
        for (text, number) in [
            ("1,5", "1.5"),
            ("-1.234,50", "-1234.50"),
            ("1.234", "1234"),
            ("12 345 678,9", "12345678.9"),
            ("1'000", "1000"),
            ("1\u{a0}000,5", "1000.5"),
            ("007", "007"),
            ("+3,0E+05", "+3.0E+05"),
            ("3e5", "3e5"),
        ] {
            assert_eq!(with_point(text).as_deref(), Some(number));
            assert!(number.parse::<f64>().is_ok());
        }
        for text in [
            "",
            "1.5",
            "1,",
            ",5",
            "1.23.456",
            "1234.567",
            "1,2,3",
            "1,234.5",
            "a",
            "1 .000",
            "1.000 000",
            "e5",
            "1e",
            "1,5 €",
        ] {
            assert_eq!(with_point(text), None, "{text}");
        }
    }

    #[test]
    fn a_column_is_found_where_a_comma_cannot_mean_thousands() {
        let table = |first: [&str; 3], second: [&str; 3]| {
            let rows: Vec<Vec<&str>> = (0..3).map(|row| vec![first[row], second[row]]).collect();
            RawTable::from_rows(&["a", "b"], &rows)
        };
        let found = find_decimal_commas(&table(["1,5", "", "2.000,25"], ["x", "y", "1,5"]), &[""]).unwrap();
        assert_eq!((found.column.as_str(), found.example.as_str()), ("a", "1,5"));
        assert_eq!(found.sample.columns[0].text(2), "2000.25");
        assert_eq!(found.sample.columns[1].text(2), "1,5", "a column of texts stays");
        assert_eq!(find_decimal_commas(&table(["1,500", "2,250", ""], ["x", "y", "z"]), &[""]), None);
        for (doubtful, read) in [("1,500", "1.500"), ("1.500", "1500"), ("12.03.2020", "12.03.2020")] {
            let found =
                find_decimal_commas(&table(["1,5", "2,25", ""], [doubtful, "2", "3"]), &[""]).unwrap();
            assert_eq!(found.sample.columns[1].text(0), read, "by what another column shows");
        }
        assert_eq!(find_decimal_commas(&table(["1,5", "2,25", ""], ["1.5", "2", "3"]), &[""]), None);
    }

    #[test]
    fn equal_numbers_share_a_code_and_points_are_refused() {
        let mut table =
            RawTable::from_rows(&["a", "b"], &[vec!["1.234", "x"], vec!["1234", "1.5"], vec!["?", "1,5"]]);
        to_points(&mut table, &["a".to_owned()]).unwrap();
        assert_eq!(table.columns[0].codes, [0, 0, 1]);
        assert_eq!(table.columns[0].text(2), "?");
        let error = to_points(&mut table, &["b".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("record 2, column b: `1.5`"), "{error}");
    }
}
