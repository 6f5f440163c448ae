//! Education by level of ISCED 2011 and by the three groups that statistics use.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{BuildError, Built, finish, known_rows, plain, values};
use crate::Domain;

/// The highest level that somebody completed, by level (`ISCED 3 upper secondary`) and group (`medium (ISCED 3-4)`). Known are common labels in English, those
/// of the data set Adult (`HS-grad`, `11th`), and the levels 0 to 8 themselves, also as `ISCED 3`. Other values go straight to `*`; a
/// column in which these are the most is refused.
pub fn education(domain: &Domain) -> Result<Built, BuildError> {
    let texts = values(domain);
    // Years of schooling, or Adult's own numbers from 1 to 16, are no levels. 9 is ISCED's "not classified".
    let may_be_level =
        |text: &&str| text.trim().parse::<f64>().map_or(true, |number| (0.0..=9.0).contains(&number));
    let are_levels = texts.iter().all(may_be_level);
    let read = |text: &str| match text.trim().parse::<f64>() {
        Ok(_) if !are_levels => None,
        _ => groups(text),
    };
    let (rows, others) = known_rows(&texts, "levels of education", read)?;
    finish(&rows, format!("education by level, group (ISCED 2011){others}"))
}

/// Whether a text is a label for a level of education. A lone number is not: it could count years.
///
/// ```
/// use shoal_core::hierarchy::build::is_education;
///
/// assert!(is_education("HS-grad") && is_education("Bachelor's degree") && is_education("ISCED 3") && !is_education("3"));
/// ```
pub fn is_education(text: &str) -> bool {
    text.trim().parse::<f64>().is_err() && groups(text).is_some()
}

/// The level and the group of a label; itself and the group where it does not say the level.
fn groups(text: &str) -> Option<Vec<String>> {
    let plain = plain(text);
    let level = level_number(&plain).map(Completed::Level).or_else(|| LABELS.get(&plain).copied())?;
    Some(match level {
        Completed::Level(level) => {
            let group = GROUPS.iter().find(|group| group.levels.contains(&level))?;
            vec![format!("ISCED {level} {}", LEVELS[usize::from(level)]), group.label.to_owned()]
        }
        Completed::Group(group) => vec![text.to_owned(), GROUPS[group].label.to_owned()],
    })
}

/// `3`, `isced 3`, `isced3`, `isced level 3`, `ed3` (Eurostat).
fn level_number(plain: &str) -> Option<u8> {
    let rest = plain.strip_prefix("isced").or_else(|| plain.strip_prefix("ed")).unwrap_or(plain).trim_start();
    let digit = rest.strip_prefix("2011").unwrap_or(rest).trim_start();
    let digit = digit.strip_prefix("level").unwrap_or(digit).trim_start();
    digit.parse().ok().filter(|level| digit.len() == 1 && usize::from(*level) < LEVELS.len())
}

/// What a label says.
#[derive(Clone, Copy)]
enum Completed {
    /// A level of ISCED.
    Level(u8),
    /// One of several levels: a place in [`GROUPS`].
    Group(usize),
}

/// The names of levels 0 to 8, in our words.
const LEVELS: [&str; 9] = [
    "less than primary",
    "primary",
    "lower secondary",
    "upper secondary",
    "post-secondary non-tertiary",
    "short-cycle tertiary",
    "bachelor's or equivalent",
    "master's or equivalent",
    "doctoral or equivalent",
];

struct Group {
    name: &'static str,
    label: &'static str,
    levels: std::ops::RangeInclusive<u8>,
}

/// The groups in which Eurostat and others publish.
const GROUPS: [Group; 3] = [
    Group { name: "low", label: "low (ISCED 0-2)", levels: 0..=2 },
    Group { name: "medium", label: "medium (ISCED 3-4)", levels: 3..=4 },
    Group { name: "high", label: "high (ISCED 5-8)", levels: 5..=8 },
];

static LABELS: LazyLock<HashMap<String, Completed>> = LazyLock::new(|| {
    let lines = include_str!("data/education.csv").lines().filter(|line| !line.starts_with('#'));
    let mut labels = HashMap::new();
    for (key, names) in lines.filter_map(|line| line.split_once(';')) {
        let group = GROUPS.iter().position(|group| group.name == key);
        let Some(completed) = group.map(Completed::Group).or_else(|| key.parse().ok().map(Completed::Level))
        else {
            unreachable!("{key}")
        };
        labels.extend(names.split('|').map(|name| (plain(name), completed)));
    }
    labels
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::fixture::domain;

    const ADULT: [&str; 16] = [
        "Bachelors",
        "Some-college",
        "11th",
        "HS-grad",
        "Prof-school",
        "Assoc-acdm",
        "Assoc-voc",
        "9th",
        "7th-8th",
        "12th",
        "Masters",
        "1st-4th",
        "10th",
        "Doctorate",
        "5th-6th",
        "Preschool",
    ];

    #[test]
    fn every_label_of_adult_has_its_level() {
        let built = education(&domain(Kind::Text, &ADULT)).unwrap();
        assert_eq!(built.description, "education by level, group (ISCED 2011)");
        let of = |value: &str| {
            let tree = &built.hierarchy;
            let leaf = tree.leaf(value).unwrap();
            [1, 2].map(|level| tree.label(tree.ancestor(leaf, level)).to_owned())
        };
        assert_eq!(of("HS-grad"), ["ISCED 3 upper secondary", "medium (ISCED 3-4)"]);
        assert_eq!(of("11th"), ["ISCED 2 lower secondary", "low (ISCED 0-2)"]);
        assert_eq!(of("Bachelors"), ["ISCED 6 bachelor's or equivalent", "high (ISCED 5-8)"]);
        assert_eq!(of("Doctorate")[0], "ISCED 8 doctoral or equivalent");
    }

    #[test]
    fn words_and_levels_of_other_files_are_known() {
        for (text, level) in [
            ("Bachelor's Degree", "ISCED 6"),
            ("PhD", "ISCED 8"),
            ("Ph.D.", "ISCED 8"),
            ("high school", "ISCED 3"),
            ("ISCED 3", "ISCED 3"),
            ("isced11-level 5", ""),
            ("ISCED 2011 level 5", "ISCED 5"),
            ("ED8", "ISCED 8"),
            ("0", "ISCED 0"),
            ("9", ""),
            ("12", ""),
        ] {
            let found = groups(text).map_or(String::new(), |groups| groups[0].clone());
            assert!(found.starts_with(level) && found.is_empty() == level.is_empty(), "{text}: {found}");
        }
        assert_eq!(groups("University").unwrap(), ["University", "high (ISCED 5-8)"]);
    }

    #[test]
    fn numbers_are_levels_only_where_all_can_be() {
        assert!(education(&domain(Kind::Text, &["0", "3", "8", "9", "unknown"])).is_ok());
        let years: Vec<String> = (1..=16).map(|years| years.to_string()).collect();
        let years: Vec<&str> = years.iter().map(String::as_str).collect();
        assert!(matches!(education(&domain(Kind::Text, &years)), Err(BuildError::NotKnown { .. })));
    }

    #[test]
    fn no_label_is_in_two_lines_and_none_is_written_like_a_group() {
        let lines = include_str!("data/education.csv").lines().filter(|line| !line.starts_with('#'));
        let mut seen = HashMap::new();
        for (key, names) in lines.filter_map(|line| line.split_once(';')) {
            for name in names.split('|') {
                let other = seen.insert(plain(name), key);
                assert!(other.is_none_or(|other| other == key), "{name} in {key} and {other:?}");
                assert!(GROUPS.iter().all(|group| group.label != name));
            }
        }
        assert!(seen.len() > 150);
    }
}
