use jiff::civil;
use jiff::fmt::strtime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the values of a column are, and so how they compare and how far apart they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Decimal,
    /// Calendar dates or times, see `format`.
    Date,
    /// Names without an order.
    Text,
}

impl Kind {
    /// Whether values of this kind lie on a line.
    pub fn is_ordered(self) -> bool {
        self != Kind::Text
    }

    /// The name in a policy.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Decimal => "decimal",
            Kind::Date => "date",
            Kind::Text => "text",
        }
    }
}

/// How a date is written, in `strftime` notation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DateFormat(String);

impl Default for DateFormat {
    fn default() -> Self {
        DateFormat("%Y-%m-%d".to_owned())
    }
}

impl DateFormat {
    /// Checks the notation by writing and reading back one date with it.
    pub fn new(format: &str) -> Result<Self, KindError> {
        let candidate = DateFormat(format.to_owned());
        let probe = civil::date(2001, 2, 3);
        let bad = |why: String| KindError::Format { format: format.to_owned(), why };
        let written = written(format, probe.at(4, 5, 6, 0)).map_err(|e| bad(e.to_string()))?;
        candidate.seconds(&written).ok_or_else(|| bad("it does not name a whole date".to_owned()))?;
        Ok(candidate)
    }

    /// The notation itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The date written in `text`, as seconds since 1970-01-01 00:00, fractions left out.
    pub fn seconds(&self, text: &str) -> Option<i64> {
        self.since_1970(text).map(|since| since.as_secs())
    }

    /// How long after 1970-01-01 00:00 the date is that is written in `text`. Where the notation has an offset, two texts of one
    /// moment are equal.
    pub(crate) fn since_1970(&self, text: &str) -> Option<jiff::SignedDuration> {
        let time = strtime::parse(&self.0, text).ok()?;
        let at = time.to_datetime().or_else(|_| time.to_date().map(|d| d.at(0, 0, 0, 0))).ok()?;
        let epoch = civil::date(1970, 1, 1).at(0, 0, 0, 0);
        let offset = time.offset().map_or(0, |offset| i64::from(offset.seconds()));
        Some(at.duration_since(epoch) - jiff::SignedDuration::from_secs(offset))
    }

    /// A calendar date in this notation, at midnight.
    pub fn write(&self, date: civil::Date) -> String {
        self.write_time(date.at(0, 0, 0, 0))
    }

    /// The moment that lies this many days after 1970-01-01 00:00, in this notation: the inverse of a date's position.
    pub fn write_days(&self, days: f64) -> String {
        let seconds = jiff::SignedDuration::from_secs((days * 86_400.0).round() as i64);
        let epoch = civil::date(1970, 1, 1).at(0, 0, 0, 0);
        self.write_time(epoch.checked_add(seconds).unwrap_or(civil::DateTime::MAX))
    }

    /// A moment in this notation, as precisely as the notation can say it.
    pub fn write_time(&self, at: civil::DateTime) -> String {
        // Checked when the format was made; a date that this calendar cannot write stays ISO.
        written(&self.0, at).unwrap_or_else(|_| at.date().to_string())
    }
}

/// A notation with an offset can only write what has one; positions are those of UTC.
fn written(format: &str, at: civil::DateTime) -> Result<String, jiff::Error> {
    strtime::format(format, at).or_else(|_| strtime::format(format, &at.to_zoned(jiff::tz::TimeZone::UTC)?))
}

/// Reads the text of one column's values into positions on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueParser {
    kind: Kind,
    format: DateFormat,
}

/// A date format that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KindError {
    /// `format` is not a usable `strftime` notation.
    #[error("the date format `{format}` cannot be used: {why}")]
    Format {
        /// The notation as given.
        format: String,
        /// What the calendar said.
        why: String,
    },
}

/// A parser for values of a kind, dates in the usual notation.
impl From<Kind> for ValueParser {
    fn from(kind: Kind) -> Self {
        ValueParser::new(kind, DateFormat::default())
    }
}

impl ValueParser {
    /// A parser for values of `kind`; `format` matters for dates only.
    pub fn new(kind: Kind, format: DateFormat) -> Self {
        ValueParser { kind, format }
    }

    /// The kind it reads.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The date notation.
    pub fn format(&self) -> &DateFormat {
        &self.format
    }

    /// Where the value lies: the number itself, or days since 1970 for dates. `None` when `text` is not
    /// of this kind, and always for [`Kind::Text`].
    pub fn position(&self, text: &str) -> Option<f64> {
        match self.kind {
            // Whole numbers beyond 2^53 compare by their nearest double; their labels stay exact.
            Kind::Integer => text.parse::<i64>().ok().map(|v| v as f64),
            Kind::Decimal => text.parse::<f64>().ok().filter(|v| v.is_finite()),
            Kind::Date => self.format.since_1970(text).map(|since| since.as_secs_f64() / 86_400.0),
            Kind::Text => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_fractions_are_a_part_of_the_time() {
        let at = |format: &str, text: &str| {
            ValueParser::new(Kind::Date, DateFormat::new(format).unwrap()).position(text).unwrap()
        };
        let offset = "%Y-%m-%dT%H:%M:%S%:z";
        assert_eq!(at(offset, "2010-01-31T01:00:00+01:00"), at(offset, "2010-01-30T19:00:00-05:00"));
        assert_eq!(at(offset, "2010-01-31T01:00:00+01:00"), at("%Y-%m-%d", "2010-01-31"));
        let fraction = "%Y-%m-%d %H:%M:%S%.f";
        assert!(at(fraction, "2010-01-31 10:00:00.25") > at(fraction, "2010-01-31 10:00:00"));
        assert_eq!(
            DateFormat::new(offset).unwrap().write(civil::date(2010, 1, 31)),
            "2010-01-31T00:00:00+00:00"
        );
    }
}
