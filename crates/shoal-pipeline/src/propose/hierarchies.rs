//! Which hierarchy could be built for a column, and by which command.

use shoal_core::hierarchy::build::{
    DateStep, Icd, Number, chosen_steps, chosen_widths, is_country, is_education, is_isco,
};
use shoal_core::{Domain, Kind, RawColumn, ValueParser};

use super::kinds::Reading;
use super::profile::Profile;

/// A hierarchy that `shoal hierarchy build` would make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HierarchyProposal {
    /// The file it would be written to.
    pub file: String,
    /// How it would be built.
    pub builder: Builder,
    /// Values that the table of the builder does not have; they would go straight to `*`.
    pub others: Vec<String>,
}

/// A builder with its parameters, chosen from the sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builder {
    /// Ever wider intervals.
    Intervals(Vec<Number>),
    /// Ever shorter prefixes.
    Prefixes(Vec<usize>),
    /// Calendar steps.
    Dates(Vec<DateStep>),
    /// Regions of the world.
    Countries,
    /// Categories, blocks and chapters of diagnoses.
    Icd(Icd),
    /// Groups of occupations.
    Isco,
    /// Levels of education.
    Education,
}

impl HierarchyProposal {
    /// The command that builds it for a column of the data that `policy` describes.
    pub fn command(&self, policy: &str, column: &str) -> String {
        let kind = match &self.builder {
            Builder::Intervals(widths) => format!("intervals --widths {}", joined(widths)),
            Builder::Prefixes(keep) => format!("prefixes --keep {}", joined(keep)),
            Builder::Dates(steps) => format!("dates --steps {}", joined(steps)),
            Builder::Countries => "countries".to_owned(),
            Builder::Icd(Icd::Nine) => "icd9".to_owned(),
            Builder::Icd(Icd::Ten) => "icd10".to_owned(),
            Builder::Isco => "isco".to_owned(),
            Builder::Education => "education".to_owned(),
        };
        format!(
            "shoal hierarchy build --policy {} --column {} --kind {kind} -o {}",
            shell(policy),
            shell(column),
            shell(&self.file)
        )
    }
}

/// The hierarchy that fits a quasi-identifier; `None` where only a person can group its values.
pub(super) fn propose(
    column: &RawColumn,
    reading: &Reading,
    profile: &Profile<'_>,
) -> Option<HierarchyProposal> {
    // Codes of occupations are numbers to most programs, but their ranges mean nothing.
    if let Some((builder, others)) = known(profile) {
        return Some(HierarchyProposal { file: file_name(&column.name), builder, others });
    }
    let builder = match reading.kind {
        Kind::Integer | Kind::Decimal => Builder::Intervals(chosen_widths(&domain(column, reading)?).ok()?),
        Kind::Date => Builder::Dates(chosen_steps(&domain(column, reading)?).ok()?),
        Kind::Text => Builder::Prefixes(prefix_lengths(profile)?),
    };
    let has_steps = match &builder {
        Builder::Intervals(widths) => !widths.is_empty(),
        Builder::Prefixes(keep) => !keep.is_empty(),
        Builder::Dates(steps) => !steps.is_empty(),
        Builder::Countries | Builder::Icd(_) | Builder::Isco | Builder::Education => true,
    };
    has_steps.then(|| HierarchyProposal { file: file_name(&column.name), builder, others: Vec::new() })
}

fn domain(column: &RawColumn, reading: &Reading) -> Option<Domain> {
    let parser = ValueParser::new(reading.kind, reading.format.clone().unwrap_or_default());
    Domain::of(column, parser, &reading.missing_tokens).ok().map(|(domain, _)| domain)
}

/// A table that comes with the program and has nearly all values, where the name agrees with it or the values cannot be much else; and
/// the values that it does not have.
fn known(profile: &Profile<'_>) -> Option<(Builder, Vec<String>)> {
    let text = profile.kind == Kind::Text;
    if text && profile.name.is_diagnosis() {
        // V and E codes read in both editions; digits in front are of the ninth only, which is also taken where both have as many.
        let editions =
            [Icd::Nine, Icd::Ten].map(|edition| (others(profile, |text| edition.reads(text)), edition));
        let (others, edition) = editions.into_iter().min_by_key(|(others, _)| others.len())?;
        return has_most(profile, &others, 1, 0.9).then_some((Builder::Icd(edition), others));
    }
    if matches!(profile.kind, Kind::Text | Kind::Integer) && profile.name.is_occupation() {
        // Codes of one or two digits could number anything, unless the name says what.
        let short = |text: &str| text.trim().len() < 3 && !profile.name.is_isco();
        let doubtful = others(profile, |text| is_isco(text) && !short(text));
        if has_most(profile, &doubtful, 3, 0.9) {
            return Some((Builder::Isco, others(profile, is_isco)));
        }
    }
    // One country alone groups nobody.
    let countries = (Builder::Countries, others(profile, is_country), 3);
    // A few words such as `primary` and `master` could be about anything, so they need a name that agrees.
    let fewest = if profile.name.is_education() { 3 } else { 6 };
    let education = (Builder::Education, others(profile, is_education), fewest);
    let fitting = |(builder, others, fewest): (Builder, Vec<String>, u64)| {
        has_most(profile, &others, fewest, 0.8).then_some((builder, others))
    };
    [countries, education].into_iter().filter(|_| text).find_map(fitting)
}

/// The values that a table does not read.
fn others(profile: &Profile<'_>, reads: impl Fn(&str) -> bool) -> Vec<String> {
    profile.values.iter().map(|value| value.0).filter(|value| !reads(value)).map(str::to_owned).collect()
}

/// Whether there are enough values, and at least this share of them is none of the others.
fn has_most(profile: &Profile<'_>, others: &[String], fewest: u64, share: f64) -> bool {
    let distinct = profile.distinct();
    distinct >= fewest && (distinct - others.len() as u64) as f64 >= share * distinct as f64
}

/// Codes: digits of one length, or what the name calls a zip or ICD code.
fn prefix_lengths(profile: &Profile<'_>) -> Option<Vec<usize>> {
    const FEWEST_VALUES: u64 = 10;
    const LONGEST: usize = 12;
    let values = || profile.values.iter().map(|value| value.0);
    let longest = values().map(|text| text.chars().count()).max()?;
    let digits = values().all(|text| text.len() == longest && text.bytes().all(|b| b.is_ascii_digit()));
    let code = values().all(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || " .-".contains(c)));
    // Three digits are a plain number of something more often than a place in a tree.
    let fits = (digits && longest >= 4) || (code && longest >= 2 && profile.name.is_prefix_code());
    (fits && longest <= LONGEST && profile.distinct() >= FEWEST_VALUES).then(|| (1..longest).rev().collect())
}

/// `native-country.hierarchy.csv`, without characters that trouble a file system.
fn file_name(column: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = column.trim_start_matches('.').chars().map(plain).collect();
    format!("{}.hierarchy.csv", if name.is_empty() { "column" } else { &name })
}

fn joined<T: ToString>(steps: &[T]) -> String {
    steps.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

/// A word of a command line, in quotes where a shell would take it apart.
fn shell(word: &str) -> String {
    let clean: String = word.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = !clean.is_empty() && clean.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    if plain { clean } else { format!("'{}'", clean.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use shoal_core::RawTable;

    use super::super::kinds;
    use super::*;

    fn command(name: &str, values: impl IntoIterator<Item = String>) -> Option<String> {
        let rows: Vec<Vec<String>> = values.into_iter().map(|v| vec![v]).collect();
        let table = RawTable::from_rows(&[name], &rows);
        let column = &table.columns[0];
        let reading = kinds::read(column);
        let proposal: HierarchyProposal = propose(column, &reading, &Profile::of(column, &reading))?;
        Some(proposal.command("policy.toml", name))
    }

    #[test]
    fn each_kind_of_value_has_its_builder() {
        let build = "shoal hierarchy build --policy policy.toml --column";
        assert_eq!(
            command("age", (17..=90).map(|age| age.to_string())).unwrap(),
            format!("{build} age --kind intervals --widths 5,10,20,40 -o age.hierarchy.csv")
        );
        assert_eq!(
            command("the zip", (0..20).map(|i| format!("53{i:03}"))).unwrap(),
            format!("{build} 'the zip' --kind prefixes --keep 4,3,2,1 -o the_zip.hierarchy.csv")
        );
        assert_eq!(
            command("seen", (10..20).map(|day| format!("20{day}-01-{day}"))).unwrap(),
            format!("{build} seen --kind dates --steps five-years -o seen.hierarchy.csv")
        );
        assert_eq!(
            command("origin", ["France", "Mexico", "Viet-Nam"].map(str::to_owned)).unwrap(),
            format!("{build} origin --kind countries -o origin.hierarchy.csv")
        );
        assert_eq!(
            command("admitting_icd9", ["486", "25000", "V5866"].map(str::to_owned)).unwrap(),
            format!("{build} admitting_icd9 --kind icd9 -o admitting_icd9.hierarchy.csv")
        );
        assert_eq!(
            command("diagnosis", ["I21.4", "E11.9", "V03.1"].map(str::to_owned)).unwrap(),
            format!("{build} diagnosis --kind icd10 -o diagnosis.hierarchy.csv")
        );
        assert_eq!(
            command("isco08", ["2512", "2513", "5120", "9112"].map(str::to_owned)).unwrap(),
            format!("{build} isco08 --kind isco -o isco08.hierarchy.csv")
        );
        assert_eq!(
            command(
                "edu",
                ["HS-grad", "Bachelors", "11th", "Masters", "9th", "Some-college"].map(str::to_owned)
            )
            .unwrap(),
            format!("{build} edu --kind education -o edu.hierarchy.csv")
        );
        assert!(command("isco", ["1", "2", "3", "5"].map(str::to_owned)).unwrap().contains("--kind isco"));
        assert_eq!(command("diagnosis", ["", ""].map(str::to_owned)), None, "no value at all");
        assert_eq!(command("job", ["1", "2", "3"].map(str::to_owned)), None, "any numbers");
        assert!(
            command("wage", ["2512", "2513", "5120", "9112"].map(str::to_owned))
                .unwrap()
                .contains("intervals")
        );
        assert_eq!(
            command("level", ["primary", "master", "doctor"].map(str::to_owned)),
            None,
            "may be anything"
        );
        assert_eq!(command("state", ["CA", "DE", "IN"].map(str::to_owned)), None, "not countries");
        assert_eq!(command("job", ["a", "b"].map(str::to_owned)), None);
        assert_eq!(command("flag", ["0", "1"].map(str::to_owned)), None);
    }
}
