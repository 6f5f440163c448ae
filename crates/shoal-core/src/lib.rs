//! The words of the domain.
//!
//! Everything else in Shoal is said in these words: the [`Role`] and [`Kind`] of a column, the
//! [`Hierarchy`] of its values, a [`Table`] of encoded columns, the [`TableRecoding`] that an algorithm
//! decides on, the [`PublishedValue`] that a reader of the release sees, and the [`Policy`] that asks
//! for it all. The crate holds no algorithm, no privacy model and does no I/O: text goes in, words come
//! out.

mod canonical;
pub mod dataset;
pub mod hierarchy;
mod items;
mod kind;
mod mix;
pub mod policy;
mod progress;
mod promise;
mod published;
mod quote;
mod recoding;
mod role;
pub mod stream;
mod suggest;

pub use canonical::{canonical_text, canonical_value};
pub use dataset::{
    Column, Domain, Interner, InvalidSequences, Labels, Place, RawColumn, RawColumnBuilder, RawTable,
    Sequences, Table, Transactions, TransactionsBuilder,
};
pub use hierarchy::{BoundHierarchy, Hierarchy, HierarchyError, NodeId};
pub use items::{parse_group, quote_item, render_item, split_items, unquote_item};
pub use kind::{DateFormat, Kind, KindError, ValueParser};
pub use mix::{SplitMix64, mix};
pub use policy::{Policy, PolicyDocument, PolicyError};
pub use progress::{Cancellable, Cancelled, Progress, Silent, Unseen};
pub use promise::{
    Bound, Condition, Distance, Likeness, Limit, Rule, SequencesPromise, Support, TablePromise,
    TransactionsPromise, is_drawn,
};
pub use published::{
    PublishedError, PublishedValue, looks_generalized, parse_range, parse_set, quote_in_set,
};
pub use recoding::{
    Cell, Class, ItemCluster, SUPPRESSED, SequencesRecoding, TableRecoding, TransactionsRecoding,
};
pub use role::Role;
pub use suggest::nearest;

/// What the tests of this crate share.
#[cfg(test)]
mod fixture {
    use crate::{DateFormat, Domain, Kind, RawTable, ValueParser};

    /// The domain of a column with these values, in which the empty text and `?` are missing.
    pub(crate) fn domain(kind: Kind, values: &[&str]) -> Domain {
        let rows: Vec<Vec<&str>> = values.iter().map(|v| vec![*v]).collect();
        let raw = RawTable::from_rows(&["c"], &rows);
        let parser = ValueParser::new(kind, DateFormat::default());
        Domain::of(&raw.columns[0], parser, &[String::new(), "?".to_owned()]).unwrap().0
    }
}
