//! What `shoal init` proposes for a table, sequences in long form or a stream: kinds, roles and hierarchies, each with its reason.
//!
//! Everything is judged from a sample of the table, from the names of its columns and from their values. In
//! doubt a column becomes a quasi-identifier: that costs detail, while a wrong `insensitive` costs privacy.
//! No role is given silently: the reason goes with it into the policy, for a person to review.

mod baskets;
mod command;
mod hierarchies;
mod kinds;
mod policy_text;
mod profile;
mod roles;
mod sequences;
mod stream;
mod words;

pub use baskets::BasketProposal;
pub use command::{shell_word, stream_command};
pub use hierarchies::{Builder, HierarchyProposal};
pub use sequences::{EventsProposal, propose_sequences};
pub use stream::{StreamProposal, propose_stream};

use shoal_core::{Kind, RawTable, Role};

use kinds::Reading;
use profile::Profile;

/// Whether a column's name says that it names people.
pub(crate) fn names_people(column: &str) -> bool {
    words::Words::of(column).identifying().is_some()
}

/// What is known about the source of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The source as the policy will name it, relative to the policy's folder.
    pub location: String,
    /// What stands between two values of a line; `None` for sources without lines (Parquet).
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
    /// How rows become people with events; none where a record is a person.
    pub events: Option<EventsProposal>,
    /// How tuples leave one by one; none where the data are read as a whole.
    pub stream: Option<StreamProposal>,
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
    /// What a person should know about the kind, e.g. that day and month cannot be told apart.
    pub note: Option<String>,
    /// The texts in it that mean "no value".
    pub missing_tokens: Vec<String>,
    /// A hierarchy that could be built for it.
    pub hierarchy: Option<HierarchyProposal>,
}

/// Proposes a policy for the table that `sample` was taken from.
pub fn propose(sample: &RawTable, source: Source) -> Proposal {
    let readings: Vec<Reading> = sample.columns.iter().map(kinds::read).collect();
    let whole = source.rows == Some(sample.rows as u64);
    // Of the columns that name people and repeat, the one with the most values, and of equals the first.
    let mut person: Option<(u64, String)> = None;
    let columns = sample
        .columns
        .iter()
        .zip(readings)
        .map(|(column, reading)| {
            let profile = Profile::of(column, &reading);
            let (role, reason) = roles::judge(&profile, whole);
            let repeats = profile.distinct() < profile.present && !profile.is_prose();
            if role == Role::Identifier
                && repeats
                && person.as_ref().is_none_or(|(most, _)| profile.distinct() > *most)
            {
                person = Some((profile.distinct(), column.name.clone()));
            }
            let hierarchy = match role {
                Role::QuasiIdentifier => hierarchies::propose(column, &reading, &profile),
                _ => None,
            };
            ColumnProposal {
                name: column.name.clone(),
                kind: reading.kind,
                facts: profile.facts(role),
                role,
                reason,
                note: reading.note,
                missing_tokens: reading.missing_tokens,
                format: reading.format.map(|format| format.as_str().to_owned()),
                hierarchy,
            }
        })
        .collect();
    let person = person.map(|(_, name)| name);
    Proposal { source, sampled: sample.rows, columns, person, events: None, stream: None }
}
