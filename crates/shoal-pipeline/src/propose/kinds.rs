//! What the values of a column are, judged from their texts.

mod dates;
mod numbers;

use std::collections::BTreeMap;

use shoal_core::{DateFormat, Kind, RawColumn};

use super::words::Words;
use numbers::{has_leading_zero, is_number};

/// How a column is read.
pub(super) struct Reading {
    pub kind: Kind,
    pub format: Option<DateFormat>,
    /// Those that occur, in the order of the lists below.
    pub missing_tokens: Vec<String>,
    /// Texts among numbers or dates that are neither, few and without a digit. They are among `missing_tokens`.
    pub odd: Vec<String>,
    pub note: Option<String>,
    /// Whether the texts are numbers in a notation that is not read as such.
    pub number_like: bool,
    /// Whether the note is a question that a person has to answer.
    pub asks: bool,
}

/// Texts that mean "no value" wherever they occur.
const MISSING: [&str; 9] = ["", "?", "NA", "N/A", "n/a", "null", "NULL", "nan", "NaN"];
/// Texts that mean it among numbers and dates, but may be a value among texts.
const MISSING_IN_NUMBERS: [&str; 3] = ["None", "none", "-"];

/// At most so many different texts among numbers or dates are taken for missing values: more of them are values.
const MOST_ODD: usize = 3;
/// From so many different numbers or dates on it is clear what the column is, whatever else stands in it.
const CLEARLY: usize = 20;

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
        return Reading {
            kind: Kind::Text,
            format: None,
            missing_tokens,
            odd: Vec::new(),
            number_like: false,
            note: None,
            asks: false,
        };
    }
    let name = Words::of(&column.name);
    let mut judgement = judge(&name, &values);
    let mut odd: Vec<&str> = Vec::new();
    let mut number_like = false;
    if judgement.kind == Kind::Text && judgement.note.is_none() {
        odd = odd_ones(&values);
        let regular: Vec<&str> = values.iter().copied().filter(|text| !odd.contains(text)).collect();
        let without = judge(&name, &regular);
        if odd.is_empty() || without.kind == Kind::Text {
            odd.clear();
            let numbers = numbers::what_they_may_be(&values);
            (number_like, judgement.asks) = (numbers.is_some(), numbers.is_some());
            judgement.note = numbers.or_else(|| spellings(&values));
        } else if odd.iter().all(|text| means_nothing(text, without.kind)) {
            let kind = if without.kind == Kind::Date { "dates" } else { "numbers" };
            let note = format!(
                "all values are {kind} but {}: taken for missing values; please check, and correct the data if they are not",
                places(column, &odd)
            );
            judgement = Judgement { note: Some(joined(note, without.note)), asks: true, ..without };
        } else {
            let note = format!(
                "all values are {} but {}: read as text. Correct the data, or list them under `missing` and change the kind",
                if without.kind == Kind::Date { "dates" } else { "numbers" },
                places(column, &odd)
            );
            (judgement.note, judgement.asks) = (Some(note), true);
            odd.clear();
        }
    }
    if matches!(judgement.kind, Kind::Integer | Kind::Decimal) {
        if let Some(note) = numbers::points_that_may_be_thousands(&values) {
            judgement.note = Some(joined(note, judgement.note.take()));
            judgement.asks = true;
        }
        let codes = numbers::codes_for_missing(&values);
        if !codes.is_empty() {
            let note = may_mean_unknown(column, &codes);
            judgement.note = Some(joined(note, judgement.note.take()));
            judgement.asks = true;
        }
    }
    if judgement.kind != Kind::Text {
        missing_tokens.extend(seen(&MISSING_IN_NUMBERS));
        missing_tokens.extend(odd.iter().map(|text| (*text).to_owned()));
    }
    Reading {
        kind: judgement.kind,
        format: judgement.format,
        missing_tokens,
        odd: odd.into_iter().map(str::to_owned).collect(),
        number_like,
        note: judgement.note,
        asks: judgement.asks,
    }
}

struct Judgement {
    kind: Kind,
    format: Option<DateFormat>,
    note: Option<String>,
    asks: bool,
}

fn judge(name: &Words, values: &[&str]) -> Judgement {
    let of = |kind: Kind| Judgement { kind, format: None, note: None, asks: false };
    if let Some(dates) = dates::compact(values).or_else(|| dates::written(name, values)) {
        return Judgement {
            kind: Kind::Date,
            format: Some(dates.format),
            note: dates.note,
            asks: dates.asks,
        };
    }
    if !values.iter().all(|text| is_number(text)) {
        return of(Kind::Text);
    }
    let text =
        |why: &str| Judgement { note: Some(format!("digits, but {why}: read as text")), ..of(Kind::Text) };
    if values.iter().any(|text| has_leading_zero(text)) {
        return text("with leading zeros, so they are codes");
    }
    if values.iter().all(|text| text.parse::<i64>().is_ok()) {
        return match name.code_word() {
            Some(word) => text(&format!("the name (`{word}`) says that they are codes")),
            None => of(Kind::Integer),
        };
    }
    // Whole numbers beyond 64 bits are ids or codes, which a decimal would round.
    if values.iter().any(|text| text.parse::<i64>().is_err() && !text.contains(['.', 'e', 'E'])) {
        return text("too long for a number");
    }
    of(Kind::Decimal)
}

/// The texts that are neither numbers nor dates where nearly all the others are; nothing where that is not so.
fn odd_ones<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let few = |odd: Vec<&'a str>| {
        let fits = !odd.is_empty() && odd.len() <= MOST_ODD && values.len() - odd.len() >= CLEARLY;
        fits.then_some(odd)
    };
    let no_numbers = values.iter().copied().filter(|text| !is_number(text)).take(MOST_ODD + 1).collect();
    few(no_numbers).or_else(|| few(dates::unreadable(values, MOST_ODD)?)).unwrap_or_default()
}

/// Whether a text among numbers or dates says that there is no value: it has no digit, or is what programs write for one.
fn means_nothing(text: &str, kind: Kind) -> bool {
    let repeated = |digit: char| text.len() == 8 && text.chars().all(|c| c == digit);
    !text.contains(|c: char| c.is_ascii_digit())
        || (kind == Kind::Date
            && (repeated('0') || repeated('9') || text == "0" || text.starts_with("0000-00-00")))
}

/// `` `old` (record 17) ``.
fn places(column: &RawColumn, odd: &[&str]) -> String {
    let place = |text: &&str| {
        let row = (0..column.codes.len()).find(|&row| column.text(row) == *text).unwrap_or_default();
        format!("`{}` (record {})", text.escape_debug(), row + 1)
    };
    odd.iter().map(place).collect::<Vec<_>>().join(", ")
}

/// Asks what `999` among ages means. It is never taken for a missing value: that would leave a true value out.
fn may_mean_unknown(column: &RawColumn, codes: &[&str]) -> String {
    let occurs = |text: &&str| {
        let times = (0..column.codes.len()).filter(|&row| column.text(row) == *text).count();
        format!("`{text}` occurs {times} {}", if times == 1 { "time" } else { "times" })
    };
    let occurs: Vec<String> = codes.iter().map(occurs).collect();
    let (lies, it, widens) = match codes {
        [_] => ("lies", "it", "as a number it widens every range that it is in"),
        _ => ("lie", "them", "as numbers they widen every range that they are in"),
    };
    format!(
        "{} and {lies} far from all other values: add {it} to `missing` under [data], which is about all columns, if that means \
         unknown; {widens}",
        occurs.join(", "),
    )
}

/// Says that `M` and `m` are two values.
fn spellings(values: &[&str]) -> Option<String> {
    const SHOWN: usize = 3;
    // More are no categories: names and keys differ in capitals by chance.
    const MOST_VALUES: usize = 100;
    if values.len() > MOST_VALUES {
        return None;
    }
    let mut by_meaning: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for text in values {
        let plain = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        by_meaning.entry(plain).or_default().push(format!("`{}`", text.escape_debug()));
    }
    let alike: Vec<String> =
        by_meaning.values().filter(|texts| texts.len() > 1).map(|texts| texts.join(" and ")).collect();
    let more = if alike.len() > SHOWN { ", …" } else { "" };
    (!alike.is_empty()).then(|| {
        format!(
            "{}{more} differ only in capitals or blanks and count as different values: make them one if they mean one",
            alike.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ")
        )
    })
}

fn joined(note: String, more: Option<String>) -> String {
    match more {
        Some(more) => format!("{note}. {more}"),
        None => note,
    }
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
        for (value, expected) in [
            ("2201-07-03", "%Y-%m-%d"),
            ("1834-07-03", "%Y-%m-%d"),
            ("31.12.54", "%d.%m.%y"),
            ("12/31/99", "%m/%d/%y"),
            ("2010-01-31 9:05", "%Y-%m-%d %H:%M"),
            ("2010-01-31T10:00:00+01:00", "%Y-%m-%dT%H:%M:%S%:z"),
            ("2010-01-31T10:00:00.123Z", "%Y-%m-%dT%H:%M:%S%.fZ"),
            ("2010-01-31 10:00:00.5", "%Y-%m-%d %H:%M:%S%.f"),
            ("01JAN2010", "%d%b%Y"),
            ("Jan 31, 2010", "%b %d, %Y"),
            ("31-Jan-10", "%d-%b-%y"),
            ("1/31/2010 2:05 PM", "%m/%d/%Y %I:%M %p"),
        ] {
            assert_eq!(format(&[value]).as_deref(), Some(expected), "{value}");
        }
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

    fn among_numbers(odd: &[&str]) -> (Kind, Vec<String>, Option<String>) {
        let numbers: Vec<String> = (0..2000).map(|i| (i * 7 % 90).to_string()).collect();
        let mut values: Vec<&str> = numbers.iter().map(String::as_str).collect();
        values.splice(16..16, odd.iter().copied());
        let (kind, _, missing, note) = reading("x", &values);
        (kind, missing, note)
    }

    #[test]
    fn an_odd_value_is_named_and_proposed_as_missing() {
        for odd in ["-", "inf", "old", ".", "unknown", "n.a."] {
            let (kind, missing, note) = among_numbers(&[odd]);
            assert_eq!((kind, missing), (Kind::Integer, vec![odd.to_owned()]), "{odd}");
            // A dash needs no question.
            assert_eq!(
                note.is_some_and(|note| note.contains(&format!("`{odd}` (record 17)"))),
                odd != "-",
                "{odd}"
            );
        }
        let (kind, _, note) = among_numbers(&["90+"]);
        assert_eq!(kind, Kind::Text, "it may be a value");
        assert!(note.unwrap().contains("`90+` (record 17)"));
        assert_eq!(among_numbers(&["a", "b", "c", "d"]).0, Kind::Text, "too many to be none");
        let mut dates: Vec<String> = (10..60).map(|i| format!("2010-01-{:02}", 1 + i % 28)).collect();
        dates.push("never".to_owned());
        let dates: Vec<&str> = dates.iter().map(String::as_str).collect();
        let (kind, format, missing, note) = reading("x", &dates);
        assert_eq!(
            (kind, format.as_deref(), missing),
            (Kind::Date, Some("%Y-%m-%d"), vec!["never".to_owned()])
        );
        assert!(note.unwrap().contains("(record 51)"));
    }

    #[test]
    fn codes_for_missing_are_asked_about_and_never_assumed() {
        let ages: Vec<String> = (0..200).map(|i| (i * 7 % 90).to_string()).collect();
        let with = |codes: &[&'static str]| {
            let mut values: Vec<&str> = ages.iter().map(String::as_str).collect();
            values.extend(codes);
            reading("age", &values)
        };
        for (codes, words) in [
            (&["999", "999"][..], "`999` occurs 2 times and lies far from all other values"),
            (&["-1"], "`-1` occurs 1 time and lies far"),
            (
                &["998", "999", "-9"],
                "`998` occurs 1 time, `999` occurs 1 time, `-9` occurs 1 time and lie far",
            ),
            (&["9999.0"], "`9999.0` occurs"),
        ] {
            let (kind, _, missing, note) = with(codes);
            assert_ne!(kind, Kind::Text);
            assert_eq!(missing, [""; 0], "{codes:?}");
            assert!(note.as_ref().is_some_and(|note| note.contains(words)), "{note:?}");
        }
        // 99 is an age, and where one value is below 0 others may be, too.
        for codes in [&["99"][..], &["-1", "-3"], &["120"]] {
            assert_eq!(with(codes).3, None, "{codes:?}");
        }
        assert_eq!(reading("sign", &["-1", "0", "1"]).3, None, "too few to tell");
    }

    #[test]
    fn points_before_three_digits_are_asked_about() {
        for values in [
            &["1.234", "22.750", "300", "1.250", "7.125", "980"][..],
            &["1.234", "22.750", "1.250", "7.125", "13.000"],
        ] {
            let (kind, _, _, note) = reading("income", values);
            assert_eq!(kind, Kind::Decimal);
            assert!(note.unwrap().contains("`1.234` is read as a fraction, and may be 1234"), "{values:?}");
        }
        for values in [
            &["1.234", "22.75", "300", "1.25", "7.125", "980"][..],
            &["0.234", "22.750", "1.250", "7.125", "13.000"],
            &["1.234", "2.500"],
            &["1", "2", "3", "4", "5", "6"],
        ] {
            assert_eq!(reading("income", values).3, None, "{values:?}");
        }
    }

    #[test]
    fn numbers_in_other_notations_are_said() {
        for (values, words) in [
            (["1,5", "22,75", "3"], "decimal comma"),
            (["1.234,50", "2.000,00", "7,10"], "decimal comma"),
            (
                ["1,234", "22,750", "300"],
                "`1,234` may be 1234 (a comma between thousands) or 1.234 (a decimal comma)",
            ),
            (["1,234", "1,234,567", "300"], "thousands separators"),
            (["1,234.50", "22,750", "300"], "thousands separators"),
            (["1 234", "22 750", "300"], "thousands separators"),
            (["$1,234", "$22,750", "$300"], "`$1,234` may be $1234"),
            (["$ 3.50", "$12.00", "$1"], "currency"),
            (["3,50 €", "12,00 €", "1 €"], "currency"),
            (["M", "m", "F"], "`M` and `m`"),
        ] {
            let (kind, _, _, note) = reading("x", &values);
            assert_eq!(kind, Kind::Text);
            assert!(note.as_ref().is_some_and(|note| note.contains(words)), "{values:?}: {note:?}");
        }
        assert_eq!(reading("x", &["a,b", "c"]).3, None);
        assert!(reading("x", &["31.12.54", "1.1.80"]).3.unwrap().contains("1969 to 2068"));
    }
}
