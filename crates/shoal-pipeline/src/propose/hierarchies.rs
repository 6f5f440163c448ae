//! Which hierarchy could be built for a column, and by which command.

use shoal_core::hierarchy::build::{DateStep, Number, chosen_steps, chosen_widths};
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
}

impl HierarchyProposal {
    /// The command that builds it for a column of the data that `policy` describes.
    pub fn command(&self, policy: &str, column: &str) -> String {
        let (kind, flag, steps) = match &self.builder {
            Builder::Intervals(widths) => ("intervals", "widths", joined(widths)),
            Builder::Prefixes(keep) => ("prefixes", "keep", joined(keep)),
            Builder::Dates(steps) => ("dates", "steps", joined(steps)),
        };
        format!(
            "shoal hierarchy build --policy {} --column {} --kind {kind} --{flag} {steps} -o {}",
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
    let builder = match reading.kind {
        Kind::Integer | Kind::Decimal => Builder::Intervals(chosen_widths(&domain(column, reading)?).ok()?),
        Kind::Date => Builder::Dates(chosen_steps(&domain(column, reading)?).ok()?),
        Kind::Text => Builder::Prefixes(prefix_lengths(profile)?),
    };
    let steps = match &builder {
        Builder::Intervals(widths) => widths.len(),
        Builder::Prefixes(keep) => keep.len(),
        Builder::Dates(steps) => steps.len(),
    };
    (steps > 0).then(|| HierarchyProposal { file: file_name(&column.name), builder })
}

fn domain(column: &RawColumn, reading: &Reading) -> Option<Domain> {
    let parser = ValueParser::new(reading.kind, reading.format.clone().unwrap_or_default());
    Domain::of(column, parser, &reading.missing_tokens).ok().map(|(domain, _)| domain)
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
        let proposal = propose(column, &reading, &Profile::of(column, &reading))?;
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
        assert_eq!(command("job", ["a", "b"].map(str::to_owned)), None);
        assert_eq!(command("flag", ["0", "1"].map(str::to_owned)), None);
    }
}
