//! The types of the domain, which all other crates share.
//!
//! They are the [`Role`] and [`Kind`] of a column, the
//! [`Hierarchy`] of its values, a [`Table`] of encoded columns, the [`TableRecoding`] that an algorithm
//! decides on, the [`PublishedValue`] that a reader of the release sees, and the [`Policy`] that asks
//! for it all. The crate holds no algorithm, no privacy model and does no I/O: it turns text into these types.

pub mod dataset;
mod groups;
pub mod hierarchy;
mod items;
mod kind;
mod mix;
mod notation;
pub mod policy;
mod progress;
mod promise;
mod published;
mod quote;
mod recoding;
mod redaction;
mod role;
mod same;
mod spelled;
pub mod stream;
mod suggest;

pub use dataset::{
    Column, Domain, Interner, InvalidSequences, Labels, Place, RawColumn, RawColumnBuilder, RawTable,
    Sequences, Table, Transactions, TransactionsBuilder,
};
pub use groups::{Groups, GroupsProblem};
pub use hierarchy::{BoundHierarchy, Hierarchy, HierarchyError, NodeId};
pub use items::{
    parse_group, parse_group_number, quote_item, render_group_number, render_item, split_items, unquote_item,
};
pub use kind::{DateFormat, Kind, KindError, ValueParser};
pub use mix::{SplitMix64, mix};
pub use notation::{plain_number, without_exponent};
pub use policy::{Policy, PolicyDocument, PolicyError};
pub use progress::{Cancellable, Cancelled, Progress, Silent, Unseen};
pub use promise::{
    Bound, ColumnBound, Condition, Distance, Distribution, Figure, Likeness, Limit, Promise, Rule,
    SequencesPromise, Support, TablePromise, TransactionsPromise, is_drawn,
};
pub use published::{
    PublishedError, PublishedValue, looks_generalized, parse_range, parse_set, quote_in_set, range_ends,
    split_range,
};
pub use recoding::{
    Cell, Class, ItemCluster, SUPPRESSED, SequencesRecoding, TableRecoding, TransactionsRecoding,
};
pub use redaction::without_texts;
pub use role::Role;
pub use same::{MissingTexts, PersonKey, SameValue};
pub use spelled::{figure, grouped, percent};
pub use suggest::nearest;

/// What the tests of this crate share.
#[cfg(test)]
mod fixture {
    use crate::{Column, Domain, Kind, RawColumn, RawTable, Role, ValueParser};

    /// The domain of a column with these values, in which the empty text and `?` are missing.
    pub(crate) fn domain(kind: Kind, values: &[&str]) -> Domain {
        let missing = [String::new(), "?".to_owned()];
        Column::encode(&raw(values), Role::QuasiIdentifier, kind, &missing).unwrap().domain
    }

    /// A quasi-identifier with these values, in which only `?` is missing.
    pub(crate) fn column<S: AsRef<str>>(parser: impl Into<ValueParser>, values: &[S]) -> Column {
        Column::encode(&raw(values), Role::QuasiIdentifier, parser, &["?".to_owned()]).unwrap()
    }

    fn raw<S: AsRef<str>>(values: &[S]) -> RawColumn {
        let rows: Vec<Vec<&str>> = values.iter().map(|value| vec![value.as_ref()]).collect();
        RawTable::from_rows(&["c"], &rows).columns.remove(0)
    }
}
