use super::{BuildError, Built, MOST_LEVELS, finish, list, values};
use crate::Domain;

/// How codes are shortened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrefixParams {
    /// How many characters each level keeps, descending; `None` drops one character a level.
    pub keep: Option<Vec<usize>>,
}

/// Prefix parameters in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidPrefixParams(PrefixParams);

impl PrefixParams {
    /// Checks that each level keeps fewer characters than the one before, and at least one.
    pub fn check(self) -> Result<ValidPrefixParams, BuildError> {
        let keep = self.keep.as_deref().unwrap_or_default();
        if keep.contains(&0) {
            return Err(BuildError::NothingKept);
        }
        if let Some(pair) = keep.windows(2).find(|pair| pair[1] >= pair[0]) {
            return Err(BuildError::Order { before: pair[0].to_string(), step: pair[1].to_string() });
        }
        match keep.len() {
            levels if levels > MOST_LEVELS => Err(BuildError::Levels { levels, most: MOST_LEVELS }),
            _ => Ok(ValidPrefixParams(self)),
        }
    }
}

/// Codes that lose characters from the right: `53715`, `5371*`, `537**`, …, `*`.
///
/// Where values differ in length, a group is written as long as the longest of them, and n stars stand
/// for up to n characters: `486` and `4861` meet in `486**`. A value that is shorter than a level's
/// prefix stays itself on that level. Where a value holds a star of its own, another character takes the
/// place of the stars, so that no group can be taken for a value.
pub fn prefixes(domain: &Domain, params: &ValidPrefixParams) -> Result<Built, BuildError> {
    let mut texts = values(domain);
    if texts.is_empty() {
        return Err(BuildError::Empty);
    }
    // By text also where the column holds numbers: only then are values with the same prefix next to each other.
    texts.sort_unstable();
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let keep: Vec<usize> = match &params.0.keep {
        Some(given) => given.iter().copied().filter(|&keep| keep < longest).collect(),
        None => every_length(longest),
    };
    let mask = mask(&texts);
    let rows: Vec<Vec<String>> = texts.iter().map(|text| row(text, &keep, longest, mask)).collect();
    finish(&rows, describe(&keep))
}

/// One character less on every level; more where there would be too many levels.
fn every_length(longest: usize) -> Vec<usize> {
    let stride = longest.div_ceil(MOST_LEVELS).max(1);
    (1..longest).rev().step_by(stride).collect()
}

/// The first character that is in none of the values. There are more characters than a column holds.
fn mask(texts: &[&str]) -> char {
    let taken: std::collections::HashSet<char> =
        texts.iter().flat_map(|text| text.chars()).filter(|c| !c.is_alphanumeric()).collect();
    let symbols = "*#_·•".chars().chain('\u{25a0}'..='\u{2bff}').chain('\u{e000}'..='\u{f8ff}');
    symbols.chain('\u{f0000}'..='\u{10fffd}').find(|c| !taken.contains(c)).unwrap_or('*')
}

fn row(text: &str, keep: &[usize], longest: usize, mask: char) -> Vec<String> {
    let length = text.chars().count();
    let label = |&keep: &usize| match length {
        // A blank cell inside a line is an error in a hierarchy file, so the empty text goes to `*` at once.
        0 => "*".to_owned(),
        short if short < keep => text.to_owned(),
        _ => text.chars().take(keep).chain((keep..longest).map(|_| mask)).collect(),
    };
    let mut row = vec![text.to_owned()];
    row.extend(keep.iter().map(label));
    row.push("*".to_owned());
    row
}

fn describe(keep: &[usize]) -> String {
    match keep {
        [] => "one step, from the value to `*`".to_owned(),
        keep => format!("prefixes of {} characters", list(keep)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, fixture};

    fn rows(values: &[&str], keep: Option<&[usize]>) -> Vec<String> {
        let params = PrefixParams { keep: keep.map(<[usize]>::to_vec) }.check().unwrap();
        let built = prefixes(&fixture::column(Kind::Text, values).domain, &params).unwrap();
        built.hierarchy.rows().iter().map(|row| row.join(" ")).collect()
    }

    #[test]
    fn zip_codes_lose_digits_from_the_right() {
        assert_eq!(
            rows(&["53715", "53710", "?", "10115"], None),
            [
                "10115 1011* 101** 10*** 1**** *",
                "53710 5371* 537** 53*** 5**** *",
                "53715 5371* 537** 53*** 5**** *"
            ]
        );
        assert_eq!(rows(&["53715"], Some(&[9, 3])), ["53715 537** *"]);
    }

    #[test]
    fn shorter_codes_join_where_their_characters_end() {
        assert_eq!(
            rows(&["4861", "48612", "486", ""], Some(&[4, 3])),
            [" * * *", "486 486 486** *", "4861 4861* 486** *", "48612 4861* 486** *"]
        );
    }

    #[test]
    fn values_with_stars_of_their_own_are_no_groups() {
        assert_eq!(rows(&["1*", "12"], None), ["1* 1# *", "12 1# *"]);
    }

    #[test]
    fn long_texts_stay_within_the_levels() {
        let long = "x".repeat(10_000);
        let levels = rows(&[&long, "y"], None)[0].split(' ').count();
        assert!((60..=MOST_LEVELS + 2).contains(&levels), "{levels}");
    }

    #[test]
    fn lengths_go_down_to_one() {
        let check = |keep: &[usize]| PrefixParams { keep: Some(keep.to_vec()) }.check();
        assert_eq!(check(&[2, 0]), Err(BuildError::NothingKept));
        assert!(matches!(check(&[2, 3]), Err(BuildError::Order { .. })));
    }
}
