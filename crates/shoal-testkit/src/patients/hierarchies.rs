//! The hierarchies of the quasi-identifiers, after the paper's figure 1: years in spans, weeks in intervals, ZIP
//! codes by their digits.

/// The first year, and how many there are.
pub(super) const FIRST_YEAR: u32 = 2007;
pub(super) const YEARS: u32 = 6;
/// The weeks of a year.
pub(super) const WEEKS: u32 = 52;
/// The longest stay in weeks.
pub(super) const LONGEST_STAY: u32 = 12;

/// The last two digits of the ZIP codes of each district.
const TOWNS: [u32; 10] = [3, 7, 11, 17, 30, 36, 42, 43, 72, 75];

/// The ZIP codes, district by district.
pub(super) fn zip_codes() -> impl Iterator<Item = [u32; 10]> {
    (0..10).map(|district| TOWNS.map(|town| 56_000 + 100 * district + town))
}

/// The lines of a quasi-identifier's hierarchy, each from a value to `*`.
///
/// # Panics
/// When it is none of [`QUASI_IDENTIFIERS`](super::QUASI_IDENTIFIERS).
pub fn hierarchy_rows(quasi_identifier: &str) -> Vec<Vec<String>> {
    match quasi_identifier {
        "AdmYr" => years(),
        "ZIP" => zip_codes().flatten().map(digits).collect(),
        "DSFC" => intervals(WEEKS, &[2, 4, 12]),
        "LOS" => intervals(LONGEST_STAY + 1, &[2, 4]),
        other => panic!("`{other}` is not a quasi-identifier of the patients"),
    }
}

/// Pairs of years, the later ones in one span of four, as in the paper's table 2.
fn years() -> Vec<Vec<String>> {
    let span = |first: u32, last: u32| format!("{first}-{last}");
    let line = |year: u32| {
        let pair = year - (year - FIRST_YEAR) % 2;
        let wide = if pair == FIRST_YEAR { span(pair, pair + 1) } else { span(2009, 2012) };
        vec![year.to_string(), span(pair, pair + 1), wide, "*".to_owned()]
    };
    (FIRST_YEAR..FIRST_YEAR + YEARS).map(line).collect()
}

fn digits(zip: u32) -> Vec<String> {
    vec![zip.to_string(), format!("{}*", zip / 10), format!("{}**", zip / 100), "*".to_owned()]
}

/// Intervals of these widths over 0, 1, …; what is left at the end joins the last interval.
fn intervals(values: u32, widths: &[u32]) -> Vec<Vec<String>> {
    let interval = |value: u32, width: u32| {
        let last = values / width - 1;
        let number = (value / width).min(last);
        let end = if number == last { values - 1 } else { (number + 1) * width - 1 };
        format!("{}-{end}", number * width)
    };
    let line = |value: u32| {
        let mut row = vec![value.to_string()];
        row.extend(widths.iter().map(|&width| interval(value, width)));
        row.push("*".to_owned());
        row
    };
    (0..values).map(line).collect()
}

#[cfg(test)]
mod tests {
    use shoal_core::Hierarchy;

    use super::super::QUASI_IDENTIFIERS;
    use super::*;

    #[test]
    fn every_hierarchy_is_a_tree() {
        let leaves = QUASI_IDENTIFIERS.map(|name| {
            let tree = Hierarchy::from_rows(&hierarchy_rows(name)).unwrap();
            assert_eq!(tree.label(tree.root()), "*");
            tree.leaf_count()
        });
        assert_eq!(leaves, [6, 100, 52, 13]);
    }

    #[test]
    fn values_lie_where_a_person_expects_them() {
        let line = |name: &str, value: &str| {
            let rows = hierarchy_rows(name);
            rows.into_iter().find(|row| row[0] == value).unwrap().join(";")
        };
        assert_eq!(line("AdmYr", "2008"), "2008;2007-2008;2007-2008;*");
        assert_eq!(line("AdmYr", "2011"), "2011;2011-2012;2009-2012;*");
        assert_eq!(line("ZIP", "56107"), "56107;5610*;561**;*");
        assert_eq!(line("DSFC", "13"), "13;12-13;12-15;12-23;*");
        assert_eq!(line("DSFC", "51"), "51;50-51;48-51;36-51;*");
        assert_eq!(line("LOS", "12"), "12;10-12;8-12;*");
    }
}
