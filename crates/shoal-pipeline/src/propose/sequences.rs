//! Which column of a long table says whose event a row is, and which ones say what came first.

use shoal_core::{Kind, RawColumn, RawTable, Role, ValueParser};

use super::kinds::Reading;
use super::{Proposal, Source, kinds, propose};

/// How the rows of a table become people with ordered events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventsProposal {
    /// The column that says whose event it is, if one looks like it.
    pub id: Option<String>,
    /// The columns that order a person's events.
    pub order: Vec<String>,
    /// How many rows of the sample are equal to another row of the same person in all of them.
    pub ties: usize,
}

/// Proposes a policy for the sequences that `sample` was taken from.
pub fn propose_sequences(sample: &RawTable, source: Source) -> Proposal {
    let mut proposal = propose(sample, source);
    let id = whose(sample, &proposal);
    let mut events = EventsProposal { id: None, order: Vec::new(), ties: 0 };
    if let Some(id) = id {
        let column = &mut proposal.columns[id];
        column.role = Role::Identifier;
        column.reason =
            "it says whose event a row is; a fresh pseudonym is published in its place".to_owned();
        column.hierarchy = None;
        events = ordered(sample, &sample.columns[id]);
    }
    proposal.events = Some(events);
    proposal
}

/// The column that names people: of those that name somebody, the one that repeats and has the most values.
pub(super) fn whose(sample: &RawTable, proposal: &Proposal) -> Option<usize> {
    let names_somebody = |&at: &usize| proposal.columns[at].role == Role::Identifier;
    let distinct = |at: usize| sample.columns[at].labels.len();
    let candidates: Vec<usize> = (0..sample.columns.len()).filter(names_somebody).collect();
    let repeating = candidates.iter().copied().filter(|&at| distinct(at) < sample.rows);
    // The first one of those with equally many values: a table starts with its key.
    repeating.rev().max_by_key(|&at| distinct(at)).or(candidates.first().copied())
}

/// Columns are taken one by one, each time the one that leaves the fewest events of a person undecided: dates
/// first, since a date says more about time than a number.
fn ordered(sample: &RawTable, ids: &RawColumn) -> EventsProposal {
    let mut candidates: Vec<(&RawColumn, Vec<Option<f64>>, Kind)> = sample
        .columns
        .iter()
        .filter(|column| column.name != ids.name)
        .filter_map(|column| {
            let reading = kinds::read(column);
            positions(column, &reading).map(|positions| (column, positions, reading.kind))
        })
        .collect();
    let mut classes: Vec<u32> = ids.codes.clone();
    let mut order = Vec::new();
    let mut ties = undecided(&classes);
    while ties > 0 {
        let left = |at: usize| undecided(&refined(&classes, candidates[at].0, &candidates[at].1));
        let deciding = (0..candidates.len()).map(|at| (candidates[at].2 != Kind::Date, left(at), at));
        let Some((_, _, best)) = deciding.filter(|&(_, left, _)| left < ties).min() else { break };
        let (column, positions, _) = candidates.remove(best);
        classes = refined(&classes, column, &positions);
        ties = undecided(&classes);
        order.push(column.name.clone());
    }
    if order.is_empty() {
        order.extend(
            candidates.iter().find(|c| c.2 == Kind::Date).or(candidates.first()).map(|c| c.0.name.clone()),
        );
    }
    EventsProposal { id: Some(ids.name.clone()), order, ties }
}

/// Where each distinct value of a column lies; none for a column that orders nothing or has gaps.
fn positions(column: &RawColumn, reading: &Reading) -> Option<Vec<Option<f64>>> {
    if !reading.kind.is_ordered() {
        return None;
    }
    let parser = ValueParser::new(reading.kind, reading.format.clone().unwrap_or_default());
    let at: Vec<Option<f64>> = column.labels.iter().map(|label| parser.position(label)).collect();
    at.iter().all(Option::is_some).then_some(at)
}

/// Rows that are in one class and lie at one position.
fn refined(classes: &[u32], column: &RawColumn, positions: &[Option<f64>]) -> Vec<u32> {
    let mut number = std::collections::HashMap::new();
    let key = |row: usize| (classes[row], positions[column.codes[row] as usize].map(f64::to_bits));
    (0..classes.len())
        .map(|row| {
            let next = number.len() as u32;
            *number.entry(key(row)).or_insert(next)
        })
        .collect()
}

/// How many rows share their class with an earlier one.
fn undecided(classes: &[u32]) -> usize {
    let mut distinct = classes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    classes.len() - distinct.len()
}

#[cfg(test)]
mod tests {
    use shoal_core::PolicyDocument;

    use super::*;

    fn source() -> Source {
        Source {
            location: "visits.csv".to_owned(),
            separator: Some(','),
            header: true,
            rows: Some(60),
            policy: "policy.toml".to_owned(),
        }
    }

    fn visits(same_day: bool) -> Proposal {
        let rows: Vec<Vec<String>> = (0..60)
            .map(|i| {
                let visit = i % 3;
                let day = if same_day { visit / 2 } else { visit } + 1;
                let (person, zip) = (format!("p{}", i / 3), format!("{}", 10000 + i % 7));
                vec![person, format!("2020-01-0{day}"), visit.to_string(), zip, "flu".to_owned()]
            })
            .collect();
        let names = ["patient_id", "admitted", "visit", "zip", "diagnosis"];
        propose_sequences(&RawTable::from_rows(&names, &rows), source())
    }

    #[test]
    fn a_date_that_decides_is_enough() {
        let events = visits(false).events.unwrap();
        assert_eq!(events.id.as_deref(), Some("patient_id"));
        assert_eq!((events.order, events.ties), (vec!["admitted".to_owned()], 0));
    }

    #[test]
    fn a_further_column_breaks_the_ties() {
        let events = visits(true).events.unwrap();
        assert_eq!((events.order, events.ties), (vec!["admitted".to_owned(), "visit".to_owned()], 0));
    }

    #[test]
    fn the_proposed_policy_can_be_read() {
        let text = visits(false).to_toml();
        let policy = PolicyDocument::parse(&text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!(policy.policy().data.order, ["admitted"]);
    }
}
