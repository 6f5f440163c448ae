//! Whose hierarchy a file is, by its name.

/// Whose hierarchy a file may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameMatch {
    /// The column's place.
    pub column: usize,
    /// Whether the name also says that it is a hierarchy.
    pub says_hierarchy: bool,
}

/// The column of which a file is the hierarchy by its name: `adult_hierarchy_age.csv` as ARX names them, `age_hierarchy.csv`,
/// `hierarchy-age.txt`, `age.hierarchy.csv` as `init` proposes, `age.csv`. Capital letters, blanks, `_`, `-` and `.` make no
/// difference. In front of the column may be the name of the data or its first words: `adult_hierarchy_age.csv` is also found
/// for `adult_2024.csv.gz`.
///
/// ```
/// use shoal_pipeline::propose::column_of_file;
///
/// let column = |file| column_of_file(file, &["adult.csv.gz".to_owned()], &["age", "marital-status"]);
/// assert_eq!(column("adult_hierarchy_Marital_Status.csv").map(|found| found.column), Some(1));
/// assert_eq!(column("census_hierarchy_age.csv"), None);
/// ```
pub fn column_of_file<S: AsRef<str>>(file: &str, data: &[String], columns: &[S]) -> Option<NameMatch> {
    let (stem, end) = file.rsplit_once('.')?;
    if !["csv", "txt"].iter().any(|known| end.eq_ignore_ascii_case(known)) {
        return None;
    }
    let words = words(stem);
    let data: Vec<Vec<String>> = data.iter().map(|data| self::words(data_stem(data))).collect();
    let of_column = |column: &S| {
        let column = self::words(column.as_ref()).concat();
        (!column.is_empty()).then(|| says_hierarchy(&words, &data, &column)).flatten()
    };
    columns.iter().enumerate().find_map(|(at, column)| {
        of_column(column).map(|says_hierarchy| NameMatch { column: at, says_hierarchy })
    })
}

/// Whether the name says "hierarchy" beside the column; `None` where it is not about the column.
fn says_hierarchy(words: &[String], data: &[Vec<String>], column: &str) -> Option<bool> {
    if words.concat() == column {
        return Some(false);
    }
    let is_data = |words: &[String]| words.is_empty() || data.iter().any(|data| begins_with(data, words));
    let is_about = |at: usize| {
        let (before, after) = (&words[..at], &words[at + 1..]);
        match after.is_empty() {
            // `age_hierarchy`, `adult_age_hierarchy`
            true => (0..before.len()).any(|cut| is_data(&before[..cut]) && before[cut..].concat() == column),
            // `hierarchy_age`, `adult_hierarchy_age`
            false => is_data(before) && after.concat() == column,
        }
    };
    let said = |at: &usize| matches!(words[*at].as_str(), "hierarchy" | "hierarchies");
    (0..words.len()).filter(said).any(is_about).then_some(true)
}

/// Whether a name begins with these words, however they are separated.
fn begins_with(data: &[String], words: &[String]) -> bool {
    (1..=data.len()).any(|count| data[..count].concat() == words.concat())
}

/// The words of a name in small letters.
fn words(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    name.split([' ', '_', '-', '.']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The name of a data file without its folder and without what says its format.
pub(in crate::propose) fn data_stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let packed = [".gz", ".zst"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
    packed.rsplit_once('.').map_or(packed, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_tools_are_known() {
        let columns = ["age", "marital-status", "Native Country", "--"];
        let data = ["data/adult_arx_30162.csv.gz".to_owned()];
        let found = |file: &str| {
            column_of_file(file, &data, &columns).map(|found| (columns[found.column], found.says_hierarchy))
        };
        for (file, expected) in [
            ("adult_hierarchy_age.csv", Some(("age", true))),
            ("adult-hierarchy-age.txt", Some(("age", true))),
            ("Adult_ARX_30162_Hierarchy_Marital_Status.CSV", Some(("marital-status", true))),
            ("adult_marital-status_hierarchy.csv", Some(("marital-status", true))),
            ("hierarchy native-country.txt", Some(("Native Country", true))),
            ("native_country.hierarchy.csv", Some(("Native Country", true))),
            ("NativeCountry.csv", Some(("Native Country", false))),
            ("age.txt", Some(("age", false))),
            ("census_hierarchy_age.csv", None),
            ("arx_hierarchy_age.csv", None),
            ("adult_hierarchy.csv", None),
            ("hierarchy.csv", None),
            ("age.k10.csv", None),
            ("adult_age.csv", None),
            ("age.parquet", None),
            ("age", None),
            (".csv", None),
        ] {
            assert_eq!(found(file), expected, "{file}");
        }
    }
}
