//! What a person decides about a proposal, where somebody was asked (`shoal init --ask`).

use std::collections::HashSet;

use shoal_core::{DateFormat, RawTable, Role};

use super::Proposal;

/// Something that only a person can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What it is about.
    pub topic: Topic,
    /// The question, in words.
    pub text: String,
}

/// What a question is about. Columns are numbered as in the proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Whose a record is.
    Person,
    /// What came first.
    Order,
    /// The role of a column.
    Role(usize),
    /// What the values of a column are, or which of them are none.
    Values(usize),
    /// Which hierarchy a column has.
    Hierarchy(usize),
}

/// What a person chose where a proposal has a usual value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// The size of a crowd.
    pub k: Option<u64>,
    /// How many different values of each sensitive column a crowd has, or among how many values a stream hides one.
    pub l: Option<u64>,
    /// The values of which at most the share `c` of a crowd may have one; sequences only.
    pub sensitive_values: Vec<String>,
    /// That share.
    pub c: Option<f64>,
    /// The published file.
    pub output: Option<String>,
}

/// Why something is so that a person has said.
const CHOSEN: &str = "chosen by the author of this policy";

impl Proposal {
    /// The position of the column with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The questions about a topic.
    pub fn questions_about(&self, topic: Topic) -> impl Iterator<Item = &str> {
        self.questions.iter().filter(move |question| question.topic == topic).map(|q| q.text.as_str())
    }

    /// The topic has been settled: whoever reads the policy is not asked again.
    pub fn settle(&mut self, topic: Topic) {
        self.questions.retain(|question| question.topic != topic);
    }

    /// A column gets another role than the proposed one, or the same on purpose.
    pub fn choose_role(&mut self, at: usize, role: Role) {
        self.settle(Topic::Role(at));
        let column = &mut self.columns[at];
        if column.role == role {
            return;
        }
        column.reason = format!("{CHOSEN}; proposed was {}: {}", column.role.name(), column.reason);
        column.role = role;
        if role != Role::QuasiIdentifier {
            column.hierarchy = None;
        }
        if matches!(role, Role::Identifier | Role::Sensitive) {
            // Facts and notes quote values, and those of such columns do not belong into a policy.
            column.facts = column.counts.clone();
            column.note = None;
        }
    }

    /// The dates of a column are written so.
    pub fn choose_format(&mut self, at: usize, format: &DateFormat) {
        self.settle(Topic::Values(at));
        let column = &mut self.columns[at];
        (column.format, column.note) = (Some(format.as_str().to_owned()), None);
    }

    /// This column says whose a record of a table or a tuple of a stream is, or none does.
    pub fn choose_person(&mut self, at: Option<usize>) {
        self.settle(Topic::Person);
        let name = at.map(|at| self.columns[at].name.clone());
        if let Some(at) = at {
            self.choose_role(at, Role::Identifier);
        }
        match &mut self.stream {
            Some(stream) => stream.person = name,
            None => self.person = name,
        }
    }

    /// These columns order the events of a person.
    pub fn choose_order(&mut self, sample: &RawTable, columns: &[usize]) {
        self.settle(Topic::Order);
        let names: Vec<String> = columns.iter().map(|&at| self.columns[at].name.clone()).collect();
        let Some(events) = &mut self.events else { return };
        if events.order == names {
            return;
        }
        events.ties = match &events.id {
            Some(id) => ties(sample, id, columns),
            None => 0,
        };
        (events.order, events.order_reason) = (names, CHOSEN.to_owned());
    }
}

/// How many rows are equal to an earlier one of the same person in all these columns.
fn ties(sample: &RawTable, id: &str, columns: &[usize]) -> usize {
    let Some(ids) = sample.columns.iter().find(|column| column.name == id) else { return 0 };
    let mut seen = HashSet::new();
    let key = |row: usize| -> Vec<u32> {
        let values = columns.iter().map(|&at| sample.columns[at].codes[row]);
        std::iter::once(ids.codes[row]).chain(values).collect()
    };
    (0..sample.rows).filter(|&row| !seen.insert(key(row))).count()
}

#[cfg(test)]
mod tests {
    use super::super::{Source, propose, propose_sequences};
    use super::*;

    fn source() -> Source {
        Source {
            location: "people.csv".to_owned(),
            separator: Some(','),
            header: true,
            rows: None,
            policy: "policy.toml".to_owned(),
        }
    }

    fn people() -> RawTable {
        let row = |i: usize| {
            vec![format!("p{}", i / 3), format!("{}", 20 + i % 50), format!("{}", i % 2), "flu".to_owned()]
        };
        let rows: Vec<Vec<String>> = (0..120).map(row).collect();
        RawTable::from_rows(&["patient_id", "age", "visit", "diagnosis"], &rows)
    }

    #[test]
    fn a_column_that_becomes_sensitive_shows_no_value() {
        let mut proposal = propose(&people(), source());
        let age = proposal.position("age").unwrap();
        assert!(proposal.columns[age].facts.contains("from 20 to 69"), "{}", proposal.columns[age].facts);
        proposal.choose_role(age, Role::Sensitive);
        let column = &proposal.columns[age];
        assert!(!column.facts.contains("20") && column.hierarchy.is_none(), "{}", column.facts);
        assert!(column.reason.contains("proposed was quasi-identifier"), "{}", column.reason);
    }

    #[test]
    fn a_person_who_is_named_is_not_asked_about_and_not_published() {
        let mut proposal = propose(&people(), source());
        let age = proposal.position("age").unwrap();
        proposal.choose_person(Some(age));
        assert_eq!(proposal.person.as_deref(), Some("age"));
        assert_eq!(proposal.columns[age].role, Role::Identifier);
        assert_eq!(proposal.questions_about(Topic::Person).count(), 0);
    }

    #[test]
    fn another_order_has_other_ties() {
        let sample = people();
        let mut proposal = propose_sequences(&sample, source());
        let visit = proposal.position("visit").unwrap();
        proposal.choose_order(&sample, &[visit]);
        let events = proposal.events.unwrap();
        // Three rows a person, and `visit` takes two values.
        assert_eq!((events.order, events.ties), (vec!["visit".to_owned()], 40));
    }
}
