//! What the values of a column are, judged from their texts.

use shoal_core::{DateFormat, Kind, RawColumn};

use super::words::Words;

/// How a column is read.
pub(super) struct Reading {
    pub kind: Kind,
    pub format: Option<DateFormat>,
    /// Those that occur, in the order of the lists below.
    pub missing_tokens: Vec<String>,
    pub note: Option<String>,
}

/// Texts that mean "no value" wherever they occur.
const MISSING: [&str; 9] = ["", "?", "NA", "N/A", "n/a", "null", "NULL", "nan", "NaN"];
/// Texts that mean it among numbers and dates, but may be a value among texts.
const MISSING_IN_NUMBERS: [&str; 3] = ["None", "none", "-"];

/// Date notations, in the order in which they are tried, with the one they can be confused with.
const FORMATS: [(&str, Option<&str>); 19] = [
    ("%Y-%m-%d", None),
    ("%Y/%m/%d", None),
    ("%d.%m.%Y", None),
    ("%m/%d/%Y", Some("%d/%m/%Y")),
    ("%d/%m/%Y", None),
    ("%m-%d-%Y", Some("%d-%m-%Y")),
    ("%d-%m-%Y", None),
    ("%Y-%m-%d %H:%M:%S", None),
    ("%Y-%m-%d %H:%M", None),
    ("%Y-%m-%dT%H:%M:%S", None),
    ("%Y-%m-%dT%H:%M:%SZ", None),
    ("%Y-%m-%dT%H:%M", None),
    ("%d.%m.%Y %H:%M:%S", None),
    ("%d.%m.%Y %H:%M", None),
    ("%m/%d/%Y %H:%M:%S", Some("%d/%m/%Y %H:%M:%S")),
    ("%d/%m/%Y %H:%M:%S", None),
    ("%m/%d/%Y %H:%M", Some("%d/%m/%Y %H:%M")),
    ("%d/%m/%Y %H:%M", None),
    ("%d %b %Y", None),
];

/// Judges the kind of a column's values, its date format and its missing values.
pub(super) fn read(column: &RawColumn) -> Reading {
    let texts: Vec<&str> = (0..column.labels.len() as u32)
        .filter(|&code| column.null != Some(code))
        .map(|code| column.labels.get(code))
        .collect();
    let seen = |tokens: &[&str]| -> Vec<String> {
        tokens.iter().filter(|token| texts.contains(token)).map(|token| (*token).to_owned()).collect()
    };
    let mut missing_tokens = seen(&MISSING);
    let values: Vec<&str> = texts
        .iter()
        .copied()
        .filter(|text| !MISSING.contains(text) && !MISSING_IN_NUMBERS.contains(text))
        .collect();
    if values.is_empty() {
        return Reading { kind: Kind::Text, format: None, missing_tokens, note: None };
    }
    let (kind, format, note) = judge(&Words::of(&column.name), &values);
    if kind != Kind::Text {
        missing_tokens.extend(seen(&MISSING_IN_NUMBERS));
    }
    Reading { kind, format, missing_tokens, note }
}

type Judgement = (Kind, Option<DateFormat>, Option<String>);

fn judge(name: &Words, values: &[&str]) -> Judgement {
    // Dates first: eight digits that are all days of plausible years would pass for numbers as well.
    if let Some((format, note)) = compact_dates(values).or_else(|| dates(values)) {
        return (Kind::Date, Some(format), note);
    }
    if !values.iter().all(|text| is_number(text)) {
        return (Kind::Text, None, None);
    }
    let text = |why: &str| (Kind::Text, None, Some(format!("digits, but {why}: read as text")));
    if values.iter().any(|text| has_leading_zero(text)) {
        return text("with leading zeros, so they are codes");
    }
    if values.iter().all(|text| text.parse::<i64>().is_ok()) {
        return match name.code_word() {
            Some(word) => text(&format!("the name (`{word}`) says that they are codes")),
            None => (Kind::Integer, None, None),
        };
    }
    // Whole numbers beyond 64 bits are ids or codes, which a decimal would round.
    if values.iter().any(|text| text.parse::<i64>().is_err() && !text.contains(['.', 'e', 'E'])) {
        return text("too long for a number");
    }
    (Kind::Decimal, None, None)
}

/// `20100131`: eight digits, only where every one of them is a day of a plausible year.
fn compact_dates(values: &[&str]) -> Option<(DateFormat, Option<String>)> {
    let format = DateFormat::new("%Y%m%d").ok()?;
    let is_day = |text: &&str| {
        text.len() == 8
            && text.bytes().all(|b| b.is_ascii_digit())
            && ("1900".."2101").contains(&&text[..4])
            && format.seconds(text).is_some()
    };
    values.iter().all(is_day).then_some((format, None))
}

fn dates(values: &[&str]) -> Option<(DateFormat, Option<String>)> {
    let (notation, other) = FORMATS.into_iter().find(|(notation, _)| fits(notation, values))?;
    let note = other.filter(|other| fits(other, values)).map(|other| {
        format!("it is not clear which is day and which is month in these values: `{notation}` or `{other}`, please check")
    });
    Some((DateFormat::new(notation).ok()?, note))
}

fn fits(notation: &str, values: &[&str]) -> bool {
    // From about 1800 to 2200: other years are a sign of the wrong notation. A year of the calendar has 31,556,952
    // seconds in the mean.
    const FIRST: i64 = -170 * 31_556_952;
    const LAST: i64 = 230 * 31_556_952;
    DateFormat::new(notation).is_ok_and(|format| {
        values.iter().all(|text| format.seconds(text).is_some_and(|at| (FIRST..LAST).contains(&at)))
    })
}

/// Without `inf`, `NaN` and the like, which also parse as floating-point numbers.
fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn has_leading_zero(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']).as_bytes();
    digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::*;

    fn reading(name: &str, values: &[&str]) -> (Kind, Option<String>, Vec<String>, Option<String>) {
        let rows: Vec<Vec<&str>> = values.iter().map(|v| vec![*v]).collect();
        let read = read(&RawTable::from_rows(&[name], &rows).columns[0]);
        (read.kind, read.format.map(|f| f.as_str().to_owned()), read.missing_tokens, read.note)
    }

    fn kind(values: &[&str]) -> Kind {
        reading("x", values).0
    }

    #[test]
    fn numbers_are_told_from_texts() {
        assert_eq!(kind(&["1", "-20", "+3"]), Kind::Integer);
        assert_eq!(kind(&["1", "2.5", "1e3"]), Kind::Decimal);
        assert_eq!(kind(&["1", "V57"]), Kind::Text);
        assert_eq!(kind(&["1", "inf"]), Kind::Text);
        assert_eq!(kind(&["02139", "10115"]), Kind::Text, "leading zeros");
        assert_eq!(kind(&["0", "0.5"]), Kind::Decimal);
        assert_eq!(kind(&["123456789012345678901234"]), Kind::Text, "too long");
        assert_eq!(kind(&["", "?"]), Kind::Text, "nothing but missing values");
        assert_eq!(reading("race", &["1", "2", "5"]).0, Kind::Text);
        assert_eq!(reading("zip_code", &["53715", "10115"]).0, Kind::Text);
    }

    #[test]
    fn dates_are_recognized_by_all_their_values() {
        let format = |values: &[&str]| reading("d", values).1;
        assert_eq!(format(&["2010-01-31", ""]).as_deref(), Some("%Y-%m-%d"));
        assert_eq!(format(&["20100131", "20091231"]).as_deref(), Some("%Y%m%d"));
        assert_eq!(format(&["20100131", "20101331"]), None, "no 13th month");
        assert_eq!(format(&["30001231"]), None, "not this age");
        assert_eq!(format(&["31.1.2010"]).as_deref(), Some("%d.%m.%Y"));
        assert_eq!(format(&["1/31/2018 17:49", "1/2/2018 8:52"]).as_deref(), Some("%m/%d/%Y %H:%M"));
        assert_eq!(format(&["31/01/2018"]).as_deref(), Some("%d/%m/%Y"));
        assert_eq!(format(&["2010-01-31T10:00:00Z"]).as_deref(), Some("%Y-%m-%dT%H:%M:%SZ"));
    }

    #[test]
    fn day_and_month_that_cannot_be_told_apart_are_mentioned() {
        assert!(reading("d", &["01/02/2018", "03/04/2018"]).3.unwrap().contains("%d/%m/%Y"));
        assert_eq!(reading("d", &["01/02/2018", "03/14/2018"]).3, None);
    }

    #[test]
    fn doubtful_tokens_are_missing_only_among_numbers() {
        assert_eq!(reading("x", &["1", "None", "?"]).2, ["?", "None"]);
        assert_eq!(reading("x", &["None", "Norm", ">200"]).2, [""; 0]);
        assert_eq!(reading("x", &["2010-01-31", "-"]).0, Kind::Date);
    }
}
