//! Occupations by the minor, sub-major and major groups of ISCO-08. (ISCO-88 has other groups under the same numbers and is not known.)

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{BuildError, Built, finish, known_rows, values};
use crate::Domain;

/// Codes of up to four digits by minor group (`251*`), sub-major group and major group (`25 Information and …`, `2 Professionals`). A code of fewer
/// digits is itself a group and has only the wider ones above it. Values that are no codes go straight to `*`; a column in
/// which these are the most is refused.
pub fn isco(domain: &Domain) -> Result<Built, BuildError> {
    let (rows, others) = known_rows(&values(domain), "ISCO-08 codes", groups)?;
    finish(&rows, format!("occupations by minor, sub-major, major group (ISCO-08){others}"))
}

/// Whether a text is a code of ISCO-08 or of one of its groups.
///
/// ```
/// use shoal_core::hierarchy::build::is_isco;
///
/// assert!(is_isco("2512") && is_isco("251") && is_isco("0110") && is_isco("25") && !is_isco("1998"));
/// ```
pub fn is_isco(text: &str) -> bool {
    groups(text).is_some()
}

/// The minor, sub-major and major group of a code; the code itself on the levels that it does not reach.
fn groups(text: &str) -> Option<Vec<String>> {
    let code = whole_code(text.trim())?;
    let major = &MAJOR[&code[..1]];
    let sub_major = SUB_MAJOR.get(code.get(..2).unwrap_or_default());
    let itself = || text.to_owned();
    Some(vec![
        if code.len() >= 3 { format!("{}*", &code[..3]) } else { itself() },
        sub_major.map_or_else(itself, |group| group.label.clone()),
        major.clone(),
    ])
}

/// The digits that name a group or an occupation: with the zero in front that a program dropped (`110` is `0110`), and without zeros at
/// the end that only fill a code of four digits (`2000` is `2`).
fn whole_code(text: &str) -> Option<String> {
    if !(1..=4).contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let dropped = format!("0{text}");
    let filled = text.trim_end_matches('0');
    let candidates = [
        Some(text),
        (text.len() == 3).then_some(dropped.as_str()),
        (text.len() == 4 && !filled.is_empty()).then_some(filled),
    ];
    candidates.into_iter().flatten().find(|code| is_code(code)).map(str::to_owned)
}

/// Whether all groups that the digits name exist.
fn is_code(code: &str) -> bool {
    let sub_major = code.get(..2).map(|code| SUB_MAJOR.get(code));
    match (sub_major, code.as_bytes().get(2)) {
        (None, _) => MAJOR.contains_key(code),
        (Some(group), None) => group.is_some(),
        // The fourth digit is not checked: countries add occupations of their own.
        (Some(group), Some(minor)) => {
            group.is_some_and(|group| (1..=group.minor_groups).contains(&(minor - b'0')))
        }
    }
}

struct SubMajor {
    minor_groups: u8,
    label: String,
}

fn table() -> impl Iterator<Item = &'static str> {
    include_str!("data/isco08.txt").lines().filter(|line| !line.starts_with('#'))
}

/// `2` → `2 Professionals`.
static MAJOR: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
    table().filter(|line| !line.starts_with(' ')).map(|line| (&line[..1], line.to_owned())).collect()
});

/// `25` → its title and how many minor groups it has.
static SUB_MAJOR: LazyLock<HashMap<&str, SubMajor>> = LazyLock::new(|| {
    let group = |line: &'static str| {
        let mut parts = line.strip_prefix("  ")?.splitn(3, ' ');
        let (code, minor_groups, title) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        Some((code, SubMajor { minor_groups, label: format!("{code} {title}") }))
    };
    table().filter_map(group).collect()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::fixture::domain;

    #[test]
    fn the_table_has_all_groups() {
        assert_eq!((MAJOR.len(), SUB_MAJOR.len()), (10, 43));
        assert_eq!(SUB_MAJOR.values().map(|group| usize::from(group.minor_groups)).sum::<usize>(), 130);
        assert!(SUB_MAJOR.keys().all(|code| MAJOR.contains_key(&code[..1])));
    }

    #[test]
    fn codes_of_any_length_meet_in_their_groups() {
        let ict = "25 Information and communications technology professionals";
        let army = "01 Commissioned armed forces officers";
        let built =
            isco(&domain(Kind::Text, &["2512", "2519", "251", "25", "2", "0110", "9999", "2500"])).unwrap();
        assert_eq!(
            built.hierarchy.rows(),
            [
                ["0110", "011*", army, "0 Armed forces occupations", "*"],
                ["2", "2", "2", "2 Professionals", "*"],
                ["25", "25", ict, "2 Professionals", "*"],
                ["2500", "2500", ict, "2 Professionals", "*"],
                ["251", "251*", ict, "2 Professionals", "*"],
                ["2512", "251*", ict, "2 Professionals", "*"],
                ["2519", "251*", ict, "2 Professionals", "*"],
                ["9999", "*", "*", "*", "*"],
            ]
        );
        assert!(built.description.ends_with("1 value is none of these and goes straight to `*`: `9999`"));
    }

    #[test]
    fn zeros_that_were_dropped_or_filled_in_are_known() {
        assert_eq!(groups("110").unwrap()[0], "011*", "a number by some program: 0110");
        assert_eq!(groups("111").unwrap()[0], "111*", "a minor group");
        assert_eq!(groups("2000").unwrap()[2], "2 Professionals");
        assert_eq!(groups("0").unwrap()[2], "0 Armed forces occupations");
        for text in ["", "0000", "1998", "2020", "25120", "25.1", "x", "２"] {
            assert_eq!(groups(text), None, "{text}");
        }
    }

    #[test]
    fn a_column_of_something_else_is_refused() {
        let error = isco(&domain(Kind::Text, &["clerk", "cook", "2512"])).unwrap_err();
        assert!(matches!(error, BuildError::NotKnown { .. }), "{error}");
    }
}
