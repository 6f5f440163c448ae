//! A policy for a stream, from a sample of its tuples.

use shoal_core::{RawTable, Role};

use super::person::Ranking;
use super::roles::IN_DOUBT;
use super::{Proposal, Question, Source, Topic, of_columns, read};

/// What is proposed for a stream beside its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamProposal {
    /// `ndjson` or `csv`.
    pub format: &'static str,
    /// The column that says whose tuple it is, if one looks like it.
    pub person: Option<String>,
}

/// Proposes a policy for the stream that `sample` was taken from.
pub fn propose_stream(sample: &RawTable, source: Source, format: &'static str) -> Proposal {
    let readings = read(sample);
    let people = Ranking::of(sample, &readings);
    let mut proposal = of_columns(sample, source, readings);
    // A stream without a person is a stream of strangers, so nothing is asked where none looks like one.
    let best = people.best();
    let question = best.and_then(|_| people.question("person"));
    proposal.questions.extend(question.map(|text| Question { topic: Topic::Person, text }));
    let person = best.map(|best| {
        let column = &mut proposal.columns[best.at];
        column.role = Role::Identifier;
        column.reason =
            "it says whose tuple it is; whoever returns is hidden among the same values".to_owned();
        column.name.clone()
    });
    for column in &mut proposal.columns {
        column.hierarchy = None;
        // In a table a quasi-identifier is the careful choice; here it leaves as it is.
        if column.role == Role::QuasiIdentifier && column.reason.starts_with(IN_DOUBT) {
            column.role = Role::Identifier;
            column.reason =
                format!("{IN_DOUBT}; a stream would publish it as it is, so it is better left out");
        }
    }
    proposal.stream = Some(StreamProposal { format, person });
    proposal
}
