//! Countries by sub-region and region of the UN's standard M49.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{BuildError, Built, finish, known_rows, plain, values};
use crate::Domain;

/// Countries and territories, by their names in English and by the codes of ISO 3166-1 with two and three letters: sub-region, region.
/// Values that are none go straight to `*`; a column in which these are the most is refused.
pub fn countries(domain: &Domain) -> Result<Built, BuildError> {
    let (rows, others) = known_rows(&values(domain), "countries", |text| {
        PLACES
            .get(&plain(text))
            .map(|(sub_region, region)| vec![(*sub_region).to_owned(), (*region).to_owned()])
    })?;
    finish(&rows, format!("countries by sub-region, region (UN M49){others}"))
}

/// Whether a text is the name of a country. Codes do not count: `CA`, `DE` and `IN` are also states of the USA.
///
/// ```
/// use shoal_core::hierarchy::build::is_country;
///
/// assert!(is_country("United-States") && is_country("Viet Nam") && !is_country("DE"));
/// ```
pub fn is_country(text: &str) -> bool {
    text.chars().count() > 3 && PLACES.contains_key(&plain(text))
}

/// Sub-region and region by name and by code.
static PLACES: LazyLock<HashMap<String, (&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("data/countries.csv").lines().filter(|line| !line.starts_with('#'));
    let mut places = HashMap::new();
    for line in lines {
        let cells: Vec<&str> = line.split(';').collect();
        let [region, sub_region, two, three, names] = cells[..] else { unreachable!("{line}") };
        for key in [two, three].into_iter().chain(names.split('|')) {
            places.insert(plain(key), (sub_region, region));
        }
    }
    places
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;
    use crate::fixture::domain;

    #[test]
    fn names_and_codes_meet_in_their_region() {
        let built =
            countries(&domain(Kind::Text, &["Germany", "FR", "usa", "United-States", "?", "Micronesia"]));
        assert_eq!(
            built.unwrap().hierarchy.rows(),
            [
                ["FR", "Western Europe", "Europe", "*"],
                ["Germany", "Western Europe", "Europe", "*"],
                ["Micronesia", "Micronesia (region)", "Oceania", "*"],
                ["United-States", "Northern America", "Americas", "*"],
                ["usa", "Northern America", "Americas", "*"],
            ]
        );
    }

    #[test]
    fn a_sub_region_is_in_one_region() {
        let mut region_of: HashMap<&str, &str> = HashMap::new();
        for (sub_region, region) in PLACES.values() {
            assert_eq!(*region_of.entry(sub_region).or_insert(region), *region, "{sub_region}");
            // A group must not be written like a value.
            assert!(!PLACES.contains_key(&plain(sub_region)), "{sub_region}");
        }
        assert!(region_of.len() > 20);
    }
}
