use super::{BuildError, Built, MOST_LEVELS, Number, finish, list, values};
use crate::{Domain, Kind};

/// How numbers are cut into intervals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntervalParams {
    /// The widths, ascending, each a multiple of the one before; `None` chooses them from the data.
    pub widths: Option<Vec<Number>>,
    /// Where an interval of every width begins, 0 unless given.
    pub origin: Number,
}

/// Interval parameters that nest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidIntervalParams(IntervalParams);

impl IntervalParams {
    /// Checks that widths are positive and nest.
    pub fn check(self) -> Result<ValidIntervalParams, BuildError> {
        let widths = self.widths.as_deref().unwrap_or_default();
        if let Some(&width) = widths.iter().find(|width| !width.is_positive()) {
            return Err(BuildError::Width { width });
        }
        for pair in widths.windows(2) {
            let (width, above) = (pair[0], pair[1]);
            let digits = width.digits().max(above.digits());
            let nested = width
                .in_units(digits)
                .zip(above.in_units(digits))
                .is_some_and(|(width, above)| above > width && above % width == 0);
            if !nested {
                return Err(BuildError::Nesting { width, above });
            }
        }
        match widths.len() {
            levels if levels > MOST_LEVELS => Err(BuildError::Levels { levels, most: MOST_LEVELS }),
            _ => Ok(ValidIntervalParams(self)),
        }
    }
}

/// Numbers in ever wider intervals, aligned to multiples of their width, below `*`.
///
/// The ends of a range have as many fraction digits as the finest value of the column, so that `[20.0,
/// 29.9]` and `[30.0, 39.9]` leave no value between them. A range is named by its width even when the data
/// hold only one value in it: naming the value would publish it on every level.
pub fn intervals(domain: &Domain, params: &ValidIntervalParams) -> Result<Built, BuildError> {
    let line = Line::of(domain, &params.0)?;
    let widths = match &params.0.widths {
        Some(given) => {
            given.iter().map(|width| in_units(*width, line.digits)).collect::<Result<Vec<_>, _>>()?
        }
        None => line.choose_widths(),
    };
    let mut rows: Vec<Vec<String>> = line.points.iter().map(|point| vec![point.1.to_owned()]).collect();
    for &width in &widths {
        rows.iter_mut().zip(line.labels(width)).for_each(|(row, label)| row.push(label));
    }
    rows.iter_mut().for_each(|row| row.push("*".to_owned()));
    finish(&rows, describe(&line.numbers(&widths)))
}

/// The widths that [`intervals`] chooses when none are given: the first of the form 1, 2 or 5 × 10^n with
/// at most 25 intervals in use, then doubled until at most three are left.
pub fn chosen_widths(domain: &Domain) -> Result<Vec<Number>, BuildError> {
    let line = Line::of(domain, &IntervalParams::default())?;
    Ok(line.numbers(&line.choose_widths()))
}

/// The column's numbers in whole units of its finest fraction.
struct Line<'a> {
    kind: Kind,
    digits: u32,
    origin: i128,
    /// Ascending.
    points: Vec<(i128, &'a str)>,
}

impl<'a> Line<'a> {
    fn of(domain: &'a Domain, params: &IntervalParams) -> Result<Self, BuildError> {
        let kind = domain.parser().kind();
        if !matches!(kind, Kind::Integer | Kind::Decimal) {
            return Err(BuildError::Kind { builder: "intervals", kind });
        }
        let texts = values(domain);
        if texts.is_empty() {
            return Err(BuildError::Empty);
        }
        let numbers = texts.iter().map(|text| text.parse()).collect::<Result<Vec<Number>, _>>()?;
        let given: Vec<Number> =
            params.widths.iter().flatten().chain([&params.origin]).map(|n| n.trimmed()).collect();
        if let Some(&number) = given.iter().find(|n| kind == Kind::Integer && n.digits() > 0) {
            return Err(BuildError::NotWhole { number });
        }
        let digits = numbers.iter().chain(&given).map(|n| n.digits()).max().unwrap_or(0);
        let mut points = texts
            .into_iter()
            .zip(numbers)
            .map(|(text, number)| Ok((in_units(number, digits)?, text)))
            .collect::<Result<Vec<_>, BuildError>>()?;
        // By their exact size: positions of whole numbers beyond 2^53 may be equal.
        points.sort_unstable();
        let origin = in_units(params.origin, digits)?;
        Ok(Line { kind, digits, origin, points })
    }

    fn numbers(&self, widths: &[i128]) -> Vec<Number> {
        widths.iter().map(|&width| Number::new(width, self.digits).trimmed()).collect()
    }

    fn choose_widths(&self) -> Vec<i128> {
        const GROUPS_AT_FIRST: usize = 25;
        const GROUPS_AT_LAST: usize = 3;
        // A width of 1 unit: as many groups as there are different numbers.
        let mut groups = self.groups(1, usize::MAX);
        if groups <= GROUPS_AT_LAST {
            return Vec::new();
        }
        let first = nice_widths().find(|&width| {
            let now = self.groups(width, GROUPS_AT_FIRST.min(groups - 1));
            now <= GROUPS_AT_FIRST && now < groups
        });
        let Some(first) = first else { return Vec::new() };
        let mut widths = Vec::new();
        // A doubling that joins no groups is skipped, so there may be more doublings than levels.
        for width in (0..MOST_LEVELS * 2).map_while(|doubling| doubled(first, doubling)) {
            let now = self.groups(width, usize::MAX);
            // One interval for everything would say the same as the `*` above it.
            if groups <= GROUPS_AT_LAST || now < 2 {
                break;
            }
            if now < groups {
                widths.push(width);
                groups = now;
            }
        }
        widths
    }

    /// How many intervals of this width hold a value; counting ends above `limit`.
    fn groups(&self, width: i128, limit: usize) -> usize {
        let (mut count, mut at) = (0, 0);
        while at < self.points.len() && count <= limit {
            let (_, hi) = self.bounds(self.points[at].0, width);
            at += self.points[at..].partition_point(|point| point.0 <= hi);
            count += 1;
        }
        count
    }

    fn bounds(&self, point: i128, width: i128) -> (i128, i128) {
        // Euclidean, so that intervals below the origin are aligned in the same way.
        let lo = (point - self.origin).div_euclid(width) * width + self.origin;
        (lo, lo + width - 1)
    }

    /// The label of every point in intervals of one width.
    fn labels(&self, width: i128) -> Vec<String> {
        let mut labels: Vec<String> = Vec::with_capacity(self.points.len());
        let mut before = None;
        for (at, point) in self.points.iter().enumerate() {
            let bounds = self.bounds(point.0, width);
            // Points ascend, so those of one interval follow each other.
            let known = labels.last().filter(|_| before == Some(bounds)).cloned();
            labels.push(known.unwrap_or_else(|| self.label(at, bounds)));
            before = Some(bounds);
        }
        labels
    }

    fn label(&self, at: usize, (lo, hi): (i128, i128)) -> String {
        let (point, text) = self.points[at];
        let is_same = |other: Option<&(i128, &str)>| other.is_some_and(|other| other.0 == point);
        let before = at.checked_sub(1).and_then(|before| self.points.get(before));
        if lo == hi && !is_same(before) && !is_same(self.points.get(at + 1)) {
            // One number, written in one way, is its own name.
            return text.to_owned();
        }
        let (lo, hi) = match self.kind {
            // Aligned bounds may leave the numbers that a column of whole numbers can hold.
            Kind::Integer => (lo.max(i64::MIN.into()), hi.min(i64::MAX.into())),
            _ => (lo, hi),
        };
        format!("[{}, {}]", Number::new(lo, self.digits), Number::new(hi, self.digits))
    }
}

fn in_units(number: Number, digits: u32) -> Result<i128, BuildError> {
    number.trimmed().in_units(digits).ok_or_else(|| BuildError::Digits { value: number.to_string() })
}

/// 2, 5, 10, 20, 50, … units.
fn nice_widths() -> impl Iterator<Item = i128> {
    (0..36).flat_map(|power| [1, 2, 5].map(|figure| figure * 10_i128.pow(power))).skip(1)
}

fn doubled(width: i128, times: usize) -> Option<i128> {
    let factor = 1_i128.checked_shl(times as u32).filter(|factor| *factor > 0)?;
    width.checked_mul(factor).filter(|width| *width < 10_i128.pow(37))
}

fn describe(widths: &[Number]) -> String {
    match widths {
        [] => "one step, from the value to `*`".to_owned(),
        widths => format!("intervals of {}", list(widths)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::domain;

    fn params(widths: &[&str], origin: &str) -> Result<ValidIntervalParams, BuildError> {
        let widths = widths.iter().map(|w| w.parse().unwrap()).collect();
        IntervalParams { widths: Some(widths), origin: origin.parse().unwrap() }.check()
    }

    fn rows(kind: Kind, values: &[&str], widths: &[&str], origin: &str) -> Vec<String> {
        let built = intervals(&domain(kind, values), &params(widths, origin).unwrap()).unwrap();
        built.hierarchy.rows().iter().map(|row| row.join(" < ")).collect()
    }

    #[test]
    fn whole_numbers_are_aligned_to_multiples() {
        assert_eq!(
            rows(Kind::Integer, &["23", "-1", "?", "38"], &["5", "20"], "0"),
            ["-1 < [-5, -1] < [-20, -1] < *", "23 < [20, 24] < [20, 39] < *", "38 < [35, 39] < [20, 39] < *"]
        );
        assert_eq!(rows(Kind::Integer, &["23"], &["10"], "18"), ["23 < [18, 27] < *"]);
    }

    #[test]
    fn decimals_end_at_the_columns_own_resolution() {
        assert_eq!(
            rows(Kind::Decimal, &["0.1", "0.35", "2"], &["0.5", "1"], "0"),
            [
                "0.1 < [0.00, 0.49] < [0.00, 0.99] < *",
                "0.35 < [0.00, 0.49] < [0.00, 0.99] < *",
                "2 < [2.00, 2.49] < [2.00, 2.99] < *"
            ]
        );
    }

    #[test]
    fn one_number_is_its_own_name_unless_written_twice() {
        assert_eq!(
            rows(Kind::Integer, &["7", "007", "8"], &["1"], "0"),
            ["007 < [7, 7] < *", "7 < [7, 7] < *", "8 < 8 < *"]
        );
    }

    #[test]
    fn bounds_stay_inside_what_the_kind_can_hold() {
        assert_eq!(
            rows(Kind::Integer, &["9223372036854775807", "-9223372036854775808"], &["1000"], "0"),
            [
                "-9223372036854775808 < [-9223372036854775808, -9223372036854775001] < *",
                "9223372036854775807 < [9223372036854775000, 9223372036854775807] < *"
            ]
        );
    }

    #[test]
    fn an_outlier_does_not_swallow_the_others() {
        let mut values: Vec<String> = (1..=100).map(|v: i32| v.to_string()).collect();
        values.push("1000000000".to_owned());
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let widths = chosen_widths(&domain(Kind::Integer, &values)).unwrap();
        assert_eq!(list(&widths), "5, 10, 20, 40, 80");
    }

    #[test]
    fn few_values_need_no_intervals() {
        let widths = |values: &[&str]| list(&chosen_widths(&domain(Kind::Integer, values)).unwrap());
        assert_eq!(widths(&["1"]), "");
        assert_eq!(widths(&["0", "1", "2"]), "");
        assert_eq!(widths(&["0", "1", "2", "3", "4"]), "2");
        let decimals = ["0.00", "0.25", "0.5", "0.75", "1", "1.25"];
        assert_eq!(list(&chosen_widths(&domain(Kind::Decimal, &decimals)).unwrap()), "0.5");
    }

    #[test]
    fn parameters_that_cannot_work_are_refused() {
        assert!(matches!(params(&["0"], "0"), Err(BuildError::Width { .. })));
        assert!(matches!(params(&["5", "12"], "0"), Err(BuildError::Nesting { .. })));
        assert!(matches!(params(&["10", "5"], "0"), Err(BuildError::Nesting { .. })));
        let half = params(&["0.5"], "0").unwrap();
        assert!(matches!(intervals(&domain(Kind::Integer, &["1"]), &half), Err(BuildError::NotWhole { .. })));
        assert!(matches!(
            intervals(&domain(Kind::Text, &["1"]), &half),
            Err(BuildError::Kind { kind: Kind::Text, .. })
        ));
    }
}
