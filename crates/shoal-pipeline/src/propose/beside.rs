//! Hierarchy files that lie beside the data: whose they are by name, and whether they fit.

mod labels;
mod names;

pub(super) use names::data_stem;
pub use names::{NameMatch, column_of_file};

use std::collections::HashSet;

use shoal_core::{DateFormat, Domain, Hierarchy, RawColumn, RawTable, Role, ValueParser};

use super::profile::plain;
use super::{ColumnProposal, Proposal, Question, Topic};

/// A file whose name says that it may be the hierarchy of a column.
#[derive(Debug)]
pub struct HierarchyFile {
    /// The column.
    pub column: String,
    /// The file as the policy will name it.
    pub location: String,
    /// Whether the name also says that it is a hierarchy, so that somebody may wonder why it is not used.
    pub says_hierarchy: bool,
    /// The tree, or why there is none.
    pub tree: Result<Hierarchy, BrokenFile>,
}

/// A file that is no tree.
#[derive(Clone, Debug)]
pub struct BrokenFile {
    /// Why not.
    pub reason: String,
    /// How to repair it.
    pub hint: String,
    /// What it has in the place of values; empty where it cannot be read at all.
    pub values: Vec<String>,
}

/// A file that was found for a column, and what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundHierarchy {
    /// The file as the policy names it.
    pub file: String,
    /// How many of the column's values it has.
    pub found: usize,
    /// How many values the column has, the missing one not counted.
    pub of: usize,
    /// Whether the policy uses it.
    pub used: bool,
    /// Why it is used or not, and what to do, in words that follow the name of the file.
    pub says: String,
}

/// Fewer of the values than this, and the file is about something else that has the column's name.
const FEWEST_FOUND: f64 = 0.1;

/// The same for a file that is not even a tree: a table of counts or a list has most values, too, but hardly another file.
const FEWEST_FOUND_BROKEN: f64 = 0.5;

/// How many values that a file lacks are named.
const NAMED: usize = 5;

impl Proposal {
    /// Takes the files that fit as hierarchies of their columns, and says of the others why they do not.
    pub fn add_hierarchies(&mut self, sample: &RawTable, files: &[HierarchyFile]) {
        let missing: Vec<String> = self.missing_tokens().into_iter().map(str::to_owned).collect();
        let whole = self.source.rows == Some(sample.rows as u64);
        for (at, (proposal, column)) in self.columns.iter_mut().zip(&sample.columns).enumerate() {
            let of_column: Vec<&HierarchyFile> =
                files.iter().filter(|file| file.column == proposal.name).collect();
            if of_column.is_empty() {
                continue;
            }
            let (found, question) = judge(&of_column, proposal, &values(column, proposal, &missing), whole);
            proposal.found_hierarchies = found;
            let name = &proposal.name;
            self.questions.extend(question.map(|question| Question {
                topic: Topic::Hierarchy(at),
                text: format!("column `{name}`: {question}"),
            }));
        }
    }
}

/// The texts that a hierarchy must have as values: as binding it to the column will look for them.
fn values(column: &RawColumn, proposal: &ColumnProposal, missing: &[String]) -> Vec<String> {
    let format = proposal.format.as_deref().and_then(|format| DateFormat::new(format).ok());
    let parser = ValueParser::new(proposal.kind, format.unwrap_or_default());
    match Domain::of(column, parser, missing) {
        Ok((domain, _)) => {
            let known = domain.len() - usize::from(domain.missing().is_some());
            domain.labels().iter().take(known).map(str::to_owned).collect()
        }
        // The kind was read from these values, so all of them are of it.
        Err(_) => Vec::new(),
    }
}

/// How a file does.
struct Candidate<'a> {
    file: &'a HierarchyFile,
    found: usize,
    lacks: Vec<&'a str>,
}

impl Candidate<'_> {
    /// Whether the file has so few of the values that it is about something else.
    fn is_something_else(&self) -> bool {
        let fewest = if self.file.tree.is_ok() { FEWEST_FOUND } else { FEWEST_FOUND_BROKEN };
        self.found == 0 || (self.found as f64) < fewest * (self.found + self.lacks.len()) as f64
    }

    /// The tree, where it has all values.
    fn fitting(&self) -> Option<&Hierarchy> {
        self.file.tree.as_ref().ok().filter(|_| self.lacks.is_empty() && self.found > 0)
    }
}

/// What is to be said of each file, and what only a person can decide.
fn judge(
    files: &[&HierarchyFile],
    column: &ColumnProposal,
    values: &[String],
    whole: bool,
) -> (Vec<FoundHierarchy>, Option<String>) {
    let candidates: Vec<Candidate<'_>> = files.iter().filter_map(|file| candidate(file, values)).collect();
    let fitting: Vec<&Candidate<'_>> =
        candidates.iter().filter(|candidate| candidate.fitting().is_some()).collect();
    let first = fitting.first().and_then(|candidate| candidate.fitting());
    let alike =
        fitting.iter().all(|other| other.fitting().map(Hierarchy::rows) == first.map(Hierarchy::rows));
    let generalized = column.role == Role::QuasiIdentifier;
    let chosen = fitting.first().filter(|_| alike && generalized).map(|chosen| &chosen.file.location);
    let says = |candidate: &Candidate<'_>| {
        let has_all = match whole {
            true => format!("has all {}", counted(values.len())),
            false => format!("has all {} of the records looked at", counted(values.len())),
        };
        match &candidate.file.tree {
            Err(broken) => format!(
                "is no hierarchy yet: {}. {}",
                broken.reason,
                super::policy_text::capital(&broken.hint)
            ),
            Ok(_) if candidate.fitting().is_some() => match chosen {
                Some(chosen) if *chosen == candidate.file.location => {
                    let untrue = candidate.fitting().and_then(|tree| labels::untrue(tree, values));
                    untrue.map_or(has_all.clone(), |(value, group)| {
                        format!(
                            "{has_all}, but puts `{value}` into the group `{group}`: is that label right?"
                        )
                    })
                }
                Some(chosen) => format!("says the same as {chosen}"),
                None if !generalized => {
                    format!("{has_all}, but only a quasi-identifier is generalized, so it is not used")
                }
                None => format!("{has_all}, but it is not the only one, and they group them differently"),
            },
            Ok(_) => lacking(candidate, column, values.len(), chosen),
        }
    };
    let found = candidates.iter().map(|candidate| FoundHierarchy {
        file: candidate.file.location.clone(),
        found: candidate.found,
        of: values.len(),
        used: chosen == Some(&candidate.file.location),
        says: says(candidate),
    });
    let question = (!alike && generalized).then(|| {
        let names: Vec<&str> = fitting.iter().map(|candidate| candidate.file.location.as_str()).collect();
        format!(
            "which hierarchy? {} have all its values and group them differently. None is used until one is chosen in the policy",
            names.join(" and ")
        )
    });
    (found.collect(), question)
}

/// `None` for a file that is about something else and does not even say that it is a hierarchy.
fn candidate<'a>(file: &'a HierarchyFile, values: &'a [String]) -> Option<Candidate<'a>> {
    let has: Box<dyn Fn(&str) -> bool> = match &file.tree {
        Ok(tree) => Box::new(|value| tree.leaf(value).is_some()),
        Err(broken) => {
            let known: HashSet<&str> = broken.values.iter().map(String::as_str).collect();
            Box::new(move |value| known.contains(value))
        }
    };
    let lacks: Vec<&str> = values.iter().map(String::as_str).filter(|value| !has(value)).collect();
    let candidate = Candidate { file, found: values.len() - lacks.len(), lacks };
    (file.says_hierarchy || !candidate.is_something_else()).then_some(candidate)
}

/// What is said of a tree that does not have all values.
fn lacking(candidate: &Candidate<'_>, column: &ColumnProposal, of: usize, chosen: Option<&String>) -> String {
    if candidate.is_something_else() {
        return format!("has {} of {}, so it is not taken for its hierarchy", candidate.found, counted(of));
    }
    // The policy may be read by more people than the data: values are named where the file itself would name them.
    let named = match column.role {
        Role::QuasiIdentifier | Role::Insensitive => {
            let first: Vec<String> =
                candidate.lacks.iter().take(NAMED).map(|value| format!("`{}`", plain(value))).collect();
            let more = if candidate.lacks.len() > NAMED { ", …" } else { "" };
            format!(" ({}{more})", first.join(", "))
        }
        _ => String::new(),
    };
    let lacks = format!("lacks {} of {}{named}", candidate.lacks.len(), counted(of));
    match chosen {
        Some(chosen) => format!("{lacks}; {chosen} has all of them"),
        None => format!("{lacks}; add a line for each, then it can be used"),
    }
}

fn counted(values: usize) -> String {
    format!("{values} {}", if values == 1 { "value" } else { "values" })
}

#[cfg(test)]
mod tests {
    use shoal_core::hierarchy::from_text;

    use super::super::{Source, propose};
    use super::*;

    fn file(location: &str, text: &str) -> HierarchyFile {
        HierarchyFile {
            column: "town".to_owned(),
            location: location.to_owned(),
            says_hierarchy: location.contains("hierarchy"),
            tree: from_text(text).map_err(|error| BrokenFile {
                reason: error.to_string(),
                hint: error.hint().to_owned(),
                values: shoal_core::hierarchy::values_of_text(text),
            }),
        }
    }

    fn proposed(files: &[HierarchyFile]) -> Proposal {
        let towns = ["Ulm", "Kiel", "Bonn", "?"];
        let rows: Vec<Vec<String>> = (0..80).map(|i| vec![towns[i % 4].to_owned()]).collect();
        let sample = RawTable::from_rows(&["town"], &rows);
        let source = Source {
            location: "people.csv".to_owned(),
            separator: Some(','),
            header: true,
            rows: Some(80),
            policy: "policy.toml".to_owned(),
        };
        let mut proposal = propose(&sample, source);
        proposal.add_hierarchies(&sample, files);
        proposal
    }

    fn said(files: &[HierarchyFile]) -> Vec<(bool, String)> {
        let column = proposed(files).columns.remove(0);
        column.found_hierarchies.into_iter().map(|found| (found.used, found.says)).collect()
    }

    const FITS: &str = "Ulm;South;*\nKiel;North;*\nBonn;West;*\n";

    #[test]
    fn a_file_that_has_all_values_is_used() {
        let proposal = proposed(&[file("town.csv", FITS)]);
        assert!(proposal.columns[0].found_hierarchies[0].used);
        let text = proposal.to_toml();
        assert!(text.contains("# town.csv has all 3 values.\nhierarchy = \"town.csv\"\n"), "{text}");
        shoal_core::PolicyDocument::parse(&text, &[]).unwrap();
    }

    #[test]
    fn what_is_lacking_is_named() {
        let found = said(&[file("town.csv", "Ulm;South;*\nRome;Italy;*\n")]);
        assert_eq!(
            found,
            [(
                false,
                "lacks 2 of 3 values (`Bonn`, `Kiel`); add a line for each, then it can be used".to_owned()
            )]
        );
    }

    #[test]
    fn other_files_are_left_alone_or_said_to_be_others() {
        assert_eq!(said(&[file("town.csv", "Rome;*\nParis;*\n")]), []);
        assert_eq!(said(&[file("town.csv", "town,mayor\nRome,x\nParis,y\n")]), [], "no tree, no value");
        assert_eq!(
            said(&[file("hierarchy_town.csv", "Rome;*\nParis;*\n")]),
            [(false, "has 0 of 3 values, so it is not taken for its hierarchy".to_owned())]
        );
    }

    #[test]
    fn a_tenth_of_the_values_makes_a_hierarchy_that_lacks_the_others() {
        let values: Vec<String> = (0..20).map(|i| format!("v{i}")).collect();
        let something_else = |text: &str| candidate(&file("town.csv", text), &values).is_none();
        assert!(something_else("v0;*\n") && !something_else("v0;*\nv1;*\n"));
        let list = |count: usize| (0..count).map(|i| format!("v{i};{i}\n")).collect::<String>();
        assert!(something_else(&list(9)) && !something_else(&list(10)), "no trees");
    }

    #[test]
    fn what_is_no_tree_says_why() {
        let found = said(&[file("town.csv", "Ulm;South;*\nKiel;North\nBonn;West;*\n")]);
        assert!(
            !found[0].0 && found[0].1.starts_with("is no hierarchy yet: there is no single top: line 1"),
            "{found:?}"
        );
        assert!(found[0].1.ends_with("End every line with the same label, usually `*`"), "{found:?}");
    }

    #[test]
    fn of_two_the_one_that_has_all_values_is_used() {
        let found = said(&[file("town.csv", "Ulm;*\n"), file("hierarchy_town.csv", FITS)]);
        assert_eq!(
            found[0],
            (false, "lacks 2 of 3 values (`Bonn`, `Kiel`); hierarchy_town.csv has all of them".to_owned())
        );
        assert_eq!(found[1], (true, "has all 3 values".to_owned()));
        let found = said(&[file("a.csv", FITS), file("b.csv", FITS)]);
        assert_eq!((found[0].0, found[1].1.as_str()), (true, "says the same as a.csv"));
    }

    #[test]
    fn of_two_that_differ_none_is_used_and_it_is_asked() {
        let proposal = proposed(&[file("a.csv", FITS), file("b.csv", "Ulm;*\nKiel;*\nBonn;*\n")]);
        assert!(proposal.columns[0].found_hierarchies.iter().all(|found| !found.used));
        assert!(
            proposal.questions[0]
                .text
                .starts_with("column `town`: which hierarchy? a.csv and b.csv have all")
        );
        assert!(proposal.to_toml().contains("# hierarchy = \"b.csv\"\n"));
    }
}
