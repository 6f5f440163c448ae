//! The patients as files, and as the algorithms see them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use shoal_core::hierarchy::to_text;
use shoal_core::{Column, Hierarchy, Kind, RawColumn, RawTable, Role, Sequences, Table};

use super::{DIAGNOSIS, HIGHLY_SENSITIVE, Patients, Visit, hierarchy_rows};

impl Patients {
    /// One line a visit: `patient`, `visit` (counted from 1), the quasi-identifiers, `diagnosis`.
    pub fn csv(&self) -> String {
        let names = self.quasi_identifiers();
        let mut csv = format!("patient,visit,{},{DIAGNOSIS}\n", names.join(","));
        for (patient, visits) in (1..).zip(&self.people) {
            for (number, visit) in (1..).zip(visits) {
                let _ = write!(csv, "{patient},{number}");
                for value in &values(visit)[..names.len()] {
                    let _ = write!(csv, ",{value}");
                }
                let _ = writeln!(csv, ",{}", visit.diagnosis);
            }
        }
        csv
    }

    /// A policy for the files that [`Patients::write`] writes.
    pub fn policy(&self) -> String {
        let mut text = format!(
            r#"# {people} made-up patients with {events} visits ({name}), published so that everybody stays in a crowd of at
# least five whose visits look the same, and at most 70 % of a crowd have a visit for what nobody may learn of.
#
#   shoal check  policy.toml                     what would happen
#   shoal run    policy.toml                     do it
#   shoal verify {OUTPUT} --policy policy.toml

version = 1

[data]
shape = "sequences"
source = "{VISITS}"
id = "patient"                              # whose visit it is
order = ["AdmYr", "visit"]                  # by year, and within a year by the number of the visit

[columns.patient]
role = "identifier"                         # a fresh number for each person is published in its place

[columns.visit]
role = "identifier"                         # gives the order and is not published
kind = "integer"
"#,
            people = self.people.len(),
            events = self.events(),
            name = self.name(),
        );
        for name in self.quasi_identifiers() {
            let (kind, meaning) = describe(name);
            let role = format!("{:43} # {meaning}", "role = \"quasi-identifier\"");
            let kind = if kind == Kind::Integer { "kind = \"integer\"\n" } else { "" };
            let _ =
                write!(text, "\n[columns.{name}]\n{role}\n{kind}hierarchy = \"hierarchies/{name}.csv\"\n");
        }
        let _ = write!(
            text,
            r#"
[columns.{DIAGNOSIS}]
role = "sensitive"                          # published as it is, for the visits that are published

[privacy]
k = 5
c = 0.7                                     # the share of a crowd that may have a visit for one of these:
sensitive-values = {HIGHLY_SENSITIVE:?}

[algorithm]
name = "cbmsa"                              # or cbmsa-baseline, which does not align the visits
# remainder = "suppress"                    # leave the rest out, as in the paper, instead of adding it to the nearest
seed = 0

[output]
path = "{OUTPUT}"
report = "report"
"#
        );
        text
    }

    /// Writes the visits, the hierarchies and the policy to a folder, which is made where it is not there.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        let hierarchies = folder.join("hierarchies");
        std::fs::create_dir_all(&hierarchies)?;
        for name in self.quasi_identifiers() {
            std::fs::write(hierarchies.join(format!("{name}.csv")), to_text(&tree(name), ';'))?;
        }
        std::fs::write(folder.join(VISITS), self.csv())?;
        std::fs::write(folder.join("policy.toml"), self.policy())
    }

    /// The same people as the algorithms see them: the quasi-identifiers with their hierarchies, and the
    /// diagnosis.
    pub fn sequences(&self) -> Sequences {
        let names = self.quasi_identifiers();
        let titles: Vec<&str> = names.iter().copied().chain([DIAGNOSIS]).collect();
        let cells = |visit: &Visit| -> Vec<String> {
            let values = values(visit);
            let values = values[..names.len()].iter().map(u32::to_string);
            values.chain([visit.diagnosis.to_owned()]).collect()
        };
        let rows: Vec<Vec<String>> = self.people.iter().flatten().map(cells).collect();
        let raw = RawTable::from_rows(&titles, &rows);
        let columns = raw.columns.iter().map(encoded).collect();
        let ends = self.people.iter().scan(0, |end, visits| {
            *end += visits.len() as u32;
            Some(*end)
        });
        let starts = std::iter::once(0).chain(ends).collect();
        Sequences::new(Table { columns, rows: raw.rows }, starts).expect("everybody has a visit")
    }
}

const VISITS: &str = "visits.csv";
const OUTPUT: &str = "visits.k5.csv";

/// What the quasi-identifiers of a visit are, in their order.
fn values(visit: &Visit) -> [u32; 4] {
    [visit.year, visit.zip, visit.weeks_since_first, visit.weeks_of_stay]
}

/// The kind of a column, and what it means to a person.
fn describe(name: &str) -> (Kind, &'static str) {
    match name {
        "AdmYr" => (Kind::Integer, "the year of admission"),
        "ZIP" => (Kind::Text, "where the patient lives"),
        "DSFC" => (Kind::Integer, "weeks since the first visit of the year"),
        "LOS" => (Kind::Integer, "weeks in hospital"),
        _ => (Kind::Text, "what the visit was for"),
    }
}

fn tree(quasi_identifier: &str) -> Hierarchy {
    Hierarchy::from_rows(&hierarchy_rows(quasi_identifier)).expect("a tree by construction")
}

fn encoded(raw: &RawColumn) -> Column {
    let role = if raw.name == DIAGNOSIS { Role::Sensitive } else { Role::QuasiIdentifier };
    let column = Column::encode(raw, role, describe(&raw.name).0, &[]).expect("numbers are numbers");
    if role == Role::Sensitive {
        return column;
    }
    column.with_hierarchy(&Arc::new(tree(&raw.name))).expect("every value is in its hierarchy")
}

#[cfg(test)]
mod tests {
    use shoal_core::PolicyDocument;

    use super::super::PatientParams;
    use super::*;

    fn made(mean_events: u32, quasi_identifiers: usize) -> Patients {
        PatientParams { sequences: 300, mean_events, quasi_identifiers, seed: 7 }.check().unwrap().generate()
    }

    #[test]
    fn the_keys_of_the_order_rise_within_a_person() {
        let csv = made(10, 3).csv();
        let key = |line: &str| -> (u32, u32, u32) {
            let mut cells = line.split(',').map(|cell| cell.parse().unwrap_or(0));
            let mut next = || cells.next().unwrap();
            let (patient, visit, year) = (next(), next(), next());
            (patient, year, visit)
        };
        let keys: Vec<_> = csv.lines().skip(1).map(key).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn every_value_is_in_its_hierarchy_and_the_csv_says_the_same() {
        for (mean, quasi_identifiers) in [(3, 2), (5, 3), (10, 4)] {
            let patients = made(mean, quasi_identifiers);
            let sequences = patients.sequences();
            assert_eq!((sequences.persons(), sequences.events().rows), (300, patients.events()));
            assert_eq!(sequences.events().quasi_identifiers().len(), quasi_identifiers);
            let people = sequences.person_of();
            for (row, line) in patients.csv().lines().skip(1).enumerate() {
                let cells: Vec<&str> = line.split(',').collect();
                assert_eq!(cells[0], (people[row] + 1).to_string());
                for (column, cell) in sequences.events().columns.iter().zip(&cells[2..]) {
                    assert_eq!(column.domain.label(column.codes[row]), *cell);
                }
            }
        }
    }

    #[test]
    fn the_policy_is_one() {
        for quasi_identifiers in [2, 3, 4] {
            let patients = made(3, quasi_identifiers);
            let document = PolicyDocument::parse(&patients.policy(), &[]).unwrap();
            let policy = document.policy();
            assert_eq!(policy.columns_of(Role::QuasiIdentifier), patients.quasi_identifiers());
            assert_eq!(policy.privacy.sensitive_values, HIGHLY_SENSITIVE);
        }
    }
}
