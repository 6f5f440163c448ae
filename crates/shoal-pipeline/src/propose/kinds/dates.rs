//! How dates are written.

use shoal_core::DateFormat;

use super::super::words::Words;

/// A notation that all values have.
pub(super) struct Dates {
    pub format: DateFormat,
    /// What a person should know about it.
    pub note: Option<String>,
    /// Whether a person has to say something about it.
    pub asks: bool,
}

/// Notations, in the order in which they are tried, with the one they can be confused with.
const FORMATS: [(&str, Option<&str>); 44] = [
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
    // Before the next one, whose blanks fit where there are none.
    ("%d%b%Y", None),
    ("%d %b %Y", None),
    // With fractions of a second, which may be absent, and with offsets.
    ("%Y-%m-%d %H:%M:%S%.f", None),
    ("%Y-%m-%dT%H:%M:%S%.f", None),
    ("%Y-%m-%dT%H:%M:%S%.fZ", None),
    ("%Y-%m-%d %H:%M:%S%.fZ", None),
    ("%Y-%m-%dT%H:%M:%S%:z", None),
    ("%Y-%m-%dT%H:%M:%S%.f%:z", None),
    ("%Y-%m-%dT%H:%M:%S%z", None),
    ("%Y-%m-%d %H:%M:%S%:z", None),
    ("%Y-%m-%d %H:%M:%S%.f%:z", None),
    ("%Y-%m-%d %H:%M:%S %z", None),
    // Months by name.
    ("%d-%b-%Y", None),
    ("%b %d, %Y", None),
    ("%B %d, %Y", None),
    ("%d %B %Y", None),
    ("%d%b%Y:%H:%M:%S", None),
    // Hours of half a day.
    ("%m/%d/%Y %I:%M %p", Some("%d/%m/%Y %I:%M %p")),
    ("%m/%d/%Y %I:%M:%S %p", Some("%d/%m/%Y %I:%M:%S %p")),
    // Years of two digits.
    ("%d.%m.%y", None),
    ("%m/%d/%y", Some("%d/%m/%y")),
    ("%d/%m/%y", None),
    ("%d-%b-%y", None),
    ("%d%b%y", None),
    ("%m/%d/%y %H:%M", Some("%d/%m/%y %H:%M")),
    ("%d.%m.%y %H:%M", None),
];

/// `20100131`: eight digits, only where every one of them is a day of a plausible year.
pub(super) fn compact(values: &[&str]) -> Option<Dates> {
    let format = DateFormat::new("%Y%m%d").ok()?;
    let is_day = |text: &&str| {
        text.len() == 8
            && text.bytes().all(|b| b.is_ascii_digit())
            && ("1800".."2301").contains(&&text[..4])
            && format.seconds(text).is_some()
    };
    values.iter().all(is_day).then_some(Dates { format, note: None, asks: false })
}

/// The notation of all values.
pub(super) fn written(name: &Words, values: &[&str]) -> Option<Dates> {
    let (format, twin) =
        FORMATS.into_iter().find_map(|(notation, twin)| Some((fitting(notation, values)?, twin)))?;
    let notation = format.as_str();
    let mut notes = Vec::new();
    if let Some(twin) = twin.filter(|twin| fitting(twin, values).is_some()) {
        notes.push(format!(
            "day and month cannot be told apart in these values: `{notation}` or `{twin}`, please check"
        ));
    }
    let mut asks = !notes.is_empty();
    if notation.contains("%y") {
        notes.push(
            "years of two digits are read as 1969 to 2068; write four digits where others are meant"
                .to_owned(),
        );
        // People are born before 1969, and what spans half a century is likely on both sides of that year.
        const LONG: i64 = 50 * 31_556_952;
        let times = || values.iter().filter_map(|text| format.seconds(text));
        let span = times().max().zip(times().min()).map_or(0, |(last, first)| last - first);
        asks |= name.is_lifelong() || span > LONG;
    }
    let note = (!notes.is_empty()).then(|| notes.join("; "));
    Some(Dates { format, note, asks })
}

/// The few values that no notation fits that fits all the others; nothing where there are more than `most` of them.
pub(super) fn unreadable<'a>(values: &[&'a str], most: usize) -> Option<Vec<&'a str>> {
    let notations = FORMATS.iter().map(|(notation, _)| *notation).chain(["%Y%m%d"]);
    notations
        .filter_map(|notation| {
            let format = DateFormat::new(notation).ok()?;
            let compact = notation == "%Y%m%d";
            let fits = |text: &str| (!compact || text.len() == 8) && is_date(&format, text);
            let odd: Vec<&str> = values.iter().copied().filter(|text| !fits(text)).take(most + 1).collect();
            (odd.len() <= most && odd.len() < values.len()).then_some(odd)
        })
        .next()
}

fn fitting(notation: &str, values: &[&str]) -> Option<DateFormat> {
    let format = DateFormat::new(notation).ok()?;
    values.iter().all(|text| is_date(&format, text)).then_some(format)
}

/// A year of less than four digits is a sign of the wrong notation; data that were shifted in time reach far into the future.
fn is_date(format: &DateFormat, text: &str) -> bool {
    const FIRST: i64 = -970 * 31_556_952;
    format.seconds(text).is_some_and(|at| at >= FIRST)
}
