use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime, date};
use jiff::{Span, ToSpan};

use super::{BuildError, Built, finish, list, values};
use crate::{Domain, Kind};

/// A piece of the calendar. Each nests in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateStep {
    /// A day, for columns that hold times.
    Day,
    /// A month.
    Month,
    /// January to March and so on.
    Quarter,
    /// A year.
    Year,
    /// Five years from a multiple of five.
    FiveYears,
    /// Ten years from a multiple of ten.
    Decade,
    /// A hundred years from a multiple of a hundred.
    Century,
}

impl DateStep {
    /// All steps, from fine to coarse.
    pub const ALL: [DateStep; 7] = [
        DateStep::Day,
        DateStep::Month,
        DateStep::Quarter,
        DateStep::Year,
        DateStep::FiveYears,
        DateStep::Decade,
        DateStep::Century,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DateStep::Day => "day",
            DateStep::Month => "month",
            DateStep::Quarter => "quarter",
            DateStep::Year => "year",
            DateStep::FiveYears => "five-years",
            DateStep::Decade => "decade",
            DateStep::Century => "century",
        }
    }

    /// The first and the last day of the step around `day`; `None` at the ends of the calendar.
    fn around(self, day: Date) -> Option<(Date, Date)> {
        let years = |width: i16| {
            // Euclidean, so that years before 0 are grouped in the same way.
            let first = day.year().div_euclid(width) * width;
            Some((Date::new(first, 1, 1).ok()?, Date::new(first + width - 1, 12, 31).ok()?))
        };
        match self {
            DateStep::Day => Some((day, day)),
            DateStep::Month => Some((day.first_of_month(), day.last_of_month())),
            DateStep::Quarter => {
                let first = Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok()?;
                Some((first, first.checked_add(2.months()).ok()?.last_of_month()))
            }
            DateStep::Year => years(1),
            DateStep::FiveYears => years(5),
            DateStep::Decade => years(10),
            DateStep::Century => years(100),
        }
    }
}

impl fmt::Display for DateStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DateStep {
    type Err = BuildError;

    fn from_str(text: &str) -> Result<Self, BuildError> {
        let known = DateStep::ALL.into_iter().find(|step| step.name() == text);
        known.ok_or_else(|| BuildError::Step { step: text.to_owned() })
    }
}

/// How dates are grouped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DateParams {
    /// The steps from fine to coarse; `None` chooses them from the data.
    pub steps: Option<Vec<DateStep>>,
}

/// Date parameters in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidDateParams(DateParams);

impl DateParams {
    /// Checks that the steps go from fine to coarse.
    pub fn check(self) -> Result<ValidDateParams, BuildError> {
        let steps = self.steps.as_deref().unwrap_or_default();
        match steps.windows(2).find(|pair| pair[1] <= pair[0]) {
            Some(pair) => Err(BuildError::Order { before: pair[0].to_string(), step: pair[1].to_string() }),
            None => Ok(ValidDateParams(self)),
        }
    }
}

/// Dates in months, quarters, years and so on, below `*`. Labels are ranges in the column's own format,
/// `[2010-01-01, 2010-01-31]`; in a format with times they end with the last second of the day.
pub fn dates(domain: &Domain, params: &ValidDateParams) -> Result<Built, BuildError> {
    let days = days(domain)?;
    let levels = match &params.0.steps {
        Some(given) => given
            .iter()
            .map(|&step| Ok((step, labels(domain, &days, step).ok_or_else(|| unwritable(domain, step))?)))
            .collect::<Result<_, BuildError>>()?,
        None => chosen_levels(domain, &days),
    };
    let row = |(at, text): (usize, &str)| {
        let mut row = vec![text.to_owned()];
        row.extend(levels.iter().map(|(_, labels)| labels[at].clone()));
        row.push("*".to_owned());
        row
    };
    let rows: Vec<Vec<String>> = values(domain).into_iter().enumerate().map(row).collect();
    finish(&rows, describe(&levels.iter().map(|level| level.0).collect::<Vec<_>>()))
}

/// The steps that [`dates`] chooses when none are given: those up to a decade that leave fewer groups than
/// the step before, and more than one.
pub fn chosen_steps(domain: &Domain) -> Result<Vec<DateStep>, BuildError> {
    Ok(chosen_levels(domain, &days(domain)?).into_iter().map(|level| level.0).collect())
}

/// The days of the column's values, in the order of their codes.
fn days(domain: &Domain) -> Result<Vec<Date>, BuildError> {
    let kind = domain.parser().kind();
    if kind != Kind::Date {
        return Err(BuildError::Kind { builder: "dates", kind });
    }
    if domain.positions().is_empty() {
        return Err(BuildError::Empty);
    }
    let day = |(position, text): (&f64, &str)| {
        let whole = Span::new().try_days(position.floor() as i64);
        whole
            .and_then(|whole| date(1970, 1, 1).checked_add(whole))
            .map_err(|_| BuildError::Digits { value: text.to_owned() })
    };
    domain.positions().iter().zip(values(domain)).map(day).collect()
}

type Level = (DateStep, Vec<String>);

fn chosen_levels(domain: &Domain, days: &[Date]) -> Vec<Level> {
    let mut groups = days.len();
    let mut levels = Vec::new();
    for step in DateStep::ALL.into_iter().filter(|step| *step != DateStep::Century) {
        let Some(labels) = labels(domain, days, step) else { continue };
        // Values ascend, so equal labels are next to each other.
        let now = 1 + labels.windows(2).filter(|pair| pair[0] != pair[1]).count();
        // A step with as many groups as the one below it adds nothing, and one group is what `*` says.
        if (2..groups).contains(&now) {
            groups = now;
            levels.push((step, labels));
        }
    }
    levels
}

/// The label of every value on one level; `None` when the column's format cannot say one of them.
fn labels(domain: &Domain, days: &[Date], step: DateStep) -> Option<Vec<String>> {
    let mut last: Option<((Date, Date), String)> = None;
    days.iter()
        .map(|&day| {
            let ends = step.around(day)?;
            if last.as_ref().is_none_or(|(known, _)| *known != ends) {
                last = Some((ends, label(domain, ends)?));
            }
            last.as_ref().map(|(_, label)| label.clone())
        })
        .collect()
}

fn label(domain: &Domain, (first, last): (Date, Date)) -> Option<String> {
    let lo = written(domain, first.at(0, 0, 0, 0))?;
    let hi = written(domain, last.at(23, 59, 59, 0))?;
    Some(format!("[{lo}, {hi}]"))
}

/// The text of a moment, if reading it gives the same day again: a two-digit year may not.
fn written(domain: &Domain, at: DateTime) -> Option<String> {
    let parser = domain.parser();
    let text = parser.format().write_time(at);
    let day = parser.position(&text)?.floor();
    let expected = (at.date() - date(1970, 1, 1)).get_days();
    (day == f64::from(expected)).then_some(text)
}

fn unwritable(domain: &Domain, step: DateStep) -> BuildError {
    BuildError::Unwritable {
        format: domain.parser().format().as_str().to_owned(),
        step: step.name().to_owned(),
    }
}

fn describe(steps: &[DateStep]) -> String {
    match steps {
        [] => "one step, from the value to `*`".to_owned(),
        steps => format!("dates by {}", list(steps)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DateFormat, ValueParser, fixture};

    fn domain(format: &str, values: &[&str]) -> Domain {
        fixture::column(ValueParser::new(Kind::Date, DateFormat::new(format).unwrap()), values).domain
    }

    fn rows(format: &str, values: &[&str], steps: &[DateStep]) -> Result<Vec<String>, BuildError> {
        let params = DateParams { steps: Some(steps.to_vec()) }.check()?;
        let built = dates(&domain(format, values), &params)?;
        Ok(built.hierarchy.rows().iter().map(|row| row.join(" < ")).collect())
    }

    #[test]
    fn labels_are_ranges_in_the_columns_format() {
        let steps = [DateStep::Month, DateStep::Quarter, DateStep::Decade];
        assert_eq!(
            rows("%Y%m%d", &["20200229", "?", "19691231"], &steps).unwrap(),
            [
                "19691231 < [19691201, 19691231] < [19691001, 19691231] < [19600101, 19691231] < *",
                "20200229 < [20200201, 20200229] < [20200101, 20200331] < [20200101, 20291231] < *"
            ]
        );
    }

    #[test]
    fn times_of_the_last_day_are_inside() {
        assert_eq!(
            rows("%d.%m.%Y %H:%M", &["31.01.2010 17:30"], &[DateStep::Day, DateStep::Month]).unwrap(),
            ["31.01.2010 17:30 < [31.01.2010 00:00, 31.01.2010 23:59] \
              < [01.01.2010 00:00, 31.01.2010 23:59] < *"]
        );
    }

    #[test]
    fn a_step_that_the_format_cannot_say_is_refused_or_left_out() {
        let values = ["01/01/67", "02/01/67", "01/02/66"];
        assert!(matches!(rows("%d/%m/%y", &values, &[DateStep::Decade]), Err(BuildError::Unwritable { .. })));
        let steps = chosen_steps(&domain("%d/%m/%y", &values)).unwrap();
        assert_eq!(steps, [DateStep::Month]);
    }

    #[test]
    fn chosen_steps_each_say_less() {
        let steps = |values: &[&str]| chosen_steps(&domain("%Y-%m-%d", values)).unwrap();
        assert_eq!(steps(&["2020-01-01"]), []);
        assert_eq!(
            steps(&["2004-01-01", "2004-12-01", "2005-07-01", "2011-01-01", "2011-01-02"]),
            [DateStep::Month, DateStep::Year, DateStep::Decade]
        );
        let days = domain(
            "%Y-%m-%d %H:%M:%S",
            &["2020-01-01 10:00:00", "2020-01-01 11:00:00", "2020-01-02 00:00:00"],
        );
        assert_eq!(chosen_steps(&days).unwrap(), [DateStep::Day]);
    }

    #[test]
    fn steps_have_names_and_an_order() {
        for step in DateStep::ALL {
            assert_eq!(step.name().parse(), Ok(step));
        }
        assert!(matches!("week".parse::<DateStep>(), Err(BuildError::Step { .. })));
        assert!(matches!(
            rows("%Y-%m-%d", &["2020-01-01"], &[DateStep::Year, DateStep::Month]),
            Err(BuildError::Order { .. })
        ));
    }
}
