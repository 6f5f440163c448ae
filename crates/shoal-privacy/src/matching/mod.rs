//! Whose is a published record? A file of somebody else's says nothing about origins, and one of ours must not.
//!
//! [`conservation`](crate::table::conservation) checks a claim "this row comes from that record". Where nobody makes one, it is
//! looked for here: every published record needs an original of its own of which all that it says is true. Equal published
//! records and equal originals are folded into groups, and a maximum flow between the groups decides whether everybody
//! can be served. What is found is a claim like any other and is checked like any other, so a mistake here could refuse a
//! true file but never pass a false one.
//!
//! Several assignments may fit. Whether values are true and nobody is lost or doubled does not depend on which one is found;
//! what is promised about the *people behind* rows (personal k, people with several rows) does, and is then proved for the
//! one that was found. [`Certainty`] says how sure that is; [`match_people`] follows a [`Membership`], who is said to be in which class.

mod certainty;
mod columns;
mod flow;
mod members;
mod points;
mod sequences;
mod table;
mod transactions;

pub use certainty::{Certainty, verify_against};
pub use members::Membership;
pub use sequences::match_sequences;
pub use table::{MembershipUse, PeopleOrigins, match_people, match_table};
pub use transactions::match_transactions;

use crate::{TableConservationError, TransactionsConservationError};

/// The origin of every published record, or of every published event, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origins {
    /// For each published record the original that it may come from; no original twice.
    pub origin: Vec<u32>,
    /// How many originals are not in the file.
    pub left_out: usize,
}

/// Why no origin was found. Rows count from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoOrigin {
    /// The file says of somebody what is true of nobody.
    #[error("published row {row} is true of no {record} of the original")]
    TrueOfNobody {
        /// The first row of the first such record.
        row: u64,
        /// What a record is here: a record, a transaction, a person.
        record: &'static str,
    },
    /// More is published than there are originals of which it is true: somebody is doubled or made up.
    #[error(
        "published row {row} is one of {published} published {record}s that are true of only {originals} {record}s of \
         the original: somebody is doubled or made up"
    )]
    TooFew {
        /// The first row of them.
        row: u64,
        /// How many are published.
        published: u64,
        /// Of how many originals any of them is true.
        originals: u64,
        /// What a record is here.
        record: &'static str,
    },
    /// Somebody is not in the file.
    #[error(
        "{lost} of {originals} transactions of the original are not in the file, where nobody may be left out"
    )]
    Lost {
        /// How many transactions are not there.
        lost: usize,
        /// How many the original has.
        originals: usize,
    },
    /// The columns or texts of a table cannot be compared with the original at all.
    #[error(transparent)]
    Columns(#[from] TableConservationError),
    /// The texts of transactions cannot be compared with the original at all.
    #[error(transparent)]
    Items(#[from] TransactionsConservationError),
}

impl NoOrigin {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        "is it the right original, and the policy that the file was published with? If so, the file is not true"
    }
}
