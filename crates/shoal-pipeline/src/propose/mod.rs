//! What `shoal init` proposes for a table, sequences in long form or a stream: kinds, roles and hierarchies, each with its reason.
//!
//! Everything is judged from a sample of the table, from the names of its columns and from their values. In
//! doubt a column becomes a quasi-identifier: that costs detail, while a wrong `insensitive` costs privacy.
//! No role is given silently: the reason goes with it into the policy, for a person to review.

mod answers;
mod baskets;
mod beside;
mod command;
mod hierarchies;
mod kinds;
mod order;
mod person;
mod policy_text;
mod profile;
mod roles;
mod sequences;
mod stream;
mod words;

pub use answers::{Choices, Question, Topic};
pub use baskets::{BasketProposal, ItemLayout};
pub use beside::{BrokenFile, FoundHierarchy, HierarchyFile, NameMatch, column_of_file};
pub use command::{shell_word, stream_command};
pub use hierarchies::{Builder, HierarchyProposal};
pub use sequences::{EventsProposal, propose_sequences, propose_sequences_of};
pub use stream::{StreamProposal, propose_stream};

use shoal_core::{Kind, MissingTexts, RawTable, Role};

use kinds::Reading;
use person::{Candidate, Ranking};
use profile::Profile;
use roles::Judgement;

use shoal_privacy::safe_harbor::forbidden_in;

/// Whether a column's name says that it names people.
pub(crate) fn names_people(column: &str) -> bool {
    words::Words::of(column).identifying().is_some()
}

/// What is known about the source of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The source as the policy will name it, relative to the policy's folder.
    pub location: String,
    /// The separator between two values of a line; `None` for sources without lines (Parquet).
    pub separator: Option<char>,
    /// Whether the source itself names its columns.
    pub header: bool,
    /// How many records the source has, where that is known.
    pub rows: Option<u64>,
    /// The file that will hold the policy, for the commands in its comments.
    pub policy: String,
}

/// A proposed policy for a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The source that was looked at.
    pub source: Source,
    /// How many of its records were looked at.
    pub sampled: usize,
    /// One proposal per column, in the order of the source.
    pub columns: Vec<ColumnProposal>,
    /// The column that says whose each record is, where one names people and repeats.
    pub person: Option<String>,
    /// What only a person can say, about the data as a whole.
    pub questions: Vec<Question>,
    /// How rows become people with events; none where a record is a person.
    pub events: Option<EventsProposal>,
    /// How tuples leave one by one; none where the data are read as a whole.
    pub stream: Option<StreamProposal>,
    /// What a person chose instead of the usual.
    pub choices: Choices,
}

/// What is proposed for one column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnProposal {
    /// The column's name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// How its dates are written.
    pub format: Option<String>,
    /// What it means for privacy.
    pub role: Role,
    /// Why this role, in words for a person.
    pub reason: String,
    /// What was seen: distinct values, missing ones, a range or frequent values where they give nobody away.
    pub facts: String,
    /// The same without any value.
    counts: String,
    /// What a person should know about the kind, e.g. that it is not clear which is day and which is month.
    pub note: Option<String>,
    /// The texts in it that mean "no value".
    pub missing_tokens: Vec<String>,
    /// Which identifiers of HIPAA's Safe Harbor it seems to hold though it would be published, each with what to do about it.
    pub safe_harbor: Vec<String>,
    /// A hierarchy that could be built for it.
    pub hierarchy: Option<HierarchyProposal>,
    /// Hierarchy files that were found beside the data; at most one of them is used.
    pub found_hierarchies: Vec<FoundHierarchy>,
}

/// Proposes a policy for the table that `sample` was taken from.
pub fn propose(sample: &RawTable, source: Source) -> Proposal {
    let readings = read(sample);
    let people = Ranking::of(sample, &readings);
    let mut proposal = of_columns(sample, source, readings);
    // Where no column says much about people, one that is left out as an identifier and repeats is still the safer guess: with it
    // promises count people, and the question is asked.
    let is_left_out =
        |candidate: &&Candidate| candidate.repeats && proposal.columns[candidate.at].role == Role::Identifier;
    let best = match people.best() {
        Some(best) => Some(best).filter(is_left_out),
        None => people.all().iter().find(is_left_out),
    };
    if let Some(best) = best {
        proposal.person = Some(best.column.clone());
        let question = people.question("person");
        proposal.questions.extend(question.map(|text| Question { topic: Topic::Person, text }));
    }
    proposal
}

/// How each column is read.
fn read(sample: &RawTable) -> Vec<Reading> {
    let mut readings: Vec<Reading> = sample.columns.iter().map(kinds::read).collect();
    // `data.missing` is about all columns: what is a value in one of them cannot be listed there because of another.
    for at in 0..readings.len() {
        let is_value = |token: &String, other: usize| {
            other != at
                && readings[other].kind == Kind::Text
                && !readings[other].missing_tokens.contains(token)
                && sample.columns[other].labels.iter().any(|label| label == token)
        };
        let in_use = readings[at].odd.iter().find_map(|token| {
            let other = (0..readings.len()).find(|&other| is_value(token, other))?;
            Some((token.clone(), sample.columns[other].name.clone()))
        });
        if let Some((token, other)) = in_use {
            let reading = &mut readings[at];
            let note = format!(
                "all values are {} but `{}`, which is a value of column `{other}`, so that it cannot be listed under `missing`: read \
                 as text. Leave the cell empty to publish ranges",
                if reading.kind == Kind::Date { "dates" } else { "numbers" },
                token.escape_debug()
            );
            reading.missing_tokens.retain(|known| !reading.odd.contains(known));
            reading.odd.clear();
            (reading.kind, reading.format, reading.note) = (Kind::Text, None, Some(note));
        }
    }
    readings
}

/// Kinds, roles and hierarchies of the columns, whatever the shape.
fn of_columns(sample: &RawTable, source: Source, readings: Vec<Reading>) -> Proposal {
    let whole = source.rows == Some(sample.rows as u64);
    let mut questions = Vec::new();
    let columns = sample
        .columns
        .iter()
        .zip(readings)
        .enumerate()
        .map(|(at, (column, reading))| {
            let profile = Profile::of(column, &reading);
            let Judgement { role, reason, question } = roles::judge(&profile, whole);
            let mut ask = |topic: Topic, question: &str| {
                questions.push(Question { topic, text: format!("column `{}`: {question}", column.name) });
            };
            if let Some(question) = question {
                ask(Topic::Role(at), &question);
            }
            if let (true, Some(note)) = (reading.asks, &reading.note) {
                ask(Topic::Values(at), note);
            }
            let hierarchy = match role {
                Role::QuasiIdentifier => hierarchies::propose(column, &reading, &profile),
                _ => None,
            };
            let safe_harbor = match role {
                Role::Identifier => Vec::new(),
                Role::QuasiIdentifier | Role::Sensitive | Role::Insensitive | Role::PersonalK => {
                    let missing = MissingTexts::new(&reading.missing_tokens);
                    forbidden_in(column, reading.kind, &missing).iter().map(ToString::to_string).collect()
                }
            };
            ColumnProposal {
                safe_harbor,
                name: column.name.clone(),
                kind: reading.kind,
                facts: profile.facts(role),
                counts: profile.facts(Role::Identifier),
                role,
                reason,
                // Notes quote values; those of an identifier stay where they are.
                note: reading.note.filter(|_| role != Role::Identifier || reading.asks),
                missing_tokens: reading.missing_tokens,
                format: reading.format.map(|format| format.as_str().to_owned()),
                hierarchy,
                found_hierarchies: Vec::new(),
            }
        })
        .collect();
    Proposal {
        source,
        sampled: sample.rows,
        columns,
        person: None,
        questions,
        events: None,
        stream: None,
        choices: Choices::default(),
    }
}
