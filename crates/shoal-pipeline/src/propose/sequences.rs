//! Which column of a long table says whose event a row is, and which ones say what came first.

use shoal_core::{Kind, RawTable, Role};

use super::person::Ranking;
use super::{Proposal, Question, Source, Topic, of_columns, order, read};

/// How the rows of a table become people with ordered events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventsProposal {
    /// The column that says whose event it is, if one looks like it.
    pub id: Option<String>,
    /// Why this one.
    pub id_reason: String,
    /// What else was near, in words, and the line that would choose it.
    pub other_ids: Vec<(String, String)>,
    /// The columns that order a person's events.
    pub order: Vec<String>,
    /// Why these.
    pub order_reason: String,
    /// How many rows of the sample are equal to another row of the same person in all of them.
    pub ties: usize,
}

/// How many other candidates for the person are named.
const OTHERS: usize = 3;

/// Proposes a policy for the sequences that `sample` was taken from.
pub fn propose_sequences(sample: &RawTable, source: Source) -> Proposal {
    of(sample, source, None)
}

/// The same where somebody has said which column names the person.
pub fn propose_sequences_of(sample: &RawTable, source: Source, person: usize) -> Proposal {
    of(sample, source, Some(person))
}

fn of(sample: &RawTable, source: Source, person: Option<usize>) -> Proposal {
    let readings = read(sample);
    let people = Ranking::of(sample, &readings);
    let mut events = EventsProposal::default();
    let question = people.question("id").filter(|_| person.is_none());
    let mut questions: Vec<Question> =
        question.map(|text| Question { topic: Topic::Person, text }).into_iter().collect();
    let best = match person {
        Some(at) => Some((at, "chosen by the author of this policy")),
        None => people.best().map(|best| (best.at, best.why.as_str())),
    };
    let others = people.others().iter().filter(|other| best.is_some() && other.is_named_so());
    let others = others.filter(|_| person.is_none());
    events.other_ids = others.take(OTHERS).map(|other| (other.column.clone(), other.why.clone())).collect();
    let order = best.map(|(at, _)| order::propose(sample, &readings, &sample.columns[at]));

    let mut proposal = of_columns(sample, source, readings);
    if let Some((at, why)) = best {
        let column = &mut proposal.columns[at];
        column.role = Role::Identifier;
        column.reason =
            "it says whose event a row is; a fresh pseudonym is published in its place".to_owned();
        column.hierarchy = None;
        (events.id, events.id_reason) = (Some(column.name.clone()), why.to_owned());
    }
    if let Some(order) = order {
        for &at in &order.columns {
            let column = &mut proposal.columns[at];
            // Numbers of visits are read as text elsewhere, but letters are no order.
            if column.kind == Kind::Text {
                (column.kind, column.note) = (Kind::Integer, None);
            }
            events.order.push(column.name.clone());
        }
        (events.order_reason, events.ties) = (order.why, order.ties);
        questions.extend(order.question.map(|text| Question { topic: Topic::Order, text }));
    }
    proposal.questions.splice(0..0, questions);
    proposal.events = Some(events);
    proposal
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
